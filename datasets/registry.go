package datasets

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"go.yaml.in/yaml/v3"
)

//go:embed *.yaml card.txt sample/*.jsonl
var embedded embed.FS

// Entry describes a dataset that gavel knows by name.
type Entry struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Rows  int    `json:"rows"`            // number of items
	Bytes int64  `json:"bytes,omitempty"` // size of the file; 0: unknown before it is fetched
	// SHA-256 of the file as published; "": none is published, and that of the first imported file is stored next to
	// the file
	SHA256  string   `json:"sha256,omitempty"`
	Copy    string   `json:"-"` // SHA-256 of a tested copy that could not be compared with a published sum
	Licence string   `json:"licence"`
	Source  string   `json:"source"`           // web page about the dataset
	URL     string   `json:"url,omitempty"`    // download address; "": built in or gated
	Get     string   `json:"get,omitempty"`    // how to get the file without a download address
	File    string   `json:"file,omitempty"`   // name of the file in the library, without extension; "": Name
	Groups  []string `json:"groups,omitempty"` // the groups of the file that belong to the dataset; nil: all
	Format  string   `json:"format"`           // name of the file's format
	Mapping `yaml:",inline"`

	Published      []PublishedResult `json:"-"` // published results of judges on the dataset
	Also           []string          `json:"-"` // names that imported runs use for the dataset
	builtinContent []byte            // the file's content, if it is part of gavel
}

// Shape returns the shape of all its items; "": items may have any.
func (k Entry) Shape() Shape {
	f, _ := FormatNamed(k.Format)
	return f.Shape
}

// PublishedResult is a published result of a judge on all items of a dataset.
type PublishedResult struct {
	Judge, Protocol, Metric string  // names
	Prompt                  string  // gavel's name for the prompt, if it has one
	OpenWeights             bool    // the judge's weights are public
	Value                   float64 // percent
	N                       int     // number of items or pairs behind Value
	How                     string  // origin: `recomputed` from published replies or scores, or `published` as a number
	Source                  string  // reference for readers
}

// PublishedResults returns the published results on a dataset, given by its name or an import's name for it.
func PublishedResults(dataset string) []PublishedResult {
	for _, k := range Registry() {
		if k.Name == dataset || slices.Contains(k.Also, dataset) {
			return k.Published
		}
	}
	return nil
}

// RegistryName returns the registry's name for the dataset whose file has this SHA-256 or which imports call name; name
// itself if there is none.
func RegistryName(sha256, name string) string {
	for _, k := range Registry() {
		isFile := sha256 != "" && k.SHA256 == sha256
		if k.Groups == nil && (isFile || slices.Contains(k.Also, name)) {
			return k.Name
		}
	}
	return name
}

// Builtin reports whether the dataset is part of gavel.
func (k Entry) Builtin() bool { return k.builtinContent != nil }

// card is the text about a dataset for people.
var card = template.Must(template.ParseFS(embedded, "card.txt"))

// DescriptionLines describes the dataset in lines of text.
func (k Entry) DescriptionLines() []string {
	var text strings.Builder
	if err := card.Execute(&text, k); err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSpace(text.String()), "\n")
}

// Size returns the bytes of the dataset's file; "?" if unknown.
func (k Entry) Size() string {
	if k.Bytes == 0 {
		return "?"
	}
	return strconv.FormatInt(k.Bytes, 10)
}

// Registry lists the datasets known by name. It reads registry.yaml at the first call; a new dataset is an entry there.
var Registry = sync.OnceValue(readRegistry)

func readRegistry() (all []Entry) {
	all = readYAML[[]Entry]("registry.yaml")
	for i := range all {
		k := &all[i]
		if name, ok := strings.CutPrefix(k.Source, "datasets/"); ok {
			k.builtinContent = mustRead(name)
			k.Bytes = int64(len(k.builtinContent))
			k.SHA256 = HexSum(k.builtinContent)
		}
	}
	return all
}

// mustRead returns the text of an embedded file, which tests check.
func mustRead(name string) []byte {
	text, err := embedded.ReadFile(name)
	if err != nil {
		panic(err)
	}
	return text
}

// readYAML decodes an embedded file.
func readYAML[T any](name string) (value T) {
	if err := yaml.Unmarshal(mustRead(name), &value); err != nil {
		panic(err)
	}
	return value
}

// HexSum returns the SHA-256 of a text, in hex.
func HexSum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// Lookup finds a dataset of the registry by name.
func Lookup(name string) (Entry, bool) {
	if i := slices.Index(Names(), name); i >= 0 {
		return Registry()[i], true
	}
	return Entry{}, false
}

// Names lists the names of the registry.
func Names() (names []string) {
	for _, k := range Registry() {
		names = append(names, k.Name)
	}
	return names
}
