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
)

func TestBuiltInSample(t *testing.T) {
	s, err := Library{t.TempDir()}.Open("sample")
	if err != nil {
		t.Fatal(err)
	}
	k, _ := Lookup("sample")
	if s.Len() != 32 || k.Rows != 32 || s.SHA256 != k.SHA256 || int64(len(ownFile("sample"))) != k.Bytes || s.Skipped != 0 {
		t.Errorf("%d items, %d skipped; registry: %+v", s.Len(), s.Skipped, k)
	}
	labels, groups := [2]int{}, map[string]int{}
	for i := range s.Len() {
		it := item(t, s, i)
		labels[it.Gold]++
		groups[it.Group]++
		var row struct{ Reason string }
		if err := json.Unmarshal(it.Raw, &row); err != nil || strings.TrimSpace(row.Reason) == "" {
			t.Errorf("%s gives no reason for its label: %v", it.ID, err)
		}
		if it.Candidates[0].Text == it.Candidates[1].Text {
			t.Errorf("%s: both answers are the same", it.ID)
		}
	}
	if labels != [2]int{16, 16} {
		t.Errorf("labels A>B, B>A: %v", labels)
	}
	for _, c := range categories {
		if groups[c.category] != 8 {
			t.Errorf("%d pairs in %s, want 8", groups[c.category], c.category)
		}
	}
}

func TestBuiltInOptions(t *testing.T) {
	s, err := Library{t.TempDir()}.Open("sample-options")
	if err != nil {
		t.Fatal(err)
	}
	if s.Len() != 20 || s.Skipped != 0 || s.Notes != nil || s.Format != "options" {
		t.Errorf("%d items, %d skipped, notes %q, format %s", s.Len(), s.Skipped, s.Notes, s.Format)
	}
	places, longest := map[string]int{}, 0
	for i := range s.Len() {
		it := item(t, s, i)
		checkOptions(t, it)
		var row struct{ Reason string }
		if err := json.Unmarshal(it.Raw, &row); err != nil || strings.TrimSpace(row.Reason) == "" {
			t.Errorf("%s gives no reason for its ranks: %v", it.ID, err)
		}
		var ranks []int
		texts := map[string]bool{}
		for _, c := range it.Candidates {
			ranks = append(ranks, *c.Rank)
			texts[c.Text] = true
		}
		slices.Sort(ranks)
		if ranks[0] != 0 || ranks[len(ranks)-1] != len(ranks)-1 || len(slices.Compact(ranks)) != len(it.Candidates) || len(texts) != len(it.Candidates) {
			t.Errorf("%s: ranks %v of %d different texts", it.ID, ranks, len(texts))
		}
		places[it.Group+", best at "+it.Candidates[it.Gold].ID]++
		if !slices.ContainsFunc(it.Candidates, func(c Candidate) bool { return len(c.Text) > len(it.Candidates[it.Gold].Text) }) {
			longest++
		}
	}
	// Of n options there are n items, and the best stands at each place once.
	for n := 2; n <= 6; n++ {
		for place := 1; place <= n; place++ {
			if key := fmt.Sprintf("%d options, best at %02d", n, place); places[key] != 1 {
				t.Errorf("%s: %d items", key, places[key])
			}
		}
	}
	// As often as chance would have it: one item of each size.
	if longest != 5 {
		t.Errorf("the best option is the longest in %d of 20 items", longest)
	}
}

func TestRegistry(t *testing.T) {
	for _, k := range Registry() {
		if got, ok := Lookup(k.Name); !ok || got.Name != k.Name {
			t.Errorf("Lookup(%q) = %v, %v", k.Name, got, ok)
		}
		if ways := []bool{k.Builtin(), k.URL != "", k.Get != ""}; count(ways) != 1 {
			t.Errorf("%s: of built in, URL and a way to get it, one is to be: %v", k.Name, ways)
		}
		if k.SHA256 != "" && (len(k.SHA256) != 64 || k.Bytes == 0 || k.Copy != "") || k.Rows == 0 || k.Licence == "" || k.Source == "" || !slices.ContainsFunc(Formats, func(f Format) bool { return f.Name == k.Format }) {
			t.Errorf("incomplete: %+v", k)
		}
	}
	if _, ok := Lookup("nothing"); ok {
		t.Error("Lookup finds what is not there")
	}
}

func count(of []bool) int {
	n := 0
	for _, b := range of {
		if b {
			n++
		}
	}
	return n
}

