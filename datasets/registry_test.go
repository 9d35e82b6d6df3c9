package datasets

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gotest.tools/v3/assert"
	"gotest.tools/v3/golden"
)

// TestSamples: the built-in samples are what testdata/samples.txt says, and each row has a reason for its label.
func TestSamples(t *testing.T) {
	var out strings.Builder
	for _, k := range Registry() {
		if !k.Builtin() {
			continue
		}
		s, err := Library{t.TempDir()}.OpenWith(k.Name, OpenOptions{Turns: TurnsAll})
		assert.NilError(t, err)
		summary, err := s.Summarize(k)
		assert.NilError(t, err)
		for _, row := range summary.Rows {
			fmt.Fprintf(&out, "%s: %s\n", row[0], row[1])
		}
		sameAgain(t, s)
		for _, it := range items(t, s) {
			texts := map[string]bool{}
			for _, c := range it.Candidates {
				texts[c.Text] = true
			}
			assert.Equal(t, len(texts), len(it.Candidates), "%s: two answers are the same", it.ID)
		}
		for line := range strings.Lines(string(k.builtinContent)) {
			var row struct{ Reason, Answer string }
			assert.NilError(t, json.Unmarshal([]byte(line), &row))
			assert.Assert(t, row.Reason != "" || strings.Contains(row.Answer, " = "), "no reason for a label: %s", line)
		}
	}
	golden.Assert(t, out.String(), "samples.txt")
}

func TestRegistry(t *testing.T) {
	for _, k := range Registry() {
		if got, ok := Lookup(k.Name); !ok || got.Name != k.Name {
			t.Errorf("Lookup(%q) = %v, %v", k.Name, got, ok)
		}
		n := 0
		for _, way := range []bool{k.Builtin(), k.URL != "", k.Get != ""} {
			if way {
				n++
			}
		}
		assert.Equal(t, n, 1, "%s: of built in, URL and a way to get it, one is to be", k.Name)
		_, exists := FormatNamed(k.Format)
		if k.SHA256 != "" && (len(k.SHA256) != 64 || k.Bytes == 0 || k.Copy != "") || k.Rows == 0 || k.Licence == "" ||
			k.Source == "" || !exists {
			t.Errorf("incomplete: %+v", k)
		}
	}
	if _, ok := Lookup("nothing"); ok {
		t.Error("Lookup finds what is not there")
	}
}

func TestOpen(t *testing.T) {
	lib := Library{t.TempDir()}
	ownFile := write(t, "mine.jsonl", lines(pair("one")))
	if s, err := lib.Open(ownFile); err != nil || s.Len() != 1 || s.Name != ownFile {
		t.Errorf("by path: %v", err)
	}
	if err := os.WriteFile(lib.Path("judgebench-claude"), []byte(pair("one")), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"nothing":           `unknown dataset "nothing". All names: gavel datasets list`,
		"":                  `unknown dataset "". All names: gavel datasets list`,
		"judgebench-gpt4o":  `dataset "judgebench-gpt4o" is not on this machine: run "gavel datasets fetch judgebench-gpt4o", or on a machine without network "gavel datasets import FILE"`,
		"judgebench-claude": "FILE: SHA-256 is " + HexSum([]byte(pair("one"))) + ", published is 3b70504588e400613bf5744a20a345da8701b7150be9a30c9db0e6f3d7b70a62: fetch or import it again",
	} {
		_, err := lib.Open(name)
		oneLine(t, err, lib.Path("judgebench-claude"), want)
	}
	if _, err := lib.Open("./nothing.jsonl"); err == nil || strings.Contains(err.Error(), "unknown dataset") {
		t.Errorf("a path is taken for a name: %v", err)
	}
}

// publish puts a dataset of our own in the registry for the time of a test.
func publish(t *testing.T, content string) Entry {
	t.Helper()
	k := Entry{Name: "published", Rows: 1, Bytes: int64(len(content)), SHA256: HexSum([]byte(content)), Format: "judgebench", URL: "https://example.org/p.jsonl"}
	before := Registry
	more := append(slices.Clone(Registry()), k)
	Registry = func() []Entry { return more }
	t.Cleanup(func() { Registry = before })
	return k
}

