package judging

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"slices"
	"strings"
)

//go:embed prompts
var promptFiles embed.FS

// Template is a system message and the labels that it offers.
type Template struct {
	Name   string   `json:"name"`
	Origin string   `json:"origin,omitempty"` // the paper and table it is from
	System string   `json:"system"`
	SHA256 string   `json:"sha256"` // of System
	Labels []string `json:"labels"` // as written in it, without brackets, each once
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

// TemplateFile reads a system message of one's own. It must offer both
// [[A>B]] and [[B>A]].
func TemplateFile(path string) (Template, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return Template{}, err
	}
	t := newTemplate(path, "file", strings.TrimSuffix(string(b), "\n"))
	for _, want := range []string{labelA, labelB} {
		if !t.offers(want) {
			return Template{}, fmt.Errorf("%s: the prompt offers no [[%s]]: it must name both [[A>B]] and [[B>A]] as labels", path, want)
		}
	}
	return t, nil
}

// offers tells whether a label, in its plain form, is among those of the prompt.
func (t Template) offers(plain string) bool {
	return slices.ContainsFunc(t.Labels, func(l string) bool { return plainLabel(l) == plain })
}
