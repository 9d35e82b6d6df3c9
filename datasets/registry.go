package datasets

import (
	"crypto/sha256"
	"embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed registry.yaml sample/*.jsonl
var embedded embed.FS

// Known is a dataset that gavel knows by name.
type Known struct {
	Name  string `json:"name"`
	About string `json:"about"`
	Rows  int    `json:"rows"`            // items of it
	Bytes int64  `json:"bytes,omitempty"` // of its file; 0 where that is not known before it is fetched
	// as published; "" where no sum is, then that of the first file taken in is kept beside it
	SHA256  string   `json:"sha256,omitempty"`
	Copy    string   `json:"-"` // SHA-256 of a copy, which could not be compared with what is published
	Licence string   `json:"licence"`
	Source  string   `json:"source"`           // page a reader can go to
	URL     string   `json:"url,omitempty"`    // what fetch downloads; "" where built in or gated
	Get     string   `json:"get,omitempty"`    // how to get it, where there is nothing to download
	File    string   `json:"file,omitempty"`   // name of its file in the library, without extension; "" is Name
	Groups  []string `json:"groups,omitempty"` // the groups of the file that it is; nil for all
	Format  string   `json:"format"`
	Mapping `yaml:",inline"`

	Published []Published `json:"-"`
	Also      []string    `json:"-"` // what imports call it
	builtin   []byte
}

// Shape returns the shape of all its items; "" if they may be of any.
func (k Known) Shape() Shape {
	f, _ := FormatNamed(k.Format)
	return f.Shape
}

// Published is a published figure: a judge's result on all items of a dataset.
type Published struct {
	Judge, Protocol, Metric string
	Prompt                  string // by gavel's name for it, where it has one
	OpenWeights             bool
	Value                   float64 // percent
	N                       int
	How                     string // `recomputed` from published replies or scores, or as it was `published`
	Source                  string // where a reader finds it
}

// PublishedOn are the figures published of a dataset, which may be called as an import calls it.
func PublishedOn(dataset string) []Published {
	for _, k := range Registry() {
		if k.Name == dataset || slices.Contains(k.Also, dataset) {
			return k.Published
		}
	}
	return nil
}

// NameOf returns the name in the registry of the dataset whose file has this SHA-256, or which imports call by this
// name; the name itself if there is none.
func NameOf(sha256, name string) string {
	i := slices.IndexFunc(Registry(), func(k Known) bool {
		return k.Groups == nil && (sha256 != "" && k.SHA256 == sha256 || slices.Contains(k.Also, name))
	})
	if i < 0 {
		return name
	}
	return Registry()[i].Name
}

// Builtin tells whether the dataset comes with gavel.
func (k Known) Builtin() bool { return k.builtin != nil }

// Lines say what the dataset is, for people.
func (k Known) Lines() []string {
	lines := []string{k.Name + ": " + k.About, "  licence: " + k.Licence}
	if k.Bytes > 0 {
		lines = append(lines, fmt.Sprintf("  size:    %d bytes, %d items", k.Bytes, k.Rows))
	} else {
		lines = append(lines, fmt.Sprintf("  size:    not published, %d items", k.Rows))
	}
	lines = append(lines, "  source:  "+k.Source)
	if k.URL != "" {
		lines = append(lines, "  from:    "+k.URL)
	}
	if k.Get != "" {
		lines = append(lines, "  to get:  "+k.Get)
	}
	if k.SHA256 != "" && k.Own() {
		lines = append(lines, "  SHA-256: "+k.SHA256)
	}
	if k.SHA256 == "" {
		lines = append(lines, "  SHA-256: none is published; gavel keeps that of the first file beside it")
	}
	return lines
}

// Size returns the bytes of the dataset's file, "?" if that is not known.
func (k Known) Size() string {
	if k.Bytes == 0 {
		return "?"
	}
	return strconv.FormatInt(k.Bytes, 10)
}

// Registry lists the datasets known by name. A new one is an entry of registry.yaml, which is read when it is first
// asked for.
var Registry = sync.OnceValue(readRegistry)

func readRegistry() (all []Known) {
	text, err := embedded.ReadFile("registry.yaml")
	if err == nil {
		err = yaml.Unmarshal(text, &all)
	}
	for i := range all {
		k := &all[i]
		if name, ours := strings.CutPrefix(k.Source, "datasets/"); ours && err == nil {
			k.builtin, err = embedded.ReadFile(name)
			k.Bytes = int64(len(k.builtin))
			k.SHA256 = hexSum(k.builtin)
		}
	}
	if err != nil {
		panic(err) // the file is gavel's own, and tested
	}
	return all
}

func hexSum(b []byte) string { return fmt.Sprintf("%x", sha256.Sum256(b)) }

// Lookup finds a dataset of the registry by name.
func Lookup(name string) (Known, bool) {
	if i := slices.Index(Names(), name); i >= 0 {
		return Registry()[i], true
	}
	return Known{}, false
}

// Names lists the names of the registry.
func Names() []string {
	names := make([]string, len(Registry()))
	for i, k := range Registry() {
		names[i] = k.Name
	}
	return names
}
