package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"gavel/cache"
	"gavel/datasets"
	"gavel/eval"
	"gavel/judging"
	"gavel/scoring"
)

// A bundle carries runs, datasets, prompts and remembered replies to a machine
// without network, and back, as one file; see docs/formats.md for what is in it
// and tarball for how it is held together.

func bundleCommand(e *env) *cli.Command {
	cacheFlag := func() cli.Flag { return &cli.StringFlag{Name: "cache", Usage: "`DIR` of the cache"} }
	return &cli.Command{
		Name:  "bundle",
		Usage: "carry runs, datasets and replies to another machine in one file",
		Description: `Datasets go to a machine without a network, runs come back from it with the replies they
are made of, so that "gavel replay" can make them again. A bundle is an ordinary tar file
with a checksum of every part, which "import" and "verify" check first.

Example:
  gavel bundle export --dataset gsm8k --out datasets.tar
  gavel bundle import datasets.tar
  gavel bundle export runs/* --out week42.tar`,
		Subcommands: []*cli.Command{
			{
				Name: "export", Usage: "write a bundle", UsageText: "gavel bundle export [RUN...] --out FILE.tar [--dataset NAME]...",
				Description: `Takes the runs' folders, every reply of theirs that the cache holds, prompts that were
files, and the datasets named. The folder of a suite stands for all runs in it. Runs that
a self-reference run stands on are runs of their own: name them too if they are to come
along. Nothing secret is in a run: no API key is ever written.

Examples:
  gavel bundle export runs/* --dataset judgebench-gpt4o --out week42.tar
  gavel bundle export runs/two-judges --out two-judges.tar`,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "out", Usage: "`FILE` to write"},
					&cli.StringSliceFlag{Name: "dataset", Usage: "`NAME` of a fetched dataset to take along; may be given again"},
					cacheFlag(),
				},
				Action: e.bundleExport,
			},
			{
				Name: "import", Usage: "take a bundle in", UsageText: "gavel bundle import FILE [--runs DIR]",
				Description: `Verifies the whole file first, then takes it in. What is there already and the same is
passed over; what is there and differs is refused. Datasets go where fetched ones are,
replies into the cache, prompts that were files into a folder "prompts" beside the runs.
"gavel replay RUN" then makes a run again from its replies, without a server.
Replies that were taken in answer later runs that ask the same; these say how many of
theirs came from which bundle. With --no-replies the runs are taken in alone.

Example:
  gavel bundle import week42.tar --runs runs`,
				Flags: []cli.Flag{
					&cli.StringFlag{Name: "runs", Value: "runs", Usage: "`DIR` for the runs"},
					&cli.BoolFlag{Name: "no-replies", Usage: "leave the cache as it is: its replies answer no run of yours, and the runs cannot be replayed"},
					&cli.Int64Flag{Name: "max-mib", Value: mostUnpacked >> 20, Usage: "refuse a bundle that unpacks to more than `N` MiB"},
					cacheFlag(),
				},
				Action: e.bundleImport,
			},
			{
				Name: "verify", Usage: "check a bundle's checksums and list it", UsageText: "gavel bundle verify FILE",
				Description: "Exit status: 0 every checksum is right; 1 one is not, or the file is no bundle.",
				Flags:       formatFlags(), Action: e.bundleVerify,
			},
		},
	}
}

// bundleIndex is bundle.json, a bundle's first file.
type bundleIndex struct {
	Schema   int      `json:"schema"`
	Gavel    string   `json:"gavel"`
	Runs     []string `json:"runs"`
	Suites   []string `json:"suites,omitempty"` // folders of the runs that have a / in their name
	Datasets []string `json:"datasets"`
	Prompts  []string `json:"prompts"`
	Replies  int      `json:"replies"`
}

// counts says what is in it.
func (b bundleIndex) counts() string {
	return fmt.Sprintf("%s, %s, %s, %s", count(len(b.Runs), "run"), count(len(b.Datasets), "dataset"), count(len(b.Prompts), "prompt"), count(b.Replies, "reply"))
}

