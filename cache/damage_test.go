package cache

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
)

// oldValue returns a value in gavel's earlier form, not bound to its key.
func oldValue(plain string) []byte {
	v := compressWithSum(nil, []byte(plain))
	v[0] = checksumUnbound
	return v
}

func TestDecode(t *testing.T) {
	key := []byte("key")
	const reply = `{"model":"tiny","response":{"text":"x","finish":"stop"}}`
	tooLong := []byte{0xff, 0xff, 0xff, 0xff, 0x0f, 0}
	for name, tc := range map[string]struct {
		change func(v []byte) []byte
		want   error
	}{
		"whole":             {func(v []byte) []byte { return v }, nil},
		"of 0.1":            {func([]byte) []byte { return oldValue(reply) }, nil},
		"of another key":    {func([]byte) []byte { return compressWithSum([]byte("another"), []byte(reply)) }, errDamaged},
		"empty":             {func([]byte) []byte { return nil }, errDamaged},
		"older schema":      {func(v []byte) []byte { v[0] = checksumUnbound - 1; return v }, errOlder},
		"newer schema":      {func(v []byte) []byte { v[0] = checksumKeyBound + 1; return v }, errOlder},
		"header alone":      {func(v []byte) []byte { return v[:valueHeaderLength] }, errDamaged},
		"a byte more":       {func(v []byte) []byte { return append(v, 0) }, errDamaged},
		"impossible length": {func(v []byte) []byte { return append(v[:valueHeaderLength:valueHeaderLength], tooLong...) }, errDamaged},
		"another program's": {func([]byte) []byte { return append([]byte{checksumUnbound}, "no block"...) }, errDamaged},
		"unknown ending": {
			func([]byte) []byte { return oldValue(`{"response":{"text":"x","finish":"eos"}}`) }, errDamaged,
		},
		"no ending": {func([]byte) []byte { return oldValue(`{}`) }, errDamaged},
		"null":      {func([]byte) []byte { return oldValue(`null`) }, errDamaged},
		"no JSON":   {func([]byte) []byte { return oldValue(`{"response":`) }, errDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			value, err := encode(key, entry("x"))
			assert.NilError(t, err)
			e, err := decode(key, tc.change(value))
			if tc.want != nil {
				assert.ErrorIs(t, err, tc.want)
			} else if err != nil || e.Model != "tiny" || e.Response.Text != "x" {
				t.Errorf("%+v, %v", e, err)
			}
		})
	}
}

