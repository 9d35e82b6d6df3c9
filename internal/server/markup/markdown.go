package markup

import (
	"bytes"
	"fmt"
	"html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
)

// longestMarkdown is how much of a reply is laid out as Markdown. What is longer
// is shown as it is: layout of hostile text should not take long.
const longestMarkdown = 64 << 10

// deepestMarkdown is how deep quotes and lists may stand in each other: readers of HTML give up at some hundreds.
const deepestMarkdown = 50

// What a page lays out at most; the replies after that are shown as they are.
const (
	mostLaidOut   = 1 << 20 // bytes
	longestLayout = 2 * time.Second
)

// Layout is what is left of that for a page.
type Layout struct {
	bytes int
	until time.Time
}

// NewLayout is that of a page of which nothing is laid out yet.
func NewLayout() *Layout { return &Layout{mostLaidOut, time.Now().Add(longestLayout)} }

// Of is a reply laid out; "" where it is better shown as plain text.
func (l *Layout) Of(text string) template.HTML {
	l.bytes -= len(text)
	if l.bytes < 0 || time.Now().After(l.until) {
		return ""
	}
	page, _ := Markdown(text)
	return page
}

// Markdown lays out a reply whose verdict is marked (see [Marked]). ok is false where it is better shown as plain text.
func Markdown(text string) (out template.HTML, ok bool) {
	if len(text) > longestMarkdown || !modest(text) {
		return "", false
	}
	defer func() {
		if recover() != nil { // a reply must not take the page down
			out, ok = "", false
		}
	}()
	var b bytes.Buffer
	if err := toHTML.Convert([]byte(inert(text)), &b); err != nil {
		return "", false
	}
	page, depth := highlight(harmless.SanitizeBytes(b.Bytes()))
	if depth > deepestMarkdown {
		return "", false
	}
	return template.HTML(page), true
}

// entity is a character that Markdown knows by its number or name.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);`)

// inert leaves entities as they are written that would become what Visible takes out, marks of a verdict among them.
func inert(text string) string {
	return entity.ReplaceAllStringFunc(text, func(e string) string {
		name, number := strings.CutPrefix(e[1:len(e)-1], "#")
		means := html.UnescapeString(e)
		if number {
			base := 10
			if hex := strings.TrimLeft(name, "xX"); hex != name {
				name, base = hex, 16
			}
			n, err := strconv.ParseInt(name, base, 32)
			if err != nil {
				return e
			}
			means = string(rune(n))
		}
		if strings.ContainsFunc(means, acting) {
			return "&amp;" + e[1:]
		}
		return e
	})
}

// modest tells whether a text is short of what takes long to lay out: lines of thousands of marks, lists and quotes
// that stand hundreds deep in each other, tables whose head has so many columns that every short row after it becomes
// thousands of cells, and paragraphs of thousands of marks, each of which is compared with all before it.
func modest(text string) bool {
	longest := 0
	deepest := 0
	columns := 0
	lines := 0
	pairs := 0
	marks := 0 // of the paragraph
	for line := range strings.SplitSeq(text, "\n") {
		within := strings.TrimLeft(line, " \t>-+*0123456789.)")
		longest = max(longest, len(line))
		deepest = max(deepest, len(line)-len(within))
		columns = max(columns, strings.Count(line, "|"))
		lines++
		if strings.TrimSpace(line) == "" {
			pairs, marks = pairs+marks*marks, 0
			continue
		}
		for i := range len(line) {
			if strings.IndexByte("*_~[]`", line[i]) >= 0 {
				marks++
			}
		}
	}
	return longest <= 8<<10 && deepest <= 400 && columns*lines <= 20_000 && pairs+marks*marks <= mostPairs
}

// mostPairs of marks take some 50 ms to compare.
const mostPairs = 4000 * 4000

// toHTML knows tables and strikethrough beside CommonMark. HTML in the text is shown as the text that it is, images as
// their addresses, headings as lines of their own that are none of the page's.
var toHTML = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithParser(parser.NewParser(
		parser.WithBlockParsers(parser.DefaultBlockParsers()...),
		parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...),
	)),
	goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(inertNodes{}, 1))),
)

