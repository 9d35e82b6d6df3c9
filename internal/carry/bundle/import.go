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
	// A few KiB can stand for terabytes; even replies that are all alike pack to no less than a thirteenth.
	in.left = 64<<20 + 256*in.size
	if err := in.each(in.check); err != nil {
		return in.done, fmt.Errorf("%s: %w; nothing was imported", bundle, err)
	}
	return in.done, in.each(in.write)
}

// importing is the state of an import.
type importing struct {
	bundle  string // file
	runs    string // folder for the runs
	library string // folder of datasets
	size    int64  // of the bundle
	left    int64  // bytes that the rest of the bundle may unpack to
	done    Imported
}

// each calls use for every file of the bundle, and checks that the bundle is whole.
func (in *importing) each(use func(name string, text io.Reader) error) error {
	f, err := os.Open(in.bundle)
	if err != nil {
		return err
	}
	defer f.Close()
	tr := tar.NewReader(f)
	var sums strings.Builder
	for {
		h, err := tr.Next()
		switch {
		case err == io.EOF:
			return errors.New("truncated, or not a gavel bundle")
		case err != nil:
			return fmt.Errorf("damaged, or not a gavel bundle: %w", err)
		case h.Size > in.size: // a sparse file stands for more than it is
			return fmt.Errorf("damaged: %q is larger than the bundle", h.Name)
		case h.Name == oldSealFile:
			return nil
		case h.Name == sumsFile:
			listed, err := io.ReadAll(io.LimitReader(tr, int64(sums.Len())+1))
			if err == nil && string(listed) != sums.String() {
				err = fmt.Errorf("damaged: its files are not those that %s lists", sumsFile)
			}
			return err
		}
		hash := sha256.New()
		text := io.TeeReader(tr, hash)
		if !slices.Contains(oldFiles, h.Name) {
			err = unpack(h, text, use)
		}
		if err == nil {
			_, err = io.Copy(io.Discard, text)
		}
		if err != nil {
			return fmt.Errorf("%q: %w", h.Name, err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", hash.Sum(nil), h.Name)
	}
}

// window bounds the memory that unpacking takes, at four times of what packing needs.
const window = 32 << 20

func unpack(h *tar.Header, text io.Reader, use func(name string, text io.Reader) error) error {
	name, isPacked := strings.CutSuffix(h.Name, packed)
	if !isPacked || h.Typeflag != tar.TypeReg || !inBundle.MatchString(name) || !filepath.IsLocal(name) {
		return errors.New("does not belong in a bundle")
	}
	dec, err := zstd.NewReader(text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return err
	}
	defer dec.Close()
	return use(name, dec)
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

// check refuses a file that is there already and differs, and a bundle that unpacks to too much. What people here say
// of a run stays.
func (in *importing) check(name string, text io.Reader) error {
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(text, in.left+1))
	in.left -= n
	switch {
	case err != nil:
		return fmt.Errorf("damaged: %w", err)
	case in.left < 0:
		return errors.New("the bundle unpacks to more than is usual: if you trust it, unpack it with tar and unzstd")
	case path.Base(name) == judging.AboutFile:
		return nil
	}
	dir, at := in.target(name)
	there, err := os.OpenInRoot(dir, at)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	defer there.Close()
	own := sha256.New()
	_, err = io.Copy(own, there)
	if err == nil && !bytes.Equal(own.Sum(nil), hash.Sum(nil)) {
		err = fmt.Errorf("%s exists and differs: choose another folder with --runs, or remove it",
			filepath.Join(dir, filepath.FromSlash(at)))
	}
	return err
}

// write writes a file in one step, with the folders that it stands in, unless it is there.
func (in *importing) write(name string, text io.Reader) error {
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
		_, err := io.Copy(w, text)
		return err
	})
}
