package cache

import (
	"crypto/sha256"
	"testing"

	"gavel/backends"
)

// Only answers from the store, and says which entries were of use; a prompt that
// was too long for a smaller context is none that is known.
func TestOnly(t *testing.T) {
	store, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	known := backends.Request{Model: "m", Messages: []backends.Message{{Role: backends.User, Content: "known"}}}
	long := backends.Request{Model: "m", Messages: []backends.Message{{Role: backends.User, Content: "long"}}, Context: 100}
	store.Put(Key(known), Entry{Model: "m", Response: backends.Response{Text: "yes", Finish: backends.Stop}})
	store.Put(Key(long), Entry{Model: "m", Response: backends.Response{Finish: backends.TooLong, Context: 50}})
	var used [][sha256.Size]byte
	first, err := Open(t.TempDir(), Options{}) // has one reply of its own, and one that is of no use
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	own := backends.Request{Model: "m", Messages: []backends.Message{{Role: backends.User, Content: "own"}}}
	first.Put(Key(own), Entry{Model: "m", Response: backends.Response{Text: "mine", Finish: backends.Stop}})
	first.Put(Key(long), Entry{Model: "m", Response: backends.Response{Finish: backends.TooLong, Context: 25}})
	client := Only(func(key [sha256.Size]byte, _ Entry) { used = append(used, key) }, first, store)
	if resp, err := client.Ask(t.Context(), own); err != nil || resp.Text != "mine" {
		t.Errorf("%+v, %v", resp, err)
	}
	if resp, err := client.Ask(t.Context(), known); err != nil || resp.Text != "yes" || !resp.Cached {
		t.Errorf("%+v, %v", resp, err)
	}
	if _, err := client.Ask(t.Context(), long); !backends.IsKind(err, backends.NotFound) {
		t.Errorf("too long for another context: %v", err)
	}
	long.Context = 50
	if resp, err := client.Ask(t.Context(), long); err != nil || resp.Finish != backends.TooLong {
		t.Errorf("too long for this context: %+v, %v", resp, err)
	}
	if _, err := client.Ask(t.Context(), backends.Request{Model: "other"}); !backends.IsKind(err, backends.NotFound) {
		t.Errorf("unknown: %v", err)
	}
	if len(used) != 3 || used[1] != Key(known) || client.Missed() != 2 {
		t.Errorf("%d entries were of use, and %d requests had no answer", len(used), client.Missed())
	}
}
