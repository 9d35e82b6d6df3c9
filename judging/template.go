package judging

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

//go:embed prompts
var promptFiles embed.FS

// Template is what a protocol says around its items, and the labels that it
// offers: one system message, or several texts where items of several shapes are
// asked about in their own ways, or one item in several modes.
type Template struct {
	Name   string   `json:"name"`
	Origin string   `json:"origin,omitempty"` // the paper and table it is from
	System string   `json:"system"`
	SHA256 string   `json:"sha256"` // of System or, where there are several, of the names and texts
	Labels []string `json:"labels"` // as written in it, without brackets, each once
	// Texts are the messages, each by the name that its protocol asks for it
	// by. All of them are part of the run, those not used on its items too.
	Texts map[string]string `json:"texts,omitempty"`
}

// newTemplate fills in what follows from the text. The labels are read from it,
// so that wording and check cannot drift apart.
func newTemplate(name, origin, system string) Template {
	sum := sha256.Sum256([]byte(system))
	t := Template{Name: name, Origin: origin, System: system, SHA256: hex.EncodeToString(sum[:])}
	for _, label := range findLabels(system) {
		if !slices.Contains(t.Labels, label) {
			t.Labels = append(t.Labels, label)
		}
	}
	return t
}

// embedded reads prompts/PROTOCOL/NAME.txt; the newline that ends the file is
// not part of the prompt.
func embedded(protocol, name, origin string) Template {
	b, err := promptFiles.ReadFile("prompts/" + protocol + "/" + name + ".txt")
	if err != nil {
		panic(err) // the file is part of the program
	}
	return newTemplate(name, origin, strings.TrimSuffix(string(b), "\n"))
}

// newTexts is newTemplate for several texts. labels are found in all of them.
func newTexts(name, origin string, texts map[string]string, label *regexp.Regexp) Template {
	t := Template{Name: name, Origin: origin, Texts: texts, Labels: []string{}}
	sum := sha256.New()
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(sum, "%d %s %d %s", len(text), text, len(texts[text]), texts[text]) // no text can pass for another's end
		for _, m := range label.FindAllStringSubmatch(texts[text], -1) {
			if !slices.Contains(t.Labels, m[1]) {
				t.Labels = append(t.Labels, m[1])
			}
		}
	}
	t.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return t
}

// embeddedTexts reads prompts/PROTOCOL/*.txt, each under its name without the
// ending.
func embeddedTexts(protocol, name, origin string, label *regexp.Regexp) Template {
	dir := "prompts/" + protocol
	files, err := promptFiles.ReadDir(dir)
	if err != nil {
		panic(err) // the folder is part of the program
	}
	texts := map[string]string{}
	for _, f := range files {
		b, err := promptFiles.ReadFile(dir + "/" + f.Name())
		if err != nil {
			panic(err)
		}
		texts[strings.TrimSuffix(f.Name(), ".txt")] = strings.TrimSuffix(string(b), "\n")
	}
	return newTexts(name, origin, texts, label)
}

// TemplateFile reads a system message of one's own. What it must say, its
// protocol knows.
func (k Protocol) TemplateFile(path string) (Template, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Template{}, err
	}
	own := k.Own
	if own == nil {
		own = ownComparison
	}
	t, err := own(path, strings.TrimSuffix(string(b), "\n"))
	if err != nil {
		return Template{}, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// ownComparison is a prompt of one's own that compares two responses: it must
// offer both [[A>B]] and [[B>A]].
func ownComparison(path, system string) (Template, error) {
	t := newTemplate(path, "file", system)
	for _, want := range []string{labelA, labelB} {
		if !t.offers(want) {
			return Template{}, fmt.Errorf("the prompt offers no [[%s]]: it must name both [[A>B]] and [[B>A]] as labels", want)
		}
	}
	return t, nil
}

// Text is the whole template, for people: its texts, each under its name.
func (t Template) Text() string {
	if len(t.Texts) == 0 {
		return t.System
	}
	var b strings.Builder
	for i, name := range slices.Sorted(maps.Keys(t.Texts)) {
		if i > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "[%s]\n%s", name, t.Texts[name])
	}
	return b.String()
}

// fill puts values in the places of a text that are named for them, all in one
// pass: a value may hold the name of any place.
func fill(text string, placesAndValues ...string) string {
	return strings.NewReplacer(placesAndValues...).Replace(text)
}

// offers tells whether a label, in its plain form, is among those of the prompt.
func (t Template) offers(plain string) bool {
	return slices.ContainsFunc(t.Labels, func(l string) bool { return plainLabel(l) == plain })
}
