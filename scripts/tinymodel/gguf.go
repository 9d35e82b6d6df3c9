package main

import (
	"encoding/binary"
	"fmt"
	"io"
)

// A ggufFile is the content of a GGUF version 3 file: a header, metadata as key and value, a directory of tensors,
// and their data. Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. Everything is little-endian.
type ggufFile struct {
	meta    []entry
	tensors []tensor
}

type entry struct {
	key   string
	value any // uint32, float32, bool, string, []string, []float32 or []int32
}

// A tensor holds rows of cols numbers each; a vector has one row and is written with one dimension.
type tensor struct {
	name       string
	rows, cols int
	data       []float32
}

const (
	ggufMagic     = "GGUF"
	ggufVersion   = 3
	ggufAlignment = 32 // where a tensor's data may begin, counted from the start of the data

	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeBool    = 7
	typeString  = 8
	typeArray   = 9

	tensorF32 = 0
)

func (f *ggufFile) writeTo(w io.Writer) error {
	e := &encoder{}
	e.raw([]byte(ggufMagic))
	e.put(uint32(ggufVersion), uint64(len(f.tensors)), uint64(len(f.meta)))
	for _, m := range f.meta {
		e.str(m.key)
		if err := e.value(m.value); err != nil {
			return fmt.Errorf("%s: %w", m.key, err)
		}
	}
	offset := 0
	for _, t := range f.tensors {
		if len(t.data) != t.rows*t.cols {
			return fmt.Errorf("%s: %d numbers for %d rows of %d", t.name, len(t.data), t.rows, t.cols)
		}
		e.str(t.name)
		// The fastest-moving dimension comes first: that of the numbers within a row.
		if t.rows == 1 {
			e.put(uint32(1), uint64(t.cols))
		} else {
			e.put(uint32(2), uint64(t.cols), uint64(t.rows))
		}
		e.put(uint32(tensorF32), uint64(offset))
		offset = align(offset + 4*len(t.data))
	}
	for _, t := range f.tensors {
		e.pad()
		e.put(t.data)
	}
	e.pad()
	_, err := w.Write(e.b)
	return err
}

func align(n int) int { return (n + ggufAlignment - 1) / ggufAlignment * ggufAlignment }

type encoder struct{ b []byte }

func (e *encoder) raw(b []byte) { e.b = append(e.b, b...) }

func (e *encoder) pad() { e.raw(make([]byte, align(len(e.b))-len(e.b))) }

// put appends numbers of fixed size, or slices of them.
func (e *encoder) put(values ...any) {
	for _, v := range values {
		b, err := binary.Append(e.b, binary.LittleEndian, v)
		if err != nil {
			panic(err) // a type without a fixed size: a mistake in this program
		}
		e.b = b
	}
}

func (e *encoder) str(s string) {
	e.put(uint64(len(s)))
	e.raw([]byte(s))
}

func (e *encoder) value(v any) error {
	switch v := v.(type) {
	case uint32:
		e.put(uint32(typeUint32), v)
	case float32:
		e.put(uint32(typeFloat32), v)
	case bool:
		e.put(uint32(typeBool), v)
	case string:
		e.put(uint32(typeString))
		e.str(v)
	case []string:
		e.put(uint32(typeArray), uint32(typeString), uint64(len(v)))
		for _, s := range v {
			e.str(s)
		}
	case []float32:
		e.put(uint32(typeArray), uint32(typeFloat32), uint64(len(v)), v)
	case []int32:
		e.put(uint32(typeArray), uint32(typeInt32), uint64(len(v)), v)
	default:
		return fmt.Errorf("no GGUF type for %T", v)
	}
	return nil
}
