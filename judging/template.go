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
	"strconv"
	"strings"

	"gavel/datasets"
)

// Template holds the text of a prompt around its items, and its labels. It has one system message, or several texts if
// items of several shapes, or several modes, have their own.
type Template struct {
	Name   string `json:"name"`             // name of the prompt, or path of the user's file with it
	Origin string `json:"origin,omitempty"` // the paper and table that the prompt comes from
	System string `json:"system"`           // the system message; empty if there are several texts
	// SHA-256 of the system message or, if there are several texts, of their names and texts
	SHA256 string   `json:"sha256"`
	Labels []string `json:"labels"` // the labels that the text asks for, without brackets
	// the messages by name (`choice.system`, `self.user`, …), if there are several
	Texts map[string]string `json:"texts,omitempty"`
}

// NewTemplate returns a template with the hash of its text. The protocol reads labels from the text, so that wording
// and check cannot drift apart.
func NewTemplate(name, origin, system string, labels []string) Template {
	t := Template{Name: name, Origin: origin, System: system, SHA256: datasets.HexSum([]byte(system))}
	for _, label := range labels {
		if !slices.Contains(t.Labels, label) {
			t.Labels = append(t.Labels, label)
		}
	}
	return t
}

// NewTemplateOfTexts returns a template of several texts by name. Its labels are all matches of label's first group.
func NewTemplateOfTexts(name, origin string, texts map[string]string, label *regexp.Regexp) Template {
	t := Template{Name: name, Origin: origin, Texts: texts, Labels: []string{}}
	sum := sha256.New()
	for _, text := range slices.Sorted(maps.Keys(texts)) {
		// the lengths keep names and texts apart
		fmt.Fprintf(sum, "%d %s %d %s", len(text), text, len(texts[text]), texts[text])
		for _, m := range label.FindAllStringSubmatch(texts[text], -1) {
			if !slices.Contains(t.Labels, m[1]) {
				t.Labels = append(t.Labels, m[1])
			}
		}
	}
	t.SHA256 = hex.EncodeToString(sum.Sum(nil))
	return t
}

// ReadPromptTexts reads a folder's prompts, by file name without extension, and drops the newline at the end of a file.
func ReadPromptTexts(files fs.FS, dir string) map[string]string {
	names, err := fs.Glob(files, dir+"/*.txt")
	if err != nil || len(names) == 0 {
		panic("no prompts in " + dir) // the folder is embedded in the program
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

// ReadTemplateFile makes a template of the system message in a user's file. The error says what the message lacks.
func (p Protocol) ReadTemplateFile(path string) (Template, error) {
	if p.CustomTemplate == nil {
		return Template{}, fmt.Errorf("%s: %s takes no prompt of one's own: it is one of %s",
			path, p.Name, strings.Join(p.TemplateNames(), ", "))
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return Template{}, err
	}
	t, err := p.CustomTemplate(path, strings.TrimSuffix(string(b), "\n"))
	if err != nil {
		return Template{}, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// AllTexts returns all texts of the template, each under its name.
func (t Template) AllTexts() string {
	if len(t.Texts) == 0 {
		return t.System
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(t.Texts)) {
		texts = append(texts, fmt.Sprintf("[%s]\n%s", name, t.Texts[name]))
	}
	return strings.Join(texts, "\n\n")
}

// Fill replaces the placeholders of a text by values, given in turn, in one pass: a value may contain a placeholder.
func Fill(text string, placesAndValues ...string) string {
	return strings.NewReplacer(placesAndValues...).Replace(text)
}

// ScaleValue returns an answer on the prompt's scale as a number: a label that is none is its place among the labels,
// from 0. Without such an answer it returns -1.
func (t Template) ScaleValue(answer string) float64 {
	if x, err := strconv.ParseFloat(answer, 64); err == nil {
		return x
	}
	return float64(slices.Index(t.Labels, answer))
}

// HasScale reports whether the lowest and the highest of people's scores, or of the ends of their scale, are the first
// and the last level of the prompt.
func (t Template) HasScale(scores []float64) bool {
	return slices.Min(scores) == t.ScaleValue(t.Labels[0]) &&
		slices.Max(scores) == t.ScaleValue(t.Labels[len(t.Labels)-1])
}

// WeightTextNamePrefix begins the names of the texts that hold the weights of a rubric's criteria.
const WeightTextNamePrefix = "weight."

// CriterionWeight returns the weight of a rubric's criterion; 1 for a prompt without criteria.
func (t Template) CriterionWeight(criterion string) float64 {
	weight, err := strconv.ParseFloat(t.Texts[WeightTextNamePrefix+criterion], 64)
	if err != nil {
		return 1
	}
	return weight
}