func TestImport(t *testing.T) {
	k := publish(t, lines(pair("one")))
	lib := Library{filepath.Join(t.TempDir(), "not", "yet")}
	got, path, err := lib.Import(write(t, "carried over.jsonl", lines(pair("one"))), "")
	if err != nil || got.Name != k.Name || path != lib.Path(k.Name) || !lib.Has(k) {
		t.Fatalf("got %v at %s, %v", got.Name, path, err)
	}
	if s, err := lib.Open(k.Name); err != nil || s.Name != k.Name || s.Len() != 1 {
		t.Errorf("imported, but: %v", err)
	}
	if _, _, err := lib.Import(path, ""); err != nil {
		t.Errorf("importing it from where it is: %v", err)
	}

	ownFile := write(t, "mine.jsonl", pair("mine"))
	_, _, err = lib.Import(ownFile, "")
	oneLine(t, err, ownFile, "FILE: no published file has its SHA-256 "+HexSum([]byte(pair("mine")))+": name a dataset without "+
		"a published sum with --as (\"gavel datasets list\" lists the names), choose a new name with --as for a file of your own, "+
		"or use its path with --dataset")

	sample, _ := Lookup("sample")
	file := write(t, "sample.jsonl", string(sample.builtinContent))
	if _, _, err := lib.Import(file, ""); err == nil {
		t.Error("the built-in sample can be imported")
	}
	if _, _, err := lib.Import(filepath.Join(lib.Dir, "none"), ""); err == nil {
		t.Error("a missing file can be imported")
	}
	onlyHolds(t, lib, "published.jsonl")
}

// remote is an HTTP transport that needs no network.
type remote func(*http.Request) (*http.Response, error)

func (r remote) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

func answer(status int, body io.Reader) remote {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Body: io.NopCloser(body)}, nil
	}
}

// endlessBody never ends.
type endlessBody struct{}

func (endlessBody) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFetch(t *testing.T) {
	content := lines(pair("one"))
	k := publish(t, content)
	for name, tc := range map[string]struct {
		remote remote
		err    string // "" where it is stored
	}{
		"as published":  {answer(200, strings.NewReader(content)), ""},
		"other bytes":   {answer(200, strings.NewReader("<html>")), "published: the file received has SHA-256 " + HexSum([]byte("<html>")) + ", published is " + k.SHA256 + ": nothing was stored"},
		"cut short":     {answer(200, strings.NewReader(content[:9])), "published: the file received has SHA-256 " + HexSum([]byte(content[:9])) + ", published is " + k.SHA256 + ": nothing was stored"},
		"one byte more": {answer(200, strings.NewReader(content+"x")), "published: the file received has SHA-256 " + HexSum([]byte(content+"x")) + ", published is " + k.SHA256 + ": nothing was stored"},
		"without end":   {answer(200, endlessBody{}), "published: the file received has SHA-256 " + HexSum(make([]byte, len(content)+1)) + ", published is " + k.SHA256 + ": nothing was stored"},
		"breaks off":    {answer(200, io.MultiReader(strings.NewReader(content), broken{})), "storing published: reset by peer"},
		"not there":     {answer(404, strings.NewReader("")), "fetching published: https://example.org/p.jsonl answered Not Found"},
		"no network":    {func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") }, `fetching published: Get "https://example.org/p.jsonl": no route; on a machine without network, copy the file here and use "gavel datasets import FILE"`},
	} {
		t.Run(name, func(t *testing.T) {
			lib := Library{filepath.Join(t.TempDir(), "lib")}
			err := lib.Fetch(context.Background(), &http.Client{Transport: tc.remote}, k, nil)
			if tc.err != "" {
				oneLine(t, err, "FILE", tc.err)
				onlyHolds(t, lib)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			onlyHolds(t, lib, "published.jsonl")
			if _, err := lib.Open("published"); err != nil {
				t.Error(err)
			}
		})
	}
}

// The official places keep their files on hosts of others.
func TestFetchFollowsRedirects(t *testing.T) {
	content := lines(pair("one"))
	store := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, name := range []string{"Authorization", "Cookie"} {
			if r.Header.Get(name) != "" {
				t.Errorf("it was sent %s: %s", name, r.Header.Get(name))
			}
		}
		io.WriteString(w, content)
	}))
	defer store.Close()
	place := httptest.NewServer(http.RedirectHandler(store.URL, http.StatusFound))
	defer place.Close()
	k := publish(t, content)
	k.URL = place.URL
	lib := Library{t.TempDir()}
	if err := lib.Fetch(context.Background(), place.Client(), k, nil); err != nil {
		t.Fatal(err)
	}
	onlyHolds(t, lib, "published.jsonl")
}

