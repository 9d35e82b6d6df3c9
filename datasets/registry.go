package datasets

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
)

//go:embed sample/pairs.jsonl
var samplePairs []byte

// Known is a dataset that gavel knows by name.
type Known struct {
	Name    string `json:"name"`
	About   string `json:"about"`
	Rows    int    `json:"rows"`
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
	Licence string `json:"licence"`
	Source  string `json:"source"`        // page a reader can go to
	URL     string `json:"url,omitempty"` // what fetch downloads; "" where built in
	Format  string `json:"format"`
	builtin []byte
}

// Builtin tells whether the dataset comes with gavel.
func (k Known) Builtin() bool { return k.builtin != nil }

const judgeBenchRaw = "https://raw.githubusercontent.com/ScalerLab/JudgeBench/e2c52c284e735e139b3daa61c206ee208f36c461/data/"

// Registry lists the datasets known by name. A new one is a line here.
var Registry = []Known{
	{
		Name:  "sample",
		About: "gavel's own pairs: Knowledge, Reasoning, Math, Coding; every label can be checked and says how",
		Rows:  32, Bytes: int64(len(samplePairs)), SHA256: hexSum(samplePairs),
		Licence: "Apache-2.0 (part of gavel)", Source: "datasets/sample/pairs.jsonl", Format: "judgebench",
		builtin: samplePairs,
	},
	{
		Name:  "judgebench-gpt4o",
		About: "JudgeBench, 350 pairs of answers by GPT-4o (2024-05-13)",
		Rows:  350, Bytes: 1960188, SHA256: "d5106306b38dead1b2e964ecf5534a3e7b2fc4b8d3b8da327599edfcebd76042",
		Licence: "MIT (dataset card); questions derive from MMLU-Pro, LiveBench and LiveCodeBench",
		Source:  "https://huggingface.co/datasets/ScalerLab/JudgeBench", Format: "judgebench",
		URL: judgeBenchRaw + "dataset%3Djudgebench%2Cresponse_model%3Dgpt-4o-2024-05-13.jsonl",
	},
	{
		Name:  "judgebench-claude",
		About: "JudgeBench, 270 pairs of answers by Claude-3.5-Sonnet (20240620)",
		Rows:  270, Bytes: 920039, SHA256: "3b70504588e400613bf5744a20a345da8701b7150be9a30c9db0e6f3d7b70a62",
		Licence: "MIT (dataset card); questions derive from MMLU-Pro, LiveBench and LiveCodeBench",
		Source:  "https://huggingface.co/datasets/ScalerLab/JudgeBench", Format: "judgebench",
		URL: judgeBenchRaw + "dataset%3Djudgebench%2Cresponse_model%3Dclaude-3-5-sonnet-20240620.jsonl",
	},
}

func hexSum(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Lookup finds a dataset of the registry by name.
func Lookup(name string) (Known, bool) {
	for _, k := range Registry {
		if k.Name == name {
			return k, true
		}
	}
	return Known{}, false
}

// Names lists the names of the registry.
func Names() []string {
	names := make([]string, len(Registry))
	for i, k := range Registry {
		names[i] = k.Name
	}
	return names
}

// Library is the folder in which fetched and imported datasets are kept, one
// file each, named after the dataset.
type Library struct{ Dir string }

// Path is where the named dataset is kept, or would be.
func (l Library) Path(name string) string { return filepath.Join(l.Dir, name+".jsonl") }

// Has tells whether the dataset is built in or in the library.
func (l Library) Has(k Known) bool {
	if k.Builtin() {
		return true
	}
	_, err := os.Stat(l.Path(k.Name))
	return err == nil
}

// Open opens a dataset by name, or by path where the name is not known.
func (l Library) Open(name string) (*Set, error) {
	k, known := Lookup(name)
	switch {
	case known && k.Builtin():
		return openBytes(k.Name, k.builtin, OpenOptions{})
	case known:
		s, err := OpenFile(l.Path(name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("dataset %q is not on this machine: run \"gavel datasets fetch %s\", or on a machine without network \"gavel datasets import FILE\"", name, name)
		}
		if err != nil {
			return nil, err
		}
		if s.SHA256 != k.SHA256 {
			s.Close()
			return nil, fmt.Errorf("%s: SHA-256 is %s, published is %s: fetch or import it again", s.Path, s.SHA256, k.SHA256)
		}
		s.Name = name
		return s, nil
	}
	s, err := OpenFile(name)
	if errors.Is(err, fs.ErrNotExist) && !strings.ContainsAny(name, `/\.`) {
		return nil, fmt.Errorf("unknown dataset %q: it is neither a file nor one of %s", name, strings.Join(Names(), ", "))
	}
	return s, err
}

// Import copies a file that was carried over by hand into the library. A file
// with a known SHA-256 gets that dataset's name; others are refused, since a
// file of one's own is used by its path.
func (l Library) Import(path string) (Known, string, error) {
	s, err := OpenFile(path)
	if err != nil {
		return Known{}, "", err
	}
	defer s.Close()
	for _, k := range Registry {
		if k.SHA256 == s.SHA256 && !k.Builtin() {
			f, err := os.Open(path)
			if err != nil {
				return k, "", err
			}
			defer f.Close()
			return k, l.Path(k.Name), l.store(k, f)
		}
	}
	return Known{}, "", fmt.Errorf("%s: SHA-256 %s is none of the published files (%s); a file of your own needs no import: give its path to --dataset", path, s.SHA256, strings.Join(Names()[1:], ", "))
}

// Fetch downloads a dataset from its official place and checks its SHA-256.
func (l Library) Fetch(ctx context.Context, client *http.Client, k Known) error {
	if k.Builtin() {
		return fmt.Errorf("dataset %q is built in: there is nothing to fetch", k.Name)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, k.URL, nil)
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("fetching %s: %w; on a machine without network, carry the file over and use \"gavel datasets import FILE\"", k.Name, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("fetching %s: %s answered %s", k.Name, k.URL, resp.Status)
	}
	return l.store(k, io.LimitReader(resp.Body, k.Bytes+1))
}

// store writes a dataset to the library in one step: a file that is not what
// was published never gets its name.
func (l Library) store(k Known, r io.Reader) error {
	if err := os.MkdirAll(l.Dir, 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(l.Dir, "."+k.Name+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(tmp, sum), r)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return fmt.Errorf("storing %s: %w", k.Name, err)
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != k.SHA256 {
		return fmt.Errorf("%s: the file received has SHA-256 %s, published is %s: nothing was stored", k.Name, got, k.SHA256)
	}
	return os.Rename(tmp.Name(), l.Path(k.Name))
}
