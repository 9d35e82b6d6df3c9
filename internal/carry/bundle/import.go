package bundle

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/judging"
	"gavel/scoring"
)

// DefaultMaxMiB bounds what all files of a bundle may unpack to, unless more is
// asked for; a few KiB can stand for terabytes.
const DefaultMaxMiB = 4 << 10

// ImportRequest says where a bundle goes.
type ImportRequest struct {
	Bundle    string // file
	Runs      string // folder for the runs; prompts that were files go into "prompts" there
	Cache     string // folder for the replies of the runs; "" for the user's own
	NoReplies bool   // the cache stays as it is
	MaxMiB    int64  // a bundle that unpacks to more is refused; at least 1, see DefaultMaxMiB
}

// Imported is what an import did.
type Imported struct {
	Index            Index
	Files, SameFiles int          // that were written; that were there already
	Replies          eval.Rebuilt // of the runs
}

// Import verifies a bundle, and takes it in: runs and prompts into the folder of runs, datasets into the Maker's
// library, replies into the cache. Nothing is written where something is there already and differs.
func Import(ctx context.Context, m *eval.Maker, r ImportRequest) (*Imported, error) {
	if r.MaxMiB < 1 || r.MaxMiB > math.MaxInt64>>20 {
		return nil, eval.Wrong("max-mib", r.MaxMiB, "%d: it must be at least 1", r.MaxMiB)
	}
	b, err := open(r.Bundle)
	if err != nil {
		return nil, err
	}
	defer b.file.Close()
	in := &importing{maker: m, bundle: b, ImportRequest: r, done: Imported{Index: b.Index}}
	if err := in.fits(); err != nil {
		return nil, err
	}
	for _, last := range []bool{false, true} { // a run is none before its manifest is there, which counts on its records
		if err := b.each(func(f File, text io.Reader) error {
			if slices.Contains(lastFiles, path.Base(f.Name)) != last {
				return nil
			}
			if err := in.take(f, text); err != nil {
				return fmt.Errorf("%s: %s: %w", r.Bundle, f.Name, err)
			}
			return nil
		}); err != nil {
			return nil, err
		}
	}
	return &in.done, in.remember(ctx)
}

// lastFiles are those that say of others that they are there.
var lastFiles = []string{judging.ManifestFile + packed, scoring.SuiteFile + packed}

// importing is an import that goes on.
type importing struct {
	ImportRequest
	bundle *opened
	maker  *eval.Maker
	done   Imported
}

// target is where a file of a bundle goes: a folder, and its name below that.
// It is only ever opened through an os.Root: no link in it leads out.
func (in *importing) target(name string) (dir, at string) {
	folder, rest, _ := strings.Cut(strings.TrimSuffix(name, packed), "/")
	switch folder {
	case runsFolder:
		return in.Runs, rest
	case promptsFolder:
		return in.Runs, path.Join(promptsFolder, rest)
	}
	return in.maker.Library.Dir, rest
}

// fits looks, before anything is written, for what is there already and differs, for what unpacks to too much, and for
// what is no file of gavel's. No whole file is held in memory.
func (in *importing) fits() error {
	left, why, err := in.limit()
	if err != nil {
		return err
	}
	most := left >> 20
	return in.bundle.each(func(f File, text io.Reader) error {
		if f.Name == indexFile+packed {
			return nil
		}
		limited := &io.LimitedReader{R: text, N: left + 1}
		sum, err := in.look(f.Name, limited)
		left = limited.N - 1
		if left < 0 {
			return fmt.Errorf("%s unpacks to more than %d MiB%s: nothing was imported; "+
				"if you trust it, allow more with --max-mib", in.Bundle, most, why)
		}
		same := true
		if err == nil && f.Name != repliesFile+packed {
			same, err = in.same(f.Name, sum)
		}
		switch dir, at := in.target(f.Name); {
		case err != nil:
			return fmt.Errorf("%s: %s: %w; nothing was imported", in.Bundle, f.Name, err)
		case !same:
			return fmt.Errorf("%s exists and differs from %s in the bundle: nothing was imported; "+
				"choose another folder with --runs, or remove it",
				filepath.Join(dir, filepath.FromSlash(at)), f.Name)
		}
		return nil
	})
}

// same tells whether what is there already, if anything is, has the sum. What people here say of a run stays.
func (in *importing) same(name string, sum []byte) (bool, error) {
	if path.Base(name) == judging.AboutFile+packed {
		return true, nil
	}
	there, err := os.OpenInRoot(in.target(name))
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return true, err
	}
	defer there.Close()
	h := sha256.New()
	_, err = io.Copy(h, there)
	return bytes.Equal(h.Sum(nil), sum), err
}

func (in *importing) take(f File, text io.Reader) error {
	switch f.Name {
	case indexFile + packed, repliesFile + packed:
		return nil
	}
	dir, at := in.target(f.Name)
	if there, err := os.OpenInRoot(dir, at); err == nil { // and the same: fits has looked
		there.Close()
		in.done.SameFiles++
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	in.done.Files++
	return put(root, at, text)
}

// put writes a file in one step, with the folders that it stands in.
func put(root *os.Root, at string, text io.Reader) error {
	folder := path.Dir(at)
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	disk.Sweep(filepath.Join(root.Name(), filepath.FromSlash(folder)), path.Base(at))
	return disk.WriteIn(root, at, func(w io.Writer) error {
		_, err := io.Copy(w, text)
		return err
	})
}

// remember puts the replies of the runs into the cache.
func (in *importing) remember(ctx context.Context) (err error) {
	var asked []string
	for _, name := range in.done.Index.Runs {
		run := filepath.Join(in.Runs, filepath.FromSlash(name))
		m, err := judging.ReadManifest(run)
		if err == nil && m.Imported == "" && !m.Simulated {
			asked = append(asked, run)
		}
	}
	if in.NoReplies || len(asked) == 0 {
		return nil
	}
	origin := fmt.Sprintf("%s (SHA-256 %.12s)", filepath.Base(in.Bundle), in.bundle.sum)
	in.done.Replies, err = in.maker.Rebuild(ctx, in.Cache, origin, asked...)
	return err
}