// A place that falls silent is waited for no longer than a bound.
func TestFetchEnds(t *testing.T) {
	old := stall
	stall = 50 * time.Millisecond
	defer func() { stall = old }()
	content := lines(pair("one"))
	for name, begin := range map[string]string{"at once": "", "in the middle": content[:9]} {
		t.Run(name, func(t *testing.T) {
			place := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if begin != "" {
					io.WriteString(w, begin)
					w.(http.Flusher).Flush()
				}
				<-r.Context().Done()
			}))
			defer place.Close()
			k := publish(t, content)
			k.URL = place.URL
			lib := Library{filepath.Join(t.TempDir(), "lib")}
			done := make(chan error, 1)
			go func() { done <- lib.Fetch(context.Background(), place.Client(), k, nil) }()
			select {
			case err := <-done:
				if err == nil || !strings.Contains(err.Error(), "no data for 50ms") {
					t.Errorf("got %v", err)
				}
				onlyHolds(t, lib)
			case <-time.After(time.Minute):
				place.CloseClientConnections()
				t.Error("it waits for ever")
			}
		})
	}
}

func TestFailedFetchLeavesTheOldFile(t *testing.T) {
	k := publish(t, lines(pair("one")))
	lib := Library{t.TempDir()}
	if err := os.WriteFile(lib.Path(k.Name), []byte(lines(pair("one"))), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := lib.Fetch(context.Background(), &http.Client{Transport: answer(200, strings.NewReader("x"))}, k, nil); err == nil {
		t.Fatal("wrong bytes are accepted")
	}
	if _, err := lib.Open(k.Name); err != nil {
		t.Error(err)
	}
}

func TestFetchBuiltin(t *testing.T) {
	k, _ := Lookup("sample")
	err := Library{t.TempDir()}.Fetch(context.Background(), nil, k, nil)
	oneLine(t, err, "FILE", `dataset "sample" is built in: there is nothing to fetch`)
}

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errors.New("reset by peer") }

// onlyHolds checks that nothing else, unfinished files included, is left.
func onlyHolds(t *testing.T, lib Library, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(lib.Dir)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("the library holds %q, want %q", got, want)
	}
}

// publishUnsummed puts datasets in the registry that share a file without a
// published sum.
func publishUnsummed(t *testing.T, copySum string) (law, math Entry) {
	t.Helper()
	law = Entry{Name: "x-law", Rows: 1, Copy: copySum, Licence: "own", Format: "mmlu-pro", URL: "https://example.org/x.jsonl.gz?download=true", File: "x", Groups: []string{"law"}}
	math = law
	math.Name, math.Groups = "x-math", []string{"math"}
	gated := Entry{Name: "gated", Rows: 1, Licence: "own", Format: "mmlu-pro", Source: "https://example.org", Get: "ask there"}
	before := Registry
	more := append(slices.Clone(Registry()), law, math, gated)
	Registry = func() []Entry { return more }
	t.Cleanup(func() { Registry = before })
	return law, math
}

func TestFetchWithoutPublishedSum(t *testing.T) {
	content := gzipOf(t, lines(question(), question(with("question_id", 2), with("category", "math"))))
	law, math := publishUnsummed(t, HexSum([]byte(content)))
	lib := Library{t.TempDir()}
	client := func(body string) *http.Client {
		return &http.Client{Transport: remote(func(*http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode:    200,
				Body:          io.NopCloser(strings.NewReader(body)),
				ContentLength: int64(len(body)),
			}, nil
		})}
	}
	for name, tc := range map[string]struct{ body, want string }{
		"a page":           {"<html>", "x-law: the file received:1: not a JSON object (no usable line"},
		"another format":   {pair("x"), "x-law: the file received has the format judgebench, x-law has mmlu-pro: nothing was stored"},
		"none of its rows": {question(with("category", "art")), "x-law: the file received has no item of the group law; groups: art: nothing was stored"},
		"cut":              {content[:20], "x-law: the file received: unpacking the gzip file"},
	} {
		if err := lib.Fetch(context.Background(), client(tc.body), law, nil); err == nil ||
			!strings.HasPrefix(err.Error(), tc.want) || strings.Contains(err.Error(), lib.Dir) {
			t.Errorf("%s: %v", name, err)
		}
		onlyHolds(t, lib)
	}
	received := int64(0)
	if err := lib.Fetch(context.Background(), client(content), law, func(n int64) { received = n }); err != nil ||
		received != int64(len(content)) {
		t.Fatalf("%v; told %d bytes of %d", err, received, len(content))
	}
	onlyHolds(t, lib, "x.jsonl.gz", "x.jsonl.gz.sha256")
	for _, k := range []Entry{law, math} {
		if s, err := lib.Open(k.Name); err != nil || !lib.Has(k) || s.Len() != 1 || s.Name != k.Name ||
			s.GroupOf(0) != k.Groups[0] || s.SHA256 != HexSum([]byte(content)) {
			t.Errorf("%s: %v", k.Name, err)
		}
	}
	if notes, err := lib.UnpublishedChecksumNotes(law); err != nil || len(notes) != 1 || notes[0] != "its SHA-256 is "+HexSum([]byte(content))+", that of the copy gavel was tested with" {
		t.Errorf("%q, %v", notes, err)
	}

	// Changed behind our back, and without its sum.
	other := gzipOf(t, lines(question()))
	if err := os.WriteFile(lib.Path("x-law"), []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := lib.Open("x-law")
	oneLine(t, err, lib.Path("x-law"), "FILE: SHA-256 is "+HexSum([]byte(other))+", that of the imported file is "+HexSum([]byte(content))+": fetch or import it again")
	if err := os.Remove(checksumPath(lib.Path("x-law"))); err != nil {
		t.Fatal(err)
	}
	_, err = lib.Open("x-law")
	oneLine(t, err, lib.Path("x-law"), "FILE: its SHA-256 is missing: fetch or import it again")
}

