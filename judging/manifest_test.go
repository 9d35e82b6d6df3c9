package judging

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/judging/judgingtest"
)

func TestSameSpecIsTheSameRun(t *testing.T) {
	a, b := testManifest(), NewManifest("another version", testManifest().Spec)
	b.Concurrency, b.Status, b.Dataset.Name, b.Model.Quantisation = 32, Complete, "elsewhere", "Q4"
	if a.ID != b.ID || len(a.ID) != 64 {
		t.Errorf("ids %s and %s", a.ID, b.ID)
	}
}

// Every field of Spec, however deep, is part of what a run is: a field added
// later is tested without a line here.
func TestEveryFieldOfASpecMakesAnotherRun(t *testing.T) {
	spec := testManifest().Spec
	ids := map[string]string{NewManifest("", spec).ID: "the spec itself"}
	var walk func(name string, v reflect.Value)
	walk = func(name string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if name == "Spec.Prompt" && v.Type().Field(i).Name == "Origin" {
					continue // a remark: it changes no number
				}
				walk(name+"."+v.Type().Field(i).Name, v.Field(i))
			}
			return
		case reflect.String:
			defer v.SetString(v.String())
			v.SetString(v.String() + "x")
		case reflect.Int:
			defer v.SetInt(v.Int())
			v.SetInt(v.Int() + 1)
		case reflect.Float64:
			defer v.SetFloat(v.Float())
			v.SetFloat(v.Float() + 0.5)
		case reflect.Bool:
			defer v.SetBool(v.Bool())
			v.SetBool(!v.Bool())
		case reflect.Slice:
			defer v.Set(reflect.ValueOf(v.Interface()))
			v.Set(reflect.ValueOf([]string{"A>B", "x"}))
		case reflect.Map:
			defer v.Set(reflect.ValueOf(v.Interface()))
			v.Set(reflect.ValueOf(Settings{"mode": "self"}))
		default:
			t.Fatalf("%s is a %s: teach this test to change it", name, v.Kind())
		}
		id := NewManifest("", spec).ID
		if other, ok := ids[id]; ok {
			t.Errorf("changing %s gives the same run as %s", name, other)
		}
		ids[id] = name
	}
	walk("Spec", reflect.ValueOf(&spec).Elem())
	if len(ids) < 20 {
		t.Errorf("only %d fields were changed", len(ids)-1)
	}
}

func TestManifestRoundTrip(t *testing.T) {
	path := runWith(t)
	m := testManifest()
	m.Simulated, m.Judgments, m.Concurrency, m.Started, m.Status = true, 4, 2, noon, Incomplete
	m.Dataset = DatasetInfo{Name: "sums", Format: "judgebench", Rows: 3, Skipped: 1, BadLines: []string{"f:2: <broken>"}, Sample: 2, Seed: 9}
	m.Model = backends.Model{Name: "judge", Digest: "sha256:0", Quantisation: "Q4_K_M"}
	assert.NilError(t, WriteJSON(filepath.Join(path, ManifestFile), m))
	got, err := ReadManifest(path)
	if err != nil || !reflect.DeepEqual(got, m) {
		t.Errorf("got  %+v, %v\nwant %+v", got, err, m)
	}
	if second := NewManifest("", got.Spec); second.ID != m.ID {
		t.Error("the spec read has another id than the one written")
	}
}

func TestReadManifestRefuses(t *testing.T) {
	for _, c := range []struct{ name, text, err string }{
		{"empty", "", "damaged"},
		{"half", `{"schema": 1, "id":`, "damaged"},
		{"not JSON", "schema: 1", "damaged"},
		{"an array", "[]", "damaged"},
		{"a wrong type", `{"schema": "1"}`, "damaged"},
		{"of a newer gavel", `{"schema": 2, "id": "x"}`, "written by a newer gavel (schema 2; this version reads up to 1)"},
		{"without a schema", `{"id": "x"}`, "not a manifest of gavel"},
		{"without an id", `{"schema": 1}`, "not a manifest of gavel"},
		{"somebody else's", `{"run": "python train.py"}`, "not a manifest of gavel"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, ManifestFile)
			assert.NilError(t, os.WriteFile(path, []byte(c.text), 0o644))
			if m, err := ReadManifest(dir); err == nil || !strings.HasPrefix(err.Error(), path+": ") || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%+v, error %v, want %q", m, err, c.err)
			}
		})
	}
	empty := t.TempDir()
	if _, err := ReadManifest(empty); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "is not a run directory") {
		t.Errorf("no manifest: %v", err)
	}
	if _, err := ReadManifest(filepath.Join(empty, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no directory: %v", err)
	}
}

// The manifest alone says how a run was asked and is read: its prompt may have
// been a file that is gone.
func TestProtocolOf(t *testing.T) {
	m := testManifest()
	m.Spec.Protocol, m.Spec.Prompt = "reversed", NewTemplate("/gone/mine.txt", "file", "Which is worse? [[A>B]] [[B>A]] [[A=B]]", []string{"A>B", "B>A", "A=B"})
	raw, err := json.Marshal(m)
	assert.NilError(t, err)
	read, err := DecodeManifest("run.json", strings.NewReader(string(raw)))
	assert.NilError(t, err)
	p, err := AskerOf(read)
	assert.NilError(t, err)
	s := Presentation{Index: 0, Order: []int{0, 1}}
	if got := p.Prompt(judgingtest.PairItem("p1", 0), s); p.Name() != "reversed" || got.System != m.Spec.Prompt.System {
		t.Errorf("%s asks %+v", p.Name(), got)
	}
	if v := p.Parse(s, "[[A=B]]", ReadingOptions{LabelPolicy: PolicyUniqueLabel}); v.Outcome != Tie {
		t.Errorf("a tie, which it offers, reads as %+v", v)
	}
	m.Spec.Protocol = "self-reference-to-come"
	if _, err := AskerOf(m); err == nil || !strings.Contains(err.Error(), m.Spec.Protocol) {
		t.Errorf("unknown protocol: %v", err)
	}
}

func TestHashIDs(t *testing.T) {
	hash := func(ids ...string) string { return HashIDs(len(ids), func(i int) string { return ids[i] }) }
	a, b, c := hash("p1", "p2"), hash("p2", "p1"), hash("p1p2")
	// printf 'p1\np2\n' | sha256sum
	if a != "6040a79e32f7d7381ffc7acfb89a81f12f42a894ffd0134b5006bc80442ac4cf" || a == b || a == c {
		t.Errorf("%s, %s, %s", a, b, c)
	}
}