// A damaged byte never makes another answer.
func TestEveryByteOfAValueCounts(t *testing.T) {
	want := Entry{Model: "tiny", Created: entry("").Created, Response: verdict}
	value, err := encode(nil, want)
	assert.NilError(t, err)
	for i := range value {
		for bit := range 8 {
			bad := bytes.Clone(value)
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

// Values that cannot be read are misses, with one warning, and are counted and removed by those who look after a cache.
func TestUnusableValues(t *testing.T) {
	for warns, change := range map[string]func([]byte) []byte{
		"replies of an older gavel are requested again": func(v []byte) []byte { v[0] = checksumKeyBound + 1; return v },
		"damaged replies are requested again":           func(v []byte) []byte { return v[:3] },
	} {
		dir := cacheOf(t, 2)
		tamper(t, dir, change)
		s, w := open(t, dir)
		st, err := s.Stats(t.Context())
		older := map[bool]int{true: 2}[strings.Contains(warns, "older")]
		if err != nil || st.Entries != 0 || st.OldFormat != older || st.Damaged != 2-older || len(w.texts) > 0 {
			t.Errorf("Stats: %+v, %v; said %q", st, err, w.texts)
		}
		c := CachingClient(fixedJudge(verdict), s, false)
		if s.CanAnswer(request("0")) || s.CanAnswer(request("1")) || ask(t, c, request("0")).Cached || !ask(t, c, request("0")).Cached {
			t.Error("it is taken for a hit, or the new answer is not kept in its place")
		}
		w.once(t, warns, dir)
		gone, err := s.RemoveEntries(t.Context(), func(Entry) bool { return false })
		if st, _ := s.Stats(t.Context()); gone != 1 || err != nil || st.Entries != 1 || st.OldFormat+st.Damaged != 0 {
			t.Errorf("Prune: %d, %v, then %+v", gone, err, st)
		}
	}
}

// A cache that Badger cannot open whole is moved aside, and a new one begins.
func TestDamagedCacheIsMovedAside(t *testing.T) {
	base := cacheOf(t, 100)
	s, _ := open(t, base)
	put(t, s, "in the log", entry("x"))
	killed := killedCopy(t, base)
	shut(t, s)
	const table, manifest = "000001.sst", "MANIFEST"
	shorter := func(b []byte) []byte { return b[:len(b)-1] }
	half := func([]byte) []byte { return []byte("half a table") }
	empty := func([]byte) []byte { return nil }
	zeros := func(b []byte) []byte { return make([]byte, len(b)) }
	bitAt := func(i int) func([]byte) []byte {
		return func(b []byte) []byte { b[(len(b)+i)%len(b)] ^= 4; return b }
	}
	for name, tc := range map[string]struct {
		base, file string
		bend       func([]byte) []byte
		message    string // "" where nothing is damaged
	}{
		"killed while it flushed":     {killed, "000009.sst", half, ""},
		"killed while it began a log": {base, "000081.vlog", empty, ""},
		"a table without a log":       {base, "000009.sst", half, "lists 2 of 3 tables"},
		"table cut short":             {base, table, shorter, table + " is damaged"},
		"table of zeros":              {base, table, zeros, table + " is damaged"},
		"table empty":                 {base, table, empty, table + " is damaged"},
		"table's index":               {base, table, bitAt(-40), table + " is damaged"},
		"table gone":                  {base, table, nil, table + " is damaged"},
		"manifest gone":               {base, manifest, nil, manifest + " is damaged and lists 0 of 2 tables"},
		"manifest cut short":          {base, manifest, shorter, manifest + " is damaged and lists 1 of 2 tables"},
		"manifest bent":               {base, manifest, bitAt(12), "lists 0 of 2 tables"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := killedCopy(t, tc.base)
			bend(t, filepath.Join(dir, tc.file), tc.bend)
			aside := dir + ".damaged-2"
			assert.NilError(t, os.Mkdir(dir+".damaged", 0o755)) // of another time
			s, w := open(t, dir)
			assert.Equal(t, holds(s, "7"), tc.message == "")
			_, err := os.Stat(filepath.Join(aside, "KEYREGISTRY"))
			if tc.message == "" {
				assert.Assert(t, err != nil && len(w.texts) == 0, "%q", w.texts)
				return
			}
			assert.NilError(t, err)
			w.once(t, dir+" is damaged (", tc.message, "moved to "+aside+", ", "gavel cache rebuild")
			put(t, s, "more", entry("more"))
			shut(t, s)
			s, w = open(t, dir)
			assert.Assert(t, holds(s, "more") && len(w.texts) == 0, "%q", w.texts)
		})
	}
}

// Damage within a table shows when it is read: it is a miss, nothing is merged, and the next to open it moves it aside.
func TestDamageWithinTable(t *testing.T) {
	dir := t.TempDir()
	entries := unmergedCache(t, dir, 13)
	bent := -1
	bend(t, filepath.Join(dir, "000007.sst"), func(b []byte) []byte {
		for i := 0; bent < 0; i++ {
			key := Key(request(fmt.Sprint(i)))
			if j := bytes.Index(b, key[16:]); j >= 0 { // keys stand there without what they share
				b[j+16+30] ^= 4 // behind the version, in the value
				bent = i
			}
		}
		return b
	})
	s, w := open(t, dir)
	for i := range entries {
		if _, ok := s.Get(Key(request(fmt.Sprint(i)))); ok == (i == bent) {
			t.Errorf("entry %d: hit %v", i, ok)
		}
	}
	w.once(t, "damaged replies are requested again")
	_, err := s.RemoveEntries(t.Context(), func(Entry) bool { return true })
	assert.ErrorContains(t, err, "the next gavel moves it aside")
	shut(t, s)
	_, w = open(t, dir)
	w.once(t, "moved to "+dir+".damaged")
}

// Another gavel is at work in the folder: it is left alone.
func TestNothingIsMovedAtWork(t *testing.T) {
	dir := cacheOf(t, 1)
	open(t, dir)
	offset := filepath.Join(dir, "000001.sst")
	if err := os.Rename(offset, offset+".away"); err != nil {
		t.Skip(err)
	}
	_, err := Open(dir, Options{MinFree: 1})
	assert.ErrorIs(t, err, errLocked)
	_, err = os.Stat(dir + ".damaged")
	assert.ErrorIs(t, err, os.ErrNotExist)
}

// Damage anywhere in Badger's own table never ends the process and never makes
// another answer.
func TestDamagedTable(t *testing.T) {
	base := cacheOf(t, 100)
	table, err := os.Stat(filepath.Join(base, "000001.sst"))
	assert.NilError(t, err)
	const places = 60
	for i := range int64(places) {
		offset := table.Size() * i / places
		dir := killedCopy(t, base)
		bend(t, filepath.Join(dir, "000001.sst"), scribble(offset))
		s, err := Open(dir, Options{MinFree: 1})
		if err != nil {
			continue // said in a sentence: see TestFoldersThatWillNotDo
		}
		for i := range 100 {
			text := fmt.Sprint(i)
			if e, ok := s.Get(Key(request(text))); ok && e.Response.Text != text {
				t.Errorf("damage at %d: entry %d is %q", offset, i, e.Response.Text)
			}
		}
		s.Stats(t.Context())
		s.Close()
	}
}

func scribble(offset int64) func([]byte) []byte {
	return func(b []byte) []byte { copy(b[offset:], "\xff\xff\xff\xff\x7f\x00damage"); return b }
}

func FuzzDecode(f *testing.F) {
	tooLong := Entry{Response: backends.Response{Finish: backends.FinishPromptTooLong, Context: 5}}
	for _, e := range []Entry{entry(""), entry(strings.Repeat("long ", 100)), tooLong} {
		v, err := encode(nil, e)
		assert.NilError(f, err)
		f.Add(v)
	}
	f.Add([]byte{checksumKeyBound})
	f.Add(compressWithSum(nil, []byte(`{"response":{"finish":"eos"}}`)))
	f.Fuzz(func(t *testing.T, v []byte) {
		for _, value := range [][]byte{v, compressWithSum(nil, v)} { // as it is, and as the JSON of a whole value
			e, err := decode(nil, value)
			if err != nil {
				continue
			}
			encoded, err := encode(nil, e)
			assert.NilError(t, err)
			back, err := decode(nil, encoded)
			if err != nil || !reflect.DeepEqual(back.Response, e.Response) || back.Model != e.Model ||
				!back.Created.Equal(e.Created) {
				t.Errorf("%+v, written and read: %+v, %v", e, back, err)
			}
		}
	})
}
