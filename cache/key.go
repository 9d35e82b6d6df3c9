package cache

import (
	"crypto/sha256"
	"encoding/json"

	"gavel/backends"
)

// schema is part of every key. Increase it when the meaning of a key changes: older entries then become misses.
const schema = 1

// Key returns the SHA-256 of the request's JSON and the schema version: identity of backend and model, messages,
// sampling parameters, limits, context size and repetition number. The server's address, concurrency and time limits do
// not change a reply and are left out.
func Key(req backends.Request) [sha256.Size]byte {
	messages := backends.EncodeMessages(req.Messages)
	req.Messages = nil
	rest, err := json.Marshal(req)
	if err != nil {
		panic(err) // only strings and numbers: cannot happen
	}
	h := sha256.New()
	h.Write([]byte{schema})
	h.Write(rest)
	h.Write(messages)
	return [sha256.Size]byte(h.Sum(nil))
}
