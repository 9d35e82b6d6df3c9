package site

import (
	"crypto/sha256"
	"encoding/hex"
	"maps"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
)

// place is a page's address, in the one form that all links to it come to, and its file.
type place struct {
	address, file string
	bound         string // what its kind is bounded by; "" for nothing
}

// reportFile is a page of a run that needs no other file.
const reportFile = "report.html"

// itemsPerList is how many items a page of their list has.
const itemsPerList = 50

// most is how many pages of a kind there may be.
func (c *copying) most(p place) int {
	if strings.HasPrefix(p.bound, "compare") {
		return mostCompares
	}
	return c.Items
}

// placed tells which page of the site an address is; ok is false for what a copy does not have: forms, searches, orders
// other than the first, and what changes.
func (c *copying) placed(u *url.URL) (p place, ok bool) {
	parts := strings.Split(strings.TrimPrefix(u.EscapedPath(), "/"), "/")
	names := make([]string, len(parts))
	for i, part := range parts {
		name, err := url.PathUnescape(part)
		if err != nil {
			return p, false
		}
		names[i] = name
	}
	q := u.Query()
	switch n := len(parts); {
	case n == 1 && parts[0] == "":
		return only(q, place{address: "/", file: "index.html"}, "leaderboard-", "protocol", "metric", "page")
	case n == 1 && parts[0] == "suites":
		return only(q, place{address: "/suites", file: "suites.html"}, "")
	case n == 2 && parts[0] == "suites":
		return only(q, place{address: "/suites/" + parts[1], file: "suites/" + slug(names[1]) + ".html"}, "")
	case n == 2 && parts[0] == "assets":
		return only(q, place{address: u.EscapedPath(), file: "assets/" + slug(names[1])}, "")
	case n >= 2 && parts[0] == "runs":
		return c.ofRun("/runs/"+parts[1], "runs/"+slug(names[1])+"/", parts[2:], names[2:], q)
	case n == 1 && parts[0] == "compare" && len(q["a"])+len(q["b"])+len(q["run"]) > 1:
		return only(q, place{address: "/compare", file: "compare/", bound: "compare"}, "compare/", "a", "b", "run", "show", "page")
	case n == 2 && parts[0] == "compare" && parts[1] == "item":
		return only(q, place{address: "/compare/item", file: "compare/items/", bound: "compare item"}, "compare/items/", "a", "b", "run", "item")
	case n == 3 && parts[0] == "compare" && parts[1] == "figures":
		p, ok = only(q, place{address: u.EscapedPath(), file: "compare/figures/", bound: "compare figures of " + q.Encode()}, "compare/figures/", "a", "b", "run")
		p.file = strings.TrimSuffix(p.file, ".html") + "-" + slug(names[2])
		return p, ok
	case n == 1 && parts[0] == "hardest":
		if c.past(q) {
			return p, false
		}
		return only(q, place{address: "/hardest", file: "hardest.html"}, "hardest-", "protocol", "dataset", "page")
	case n == 2 && parts[0] == "hardest" && parts[1] == "item":
		of := url.Values{"protocol": q["protocol"], "dataset": q["dataset"]}
		return only(q, place{address: "/hardest/item", file: "hardest/", bound: "hardest of " + of.Encode()}, "hardest/", "protocol", "dataset", "item")
	}
	return p, false
}

// past tells whether a page of a list of items is past the bound, or the first by another address.
func (c *copying) past(q url.Values) bool {
	page, err := strconv.Atoi(q.Get("page"))
	return err == nil && (page-1)*itemsPerList >= c.Items || q.Get("page") == "1"
}

// ofRun are the pages of a run. Those of items are the same by whatever filter one comes to them.
func (c *copying) ofRun(address, folder string, parts, names []string, q url.Values) (p place, ok bool) {
	switch n := len(parts); {
	case n == 0:
		return only(q, place{address: address, file: folder + "index.html"}, "")
	case n == 1 && parts[0] == "items":
		if c.past(q) {
			return p, false
		}
		return only(q, place{address: address + "/items", file: folder + "items.html"}, folder+"items-", "show", "outcome", "page")
	case n == 2 && parts[0] == "items":
		return place{address: address + "/items/" + parts[1], file: folder + "items/" + slug(names[1]) + ".html", bound: address}, true
	case n == 1 && parts[0] == "item":
		id := url.Values{"id": q["id"]}
		return place{address: address + "/item?" + id.Encode(), file: folder + "items/" + slug(q.Get("id")) + ".html", bound: address}, q.Has("id")
	case n == 1 && (parts[0] == "results.csv" || parts[0] == reportFile), n == 2 && parts[0] == "figures": // records may be too large
		return only(q, place{address: address + "/" + strings.Join(parts, "/"), file: folder + slug(names[n-1])}, "")
	}
	return p, false
}

// only is a page with a query of these keys and no others; more is how its file begins where it has any.
func only(q url.Values, p place, more string, keys ...string) (place, bool) {
	for key := range q {
		if !slices.Contains(keys, key) {
			return p, false
		}
	}
	if len(q) == 0 {
		return p, true
	}
	p.address += "?" + q.Encode()
	var words []string
	for _, key := range slices.Sorted(maps.Keys(q)) {
		words = append(words, key, strings.Join(q[key], "-"))
	}
	p.file = more + slug(strings.Join(words, "-")) + ".html"
	return p, true
}

// slug is a name as that of a file on every system: where letters are lost, or a system has the name for something else, a
// sum tells it from others.
func slug(name string) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, strings.ToLower(name))
	ext := path.Ext(safe)
	if len(ext) > 6 || ext == "." {
		ext = ""
	}
	safe = strings.Trim(strings.TrimSuffix(safe, ext), ". ")
	if len(safe) > 60 {
		safe = safe[:60]
	}
	if safe != "" && safe+ext == name && !slices.Contains(reserved, strings.TrimRight(safe, "0123456789")) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return safe + "-" + hex.EncodeToString(sum[:5]) + ext
}

// reserved are names that Windows has for devices, without their numbers.
var reserved = []string{"con", "prn", "aux", "nul", "com", "lpt"}
