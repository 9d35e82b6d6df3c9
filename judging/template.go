package judging

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Template is what a protocol says around its items, and the labels that it offers: one system message, or several
// texts where items of several shapes are asked about in their own ways, or one item in several modes.
type Template struct {
	Name   string `json:"name"`             // of the prompt, or its file
	Origin string `json:"origin,omitempty"` // the paper and table it is from
	System string `json:"system"`           // the system message; empty where there are several texts
	// of the system message or, where there are several, of names and texts
	SHA256 string   `json:"sha256"`
	Labels []string `json:"labels"` // as written in it, without brackets
	// the messages by name (`choice.system`, `self.user`, …), where there are several
	Texts map[string]string `json:"texts,omitempty"`
}

// NewTemplate fills in what follows from the text. Its labels are read from it by
// the protocol, so that wording and check cannot drift apart.
func NewTemplate(name, origin, system string, labels []string) Template {
	sum := sha256.Sum256([]byte(system))
	t := Template{Name: name, Origin: origin, System: system, SHA256: hex.EncodeToString(sum[:])}
	for _, label := range labels {
		if !slices.Contains(t.Labels, label) {
			t.Labels = append(t.Labels, label)
		}
	}
	return t
}

// NewTexts is NewTemplate for several texts. labels are found in all of them.
func NewTexts(name, origin string, texts map[string]string, label *regexp.Regexp) Template {
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

// Texts reads the prompts of a folder, each under its name without the ending;
// the newline that ends a file is not part of its prompt.
func Texts(files fs.FS, dir string) map[string]string {
	names, err := fs.Glob(files, dir+"/*.txt")
	if err != nil || len(names) == 0 {
		panic("no prompts in " + dir) // the folder is part of the program
	}
	texts := map[string]string{}
	for _, name := range names {
		b, err := fs.ReadFile(files, name)
		if err != nil {
			panic(err)
		}
		texts[strings.TrimSuffix(path.Base(name), ".txt")] = strings.TrimSuffix(string(b), "\n")
	}
	return texts
}

// TemplateFile reads a system message of one's own. What it must say, its protocol knows.
func (p Protocol) TemplateFile(path string) (Template, error) {
	if p.Own == nil {
		return Template{}, fmt.Errorf("%s: %s takes no prompt of one's own: it is one of %s",
			path, p.Name, strings.Join(p.TemplateNames(), ", "))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Template{}, err
	}
	t, err := p.Own(path, strings.TrimSuffix(string(b), "\n"))
	if err != nil {
		return Template{}, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Text is the whole template, for people: its texts, each under its name.
func (t Template) Text() string {
	if len(t.Texts) == 0 {
		return t.System
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
		texts = append(texts, fmt.Sprintf("[%s]\n%s", name, t.Texts[name]))
	}
	return strings.Join(texts, "\n\n")
}

// Fill puts values in the places of a text that are named for them, all in one
// pass: a value may hold the name of any place.
func Fill(text string, placesAndValues ...string) string {
	return strings.NewReplacer(placesAndValues...).Replace(text)
}
