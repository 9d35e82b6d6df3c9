package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"gavel/datasets/rows"
	"gavel/internal/codec"
)

// DecodeObject reads a row of a file that has to be an object.
func DecodeObject[T any](line []byte, into *T) error {
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte{'{'}) {
		return errors.New("not a JSON object")
	}
	return decode(line, into)
}

// decode reads a line of JSON; what is wrong with it is said as [describe] does. A field of the row with the tag must
// is a key that every row has; where the tag says id, its text is not empty.
func decode[T any](line []byte, into *T) error {
	if !utf8.Valid(line) { // the decoder would put U+FFFD in its place
		return errors.New("not UTF-8: save the file in that encoding")
	}
	if err := codec.Decode(line, into); err != nil {
		return describe(line, err)
	}
	return missing(reflect.ValueOf(into).Elem())
}

// parser reads lines whose rows have all that there is to know of an item.
func parser[T any](item func(row *T) (Item, error)) func(line []byte) (Item, error) {
	return func(line []byte) (Item, error) {
		var row T
		if err := decode(line, &row); err != nil {
			return Item{}, err
		}
		return item(&row)
	}
}

// missing complains of the first key that a row must have and has not.
func missing(row reflect.Value) error {
	if row.Kind() != reflect.Struct {
		return nil
	}
	for field, value := range row.Fields() {
		if field.Anonymous {
			if err := missing(value); err != nil {
				return err
			}
			continue
		}
		must := field.Tag.Get("must")
		if must == "" || !value.IsNil() && (must != "id" || value.Elem().String() != "") {
			continue
		}
		key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		if value.IsNil() {
			return errMissing(key)
		}
		return fmt.Errorf("%q is empty", key)
	}
	return nil
}

func errMissing(key string) error { return fmt.Errorf("key %q is missing", key) }

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

// addKey gives a key to every object without it: value is told how many rows stand before.
func addKey(all Rows, key string, value func(row int) any) ([]string, error) {
	n := 0
	for row := range all.All {
		line := row.Text
		var keys map[string]json.RawMessage
		if err := decode(line, &keys); err == nil && keys != nil && (keys[key] == nil || string(keys[key]) == "null") {
			front, err := json.Marshal(map[string]any{key: value(n)})
			if err != nil {
				return nil, err
			}
			rest := bytes.TrimSpace(bytes.TrimSpace(line)[1:])
			line = append(front[:len(front)-1], ',')
			if rest[0] == '}' {
				line = front[:len(front)-1]
			}
			line = append(line, rest...)
		}
		all.Emit(row.Line, line)
		n++
	}
	return nil, nil
}
