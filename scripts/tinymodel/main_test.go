package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// pinned is the SHA-256 of the model with seed 1 and a context of 32768. Where weights change, so does every reply that
// a trial has seen.
const pinned = "b18d4e8d1b0b5bbe43bf7a556141270d440e58c966924411a377590f49944b3c"

func build(t *testing.T, args ...string) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "tiny.gguf")
	if err := tinymodel(io.Discard, append([]string{"-out", name}, args...)); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestSameSeedSameBytes(t *testing.T) {
	first := build(t)
	if sum := sha256.Sum256(first); hex.EncodeToString(sum[:]) != pinned {
		t.Errorf("SHA-256 is %x, pinned is %s", sum, pinned)
	}
	if !bytes.Equal(first, build(t, "-seed", "1", "-context", "32768")) {
		t.Error("the defaults written out give other bytes")
	}
	if bytes.Equal(first, build(t, "-seed", "2")) {
		t.Error("seed 2 gives the bytes of seed 1")
	}
	if len(first) >= 2<<20 {
		t.Errorf("%d bytes are not small", len(first))
	}
}

func TestReadsBack(t *testing.T) {
	data := build(t, "-context", "4096")
	got := parse(t, data)
	want := newModel(1, 4096)

	if len(got.meta) != len(want.meta) || len(got.tensors) != len(want.tensors) {
		t.Fatalf("read %d keys and %d tensors, want %d and %d", len(got.meta), len(got.tensors), len(want.meta), len(want.tensors))
	}
	if got.meta["llama.context_length"] != uint32(4096) {
		t.Errorf("context length reads %v", got.meta["llama.context_length"])
	}
	if got.meta["tokenizer.chat_template"] != chatTemplate {
		t.Errorf("chat template reads %v", got.meta["tokenizer.chat_template"])
	}
	tokens := got.meta["tokenizer.ggml.tokens"].([]string)
	if tokens[endOfTurn] != "<|im_end|>" || tokens[firstByte+0x0A] != "<0x0A>" {
		t.Errorf("tokens %d and %d read %q and %q", endOfTurn, firstByte+0x0A, tokens[endOfTurn], tokens[firstByte+0x0A])
	}
	tensors := map[string]tensor{}
	for _, g := range got.tensors {
		tensors[g.name] = g
	}
	for _, w := range want.tensors {
		g := tensors[w.Name]
		rows := append(w.Shape, 1)[1]
		data := w.WriterTo.(numbers)
		if g.rows != int(rows) || g.cols != int(w.Shape[0]) || !slices.Equal(g.data, data) {
			t.Errorf("tensor %s of shape %d reads %d rows of %d, or its numbers differ", w.Name, w.Shape, g.rows, g.cols)
		}
	}
}

func TestVocabulary(t *testing.T) {
	texts := map[string]bool{}
	for _, p := range vocabulary() {
		if texts[p.text] {
			t.Errorf("%q stands twice", p.text)
		}
		texts[p.text] = true
	}
	for _, want := range []string{space + "the", space + "answer", space + "judge", "A", "[", "]", `"`} {
		if !texts[want] {
			t.Errorf("%q is missing", want)
		}
	}
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		args string
		want string
	}{
		"no file":          {"", "try: tinymodel -out"},
		"an argument":      {"-out x y", "unexpected argument"},
		"no context":       {"-out x -context 0", "-context 0 is outside"},
		"no such folder":   {"-out " + filepath.Join(t.TempDir(), "none", "x"), "no such file"},
		"not a flag of it": {"-size 3", "not defined"},
	} {
		t.Run(name, func(t *testing.T) {
			err := tinymodel(io.Discard, strings.Fields(c.args))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
		})
	}
	if err := tinymodel(io.Discard, []string{"-h"}); !errors.Is(err, flag.ErrHelp) {
		t.Errorf("-h gives %v", err)
	}
}

// The layout of GGUF version 3: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md.
const (
	ggufAlignment = 32
	typeUint32    = 4
	typeInt32     = 5
	typeFloat32   = 6
	typeBool      = 7
	typeString    = 8
	typeArray     = 9
	tensorF32     = 0
)

func align(n int) int { return (n + ggufAlignment - 1) / ggufAlignment * ggufAlignment }

// tensor holds rows of cols numbers each; a vector has one row.
type tensor struct {
	name       string
	rows, cols int
	data       []float32
}

// A parsed file is read by the layout alone, with nothing of the writer's.
type parsed struct {
	meta    map[string]any
	tensors []tensor
}

type reader struct {
	*bytes.Reader
	t *testing.T
}

func get[T any](r reader) T {
	r.t.Helper()
	var v T
	if err := binary.Read(r, binary.LittleEndian, &v); err != nil {
		r.t.Fatal(err)
	}
	return v
}

func (r reader) str() string {
	b := make([]byte, get[uint64](r))
	if _, err := io.ReadFull(r, b); err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func (r reader) value(kind uint32) any {
	switch kind {
	case typeUint32:
		return get[uint32](r)
	case typeInt32:
		return get[int32](r)
	case typeFloat32:
		return get[float32](r)
	case typeBool:
		return get[bool](r)
	case typeString:
		return r.str()
	case typeArray:
		kind, n := get[uint32](r), get[uint64](r)
		if kind == typeString {
			var out []string
			for range n {
				out = append(out, r.str())
			}
			return out
		}
		var out []any
		for range n {
			out = append(out, r.value(kind))
		}
		return out
	}
	r.t.Fatalf("value of kind %d", kind)
	return nil
}

func parse(t *testing.T, data []byte) parsed {
	t.Helper()
	r := reader{bytes.NewReader(data), t}
	if magic := get[[4]byte](r); string(magic[:]) != "GGUF" {
		t.Fatalf("magic %q", magic)
	}
	if v := get[uint32](r); v != 3 {
		t.Fatalf("version %d", v)
	}
	tensors, keys := get[uint64](r), get[uint64](r)
	out := parsed{meta: map[string]any{}}
	for range keys {
		key := r.str()
		out.meta[key] = r.value(get[uint32](r))
	}
	var offsets []int
	for range tensors {
		g := tensor{name: r.str(), rows: 1}
		dims := get[uint32](r)
		g.cols = int(get[uint64](r))
		if dims == 2 {
			g.rows = int(get[uint64](r))
		}
		if kind := get[uint32](r); kind != tensorF32 {
			t.Fatalf("%s is of type %d", g.name, kind)
		}
		offsets = append(offsets, int(get[uint64](r)))
		out.tensors = append(out.tensors, g)
	}
	start := align(len(data) - r.Len())
	for i := range out.tensors {
		g := &out.tensors[i]
		if offsets[i]%ggufAlignment != 0 {
			t.Errorf("%s begins at %d", g.name, offsets[i])
		}
		g.data = make([]float32, g.rows*g.cols)
		if _, err := binary.Decode(data[start+offsets[i]:], binary.LittleEndian, g.data); err != nil {
			t.Fatalf("%s: %v", g.name, err)
		}
	}
	if last := len(out.tensors) - 1; start+offsets[last]+align(4*len(out.tensors[last].data)) != len(data) {
		t.Error("the file does not end with its last tensor")
	}
	return out
}