// inertNodes renders what could do something as text.
type inertNodes struct{}

func (inertNodes) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindRawHTML, rawHTML)
	r.Register(ast.KindHTMLBlock, htmlBlock)
	r.Register(ast.KindImage, image)
	r.Register(ast.KindHeading, heading)
	r.Register(ast.KindLink, link)
	r.Register(ast.KindAutoLink, autoLink)
}

func rawHTML(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		segments := n.(*ast.RawHTML).Segments
		for i := range segments.Len() {
			s := segments.At(i)
			w.WriteString(html.EscapeString(string(s.Value(src))))
		}
	}
	return ast.WalkSkipChildren, nil
}

func htmlBlock(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	block := n.(*ast.HTMLBlock)
	var text strings.Builder
	for i := range block.Lines().Len() {
		s := block.Lines().At(i)
		text.Write(s.Value(src))
	}
	if block.HasClosure() {
		text.Write(block.ClosureLine.Value(src))
	}
	fmt.Fprintf(w, "<pre>%s</pre>\n", html.EscapeString(text.String()))
	return ast.WalkContinue, nil
}

func image(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("[image: ")
	} else {
		w.WriteString(" " + html.EscapeString(string(n.(*ast.Image).Destination)) + "]")
	}
	return ast.WalkContinue, nil
}

func heading(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		w.WriteString("<p><strong>")
	} else {
		w.WriteString("</strong></p>\n")
	}
	return ast.WalkContinue, nil
}

// link shows where a link would lead beside its words; only addresses of the web can be followed.
func link(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	to := string(n.(*ast.Link).Destination)
	switch {
	case entering && ofTheWeb(to):
		fmt.Fprintf(w, `<a href="%s">`, html.EscapeString(to))
	case entering:
		w.WriteString("[")
	case ofTheWeb(to):
		w.WriteString("</a>")
	default:
		w.WriteString("](" + html.EscapeString(to) + ")")
	}
	return ast.WalkContinue, nil
}

func autoLink(w util.BufWriter, src []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	a := n.(*ast.AutoLink)
	label, to := html.EscapeString(string(a.Label(src))), string(a.URL(src))
	if ofTheWeb(to) {
		fmt.Fprintf(w, `<a href="%s">%s</a>`, html.EscapeString(to), label)
	} else {
		w.WriteString("&lt;" + label + "&gt;")
	}
	return ast.WalkContinue, nil
}

// ofTheWeb wants a host: without one, an address may lead into this site.
func ofTheWeb(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// harmless is the second filter: whatever the first let through, only these elements and no
// attribute but these leave it.
var harmless = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements("p", "br", "hr", "strong", "em", "del", "code", "pre", "blockquote", "ul", "ol", "li",
		"table", "thead", "tbody", "tr", "th", "td")
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}()

// highlight turns the marks of a verdict into elements, in text alone: marks that came into an attribute, or whose
// other half stands elsewhere, go. It tells how deep the elements stand in each other.
func highlight(page []byte) (out string, deepest int) {
	z := html.NewTokenizer(bytes.NewReader(page))
	var b strings.Builder
	for depth := 0; ; {
		kind := z.Next()
		switch kind {
		case html.ErrorToken:
			return b.String(), deepest
		case html.TextToken:
			b.WriteString(highlightText(string(z.Raw())))
			continue
		case html.StartTagToken:
			if name, _ := z.TagName(); string(name) != "br" && string(name) != "hr" {
				depth++
				deepest = max(deepest, depth)
			}
		case html.EndTagToken:
			depth--
		}
		b.WriteString(unmarked.Replace(string(z.Raw())))
	}
}

var unmarked = strings.NewReplacer(string(markBegin), "", string(markEnd), "")

func highlightText(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, string(markBegin))
		verdict, after, closed := strings.Cut(rest, string(markEnd))
		if !ok || !closed {
			b.WriteString(unmarked.Replace(text))
			return b.String()
		}
		b.WriteString(unmarked.Replace(before) + `<mark class="verdict">` + unmarked.Replace(verdict) + "</mark>")
		text = after
	}
}
