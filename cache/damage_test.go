package cache

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gavel/backends"
)

func TestUnusableValuesAreMissesWithOneWarning(t *testing.T) {
	const older, broken = "entries of an older gavel are asked again", "damaged entries are asked again"
	for name, tc := range map[string]struct {
		change func([]byte) []byte
		warns  string
	}{
		"empty":             {func([]byte) []byte { return []byte{} }, broken},
		"older schema":      {func(v []byte) []byte { v[0] = unbound - 1; return v }, older},
		"newer schema":      {func(v []byte) []byte { v[0] = bound + 1; return v }, older},
		"schema alone":      {func(v []byte) []byte { return v[:1] }, broken},
		"header alone":      {func(v []byte) []byte { return v[:header] }, broken},
		"last byte gone":    {func(v []byte) []byte { return v[:len(v)-1] }, broken},
		"a byte more":       {func(v []byte) []byte { return append(v, 0) }, broken},
		"a bit turned":      {func(v []byte) []byte { v[len(v)/2] ^= 4; return v }, broken},
		"checksum turned":   {func(v []byte) []byte { v[1] ^= 1; return v }, broken},
		"impossible length": {func(v []byte) []byte { return append(v[:header:header], 0xff, 0xff, 0xff, 0xff, 0x0f, 0) }, broken},
		"another program's": {func([]byte) []byte { return append([]byte{unbound}, "not a block of anything"...) }, broken},
		"unknown ending":    {func([]byte) []byte { return old(`{"response":{"text":"x","finish":"eos"}}`) }, broken},
		"no ending":         {func([]byte) []byte { return old(`{}`) }, broken},
		"null":              {func([]byte) []byte { return old(`null`) }, broken},
		"no JSON":           {func([]byte) []byte { return old(`{"response":`) }, broken},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s, _ := open(t, dir)
			put(t, s, "one", entry("1"))
			put(t, s, "two", entry("2"))
			shut(t, s)
			tamper(t, dir, tc.change)

			s, w := open(t, dir)
			j := saying(verdict)
			c := Wrap(j, s)
			for _, q := range []string{"one", "two"} {
				if s.Peek(request(q)) {
					t.Error("Peek takes it for a hit")
				}
				if got := ask(t, c, request(q)); !reflect.DeepEqual(got, verdict) {
					t.Errorf("got %+v", got)
				}
			}
			if j.asked != 2 || len(w.said) != 1 || !strings.Contains(w.said[0], tc.warns) || !strings.Contains(w.said[0], dir) {
				t.Errorf("asked %d times, warned %q", j.asked, w.said)
			}
			if got := ask(t, c, request("one")); !got.Cached {
				t.Error("the new answer is not kept in its place")
			}
		})
	}
}

// old is a value as gavel wrote them when they were not bound to their keys.
func old(plain string) []byte {
	v := seal(nil, []byte(plain))
	v[0] = unbound
	return v
}

// A damaged byte never makes another answer.
func TestEveryByteOfAValueCounts(t *testing.T) {
	want := Entry{Model: "tiny", Created: entry("").Created, Response: verdict}
	value, err := encode(nil, want)
	if err != nil {
		t.Fatal(err)
	}
	for i := range value {
		for bit := range 8 {
			bad := append([]byte(nil), value...)
			bad[i] ^= 1 << bit
			if got, err := decode(nil, bad); err == nil && !reflect.DeepEqual(got, want) {
				t.Errorf("byte %d, bit %d: %+v", i, bit, got)
			}
		}
		if _, err := decode(nil, value[:i]); err == nil {
			t.Errorf("the first %d of %d bytes are enough", i, len(value))
		}
	}
}

