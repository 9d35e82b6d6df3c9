package site

import (
	"bytes"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/net/html"
)

// rewritten is a page whose links lead to files. Forms that need a server are left out, and so are links to what the
// site does not have: their words stay.
func (c *copying) rewritten(address string, page []byte) ([]byte, error) {
	var out bytes.Buffer
	left := false // items that are only listed
	z := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := z.Next()
		raw := bytes.Clone(z.Raw())
		switch kind {
		case html.ErrorToken:
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return nil, err
			}
			return out.Bytes(), nil
		case html.EndTagToken:
			if name, _ := z.TagName(); string(name) == "main" && left {
				out.WriteString(`<p class="muted">This copy has the pages of ` + strconv.Itoa(c.Items) + ` items of a run; the others are only listed.</p>` + "\n")
			}
			out.Write(raw)
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if needsServer(t) {
				if kind == html.StartTagToken && !void[t.Data] {
					skip(z, t.Data)
				}
				continue
			}
			changed, beyond := c.relink(address, &t)
			left = left || beyond
			if changed {
				out.WriteString(t.String())
			} else {
				out.Write(raw)
			}
			if t.Data == "head" {
				out.WriteString("\n<meta name=\"generator\" content=\"gavel\">")
			}
		default:
			out.Write(raw)
		}
	}
}

// void are the elements that need a server and have nothing in them.
var void = map[string]bool{"input": true}

// needsServer tells whether an element is a form that is sent, or part of one that stands elsewhere.
func needsServer(t html.Token) bool {
	if t.Data == "form" {
		return has(t, "action")
	}
	return has(t, "form") || has(t, "formaction")
}

func has(t html.Token, key string) bool {
	for _, a := range t.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

// skip reads up to the end of an element.
func skip(z *html.Tokenizer, element string) {
	for depth := 1; depth > 0; {
		kind := z.Next()
		name, _ := z.TagName()
		switch {
		case kind == html.ErrorToken:
			return
		case kind == html.StartTagToken && string(name) == element:
			depth++
		case kind == html.EndTagToken && string(name) == element:
			depth--
		}
	}
}

// relink makes the links of an element lead to files; beyond is whether one led to an item past the bound.
func (c *copying) relink(address string, t *html.Token) (changed, beyond bool) {
	attrs := t.Attr[:0:0]
	for _, a := range t.Attr {
		isLink := a.Key == "href" || a.Key == "src"
		if !isLink {
			if strings.HasPrefix(a.Key, "data-") && strings.HasPrefix(a.Val, "/") { // an address for the script
				changed = true
				continue
			}
			attrs = append(attrs, a)
			continue
		}
		u, ours := resolve(address, a.Val)
		if !ours || strings.HasPrefix(a.Val, "#") {
			attrs = append(attrs, a)
			continue
		}
		changed = true
		p, ok := c.placed(u)
		if ok && c.admit(p) {
			a.Val = relative(c.files[address], c.files[p.address])
			if u.Fragment != "" {
				a.Val += "#" + u.EscapedFragment()
			}
			attrs = append(attrs, a)
		} else if ok {
			beyond = true
		}
	}
	t.Attr = attrs
	return changed, beyond
}

// relative is how a file of the site leads to another. Names of files need no escaping in an address: see slug.
func relative(from, to string) string {
	rel, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		return to // both are relative: it does not come to this
	}
	return filepath.ToSlash(rel)
}
