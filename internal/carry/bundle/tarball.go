package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gavel/internal/disk"
)

// A bundle is a tar file of zstd-compressed files, the last of which, SHA256SUMS, has the sums of the others: tar,
// sha256sum and unzstd open and check it. No byte can change unseen, for what stands around the files is held to what
// is written here. Of gavel before version 0.1 there are bundles that end with sums.json and seal.sha256 instead: the
// seal is the sum of all bytes before it, and all that is looked at.
const (
	sumsFile    = "SHA256SUMS"
	oldSumsFile = "sums.json"
	oldSealFile = "seal.sha256"
	packed      = ".zst"
)

// File is a file of a bundle as it is packed.
type File struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"` // hex
}

// line is the file's line of SHA256SUMS.
func (f File) line() string { return f.SHA256 + "  " + f.Name + "\n" }

// bundled is one file to be written: its name in the bundle, and where it is or what it holds.
type bundled struct {
	name, path string
	text       []byte
}

func writeTarball(out io.Writer, files []bundled) error {
	tw := tar.NewWriter(out)
	add := func(name string, text []byte) error {
		err := tw.WriteHeader(headerOf(name, int64(len(text))))
		if err == nil {
			_, err = tw.Write(text)
		}
		return err
	}
	var sums strings.Builder
	for _, f := range files {
		text, err := pack(f)
		if err == nil {
			err = add(f.name+packed, text)
		}
		if err != nil {
			return err
		}
		sums.WriteString(File{Name: f.name + packed, SHA256: sumOf(text)}.line())
	}
	if err := add(sumsFile, []byte(sums.String())); err != nil {
		return err
	}
	return tw.Close()
}

func headerOf(name string, size int64) *tar.Header {
	return &tar.Header{Name: name, Mode: 0o644, Size: size, Format: tar.FormatPAX}
}

func sumOf(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func pack(f bundled) ([]byte, error) {
	text := f.text
	if text == nil {
		in, info, err := disk.Open(nil, f.path)
		if err != nil {
			return nil, err
		}
		defer in.Close()
		text = make([]byte, info.Size())
		if _, err := io.ReadFull(in, text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.path, err)
		}
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	return enc.EncodeAll(text, nil), nil
}

// mostSums bounds the list of sums, which is held in memory.
const mostSums = 16 << 20

// checkTarball reads a bundle through, once and forward, and says which of its files is not what was written. sum
// stands for all of it.
func checkTarball(f io.Reader) (files []File, sum string, err error) {
	whole := sha256.New() // of what is read
	again := sha256.New() // of what would be written
	in := io.TeeReader(bufio.NewReaderSize(f, 256<<10), whole)
	r, w := tar.NewReader(in), tar.NewWriter(again)
	seen := map[string]bool{}
	last, ended := "", false
	for {
		h, err := r.Next() // reads no more than it has to
		if err == io.EOF && ended {
			break
		}
		before := hexOf(again)
		if err == nil && !ended {
			err = w.WriteHeader(headerOf(h.Name, h.Size))
		}
		switch {
		case err != nil && last == "":
			return nil, "", errors.New("not a gavel bundle, or truncated")
		case err != nil:
			return nil, "", fmt.Errorf("not a gavel bundle, or damaged: the data after %s has changed (%w)", last, err)
		case ended, hexOf(whole) != hexOf(again):
			return nil, "", fmt.Errorf("not a gavel bundle, or damaged: the data after %s has changed",
				cmp.Or(last, "the beginning"))
		case seen[h.Name]:
			return nil, "", fmt.Errorf("damaged: it has two files named %s", h.Name)
		}
		last = h.Name
		seen[last] = true
		part := sha256.New()
		var text bytes.Buffer
		to := io.MultiWriter(w, part)
		if last == sumsFile || last == oldSealFile {
			to = io.MultiWriter(w, &text)
			if h.Size > mostSums {
				return nil, "", fmt.Errorf("its %s is larger than %d MiB", last, mostSums>>20)
			}
		}
		if _, err := io.Copy(to, r); err != nil {
			return nil, "", fmt.Errorf("damaged: %s is truncated", last)
		}
		w.Flush() // pads
		switch last {
		case sumsFile:
			ended = true
			err = compare(files, text.String())
		case oldSealFile:
			ended = true
			sum = before
			if text.String() != before+"\n" {
				err = fmt.Errorf("damaged: a file has changed since %s was written", last)
			}
		case oldSumsFile: // which the seal is of, too
		default:
			files = append(files, File{Name: last, Size: h.Size, SHA256: hexOf(part)})
		}
		if err != nil {
			return nil, "", err
		}
	}
	w.Close()
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, "", err
	}
	if hexOf(whole) != hexOf(again) {
		return nil, "", fmt.Errorf("damaged: the data after %s has changed", last)
	}
	return files, cmp.Or(sum, hexOf(whole)), nil
}

func hexOf(sum hash.Hash) string { return hex.EncodeToString(sum.Sum(nil)) }

// compare holds the files that were found to the list of them.
func compare(files []File, sums string) error {
	for _, f := range files {
		rest, ok := strings.CutPrefix(sums, f.line())
		if !ok {
			return fmt.Errorf("damaged: %s, or its line in %s, has changed", f.Name, sumsFile)
		}
		sums = rest
	}
	if sums != "" {
		return fmt.Errorf("damaged: files listed in %s are missing", sumsFile)
	}
	return nil
}

// window is what unpacking may hold in memory, four times of what packing needs.
const window = 32 << 20

// each unpacks the files of a bundle that was checked, one after the other, until use returns fs.SkipAll.
func (b *opened) each(use func(f File, text io.Reader) error) error {
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	tr := tar.NewReader(b.file)
	for _, f := range b.Files {
		if _, err := tr.Next(); err != nil {
			return err
		}
		dec, err := zstd.NewReader(tr, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
			zstd.WithDecoderMaxWindow(window))
		if err != nil {
			return err
		}
		err = use(f, dec)
		dec.Close()
		if err == fs.SkipAll {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
