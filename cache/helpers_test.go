package cache

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/dgraph-io/badger/v4"
	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/internal/trials"
)

func TestMain(m *testing.M) {
	trials.UseMemoryFiles()
	os.Exit(m.Run())
}

// warnings keeps what a store warns of.
type warnings struct {
	mu    sync.Mutex
	texts []string
}

func (w *warnings) warn(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, fmt.Sprintf(format, args...))
}

// once wants one warning, with these words in it.
func (w *warnings) once(t *testing.T, words ...string) {
	t.Helper()
	assert.Equal(t, len(w.texts), 1, "%q", w.texts)
	for _, word := range words {
		assert.ErrorContains(t, fmt.Errorf("%s", w.texts[0]), word)
	}
}

// open opens a store that ends with the test, or before by Close.
func open(t *testing.T, dir string) (*Store, *warnings) {
	t.Helper()
	w := &warnings{}
	s, err := Open(dir, Options{Warn: w.warn, MinFree: 1})
	assert.NilError(t, err)
	t.Cleanup(func() {
		if s.endReason() == nil {
			s.db.Close() // which may be called twice
		}
	})
	return s, w
}

func shut(t *testing.T, s *Store) {
	t.Helper()
	assert.NilError(t, s.Close())
}

func entry(text string) Entry {
	return Entry{
		Model:    "tiny",
		Created:  time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		Response: backends.Response{Text: text, Finish: backends.FinishStop},
	}
}

func put(t *testing.T, s *Store, text string, e Entry) {
	t.Helper()
	assert.NilError(t, s.Put(Key(request(text)), e))
}

// holds tells whether a text is stored under its own name.
func holds(s *Store, text string) bool {
	e, ok := s.Get(Key(request(text)))
	return ok && e.Response.Text == text
}

// cacheOf returns the folder of a closed cache with entries "0", "1" and so on in one table.
func cacheOf(t *testing.T, entries int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	s, _ := open(t, dir)
	for i := range entries {
		put(t, s, fmt.Sprint(i), entry(fmt.Sprint(i)))
	}
	shut(t, s)
	return dir
}

// killedCopy returns a copy of a cache's folder as a gavel killed now would leave it.
func killedCopy(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Skip(err) // a system that does not let others read open files
	}
	return to
}

// bend changes a file; nil removes it.
func bend(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b, _ := os.ReadFile(path)
	if change == nil {
		assert.NilError(t, os.Remove(path))
	} else {
		assert.NilError(t, os.WriteFile(path, change(b), 0o644))
	}
}

// countingJudge is a Client that counts its requests.
type countingJudge struct {
	mu       sync.Mutex
	requests int
	reply    func(ctx context.Context, n int, req backends.Request) (backends.Response, error) // n from 1
}

func (j *countingJudge) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	j.mu.Lock()
	j.requests++
	n := j.requests
	j.mu.Unlock()
	return j.reply(ctx, n, req)
}

// fixedJudge returns a judge that always gives the same reply.
func fixedJudge(resp backends.Response) *countingJudge {
	return &countingJudge{reply: func(context.Context, int, backends.Request) (backends.Response, error) {
		return resp, nil
	}}
}

var verdict = backends.Response{
	Text:         "My final verdict is: [[A>B]]",
	Thinking:     "A is right",
	Finish:       backends.FinishStop,
	PromptTokens: 34,
	ReplyTokens:  22,
	Took:         1500,
}

func request(text string) backends.Request {
	return backends.Request{
		Identity: "ollama sha:1", Model: "tiny", TopP: 1, Seed: 7, MaxTokens: 60, NumCtx: 4096, ReportedContextTokens: 4096,
		Messages: []backends.Message{
			{Role: backends.RoleSystem, Content: "You are a judge."},
			{Role: backends.RoleUser, Content: text},
		},
	}
}

func ask(t *testing.T, c backends.Client, req backends.Request) backends.Response {
	t.Helper()
	resp, err := c.Ask(context.Background(), req)
	assert.NilError(t, err)
	return resp
}

// tamper changes every stored value, with Badger alone.
func tamper(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	db, err := badger.Open(badger.DefaultOptions(dir).WithLogger(nil))
	assert.NilError(t, err)
	values := map[string][]byte{}
	assert.NilError(t, db.View(func(txn *badger.Txn) error {
		iterator := txn.NewIterator(badger.DefaultIteratorOptions)
		defer iterator.Close()
		for iterator.Rewind(); iterator.Valid(); iterator.Next() {
			v, err := iterator.Item().ValueCopy(nil)
			assert.NilError(t, err)
			values[string(iterator.Item().KeyCopy(nil))] = change(v)
		}
		return nil
	}))
	for k, v := range values {
		assert.NilError(t, db.Update(func(txn *badger.Txn) error { return txn.Set([]byte(k), v) }))
	}
	assert.NilError(t, db.Close())
}