func count(n int, what string) string {
	switch {
	case n == 1:
		return "1 " + what
	case strings.HasSuffix(what, "y"):
		return fmt.Sprintf("%d %sies", n, strings.TrimSuffix(what, "y"))
	}
	return fmt.Sprintf("%d %ss", n, what)
}

const (
	bundleSchema  = 1
	bundleFile    = "bundle.json"
	repliesFile   = "replies.jsonl"
	runsFolder    = "runs"
	datasetFolder = "datasets"
	promptsFolder = "prompts"
)

// runFiles are the files of a run that a bundle carries.
var runFiles = []string{judging.ManifestFile, judging.ItemsFile, judging.RecordsFile, judging.ResultsFile}

// remembered is a line of replies.jsonl.
type remembered struct {
	Key string `json:"key"` // hex of the cache's key
	cache.Entry
}

func (e *env) bundleExport(c *cli.Context) error {
	out := c.String("out")
	switch {
	case out == "":
		return usage("--out is missing: name the file to write")
	case c.NArg() == 0 && len(c.StringSlice("dataset")) == 0:
		return usage("what shall be in it? Name runs, or datasets with --dataset")
	}
	if _, err := os.Stat(out); err == nil {
		return fmt.Errorf("%s is there already: name another file with --out, or remove it", out)
	}
	b := &bundling{env: e, index: bundleIndex{Schema: bundleSchema, Gavel: version(), Runs: []string{}, Datasets: []string{}, Prompts: []string{}}}
	defer b.close()
	for _, at := range c.Args().Slice() {
		if err := b.add(at); err != nil {
			return err
		}
	}
	for _, name := range c.StringSlice("dataset") {
		if err := b.addDataset(name); err != nil {
			return err
		}
	}
	if err := b.addReplies(c.Context, c.String("cache")); err != nil {
		return err
	}
	if err := b.write(out); err != nil {
		return err
	}
	e.say("%s: %s", out, b.index.counts())
	return nil
}

// bundling gathers what goes into a bundle.
type bundling struct {
	env   *env
	index bundleIndex
	files []bundled
	runs  []string // folders
	temp  string   // folder for what is made on the way
}

// bundled is one file: its name in the bundle, and where it is or what it holds.
type bundled struct {
	name, path string
	text       []byte
}

func (b *bundling) close() {
	if b.temp != "" {
		os.RemoveAll(b.temp)
	}
}

// add takes a run along, or a suite.
func (b *bundling) add(at string) error {
	name := filepath.Base(filepath.Clean(at))
	if !plainName(name) {
		return fmt.Errorf("%s: the folder has no name of its own; give it by its name", at)
	}
	suite := filepath.Join(at, scoring.SuiteFile)
	if _, err := os.Stat(suite); err != nil {
		return b.addRun(name, at)
	}
	if slices.Contains(b.index.Suites, name) {
		return fmt.Errorf("two suites are called %s: rename the folder of one", name)
	}
	b.index.Suites = append(b.index.Suites, name)
	b.files = append(b.files, bundled{name: path.Join(runsFolder, name, scoring.SuiteFile), path: suite})
	entries, err := os.ReadDir(at)
	if err != nil {
		return err
	}
	for _, entry := range entries { // stages too
		run := filepath.Join(at, entry.Name())
		if _, err := os.Stat(filepath.Join(run, judging.ManifestFile)); err != nil || !plainName(entry.Name()) {
			continue
		}
		if err := b.addRun(path.Join(name, entry.Name()), run); err != nil {
			return err
		}
	}
	return nil
}

func (b *bundling) addRun(name, run string) error {
	m, err := judging.ReadManifest(run)
	if err != nil {
		return err
	}
	if slices.Contains(b.index.Runs, name) || slices.Contains(b.index.Suites, name) {
		return fmt.Errorf("two runs are called %s: rename the folder of one", name)
	}
	b.index.Runs, b.runs = append(b.index.Runs, name), append(b.runs, run)
	for _, f := range runFiles {
		at := filepath.Join(run, f)
		if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) && f == judging.ResultsFile {
			continue // a run that was cut off
		} else if err != nil {
			return fmt.Errorf("%s is not whole: %w", run, err)
		}
		b.files = append(b.files, bundled{name: path.Join(runsFolder, name, f), path: at})
	}
	if m.Spec.Prompt.Origin == "file" {
		b.addPrompt(m.Spec.Prompt)
	}
	return nil
}

