package markup

import (
	"bytes"
	"html/template"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/microcosm-cc/bluemonday"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"gavel/internal/doc"
)

// longestMarkdown is the size in bytes of the longest reply that is laid out as Markdown. Longer replies are shown as
// plain text, since the layout of hostile text must not take long.
const longestMarkdown = 64 << 10

// deepestMarkdown is the greatest depth of nested HTML elements in a reply: parsers of HTML give up at some hundreds.
const deepestMarkdown = 50

// Markdown converts a reply to harmless HTML. The text comes from Visible, and may have the marks of MarkVerdict around
// its verdict. It returns "" for a text that is better shown as plain text.
func Markdown(text string) (out template.HTML) {
	if len(text) > longestMarkdown || !isCheapToRender(text) {
		return ""
	}
	defer func() {
		if recover() != nil { // a reply must not break the page
			out = ""
		}
	}()
	var b bytes.Buffer
	if err := toHTML.Convert([]byte(escapeReferences(text)), &b); err != nil {
		return ""
	}
	root := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(bytes.NewReader(htmlPolicy.SanitizeBytes(b.Bytes())), root)
	if err != nil {
		return ""
	}
	for _, n := range nodes {
		root.AppendChild(n)
	}
	if highlight(root) > deepestMarkdown {
		return ""
	}
	out, err = doc.InnerHTML(root)
	if err != nil {
		return ""
	}
	return out
}

// entity matches a character reference of HTML, by number or name, such as &#8238; or &amp;.
var entity = regexp.MustCompile(`&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]*);`)

// escapeReferences escapes character references such as &#xE000; that stand for characters which Visible replaces, so
// that the conversion of Markdown does not bring those characters back.
func escapeReferences(text string) string {
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
		if strings.ContainsFunc(means, isInvisible) {
			return "&amp;" + e[1:]
		}
		return e
	})
}

// isCheapToRender reports whether a text can be laid out quickly. It excludes lines with thousands of marks, lists and
// quotes that are nested hundreds deep, tables whose head has so many columns that each short row becomes thousands of
// cells, and paragraphs with thousands of marks, each of which is compared with all before it.
func isCheapToRender(text string) bool {
	var longest, deepest, columns, lines, pairs int
	marks := 0 // in the current paragraph
	for line := range strings.SplitSeq(text, "\n") {
		content := strings.TrimLeft(line, " \t>-+*0123456789.)")
		longest = max(longest, len(line))
		deepest = max(deepest, len(line)-len(content))
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
	return longest <= 8<<10 && deepest <= 400 && columns*lines <= 20_000 && pairs+marks*marks <= maxMarkPairs
}

// maxMarkPairs limits the pairs of marks that goldmark compares with each other: this many take about 50 ms.
const maxMarkPairs = 4000 * 4000

// toHTML converts Markdown (CommonMark with tables and strikethrough) to HTML.
var toHTML = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithParserOptions(parser.WithASTTransformers(util.Prioritized(activeNodeEscaper{}, 1))),
)

// activeNodeEscaper turns active nodes into text: HTML into its source, images and links that do not lead to a web site
// into their addresses, and headings into lines in bold, since headings belong to the page.
type activeNodeEscaper struct{}

// Transform changes a parsed document before it is converted to HTML. goldmark calls it.
func (activeNodeEscaper) Transform(root *ast.Document, in text.Reader, _ parser.Context) {
	src := in.Source()
	var all []ast.Node
	ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			all = append(all, n)
		}
		return ast.WalkContinue, nil
	})
	for _, n := range all {
		switch n := n.(type) {
		case *ast.RawHTML:
			replaceNode(n, textNode(n.Segments.Value(src)))
		case *ast.HTMLBlock:
			block := ast.NewCodeBlock()
			block.SetLines(n.Lines())
			if n.HasClosure() {
				block.Lines().Append(n.ClosureLine)
			}
			replaceNode(n, block)
		case *ast.Heading:
			strong := ast.NewEmphasis(2)
			for n.HasChildren() {
				strong.AppendChild(strong, n.FirstChild())
			}
			line := ast.NewParagraph()
			line.AppendChild(line, strong)
			replaceNode(n, line)
		case *ast.Image:
			unwrapNode(n, "[image: ", " "+string(n.Destination)+"]")
		case *ast.Link:
			n.Destination = []byte(markRemover.Replace(string(n.Destination)))
			if !isWebURL(string(n.Destination)) {
				unwrapNode(n, "[", "]("+string(n.Destination)+")")
			}
		case *ast.AutoLink:
			if to := string(n.URL(src)); !isWebURL(to) || to != markRemover.Replace(to) {
				replaceNode(n, textNode([]byte("<"+string(n.Label(src))+">")))
			}
		}
	}
}

// textNode returns a node of text that is no Markdown.
func textNode(words []byte) ast.Node {
	n := ast.NewString(words)
	n.SetRaw(true)
	return n
}

func replaceNode(n, replacement ast.Node) { n.Parent().ReplaceChild(n.Parent(), n, replacement) }

// unwrapNode replaces a node by its children, with the texts before and after around them.
func unwrapNode(n ast.Node, before, after string) {
	parent := n.Parent()
	parent.InsertBefore(parent, n, textNode([]byte(before)))
	for n.HasChildren() {
		parent.InsertBefore(parent, n, n.FirstChild())
	}
	replaceNode(n, textNode([]byte(after)))
}

// isWebURL reports whether an address leads to a web site: an http or https URL with a host. Without a host it could
// lead into this site.
func isWebURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https")
}

// htmlPolicy filters after activeNodeEscaper: it removes all elements and attributes but those allowed here.
var htmlPolicy = func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(strings.Fields("p br hr strong em del code pre blockquote ul ol li table thead tbody tr th td")...)
	p.AllowAttrs("href").OnElements("a")
	p.AllowURLSchemes("http", "https")
	p.AllowRelativeURLs(false)
	p.RequireParseableURLs(true)
	p.RequireNoFollowOnLinks(true)
	p.RequireNoReferrerOnLinks(true)
	return p
}()

// highlight turns text between markBegin and markEnd, the marks around a verdict, into <mark> elements, and removes
// other marks. It returns the greatest depth of nested elements below n.
func highlight(n *html.Node) (deepest int) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			if c.DataAtom == atom.Th && c.FirstChild == nil { // an empty heading confuses screen readers
				c.Data = "td"
			}
			if c.FirstChild != nil {
				deepest = max(deepest, 1+highlight(c))
			}
			continue
		}
		before, rest, ok := strings.Cut(c.Data, string(markBegin))
		verdict, after, closed := strings.Cut(rest, string(markEnd))
		if !ok || !closed {
			c.Data = markRemover.Replace(c.Data)
			continue
		}
		c.Data = markRemover.Replace(before)
		mark := &html.Node{
			Type: html.ElementNode, Data: "mark", DataAtom: atom.Mark, Attr: []html.Attribute{{Key: "class", Val: "verdict"}},
		}
		mark.AppendChild(&html.Node{Type: html.TextNode, Data: markRemover.Replace(verdict)})
		tail := &html.Node{Type: html.TextNode, Data: after}
		n.InsertBefore(tail, c.NextSibling)
		n.InsertBefore(mark, tail)
		c = mark
	}
	return deepest
}

// markRemover removes markBegin and markEnd.
var markRemover = strings.NewReplacer(string(markBegin), "", string(markEnd), "")
