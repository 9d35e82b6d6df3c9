package cache

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/dgraph-io/badger/v4"

	"gavel/backends"
)

// warnings keeps what a store warns of.
type warnings struct {
	mu   sync.Mutex
	said []string
}

func (w *warnings) warn(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = append(w.said, fmt.Sprintf(format, args...))
}

// open opens a store that ends with the test, or before by Close.
func open(t *testing.T, dir string) (*Store, *warnings) {
	t.Helper()
	w := &warnings{}
	s, err := Open(dir, Options{Warn: w.warn, MinFree: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if s.ended() == nil {
			s.db.Close() // which may be called twice
		}
	})
	return s, w
}

func shut(t *testing.T, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// judge is a Client that counts how often it is asked.
type judge struct {
	mu    sync.Mutex
	asked int
	reply func(ctx context.Context, n int, req backends.Request) (backends.Response, error) // n from 1
}

func (j *judge) Ask(ctx context.Context, req backends.Request) (backends.Response, error) {
	j.mu.Lock()
	j.asked++
	n := j.asked
	j.mu.Unlock()
	return j.reply(ctx, n, req)
}

// saying is a judge that always says the same.
func saying(resp backends.Response) *judge {
	return &judge{reply: func(context.Context, int, backends.Request) (backends.Response, error) { return resp, nil }}
}

var verdict = backends.Response{Text: "My final verdict is: [[A>B]]", Thinking: "A is right", Finish: backends.Stop, PromptTokens: 34, ReplyTokens: 22, Took: 1500}

func request(text string) backends.Request {
	return backends.Request{
		Identity: "ollama sha:1", Model: "tiny", TopP: 1, Seed: 7, MaxTokens: 60, NumCtx: 4096, Context: 4096,
		Messages: []backends.Message{{Role: backends.System, Content: "You are a judge."}, {Role: backends.User, Content: text}},
	}
}

func ask(t *testing.T, c backends.Client, req backends.Request) backends.Response {
	t.Helper()
	resp, err := c.Ask(context.Background(), req)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// tamper changes every stored value, with Badger alone.
func tamper(t *testing.T, dir string, change func([]byte) []byte) {
	t.Helper()
	db, err := badger.Open(badger.DefaultOptions(dir).WithLogger(nil))
	if err != nil {
		t.Fatal(err)
	}
	values := map[string][]byte{}
	err = db.View(func(txn *badger.Txn) error {
		it := txn.NewIterator(badger.DefaultIteratorOptions)
		defer it.Close()
		for it.Rewind(); it.Valid(); it.Next() {
			v, err := it.Item().ValueCopy(nil)
			if err != nil {
				return err
			}
			values[string(it.Item().KeyCopy(nil))] = change(v)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range values {
		if err := db.Update(func(txn *badger.Txn) error { return txn.Set([]byte(k), v) }); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
