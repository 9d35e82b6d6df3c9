package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"gavel/cache"
	"gavel/report"
	"gavel/scoring"
)

// mostUnpacked bounds what one file of a bundle may unpack to.
const mostUnpacked = 4 << 30

// openedBundle is a bundle whose sums are right.
type openedBundle struct {
	path     string
	file     *os.File
	segments []segment
	index    bundleIndex
}

func openBundle(at string) (*openedBundle, error) {
	f, err := os.Open(at)
	if err != nil {
		return nil, err
	}
	b := &openedBundle{path: at, file: f}
	if err := b.read(); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: %w; nothing was taken in", at, err)
	}
	return b, nil
}

func (b *openedBundle) read() (err error) {
	if b.segments, err = checkTarball(b.file); err != nil {
		return err
	}
	if len(b.segments) == 0 || b.segments[0].Name != bundleFile+packed {
		return errors.New("not a bundle of gavel: it does not begin with " + bundleFile)
	}
	text, err := b.segments[0].open(b.file, 64<<20)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(text, &b.index); err != nil {
		return fmt.Errorf("%s: %w", bundleFile, err)
	}
	if b.index.Schema > bundleSchema {
		return fmt.Errorf("written by a newer gavel (schema %d, this one reads up to %d)", b.index.Schema, bundleSchema)
	}
	for _, s := range b.segments[1:] {
		if !inBundle(s.Name) {
			return fmt.Errorf("%q is no file of a bundle", s.Name)
		}
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
		return len(parts) == 3 && file == scoring.SuiteFile || (len(parts) == 3 || len(parts) == 4) && slices.Contains(runFiles, file)
	}
	return len(parts) == 2 && (parts[0] == datasetFolder || parts[0] == promptsFolder)
}

func (e *env) bundleVerify(c *cli.Context) error {
	f, err := format(c)
	if err != nil {
		return err
	}
	at, err := oneArgument(c, "FILE")
	if err != nil {
		return err
	}
	b, err := openBundle(at)
	if err != nil {
		return err
	}
	defer b.file.Close()
	t := report.Table{Title: at + ": every checksum is right", Columns: []report.Column{{Name: "file"}, {Name: "bytes", Right: true}, {Name: "SHA-256"}}}
	for _, s := range b.segments {
		t.Rows = append(t.Rows, []string{s.Name, strconv.FormatInt(s.Size, 10), s.SHA256})
	}
	t.Notes = []string{b.index.counts() + "; written by gavel " + b.index.Gavel}
	return e.print(f, listing{t, map[string]any{"bundle": b.index, "files": b.segments}})
}

func (e *env) bundleImport(c *cli.Context) error {
	at, err := oneArgument(c, "FILE")
	if err != nil {
		return err
	}
	b, err := openBundle(at)
	if err != nil {
		return err
	}
	defer b.file.Close()
	if err := b.fits(e, c.String("runs")); err != nil {
		return err
	}
	in := &taking{env: e, bundle: b, runs: c.String("runs")}
	for _, s := range b.segments[1:] {
		if err := in.take(s, c.String("cache")); err != nil {
			return fmt.Errorf("%s: %s: %w", at, s.Name, err)
		}
	}
	e.say("%s taken in, %d there already; %s taken in, %d there already", count(in.files, "file"), in.same, count(in.replies, "reply"), in.known)
	for _, run := range b.index.Runs {
		e.say("  %s", filepath.Join(c.String("runs"), filepath.FromSlash(run)))
	}
	return nil
}

// target is where a file of a bundle goes.
func (b *openedBundle) target(e *env, runs, name string) string {
	name = strings.TrimSuffix(name, packed)
	folder, rest, _ := strings.Cut(name, "/")
	switch folder {
	case runsFolder:
		return filepath.Join(runs, filepath.FromSlash(rest))
	case promptsFolder:
		return filepath.Join(runs, promptsFolder, rest)
	}
	return filepath.Join(e.library().Dir, rest)
}

// fits looks, before anything is written, for what is there already and differs.
func (b *openedBundle) fits(e *env, runs string) error {
	for _, s := range b.segments[1:] {
		if s.Name == repliesFile+packed {
			continue
		}
		at := b.target(e, runs, s.Name)
		have, err := os.ReadFile(at)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		text, err := s.open(b.file, mostUnpacked)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		if !bytes.Equal(have, text) {
			return fmt.Errorf("%s is there already and differs from the bundle's %s: nothing was taken in; name another folder with --runs, or remove it", at, s.Name)
		}
	}
	return nil
}

// taking counts what an import did.
type taking struct {
	env                         *env
	bundle                      *openedBundle
	runs                        string
	files, same, replies, known int
}

func (in *taking) take(s segment, cacheDir string) error {
	text, err := s.open(in.bundle.file, mostUnpacked)
	if err != nil {
		return err
	}
	if s.Name == repliesFile+packed {
		return in.remember(text, cacheDir)
	}
	at := in.bundle.target(in.env, in.runs, s.Name)
	if _, err := os.Stat(at); err == nil { // and the same: fits has looked
		in.same++
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(at), "."+filepath.Base(at)+"-*")
	if err != nil {
		return writing(at, err)
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(text)
	if err == nil {
		err = tmp.Chmod(0o644)
	}
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return writing(at, err)
	}
	in.files++
	return os.Rename(tmp.Name(), at)
}

// remember puts replies into the cache.
func (in *taking) remember(text []byte, cacheDir string) error {
	store, err := in.env.openCache(cacheDir)
	if err != nil {
		return err
	}
	err = in.rememberIn(store, text)
	return errors.Join(err, store.Close())
}

func (in *taking) rememberIn(store *cache.Store, text []byte) error {
	r := bufio.NewReader(bytes.NewReader(text))
	for n := 1; ; n++ {
		line, _ := r.ReadBytes('\n')
		if len(line) == 0 {
			return nil
		}
		var m remembered
		if err := json.Unmarshal(line, &m); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
		raw, err := hex.DecodeString(m.Key)
		if err != nil || len(raw) != 32 {
			return fmt.Errorf("line %d: %q is no key", n, m.Key)
		}
		key := [32]byte(raw)
		if _, ok := store.Get(key); ok {
			in.known++
			continue
		}
		if err := store.Put(key, m.Entry); err != nil {
			return err
		}
		in.replies++
	}
}
