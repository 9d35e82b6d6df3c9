// Package bundle carries runs, datasets and prompts to a machine without network, and back, as one file, and makes runs
// again there; see docs/formats.md for what is in a bundle, and tarball.go for how it is held together. What has to be
// said of the work goes to the Observer of the eval.Maker; errors call what a request says as the command line does.
package bundle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// Index is bundle.json, a bundle's first file.
type Index struct {
	Schema   int      `json:"schema"`
	Gavel    string   `json:"gavel"` // version that wrote it
	Runs     []string `json:"runs"`
	Suites   []string `json:"suites,omitempty"` // folders of the runs that have a / in their name
	Datasets []string `json:"datasets"`
	Prompts  []string `json:"prompts"`
	Replies  int      `json:"replies"` // in a file of their own, which older bundles have and nobody reads
}

// Contents are what a bundle holds.
type Contents struct {
	Index Index  `json:"bundle"`
	Files []File `json:"files"` // the first is the index
}

const (
	schema        = 1
	indexFile     = "bundle.json"
	repliesFile   = "replies.jsonl"
	runsFolder    = "runs"
	datasetFolder = "datasets"
	promptsFolder = "prompts"
)

// runFiles are the files of a run that a bundle carries; optionalFiles are those of them that a run may lack: one
// that was cut off has no results, and of most nobody has said anything.
var (
	runFiles = []string{
		judging.ManifestFile, judging.ItemsFile, judging.RecordsFile, judging.ResultsFile, judging.AboutFile,
	}
	optionalFiles = []string{judging.ResultsFile, judging.AboutFile}
)

// mostIndex bounds what is held in memory of an index.
const mostIndex = 8 << 20

// opened is a bundle whose sums are right.
type opened struct {
	Contents
	file *os.File
	sum  string // hex
}

func open(at string) (*opened, error) {
	f, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	b := &opened{file: f}
	if err := b.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w; nothing was imported", at, err)
	}
	return b, nil
}

func (b *opened) read() (err error) {
	b.Files, b.sum, err = checkTarball(b.file)
	if err != nil {
		return err
	}
	if len(b.Files) == 0 || b.Files[0].Name != indexFile+packed {
		return errors.New("not a gavel bundle: it does not begin with " + indexFile)
	}
	for _, f := range b.Files[1:] {
		if !inBundle(f.Name) {
			return fmt.Errorf("%q does not belong in a bundle", f.Name)
		}
	}
	var text []byte
	err = b.each(func(_ File, in io.Reader) (err error) {
		text, err = io.ReadAll(io.LimitReader(in, mostIndex+1))
		if err == nil {
			err = fs.SkipAll
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case len(text) > mostIndex:
		return fmt.Errorf("%s is larger than %d MiB unpacked", indexFile, mostIndex>>20)
	}
	if err := json.Unmarshal(text, &b.Index); err != nil {
		return fmt.Errorf("%s: %w", indexFile, err)
	}
	if b.Index.Schema > schema {
		return fmt.Errorf("written by a newer gavel (schema %d; this version reads up to %d)", b.Index.Schema, schema)
	}
	return b.Index.holds(b.Files[1:])
}

// holds tells whether the files are those that the index names, and each has a place of its own.
func (x Index) holds(files []File) error {
	var found Index
	places := map[string]bool{}
	for _, f := range files {
		name := strings.TrimSuffix(f.Name, packed)
		folder, rest, _ := strings.Cut(name, "/")
		switch at := path.Dir(rest); {
		case folder == promptsFolder:
			found.Prompts = append(found.Prompts, rest)
			name = path.Join(runsFolder, name) // see target
		case folder == datasetFolder:
			found.Datasets = append(found.Datasets, rest) // a file may have another name than its dataset
		case path.Base(rest) == scoring.SuiteFile:
			found.Suites = append(found.Suites, at)
		case path.Base(rest) == judging.ManifestFile:
			found.Runs = append(found.Runs, at)
		}
		if places[name] {
			return fmt.Errorf("damaged: it has two files for %s", name)
		}
		places[name] = true
	}
	for name := range places {
		for at := path.Dir(name); at != "."; at = path.Dir(at) {
			if places[at] {
				return fmt.Errorf("damaged: %s is a file in it, and a folder", at)
			}
		}
	}
	for what, both := range map[string][2][]string{
		"runs":    {x.Runs, found.Runs},
		"suites":  {x.Suites, found.Suites},
		"prompts": {x.Prompts, found.Prompts},
	} {
		if !slices.Equal(slices.Sorted(slices.Values(both[0])), slices.Sorted(slices.Values(both[1]))) {
			return fmt.Errorf("damaged: its %s are %q, %s names %q", what, both[1], indexFile, both[0])
		}
	}
	if len(x.Datasets) != len(found.Datasets) ||
		slices.ContainsFunc(x.Datasets, func(name string) bool { return !plainName(name) }) {
		return fmt.Errorf("damaged: its datasets are %q, %s names %q", found.Datasets, indexFile, x.Datasets)
	}
	return nil
}

// inBundle holds names to what gavel writes: none can lead out of a folder.
func inBundle(name string) bool {
	name, isPacked := strings.CutSuffix(name, packed)
	parts := strings.Split(name, "/")
	for _, p := range parts {
		if !plainName(p) {
			return false
		}
	}
	switch {
	case !isPacked:
		return false
	case name == repliesFile:
		return true
	case parts[0] == runsFolder:
		file := parts[len(parts)-1]
		return len(parts) == 3 && file == scoring.SuiteFile ||
			(len(parts) == 3 || len(parts) == 4) && slices.Contains(runFiles, file)
	}
	return len(parts) == 2 && (parts[0] == datasetFolder || parts[0] == promptsFolder)
}

// plainName is a name of one file or folder, and nothing else: it leads nowhere, hides nothing, and steers
// no terminal that lists it.
func plainName(name string) bool {
	return !strings.HasPrefix(name, ".") && utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
	}) &&
		filepath.IsLocal(name) && filepath.Base(name) == name && path.Base(name) == name
}

