package main

import (
	"archive/tar"
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

// segment is a file of a tarball as it lies there.
type segment struct {
	Name   string `json:"name"`
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"` // with header and padding
	SHA256 string `json:"sha256"`
}

// tarballWriter counts and sums what is written.
type tarballWriter struct {
	out      io.Writer
	whole    hash.Hash
	part     hash.Hash
	at, from int64
	segments []segment
}

func (w *tarballWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	w.whole.Write(p[:n])
	w.part.Write(p[:n])
	w.at += int64(n)
	return n, err
}

func writeTarball(out *os.File, files []bundled) error {
	w := &tarballWriter{out: out, whole: sha256.New(), part: sha256.New()}
	for _, f := range files {
		packedText, err := pack(f)
		if err != nil {
			return err
		}
		if err := w.add(f.name+packed, packedText); err != nil {
			return err
		}
	}
	sums, err := json.MarshalIndent(w.segments, "", " ")
	if err != nil {
		return err
	}
	if err := w.add(sumsFile, sums); err != nil {
		return err
	}
	_, err = out.Write(seal(w.whole.Sum(nil)))
	return err
}

// add appends one file, padded to whole blocks.
func (w *tarballWriter) add(name string, text []byte) error {
	tw := tar.NewWriter(w)
	if err := tw.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatPAX}); err != nil {
		return err
	}
	if _, err := tw.Write(text); err != nil {
		return err
	}
	if err := tw.Flush(); err != nil { // pads; Close would end the tar
		return err
	}
	w.segments = append(w.segments, segment{name, w.from, w.at - w.from, hex.EncodeToString(w.part.Sum(nil))})
	w.part.Reset()
	w.from = w.at
	return nil
}

// seal is the end of a tarball whose bytes before it have the sum.
func seal(sum []byte) []byte {
	var buf bytes.Buffer
	tw := tar.NewWriter(&buf)
	text := hex.EncodeToString(sum) + "\n"
	tw.WriteHeader(&tar.Header{Name: sealFile, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatPAX}) // to memory
	io.WriteString(tw, text)
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

// checkTarball reads a tarball through and says which of its files is not what
// was written.
func checkTarball(f *os.File) ([]segment, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	body := info.Size() - sealed
	if body < tarBlock {
		return nil, errors.New("not a bundle of gavel, or cut short")
	}
	whole := sha256.New()
	if _, err := io.Copy(whole, io.NewSectionReader(f, 0, body)); err != nil {
		return nil, err
	}
	end := make([]byte, sealed)
	if _, err := f.ReadAt(end, body); err != nil {
		return nil, err
	}
	segments, serr := readSums(f, body)
	if bytes.Equal(end, seal(whole.Sum(nil))) && serr == nil {
		return segments, nil
	}
	if serr != nil {
		return nil, serr
	}
	for _, s := range segments {
		sum := sha256.New()
		if _, err := io.Copy(sum, io.NewSectionReader(f, s.Offset, s.Size)); err != nil {
			return nil, err
		}
		if hex.EncodeToString(sum.Sum(nil)) != s.SHA256 {
			return nil, fmt.Errorf("damaged: %s is not what was written", s.Name)
		}
	}
	return nil, fmt.Errorf("damaged: %s or %s is not what was written", sumsFile, sealFile)
}

// readSums finds the list of files at the end.
func readSums(f *os.File, body int64) ([]segment, error) {
	bad := func(err error) ([]segment, error) {
		return nil, fmt.Errorf("not a bundle of gavel, or its %s is damaged: %w", sumsFile, err)
	}
	// The list covers all that stands before it, so it begins where its last
	// segment ends: found by reading headers backwards, a block at a time.
	for at := body - tarBlock; at >= 0; at -= tarBlock {
		tr := tar.NewReader(io.NewSectionReader(f, at, body-at))
		h, err := tr.Next()
		if err != nil || h.Name != sumsFile || h.Size > body {
			continue
		}
		text, err := io.ReadAll(tr)
		if err != nil {
			return bad(err)
		}
		var segments []segment
		if err := json.Unmarshal(text, &segments); err != nil {
			return bad(err)
		}
		var next int64
		for _, s := range segments {
			if s.Offset != next || s.Size < tarBlock || s.Size > at-next {
				return bad(fmt.Errorf("%s lies where it cannot", s.Name))
			}
			next += s.Size
		}
		if next != at {
			return bad(errors.New("files are missing from it"))
		}
		return segments, nil
	}
	return bad(errors.New("it is not there"))
}

// open gives the text of a file of a tarball that was checked, unpacked up to
// most bytes.
func (s segment) open(f *os.File, most int64) ([]byte, error) {
	tr := tar.NewReader(io.NewSectionReader(f, s.Offset, s.Size))
	if _, err := tr.Next(); err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(tr, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(uint64(most)))
	if err != nil {
		return nil, err
	}
	defer dec.Close()
	text, err := io.ReadAll(io.LimitReader(dec, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s is larger than %d MiB unpacked", s.Name, most>>20)
	}
	return text, err
}