func TestImportWithoutPublishedSum(t *testing.T) {
	content := lines(question(), question(with("question_id", 2), with("category", "math")))
	law, _ := publishUnsummed(t, "")
	lib := Library{t.TempDir()}
	file := write(t, "carried.jsonl", content)
	for name, tc := range map[string]struct{ file, as, want string }{
		"without a name": {file, "", "FILE: no published file has its SHA-256 " + HexSum([]byte(content)) + ": name a dataset "},
		"no such name":   {file, "x", `unknown dataset "x": no dataset of that name can be imported`},
		"built in":       {file, "sample", `unknown dataset "sample": no dataset of that name can be imported`},
		"another sum":    {file, "gsm8k", "FILE: SHA-256 is " + HexSum([]byte(content)) + ", published is "},
		"another format": {file, "chatbot-arena", "FILE has the format mmlu-pro, chatbot-arena has chatbot-arena"},
		"another group":  {write(t, "y.jsonl", question(with("category", "art"))), "x-law", "FILE has no item of the group law; groups: art"},
	} {
		_, _, err := lib.Import(tc.file, tc.as)
		if err == nil || !strings.HasPrefix(strings.ReplaceAll(err.Error(), tc.file, "FILE"), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		onlyHolds(t, lib)
	}
	if _, dest, err := lib.Import(file, "x-law"); err != nil || dest != filepath.Join(lib.Dir, "x.jsonl") || dest != lib.Path("x-law") {
		t.Fatalf("%s, %v", dest, err)
	}
	onlyHolds(t, lib, "x.jsonl", "x.jsonl.sha256")
	// The same, packed: it takes the place of the first.
	if _, dest, err := lib.Import(write(t, "carried.jsonl.gz", gzipOf(t, content)), "x-math"); err != nil || dest != lib.Path(law.Name) {
		t.Fatalf("%s, %v", dest, err)
	}
	onlyHolds(t, lib, "x.jsonl.gz", "x.jsonl.gz.sha256")
	if s, err := lib.Open("x-law"); err != nil || s.Len() != 1 {
		t.Error(err)
	}
	if notes, err := lib.UnpublishedChecksumNotes(law); len(notes) != 1 || !strings.HasSuffix(notes[0], "; keep it with your results") || err != nil {
		t.Errorf("%q, %v", notes, err)
	}
}

func TestGated(t *testing.T) {
	publishUnsummed(t, "")
	lib := Library{t.TempDir()}
	k, _ := Lookup("gated")
	err := lib.Fetch(context.Background(), nil, k, nil)
	oneLine(t, err, "FILE", `dataset "gated" cannot be fetched: ask there`)
	_, err = lib.Open("gated")
	oneLine(t, err, "FILE", `dataset "gated" is not on this machine: ask there; see https://example.org`)
	_, err = lib.Open("x-law")
	oneLine(t, err, "FILE", `dataset "x-law" is not on this machine: run "gavel datasets fetch x-law", or on a machine without network "gavel datasets import --as x-law FILE"`)
}

func TestPublishedExtensions(t *testing.T) {
	for name, want := range map[string]string{
		"mmlu-pro": "mmlu-pro.parquet", "gsm8k": "gsm8k.jsonl", "gsm-symbolic-p1": "gsm-symbolic-p1.jsonl", "mt-bench-writing": "mt-bench-human.parquet",
		"mt-bench-humanities": "mt-bench-human.parquet", "judgebench-gpt4o": "judgebench-gpt4o.jsonl", "chatbot-arena": "chatbot-arena.jsonl", "other": "other.jsonl",
	} {
		if got := (Library{"lib"}).Path(name); got != filepath.Join("lib", want) {
			t.Errorf("%s is kept as %s", name, got)
		}
	}
}
