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

// ImportResult lists what an imported bundle held and counts its files.
type ImportResult struct {
	Contents
	Written, Unchanged int // files written; files already there
}

// Import unpacks a bundle: runs into the folder runs, datasets into the library's folder. It first reads the bundle to
// its end, and writes nothing if a file is damaged, does not belong in a bundle, or exists already and differs.
func Import(lib datasets.Library, bundle, runs string) (ImportResult, error) {
	in := &importer{bundle: bundle, runsDir: runs, libraryDir: lib.Dir}
	info, err := os.Stat(bundle)
	if err != nil {
		return in.result, err
	}
	in.size = info.Size()
	// A few KiB can expand to terabytes; replies, even equal ones, compress to no less than a thirteenth.
	in.remaining = 64<<20 + 256*in.size
	if err := in.each(in.check); err != nil {
		return in.result, fmt.Errorf("%s: %w; nothing was imported", bundle, err)
	}
	return in.result, in.each(in.write)
}

// importer imports one bundle.
type importer struct {
	bundle     string       // path of the bundle
	runsDir    string       // folder for the runs
	libraryDir string       // folder for the datasets
	size       int64        // bytes of the bundle
	remaining  int64        // bytes that the rest of the bundle may unpack to
	result     ImportResult // what was imported so far
}

// each calls use for every unpacked file of the bundle, and returns an error if the bundle is damaged or incomplete.
func (in *importer) each(use func(name string, text io.Reader) error) error {
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
		case h.Size > in.size: // a sparse file claims more than it holds
			return fmt.Errorf("damaged: %q is larger than the bundle", h.Name)
		case h.Name == oldSealFile:
			return nil
		case h.Name == sumsFile:
			sumsText, err := io.ReadAll(io.LimitReader(tr, int64(sums.Len())+1))
			if err == nil && string(sumsText) != sums.String() {
				err = fmt.Errorf("damaged: its files are not those that %s lists", sumsFile)
			}
			return err
		}
		hash := sha256.New()
		text := io.TeeReader(tr, hash)
		if !slices.Contains(obsoleteFiles, h.Name) {
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

// maxUnpackMemory is the most memory in bytes for unpacking a file: four times the window with which gavel packs.
const maxUnpackMemory = 32 << 20

// unpack calls use with the name and the unpacked text of a file in a bundle; text is the packed file.
func unpack(h *tar.Header, text io.Reader, use func(name string, text io.Reader) error) error {
	name, isPacked := strings.CutSuffix(h.Name, packedSuffix)
	if !isPacked || h.Typeflag != tar.TypeReg || !allowedName.MatchString(name) || !filepath.IsLocal(name) {
		return errors.New("does not belong in a bundle")
	}
	dec, err := zstd.NewReader(text, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(maxUnpackMemory))
	if err != nil {
		return err
	}
	defer dec.Close()
	return use(name, dec)
}

// target returns the folder into which the bundle's file of a name goes, and its path below that folder. The path is
// only opened through an os.Root, so that no link in it leads outside.
func (in *importer) target(name string) (dir, below string) {
	folder, rest, _ := strings.Cut(name, "/")
	switch folder {
	case "runs":
		return in.runsDir, rest
	case "prompts": // of an earlier gavel
		return in.runsDir, name
	}
	return in.libraryDir, rest
}

// check returns an error if the file exists and differs, or if the bundle unpacks to too much. An existing AboutFile
// may differ and stays: it holds remarks of people on this machine.
func (in *importer) check(name string, text io.Reader) error {
	hash := sha256.New()
	n, err := io.Copy(hash, io.LimitReader(text, in.remaining+1))
	in.remaining -= n
	switch {
	case err != nil:
		return fmt.Errorf("damaged: %w", err)
	case in.remaining < 0:
		return errors.New("the bundle unpacks to more than is usual: if you trust it, unpack it with tar and unzstd")
	case path.Base(name) == judging.AboutFile:
		return nil
	}
	dir, below := in.target(name)
	existing, err := os.OpenInRoot(dir, below)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer existing.Close()
	sum := sha256.New()
	_, err = io.Copy(sum, existing)
	if err == nil && !bytes.Equal(sum.Sum(nil), hash.Sum(nil)) {
		err = fmt.Errorf("%s exists and differs: choose another folder with --runs, or remove it",
			filepath.Join(dir, filepath.FromSlash(below)))
	}
	return err
}

// write writes a file of the bundle in one step, with its folders, unless it exists.
func (in *importer) write(name string, text io.Reader) error {
	dir, below := in.target(name)
	folder := path.Dir(below)
	if path.Base(below) == judging.ManifestFile {
		in.result.Runs = append(in.result.Runs, folder)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if _, err := root.Stat(below); err == nil { // equal, as check verified
		in.result.Unchanged++
		return nil
	}
	if err := root.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	disk.Sweep(filepath.Join(dir, filepath.FromSlash(folder)), path.Base(below))
	in.result.Written++
	return disk.WriteIn(root, below, func(w io.Writer) error {
		_, err := io.Copy(w, text)
		return err
	})
}
