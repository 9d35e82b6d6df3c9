package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
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

// mostUnpacked bounds what all files of a bundle may unpack to, unless more is
// asked for; a few KiB can stand for terabytes. mostIndex and mostLine bound what
// is held in memory of it.
const (
	mostUnpacked = 4 << 30
	mostIndex    = 8 << 20
	mostLine     = 16 << 20 // a reply
)

// openedBundle is a bundle whose sums are right.
type openedBundle struct {
	path     string
	file     *os.File
	sum      string
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
	if b.segments, b.sum, err = checkTarball(b.file); err != nil {
		return err
	}
	if len(b.segments) == 0 || b.segments[0].Name != bundleFile+packed {
		return errors.New("not a bundle of gavel: it does not begin with " + bundleFile)
	}
	in, err := b.segments[0].open(b.file)
	if err != nil {
		return err
	}
	defer in.Close()
	text, err := io.ReadAll(io.LimitReader(in, mostIndex+1))
	if err == nil && len(text) > mostIndex {
		err = fmt.Errorf("%s is larger than %d MiB unpacked", bundleFile, mostIndex>>20)
	}
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
	most := int64(mostUnpacked)
	if n := c.Int64("max-mib"); c.IsSet("max-mib") {
		if n < 1 || n > math.MaxInt64>>20 {
			return usage("--max-mib %d: it must be at least 1", n)
		}
		most = n << 20
	}
	b, err := openBundle(at)
	if err != nil {
		return err
	}
	defer b.file.Close()
	in := &taking{env: e, bundle: b, runs: c.String("runs"), cacheDir: c.String("cache"), noReplies: c.Bool("no-replies")}
	if err := in.fits(most); err != nil {
		return err
	}
	for _, s := range b.segments[1:] {
		if err := in.take(s); err != nil {
			return fmt.Errorf("%s: %s: %w", at, s.Name, err)
		}
	}
	replies := fmt.Sprintf("%s taken in, %d there already", count(in.replies, "reply"), in.known)
	if in.noReplies {
		replies = count(b.index.Replies, "reply") + " left out"
	}
	e.say("%s taken in, %d there already; %s", count(in.files, "file"), in.same, replies)
	for _, run := range b.index.Runs {
		e.say("  %s", filepath.Join(c.String("runs"), filepath.FromSlash(run)))
	}
	return nil
}

// name is what replies of the bundle are said to be from.
func (b *openedBundle) name() string {
	return fmt.Sprintf("%s (SHA-256 %.12s)", filepath.Base(b.path), b.sum)
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

// taking is an import; it counts what it did.
type taking struct {
	env                         *env
	bundle                      *openedBundle
	runs, cacheDir              string
	noReplies                   bool
	files, same, replies, known int
}

// fits looks, before anything is written, for what is there already and differs,
// and for what unpacks to too much. Nothing is held in memory.
func (in *taking) fits(most int64) error {
	left := most
	for _, s := range in.bundle.segments[1:] {
		at := in.bundle.target(in.env, in.runs, s.Name)
		there, err := in.there(s, at)
		if err != nil {
			return err
		}
		text, err := s.open(in.bundle.file)
		if err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
		n, same, err := compare(io.LimitReader(text, left+1), there)
		text.Close()
		if there != nil {
			there.Close()
		}
		left -= n
		switch {
		case err != nil:
			return fmt.Errorf("%s: %s: %w; nothing was taken in", in.bundle.path, s.Name, err)
		case left < 0:
			return fmt.Errorf("%s unpacks to more than %d MiB: nothing was taken in; if it is to be trusted, allow more with --max-mib", in.bundle.path, most>>20)
		case !same:
			return fmt.Errorf("%s is there already and differs from the bundle's %s: nothing was taken in; name another folder with --runs, or remove it", at, s.Name)
		}
	}
	return nil
}

// there is the file that would be written, nil if it is not there.
func (in *taking) there(s segment, at string) (*os.File, error) {
	if s.Name == repliesFile+packed {
		return nil, nil
	}
	f, err := os.Open(at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// compare reads a text to its end, unless it differs from what is there; nothing
// differs from no file. n is how much it read.
func compare(text io.Reader, there *os.File) (n int64, same bool, err error) {
	if there == nil {
		n, err = io.Copy(io.Discard, text)
		return n, true, err
	}
	have := bufio.NewReaderSize(there, 64<<10)
	a, b := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		read, err := io.ReadFull(text, a)
		n += int64(read)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return n, false, err
		}
		if m, herr := io.ReadFull(have, b[:read]); m < read || !bytes.Equal(a[:read], b[:read]) {
			if herr != nil && herr != io.EOF && herr != io.ErrUnexpectedEOF {
				return n, false, herr
			}
			return n, false, nil
		}
		if err != nil { // the end of the text; is it that of the file?
			_, herr := have.ReadByte()
			return n, herr == io.EOF, nil
		}
	}
}

func (in *taking) take(s segment) error {
	if s.Name == repliesFile+packed && in.noReplies {
		return nil
	}
	text, err := s.open(in.bundle.file)
	if err != nil {
		return err
	}
	defer text.Close()
	if s.Name == repliesFile+packed {
		return in.remember(text)
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
	_, err = io.Copy(tmp, text)
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
func (in *taking) remember(text io.Reader) error {
	store, err := in.env.openCache(in.cacheDir)
	if err != nil {
		return err
	}
	err = in.rememberIn(store, text)
	return errors.Join(err, store.Close())
}

func (in *taking) rememberIn(store *cache.Store, text io.Reader) error {
	lines := bufio.NewScanner(text)
	lines.Buffer(nil, mostLine)
	n := 1
	for ; lines.Scan(); n++ {
		var m remembered
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
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
		m.Origin = in.bundle.name() // whatever it says itself
		if err := store.Put(key, m.Entry); err != nil {
			return err
		}
		in.replies++
	}
	err := lines.Err()
	if errors.Is(err, bufio.ErrTooLong) {
		err = fmt.Errorf("longer than %d MiB", mostLine>>20)
	}
	if err != nil {
		return fmt.Errorf("line %d: %w", n, err)
	}
	return nil
}