// addPrompt takes along a prompt that was a file, so that it can be run there.
func (b *bundling) addPrompt(t judging.Template) {
	name := t.SHA256[:8] + "-" + filepath.Base(t.Name)
	if !slices.Contains(b.index.Prompts, name) {
		b.index.Prompts = append(b.index.Prompts, name)
		b.files = append(b.files, bundled{name: path.Join(promptsFolder, name), text: []byte(t.System + "\n")})
	}
}

func (b *bundling) addDataset(name string) error {
	known, ok := datasets.Lookup(name)
	switch {
	case !ok:
		return fmt.Errorf("unknown dataset %q: a file of your own is carried over as it is", name)
	case known.Builtin():
		return fmt.Errorf("dataset %q is part of gavel: it is on the other machine already", name)
	}
	at := b.env.library().Path(name)
	if _, err := os.Stat(at); err != nil {
		return fmt.Errorf("dataset %q is not on this machine: gavel datasets fetch %s", name, name)
	}
	b.index.Datasets = append(b.index.Datasets, name)
	b.files = append(b.files, bundled{name: path.Join(datasetFolder, filepath.Base(at)), path: at})
	return nil
}

// addReplies replays the runs and keeps every entry of the cache that was of
// use: what replays here replays there.
func (b *bundling) addReplies(ctx context.Context, cacheDir string) error {
	var mu sync.Mutex
	entries := map[[sha256.Size]byte]cache.Entry{}
	quiet := b.env.quietMaker()
	for i, run := range b.runs {
		m, err := judging.ReadManifest(run)
		if err != nil {
			return err
		}
		if m.Imported != "" || m.Simulated {
			continue // nothing was asked
		}
		at, err := b.tempDir()
		if err != nil {
			return err
		}
		_, err = quiet.Replay(ctx, run, filepath.Join(at, fmt.Sprint(i)), cacheDir, func(key [sha256.Size]byte, entry cache.Entry) {
			mu.Lock()
			defer mu.Unlock()
			entries[key] = entry
		})
		if errors.Is(err, eval.ErrIncomplete) {
			b.env.say("warning: %s: %v: there the run can be looked at and scored, not replayed", run, err)
		} else if err != nil {
			return err
		}
	}
	return b.keepReplies(entries)
}

func (b *bundling) keepReplies(entries map[[sha256.Size]byte]cache.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	at, err := b.tempDir()
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(at, repliesFile))
	if err != nil {
		return err
	}
	defer f.Close()
	keys := make([]string, 0, len(entries))
	for k := range entries {
		keys = append(keys, string(k[:]))
	}
	slices.Sort(keys)
	enc := json.NewEncoder(f)
	enc.SetEscapeHTML(false)
	for _, k := range keys {
		if err := enc.Encode(remembered{hex.EncodeToString([]byte(k)), entries[[sha256.Size]byte([]byte(k))]}); err != nil {
			return err
		}
	}
	b.index.Replies = len(keys)
	b.files = append(b.files, bundled{name: repliesFile, path: f.Name()})
	return f.Close()
}

func (b *bundling) tempDir() (string, error) {
	if b.temp != "" {
		return b.temp, nil
	}
	var err error
	b.temp, err = os.MkdirTemp("", "gavel-bundle-")
	return b.temp, err
}

// write writes the bundle in one step.
func (b *bundling) write(out string) error {
	index, err := json.MarshalIndent(b.index, "", "  ")
	if err != nil {
		return err
	}
	files := append([]bundled{{name: bundleFile, text: append(index, '\n')}}, b.files...)
	tmp, err := os.CreateTemp(filepath.Dir(out), "."+filepath.Base(out)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if err = writeTarball(tmp, files); err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return writing(out, err)
	}
	return os.Rename(tmp.Name(), out)
}

// plainName is a name of one file or folder, and nothing else: it leads nowhere,
// and steers no terminal that lists it.
func plainName(name string) bool {
	return utf8.ValidString(name) && !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }) && filepath.IsLocal(name) && name != "." && filepath.Base(name) == name && path.Base(name) == name
}
