package cache

import (
	"crypto/sha256"
	"encoding/json"

	"gavel/backends"
)

// schema is part of every key. Raise it when the meaning of a key changes: older entries are then misses.
const schema = 1

// Key is the SHA-256 of the request's JSON and the schema version: identity of backend and model, messages, sampling
// parameters, limits, context size and number of the repetition. Where the judge runs, how many run at once and how
// long they may take do not change a reply and are not in it.
func Key(req backends.Request) [sha256.Size]byte {
	messages := backends.EncodeMessages(req.Messages)
	req.Messages = nil
	rest, err := json.Marshal(req)
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	h := sha256.New()
	h.Write([]byte{schema})
	h.Write(rest)
	h.Write(messages)
	return [sha256.Size]byte(h.Sum(nil))
}