// Verify reads a bundle through. It returns no error where every checksum is
// right, and every name is one that gavel gives.
func Verify(at string) (*Contents, error) {
	b, err := open(at)
	if err != nil {
		return nil, err
	}
	return &b.Contents, b.file.Close()
}

// Replay makes a run again from its folder, in the folder out, and compares the results of both, byte for byte: that
// they differ is an error. The report is of the run that was made; it is nil where none was.
func Replay(ctx context.Context, m *eval.Maker, run, out string) (rep *scoring.Report, found string, err error) {
	rep, err = m.Replay(ctx, run, out)
	if err != nil {
		return rep, "", err
	}
	was, is := filepath.Join(run, judging.ResultsFile), filepath.Join(out, judging.ResultsFile)
	old, err := os.ReadFile(was)
	if err != nil {
		return rep, "", err
	}
	made, err := os.ReadFile(is)
	if err != nil {
		return rep, "", err
	}
	found = judging.ResultsFile + " is the same, byte for byte"
	if !bytes.Equal(old, made) {
		var before scoring.Report
		if err := json.Unmarshal(old, &before); err != nil {
			return rep, "", fmt.Errorf("%s: %w", was, err)
		}
		found = judging.ResultsFile + " has the same values; " +
			"intervals, or what is remarked, are those of this version of gavel"
		older := before.Scoring < scoring.Version && maps.Equal(before.Outcomes, rep.Outcomes)
		if older && !before.SameValues(*rep) { // some numbers are computed differently by now
			stored, err := scoring.Load(run, judging.Reading{Name: rep.Reading})
			if err != nil {
				return rep, "", err
			}
			before = stored.Score(scoring.DefaultOptions.Bootstrap)
			found = judging.ResultsFile + " has the values of the stored records; " +
				"an earlier version of gavel computed some of them differently"
		}
		if !before.SameValues(*rep) {
			return rep, "", fmt.Errorf("%s and %s differ: another version of gavel made the first, "+
				"or its files have changed", was, is)
		}
	}
	return rep, found, nil
}
