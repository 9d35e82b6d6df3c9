package bundle

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/judging"
)

// Imported has the contents of the bundle, and counts its files.
type Imported struct {
	Contents
	Written, Same int // files that were written; that were there already
}

// Import reads a bundle to its end and then unpacks it: runs into the folder runs, datasets into the library.
// Nothing is written if a file is damaged, does not belong in a bundle, or is there already and differs.
func Import(lib datasets.Library, bundle, runs string) (Imported, error) {
	in := &importing{bundle: bundle, runs: runs, library: lib.Dir}
	info, err := os.Stat(bundle)
	if err != nil {
		return in.done, err
	}
	in.size = info.Size()
	if err := in.each(in.check); err != nil {
		return in.done, fmt.Errorf("%w; nothing was imported", err)
	}
	return in.done, in.each(in.write)
}

// importing is the state of an import.
type importing struct {
	bundle  string // file
	runs    string // folder for the runs
	library string // folder of datasets
	size    int64  // of the bundle
	done    Imported
}

// each calls use for every file of the bundle, and checks that the bundle is whole.
func (in *importing) each(use func(name string, text []byte) error) error {
	f, err := os.Open(in.bundle)
	if err != nil {
		return err
	}
	defer f.Close()
	// A few KiB can stand for terabytes; even replies that are all alike pack to no less than a thirteenth.
	most := zstd.WithDecoderMaxMemory(64<<20 + 256*uint64(in.size))
	dec, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), most)
	if err != nil {
		return err
	}
	defer dec.Close()
	tr := tar.NewReader(f)
	var sums strings.Builder
	for {
		h, err := tr.Next()
		switch {
		case err == io.EOF:
			return fmt.Errorf("%s: truncated, or not a gavel bundle", in.bundle)
		case err != nil:
			return fmt.Errorf("%s: damaged, or not a gavel bundle: %w", in.bundle, err)
		case h.Size > in.size: // a sparse file stands for more than it is
			return fmt.Errorf("%s: damaged: %q is larger than the bundle", in.bundle, h.Name)
		case h.Name == oldSealFile:
			return nil
		}
		text, err := io.ReadAll(tr)
		switch {
		case err != nil:
			return fmt.Errorf("%s: damaged: %w", in.bundle, err)
		case h.Name == sumsFile && string(text) != sums.String():
			return fmt.Errorf("%s: damaged: its files are not those that %s lists", in.bundle, sumsFile)
		case h.Name == sumsFile:
			return nil
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), h.Name)
		if slices.Contains(oldFiles, h.Name) {
			continue
		}
		name, isPacked := strings.CutSuffix(h.Name, packed)
		if !isPacked || h.Typeflag != tar.TypeReg || !inBundle.MatchString(name) || !filepath.IsLocal(name) {
			return fmt.Errorf("%s: %q does not belong in a bundle", in.bundle, h.Name)
		}
		text, err = dec.DecodeAll(text, nil)
		switch {
		case errors.Is(err, zstd.ErrDecoderSizeExceeded):
			err = errors.New("unpacks to more than is usual: if you trust it, unpack it with tar and unzstd")
		case err != nil:
			err = fmt.Errorf("damaged: %w", err)
		default:
			err = use(name, text)
		}
		if err != nil {
			return fmt.Errorf("%s: %q: %w", in.bundle, h.Name, err)
		}
	}
}

// target returns the folder that a file goes to, and its name below that. It is only ever opened through an os.Root: no
// link in it leads out.
func (in *importing) target(name string) (dir, at string) {
	folder, rest, _ := strings.Cut(name, "/")
	switch folder {
	case "runs":
		return in.runs, rest
	case "prompts": // of an earlier gavel
		return in.runs, name
	}
	return in.library, rest
}

// check refuses a file that is there already and differs. What people here say of a run stays.
func (in *importing) check(name string, text []byte) error {
	dir, at := in.target(name)
	there, err := os.OpenInRoot(dir, at)
	if errors.Is(err, fs.ErrNotExist) || path.Base(name) == judging.AboutFile {
		return nil
	}
	if err != nil {
		return err
	}
	defer there.Close()
	own, err := io.ReadAll(there)
	if err == nil && !bytes.Equal(own, text) {
		err = fmt.Errorf("%s exists and differs: choose another folder with --runs, or remove it",
			filepath.Join(dir, filepath.FromSlash(at)))
	}
	return err
}

// write writes a file in one step, with the folders that it stands in, unless it is there.
func (in *importing) write(name string, text []byte) error {
	dir, at := in.target(name)
	folder := path.Dir(at)
	if path.Base(at) == judging.ManifestFile {
		in.done.Runs = append(in.done.Runs, folder)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(at); err == nil { // and the same: check has looked
		in.done.Same++
		return nil
	}
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	disk.Sweep(filepath.Join(dir, filepath.FromSlash(folder)), path.Base(at))
	in.done.Written++
	return disk.WriteIn(root, at, func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}