func TestUpkeepOfUnusableValues(t *testing.T) {
	dir := t.TempDir()
	s, _ := open(t, dir)
	for _, q := range []string{"older", "damaged", "good"} {
		put(t, s, q, entry(q))
	}
	shut(t, s)
	values := 0
	tamper(t, dir, func(v []byte) []byte {
		switch values++; values {
		case 1:
			v[0] = bound + 1
		case 2:
			v = v[:3]
		}
		return v
	})
	s, w := open(t, dir)
	ctx := context.Background()
	if st, err := s.Stats(ctx); err != nil || st.Entries != 1 || st.Older != 1 || st.Damaged != 1 {
		t.Errorf("Stats: %+v, %v", st, err)
	}
	reported := 0
	good, bad, err := s.Verify(ctx, func(key []byte, err error) {
		if len(key) == 32 && err != nil {
			reported++
		}
	})
	if good != 1 || bad != 2 || reported != 2 || err != nil {
		t.Errorf("Verify: %d good, %d bad, %d reported, %v", good, bad, reported, err)
	}
	if gone, err := s.Prune(ctx, func(Entry) bool { return false }); gone != 2 || err != nil {
		t.Errorf("Prune: %d, %v", gone, err)
	}
	if st, err := s.Stats(ctx); err != nil || st.Entries != 1 || st.Older+st.Damaged != 0 {
		t.Errorf("after pruning: %+v, %v", st, err)
	}
	if len(w.said) != 0 {
		t.Errorf("upkeep warns of what it counts: %q", w.said)
	}
}

// Damage anywhere in Badger's own table never ends the process and never makes
// another answer.
func TestDamagedTable(t *testing.T) {
	base := damaged(t, func(b []byte) []byte { return b })
	table, err := os.Stat(filepath.Join(base, "000001.sst"))
	if err != nil {
		t.Fatal(err)
	}
	const places = 60
	for i := range int64(places) {
		at := table.Size() * i / places
		dir := filepath.Join(t.TempDir(), "copy")
		if err := os.CopyFS(dir, os.DirFS(base)); err != nil {
			t.Fatal(err)
		}
		scribble(t, filepath.Join(dir, "000001.sst"), at)
		s, err := Open(dir, Options{MinFree: 1})
		if err != nil {
			continue // said in a sentence: see TestFoldersThatWillNotDo
		}
		for i := range 100 {
			req := request("q")
			req.Repetition = i
			if e, ok := s.Get(Key(req)); ok && e.Response.Text != strings.Repeat("x", i) {
				t.Errorf("damage at %d: entry %d is %q", at, i, e.Response.Text)
			}
		}
		s.Stats(context.Background())
		s.Verify(context.Background(), func([]byte, error) {})
		s.Close()
	}
}

func scribble(t *testing.T, path string, at int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte("\xff\xff\xff\xff\x7f\x00damage"), at); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, e := range []Entry{entry(""), entry(strings.Repeat("long ", 100)), {Response: backends.Response{Finish: backends.TooLong, Context: 5}}} {
		v, err := encode(nil, e)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(v)
	}
	f.Add([]byte{})
	f.Add([]byte{unbound})
	f.Add([]byte{bound})
	f.Add(seal(nil, []byte(`{"response":{"finish":"eos"}}`)))
	f.Fuzz(func(t *testing.T, v []byte) {
		for _, value := range [][]byte{v, seal(nil, v)} { // as it is, and as the JSON of a whole value
			e, err := decode(nil, value)
			if err != nil {
				continue
			}
			bad := append([]byte(nil), value...)
			bad[len(bad)/2] ^= 1
			if other, err := decode(nil, bad); err == nil && !reflect.DeepEqual(other.Response, e.Response) {
				t.Errorf("a bit turned makes %+v of %+v", other, e)
			}
			switch e.Response.Finish {
			case backends.Stop, backends.Length, backends.TooLong, backends.Refused:
			default:
				t.Errorf("finish %q", e.Response.Finish)
			}
			again, err := encode(nil, e)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := decode(nil, again); err != nil || !reflect.DeepEqual(back.Response, e.Response) || back.Model != e.Model || !back.Created.Equal(e.Created) {
				t.Errorf("%+v, written and read: %+v, %v", e, back, err)
			}
		}
	})
}
