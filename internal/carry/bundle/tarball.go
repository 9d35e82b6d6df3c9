package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gavel/internal/disk"
)

// A bundle is a tar file of zstd-compressed files, the last of which, SHA256SUMS, has the sums of the others: tar,
// sha256sum and unzstd open and check it. No byte can change unseen, for what stands around the files is held to what
// is written here. Of gavel before version 0.1 there are bundles that end with sums.json and seal.sha256 instead, the
// sum of all bytes before it.
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

// bundled is one file to be written: its name in the bundle, and where it is, below root where there is one, or what it
// holds.
type bundled struct {
	name, path string
	root       *os.Root
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
		in, info, err := disk.Open(f.root, f.path)
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

// checking is a bundle that is read through.
type checking struct {
	files   []File
	entries []entry // the same, for a sums.json
	offset  int64
	seen    map[string]bool
	list    string // the file that ends the bundle, once it was read
	old     []byte // sums.json
	sum     string // hex, of the whole
}

// checkTarball reads a bundle through, once and forward, and says which of its
// files is not what was written. sum stands for all of it.
func checkTarball(f io.Reader) (files []File, sum string, err error) {
	c := checking{seen: map[string]bool{}}
	// of the file, of what would be written, of that with one header
	whole := sha256.New()
	again := sha256.New()
	one := sha256.New()
	in := io.TeeReader(bufio.NewReaderSize(f, 256<<10), whole)
	size := new(length)
	r, w := tar.NewReader(in), tar.NewWriter(io.MultiWriter(again, one, size))
	last := ""
	for {
		h, err := r.Next() // reads no more than it has to
		if err == io.EOF && c.list != "" {
			break
		}
		before := hex.EncodeToString(again.Sum(nil))
		one.Reset()
		if err == nil && c.list == "" {
			err = w.WriteHeader(headerOf(h.Name, h.Size))
		}
		switch {
		case err != nil && last == "":
			return nil, "", errors.New("not a gavel bundle, or truncated")
		case err != nil:
			return nil, "", fmt.Errorf("not a gavel bundle, or damaged: the data after %s has changed (%w)", last, err)
		case c.list != "", !bytes.Equal(whole.Sum(nil), again.Sum(nil)):
			return nil, "", fmt.Errorf("not a gavel bundle, or damaged: the data after %s has changed",
				cmp.Or(last, "the beginning"))
		case c.seen[h.Name]:
			return nil, "", fmt.Errorf("damaged: it has two files named %s", h.Name)
		}
		last = h.Name
		c.seen[last] = true
		part, text := sha256.New(), io.Writer(io.Discard)
		var ends bytes.Buffer
		if last == sumsFile || last == oldSumsFile || last == oldSealFile {
			text = &ends
			if h.Size > mostSums {
				return nil, "", fmt.Errorf("its %s is larger than %d MiB", last, mostSums>>20)
			}
		}
		if _, err := io.Copy(io.MultiWriter(w, part, text), r); err != nil {
			return nil, "", fmt.Errorf("damaged: %s is truncated", last)
		}
		w.Flush() // pads
		sums := [2]string{hex.EncodeToString(part.Sum(nil)), hex.EncodeToString(one.Sum(nil))}
		if err := c.read(File{Name: last, Size: h.Size, SHA256: sums[0]}, entry{
			Name:   last,
			Offset: c.offset,
			Size:   int64(*size) - c.offset,
			SHA256: sums[1],
		}, ends.Bytes(), before); err != nil {
			return nil, "", err
		}
		c.offset = int64(*size)
	}
	w.Close()
	if _, err := io.Copy(io.Discard, in); err != nil {
		return nil, "", err
	}
	if !bytes.Equal(whole.Sum(nil), again.Sum(nil)) {
		return nil, "", fmt.Errorf("damaged: the data after %s has changed", last)
	}
	return c.files, cmp.Or(c.sum, hex.EncodeToString(whole.Sum(nil))), nil
}

// read takes a file that was read: one of the bundle's, or its text, where it is the list of the others. before is the
// sum of all that stands before it.
func (c *checking) read(f File, e entry, text []byte, before string) error {
	switch f.Name {
	case oldSumsFile:
		c.old = text
	case oldSealFile:
		c.list, c.sum = f.Name, before
		if string(text) != before+"\n" {
			return fmt.Errorf("damaged: a file has changed since %s was written", f.Name)
		}
		return compareOld(c.entries, c.old)
	case sumsFile:
		c.list = f.Name
		return compare(c.files, string(text))
	default:
		c.files, c.entries = append(c.files, f), append(c.entries, e)
	}
	return nil
}

// length counts what is written.
type length int64

func (n *length) Write(b []byte) (int, error) { *n += length(len(b)); return len(b), nil }

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

// entry is a line of sums.json: a file with its header, and where that stands.
type entry struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// compareOld is compare for a sums.json.
func compareOld(found []entry, sums []byte) error {
	var listed []entry
	if err := json.Unmarshal(sums, &listed); err != nil {
		return fmt.Errorf("damaged: %s: %w", oldSumsFile, err)
	}
	for i, f := range found {
		if i >= len(listed) || listed[i] != f {
			return fmt.Errorf("damaged: %s, or its line in %s, has changed", f.Name, oldSumsFile)
		}
	}
	if len(listed) > len(found) {
		return fmt.Errorf("damaged: files listed in %s are missing", oldSumsFile)
	}
	return nil
}

// window is what unpacking may hold in memory, four times of what packing needs.
const window = 32 << 20

// errEnough ends each.
var errEnough = errors.New("enough")

// each unpacks the files of a bundle that was checked, one after the other.
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
		if err == errEnough {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
