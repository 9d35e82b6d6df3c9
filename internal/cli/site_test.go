package cli

import (
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// siteOf makes a site of the runs in the folder, and gives its pages by file.
func siteOf(t *testing.T, args ...string) (pages map[string]*html.Node) {
	t.Helper()
	if _, stderr, code := call(t, append([]string{"report", "--site", "public"}, args...)...); code != 0 || !strings.Contains(stderr, "open "+filepath.Join("public", "index.html")) {
		t.Fatalf("exit status %d: %s", code, stderr)
	}
	pages = map[string]*html.Node{}
	err := filepath.WalkDir("public", func(path string, e fs.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".html" {
			pages[filepath.ToSlash(path)], err = html.Parse(strings.NewReader(read(t, path)))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// eachAttr calls f with every attribute of a page.
func eachAttr(n *html.Node, f func(element, key, value string)) {
	for _, a := range n.Attr {
		f(n.Data, a.Key, a.Val)
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		eachAttr(c, f)
	}
}

// Every link of a site leads to a file that is there, and nothing in it needs the server.
func TestSite(t *testing.T) {
	home(t)
	for _, line := range []string{
		"run pairwise --backend sim --model accuracy=0.8,first=0.3 --dataset sample --out runs/pairs",
		"run pairwise --backend sim --model silent --dataset sample --limit 12 --out runs/Silent",
		"run answer --backend sim --model accuracy=0.6 --dataset sample-choice --limit 6 --out runs/deep/answers",
		"run multi-option --backend sim --model first --dataset sample-options --limit 3 --out runs/options",
	} {
		mustCall(t, strings.Fields(line)...)
	}
	write(t, "suite.yaml", "name: ablation\njudges:\n  - {model: right, backend: sim}\n  - {model: coin, backend: sim}\nconditions:\n  - {protocol: pairwise, dataset: sample, limit: 4}\n")
	mustCall(t, "suite", "run", "suite.yaml")
	pages := siteOf(t, "runs")
	for file, page := range pages {
		eachAttr(page, func(element, key, value string) {
			if strings.HasPrefix(value, "/") || strings.Contains(value, "127.0.0.1") || strings.Contains(value, "localhost") {
				t.Errorf("%s: %s %s=%q is of the server", file, element, key, value)
			}
			if key == "action" || key == "formaction" || element == "input" && key == "name" {
				t.Errorf("%s: a form is left: %s %s=%q", file, element, key, value)
			}
			if key != "href" && key != "src" {
				return
			}
			u, err := url.Parse(value)
			switch {
			case err != nil:
				t.Errorf("%s: %s: %v", file, value, err)
			case u.Path == "" || u.Scheme != "":
			default:
				if info, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(u.Path))); err != nil || !info.Mode().IsRegular() || u.RawQuery != "" {
					t.Errorf("%s: %s leads nowhere: %v", file, value, err)
				}
			}
			to := file
			if u.Path != "" {
				to = path.Join(path.Dir(file), u.Path)
			}
			if u.Scheme == "" && u.Fragment != "" && !hasID(pages[to], u.Fragment) {
				t.Errorf("%s: %s leads to no part of the page", file, value)
			}
		})
		for n := range page.Descendants() {
			if n.Data == "a" && attrOf(n, "class") == "button" && attrOf(n, "href") == "" {
				t.Errorf("%s: a button leads nowhere", file)
			}
			if n.Data == "h1" && n.FirstChild != nil && n.FirstChild.Data == "Not Found" {
				t.Errorf("%s says that there is nothing", file)
			}
		}
	}
	for _, some := range []string{"hardest-*.html", "hardest/*.html", "compare/figures/*.svg", "compare/figures/*.png", "runs/pairs/*.svg", "runs/pairs/*.png"} {
		if found, err := filepath.Glob(filepath.Join("public", filepath.FromSlash(some))); err != nil || len(found) == 0 {
			t.Errorf("the site has no %s", some)
		}
	}
	for _, want := range []string{"public/index.html", "public/runs/pairs/index.html", "public/runs/pairs/items.html", "public/runs/pairs/items/sample-math-01.html", "public/suites/ablation.html"} {
		if pages[want] == nil {
			t.Errorf("there is no %s", want)
		}
	}
	if n := strings.Count(read(t, "public/index.html"), `data-label="Model"`); n != 6 {
		t.Errorf("%d runs in the list of the site", n)
	}
	compared := false
	for file := range pages {
		compared = compared || strings.HasPrefix(file, "public/compare/")
	}
	if !compared {
		t.Error("no two runs are compared")
	}
	// A site of fewer runs takes the place of this one; of a suite in part there is no page.
	pages = siteOf(t, "runs/pairs", filepath.Join("runs", "ablation", firstOf(t, "runs/ablation")), "--site-items", "3")
	if pages["public/suites/ablation.html"] != nil || pages["public/runs/options/index.html"] != nil || pages["public/index.html"] == nil {
		t.Errorf("%d pages are left", len(pages))
	}
	if list := read(t, "public/runs/pairs/items.html"); !strings.Contains(list, "pages of 3 items of a run") {
		t.Error("what is only listed is not said")
	}
	if pages := siteOf(t, "runs/pairs"); pages["public/runs/pairs/items/sample-math-01.html"] == nil {
		t.Error("of one run there is no site")
	}
}

// hasID tells whether a page has an element of that id.
func hasID(page *html.Node, id string) (has bool) {
	if page == nil {
		return false
	}
	eachAttr(page, func(_, key, value string) { has = has || key == "id" && value == id })
	return has
}

// attrOf an element; "" where it has none of that name.
func attrOf(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// firstOf is the first run in a folder.
func firstOf(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "run.json"))
	if err != nil || len(found) == 0 {
		t.Fatal(dir, err)
	}
	return filepath.Base(filepath.Dir(found[0]))
}

func TestSiteRefuses(t *testing.T) {
	home(t)
	mustCall(t, strings.Fields("run pairwise --backend sim --model coin --dataset sample --limit 2 --out runs/a")...)
	write(t, "taken/mine.txt", "mine")
	for line, says := range map[string]string{
		"report runs --site taken":                  "taken: exists and is not a site that gavel wrote: choose another folder",
		"report runs --site s --out x.html":         "choose one",
		"report runs --site s --policy last":        "--policy works for a single page only",
		"report runs --site s --site-items 0":       "must be at least 1",
		"report --site s":                           "which run?",
		"report none --site s":                      "no run at none",
		"report taken --site s":                     "is not a run directory",
		"report runs/a --out x.html --site-items 3": "",
	} {
		_, stderr, code := call(t, strings.Fields(line)...)
		if (code != 0) != (says != "") || !strings.Contains(stderr, says) || says != "" && strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit status %d: %s", line, code, stderr)
		}
	}
	if _, err := os.Stat("s"); err == nil || read(t, "taken/mine.txt") != "mine" {
		t.Error("something was written")
	}
}