func TestOpen(t *testing.T) {
	lib := Library{t.TempDir()}
	own := write(t, "mine.jsonl", lines(pair("one")))
	if s, err := lib.Open(own); err != nil || s.Len() != 1 || s.Name != own {
		t.Errorf("by path: %v", err)
	}
	if err := os.WriteFile(lib.Path("judgebench-claude"), []byte(pair("one")), 0o644); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"nothing":           `unknown dataset "nothing". All names: gavel datasets list`,
		"":                  `unknown dataset "". All names: gavel datasets list`,
		"judgebench-gpt4o":  `dataset "judgebench-gpt4o" is not on this machine: run "gavel datasets fetch judgebench-gpt4o", or on a machine without network "gavel datasets import FILE"`,
		"judgebench-claude": "FILE: SHA-256 is " + hexSum([]byte(pair("one"))) + ", published is 3b70504588e400613bf5744a20a345da8701b7150be9a30c9db0e6f3d7b70a62: fetch or import it again",
	} {
		_, err := lib.Open(name)
		oneLine(t, err, lib.Path("judgebench-claude"), want)
	}
	if _, err := lib.Open("./nothing.jsonl"); err == nil || strings.Contains(err.Error(), "unknown dataset") {
		t.Errorf("a path is taken for a name: %v", err)
	}
}

// publish puts a dataset of our own in the registry for the time of a test.
func publish(t *testing.T, content string) Known {
	t.Helper()
	k := Known{Name: "published", Rows: 1, Bytes: int64(len(content)), SHA256: hexSum([]byte(content)), Format: "judgebench", URL: "https://example.org/p.jsonl"}
	before := Registry
	more := append(slices.Clone(Registry()), k)
	Registry = func() []Known { return more }
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

	mine := write(t, "mine.jsonl", pair("mine"))
	_, _, err = lib.Import(mine, "")
	var fixed, named []string
	for _, k := range Registry() {
		switch {
		case k.Builtin():
		case k.as() == "":
			fixed = append(fixed, k.Name)
		default:
			named = append(named, k.Name)
		}
	}
	oneLine(t, err, mine, "FILE: SHA-256 "+hexSum([]byte(pair("mine")))+" is none of the published files ("+strings.Join(fixed, ", ")+"); if it is one that has no published sum ("+strings.Join(named, ", ")+"), say which with --as; a file of your own needs no import, or a name of its own with --as: give its path to --dataset")

	sample := write(t, "sample.jsonl", string(ownFile("sample")))
	if _, _, err := lib.Import(sample, ""); err == nil {
		t.Error("the built-in sample can be imported")
	}
	if _, _, err := lib.Import(filepath.Join(lib.Dir, "none"), ""); err == nil {
		t.Error("a missing file can be imported")
	}
	onlyHolds(t, lib, "published.jsonl")
}

// remote is an http.Client's transport that needs no network.
type remote func(*http.Request) (*http.Response, error)

func (r remote) RoundTrip(req *http.Request) (*http.Response, error) { return r(req) }

func answer(status int, body io.Reader) remote {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Status: http.StatusText(status), Body: io.NopCloser(body)}, nil
	}
}

// endless is a body without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestFetch(t *testing.T) {
	content := lines(pair("one"))
	k := publish(t, content)
	for name, tc := range map[string]struct {
		remote remote
		err    string // "" where it is stored
	}{
		"as published":  {answer(200, strings.NewReader(content)), ""},
		"other bytes":   {answer(200, strings.NewReader("<html>")), "published: the file received has SHA-256 " + hexSum([]byte("<html>")) + ", published is " + k.SHA256 + ": nothing was stored"},
		"cut short":     {answer(200, strings.NewReader(content[:9])), "published: the file received has SHA-256 " + hexSum([]byte(content[:9])) + ", published is " + k.SHA256 + ": nothing was stored"},
		"one byte more": {answer(200, strings.NewReader(content+"x")), "published: the file received has SHA-256 " + hexSum([]byte(content+"x")) + ", published is " + k.SHA256 + ": nothing was stored"},
		"without end":   {answer(200, endless{}), "published: the file received has SHA-256 " + hexSum(make([]byte, len(content)+1)) + ", published is " + k.SHA256 + ": nothing was stored"},
		"breaks off":    {answer(200, io.MultiReader(strings.NewReader(content), broken{})), "storing published: reset by peer"},
		"not there":     {answer(404, strings.NewReader("")), "fetching published: https://example.org/p.jsonl answered Not Found"},
		"no network":    {func(*http.Request) (*http.Response, error) { return nil, errors.New("no route") }, `fetching published: Get "https://example.org/p.jsonl": no route; on a machine without network, carry the file over and use "gavel datasets import FILE"`},
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
				if err == nil || !strings.Contains(err.Error(), "nothing came for 50ms") {
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
