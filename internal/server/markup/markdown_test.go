package markup

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// hostileMarks, one after the other, took up to 6 s for 61 KB.
var hostileMarks = []string{"*a_", "_a*", "**a_", "~a*", "*a~~_", "a_b_", "*a_(", "[*a_](b)", "[", "[a](", "*a\n_b"}

// TestHostileMarkdown: of marks that each have to be compared with all before them, a reply is shown as it is, however
// they are spread over lines; a reply with as many in paragraphs of their own is laid out.
func TestHostileMarkdown(t *testing.T) {
	for _, unit := range hostileMarks {
		for _, width := range []int{60, 1800, 8000} {
			line := strings.Repeat(unit, width/len(unit))
			text := strings.Repeat(line+"\n", 61_000/(len(line)+1))
			if Markdown(text) != "" {
				t.Errorf("%d bytes of %q in lines of %d are laid out", len(text), unit, width)
			}
		}
	}
	for _, deep := range []string{"> ", "1. ", "- "} {
		if Markdown(strings.Repeat(strings.Repeat(deep, 8000/len(deep))+"a\n", 7)) != "" {
			t.Errorf("%q is laid out thousands deep", deep)
		}
	}
	for what, text := range map[string]string{
		"paragraphs": strings.Repeat("The **first** answer *is* `right`, and [[A>B]] says so.\n\n", 1000),
		"a proof":    strings.Repeat("Since $a_{i} * b_{i} = c_{i}$ for all $i$, *both* hold.\n", 300),
		"a program":  "```python\n" + strings.Repeat("def __init__(self, *args): self._x[0] = args[1]\n", 200) + "```\n",
		"a rule":     strings.Repeat("-", 300) + "\n\na",
	} {
		if Markdown(text) == "" {
			t.Errorf("%s: %d bytes are not laid out", what, len(text))
		}
	}
}

// Layout of a reply never makes much of little: a table of 2,000 columns has
// 15,000 rows in 50 KB.
func TestMarkdownStaysSmall(t *testing.T) {
	for name, text := range map[string]string{
		"a wide table": "|" + strings.Repeat("a|", 2000) + "\n|" + strings.Repeat("-|", 2000) + "\n" + strings.Repeat("|a\n", 15000),
		"a long table": "|a|b|c|d|\n|-|-|-|-|\n" + strings.Repeat("|\n", 5000),
		"quotes":       strings.Repeat("> ", 4000),
		"links":        strings.Repeat("[a](", 2000),
		"emphasis":     strings.Repeat("**a*", 2000),
		"entities":     strings.Repeat("<&\"'", 10000),
	} {
		if page := Markdown(text); len(page) > 30*len(text) {
			t.Errorf("%s: %d bytes become %d", name, len(text), len(page))
		}
	}
	if Markdown("|a|b|\n|-|-|\n|1|2|\n") == "" {
		t.Error("a table of some rows is not laid out")
	}
}

// Entities are characters, but for those that do something: these are shown as
// they are written, and mark no verdict.
func TestEntities(t *testing.T) {
	page := Markdown("&#xE000;A&#57345; &amp; &#66; &rlm; &#x1B; &lt;")
	if got, want := strings.TrimSpace(string(page)), "<p>&amp;#xE000;A&amp;#57345; &amp; B &amp;rlm; &amp;#x1B; &lt;</p>"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// BenchmarkHostileMarkdown measures the worst reply that is laid out.
func BenchmarkHostileMarkdown(b *testing.B) {
	for _, unit := range append(hostileMarks, "plain text ", "*a* ") {
		b.Run(fmt.Sprintf("%q", unit), func(b *testing.B) {
			text := strings.Repeat(unit+"\n", longestMarkdown/(len(unit)+1))
			for !isCheapToRender(text) {
				text = text[:len(text)*9/10]
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				toHTML.Convert([]byte(escapeReferences(text)), new(bytes.Buffer))
			}
		})
	}
}
