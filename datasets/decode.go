package datasets

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"gavel/datasets/rows"
)

// decode reads a line of JSON; what is wrong with it is said as [describe] does.
func decode[T any](line []byte, into *T) error {
	if !utf8.Valid(line) { // the decoder would put U+FFFD in its place
		return errors.New("not UTF-8: save the file in that encoding")
	}
	if err := rows.Decode(line, into); err != nil {
		return describe(line, err)
	}
	return nil
}

// required is a key that a row must have; there tells whether it does.
type required struct {
	key   string
	there bool
}

// missing complains of the first key that is not there.
func missing(keys ...required) error {
	for _, k := range keys {
		if !k.there {
			return fmt.Errorf("key %q is missing", k.key)
		}
	}
	return nil
}

// text is a JSON string, or a number as it is written: ids are either.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("an id is a text or a number, not %s", rows.KindOf(b))
	}
	*t = text(n)
	return nil
}

// orGroup is a group for reports: the row's own category, else another name.
func orGroup(category, other string) string {
	if strings.TrimSpace(category) == "" {
		return other
	}
	return category
}

// withKeys puts keys in front of an object's own.
func withKeys(object []byte, keys map[string]any, order ...string) ([]byte, error) {
	out := []byte{'{'}
	for _, k := range order {
		value, err := json.Marshal(keys[k])
		if err != nil {
			return nil, err
		}
		out = append(rows.AppendText(out, []byte(k)), ':')
		out = append(append(out, value...), ',')
	}
	rest := strings.TrimSpace(strings.TrimSpace(string(object))[1:])
	if rest == "}" {
		out = out[:len(out)-1]
	}
	return append(out, rest...), nil
}
