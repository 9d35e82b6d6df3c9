package bundle

import (
	"archive/tar"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// A tarball is a tar file of zstd-compressed files in which no byte can change
// unseen: its last file but one lists every file's place with the SHA-256 of all
// its bytes, header and padding included, and its last one has the SHA-256 of
// everything before it. Tools know it as what it is: tar and unzstd open it.
const (
	sumsFile = "sums.json"
	sealFile = "seal.sha256"
	sealed   = 4 * tarBlock // bytes of the seal: a header, its text, the end of the tar
	tarBlock = 512
	packed   = ".zst"
)

// File is a file of a tarball as it lies there.
type File struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"` // bytes from the beginning
	Size   int64  `json:"size"`   // bytes, header and padding included
	SHA256 string `json:"sha256"` // hex, of all these bytes
}

// bundled is one file to be written: its name in the bundle, and where it is or
// what it holds.
type bundled struct {
	name, path string
	text       []byte
}

// tarballWriter counts and sums what is written.
type tarballWriter struct {
	out      io.Writer
	tar      *tar.Writer
	whole    hash.Hash
	part     hash.Hash
	at, from int64
	files    []File
}

func newTarball(out io.Writer) *tarballWriter {
	w := &tarballWriter{out: out, whole: sha256.New(), part: sha256.New()}
	w.tar = tar.NewWriter(w)
	return w
}

func (w *tarballWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.whole.Write(p[:n])
	w.part.Write(p[:n])
	w.at += int64(n)
	return n, err
}

func writeTarball(out io.Writer, files []bundled) error {
	w := newTarball(out)
	for _, f := range files {
		packedText, err := pack(f)
		if err != nil {
			return err
		}
		if err := w.add(f.name+packed, packedText); err != nil {
			return err
		}
	}
	return w.end()
}

// add appends one file, padded to whole blocks.
func (w *tarballWriter) add(name string, text []byte) error {
	if err := addTo(w.tar, name, text); err != nil {
		return err
	}
	w.files = append(w.files, File{name, w.from, w.at - w.from, hex.EncodeToString(w.part.Sum(nil))})
	w.part.Reset()
	w.from = w.at
	return nil
}

func addTo(tw *tar.Writer, name string, text []byte) error {
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatPAX}); err != nil {
		return err
	}
	if _, err := tw.Write(text); err != nil {
		return err
	}
	return tw.Flush() // pads; Close would end the tar
}

// end appends the list of the files, and the seal.
func (w *tarballWriter) end() error {
	sums, err := json.MarshalIndent(w.files, "", " ")
	if err != nil {
		return err
	}
	if err := w.add(sumsFile, sums); err != nil {
		return err
	}
	_, err = w.out.Write(seal(w.whole.Sum(nil)))
	return err
}

// seal is the end of a tarball whose bytes before it have the sum.
func seal(sum []byte) []byte {
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	addTo(tw, sealFile, []byte(hex.EncodeToString(sum)+"\n")) // to memory: cannot fail
	tw.Close()
	return buf.Bytes()
}

func pack(f bundled) ([]byte, error) {
	text := f.text
	if text == nil {
		var err error
		if text, err = os.ReadFile(f.path); err != nil {
			return nil, err
		}
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer enc.Close()
	return enc.EncodeAll(text, nil), nil
}

// checkTarball reads a tarball through, once and forward, and says which of its
// files is not what was written. The sum that seals it stands for all of it.
func checkTarball(f *os.File) (files []File, sum string, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, "", err
	}
	body := info.Size() - sealed
	if body < tarBlock {
		return nil, "", errors.New("not a bundle of gavel, or cut short")
	}
	whole := sha256.New()
	r := &countingReader{in: io.TeeReader(bufio.NewReaderSize(io.NewSectionReader(f, 0, body), 256<<10), whole)}
	found, sums, err := readFiles(r)
	if err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(sums, &files); err != nil {
		return nil, "", fmt.Errorf("damaged: %s: %w", sumsFile, err)
	}
	for i, s := range files {
		switch {
		case i < len(found) && s == found[i]:
		case i < len(found) && s.Name == found[i].Name && s.Offset == found[i].Offset && s.Size == found[i].Size:
			return nil, "", fmt.Errorf("damaged: %s is not what was written", s.Name)
		default:
			return nil, "", fmt.Errorf("damaged: %s lies where it cannot", s.Name)
		}
	}
	if len(files) != len(found) {
		return nil, "", fmt.Errorf("damaged: files are missing from its %s", sumsFile)
	}
	end := make([]byte, sealed)
	if _, err := f.ReadAt(end, body); err != nil {
		return nil, "", err
	}
	if r.at != body || !bytes.Equal(end, seal(whole.Sum(nil))) {
		return nil, "", fmt.Errorf("damaged: %s or %s is not what was written", sumsFile, sealFile)
	}
	return files, hex.EncodeToString(whole.Sum(nil)), nil
}

// mostSums bounds the list of files, which is held in memory.
const mostSums = 16 << 20

// readFiles reads the files of a tarball up to the list of them, and the list.
func readFiles(r *countingReader) (found []File, sums []byte, err error) {
	last := "the beginning"
	for {
		from := r.at
		r.part = sha256.New()
		tr := tar.NewReader(r) // reads no more than it is asked for
		h, err := tr.Next()
		if err != nil {
			return nil, nil, fmt.Errorf("not a bundle of gavel, or damaged: what follows %s is not what was written (%w)", last, err)
		}
		if !plainFile(h) {
			return nil, nil, fmt.Errorf("damaged: %q is no plain file", h.Name)
		}
		if h.Name == sumsFile {
			if h.Size > mostSums {
				return nil, nil, fmt.Errorf("its %s is larger than %d MiB", sumsFile, mostSums>>20)
			}
			sums, err = io.ReadAll(tr)
		} else {
			_, err = io.Copy(io.Discard, tr)
		}
		if err == nil {
			_, err = io.CopyN(io.Discard, r, -h.Size&(tarBlock-1)) // to whole blocks
		}
		if err != nil {
			return nil, nil, fmt.Errorf("damaged: %s is cut short", h.Name)
		}
		if h.Name == sumsFile {
			return found, sums, nil
		}
		found = append(found, File{h.Name, from, r.at - from, hex.EncodeToString(r.part.Sum(nil))})
		last = h.Name
	}
}

// plainFile tells a file as it is written here from what else a tar can hold,
// sparse files that stand for far more than they are among them.
func plainFile(h *tar.Header) bool {
	for k := range h.PAXRecords {
		if k != "path" {
			return false
		}
	}
	return h.Typeflag == tar.TypeReg
}

// countingReader counts and sums what is read.
type countingReader struct {
	in   io.Reader
	at   int64
	part hash.Hash
}

func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.at += int64(n)
	r.part.Write(p[:n])
	return n, err
}

// window is what unpacking may hold in memory, four times of what packing needs.
const window = 32 << 20

// open unpacks a file of a tarball that was checked.
func (s File) open(f *os.File) (io.ReadCloser, error) {
	tr := tar.NewReader(io.NewSectionReader(f, s.Offset, s.Size))
	if _, err := tr.Next(); err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(tr, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(window))
	if err != nil {
		return nil, err
	}
	return dec.IOReadCloser(), nil
}
