package datasets

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"unicode/utf8"

	"gavel/datasets/rows"
	"gavel/internal/codec"
)

// DecodeObject decodes a row that must be a JSON object.
func DecodeObject[T any](line []byte, into *T) error {
	if !bytes.HasPrefix(bytes.TrimSpace(line), []byte{'{'}) {
		return errors.New("not a JSON object")
	}
	return decode(line, into)
}

// decode decodes a line of JSON; errors are those of [explainDecodeError]. A field tagged must is a required key;
// must:"id" also requires a non-empty text. Then decode calls the method check, if there is one.
func decode[T any](line []byte, into *T) error {
	if !utf8.Valid(line) { // the decoder would replace invalid bytes by U+FFFD
		return errors.New("not UTF-8: save the file as UTF-8")
	}
	if err := codec.FastDecode(line, into); err != nil {
		return explainDecodeError(line, err)
	}
	err := missingKeyError(reflect.ValueOf(into).Elem())
	if row, ok := any(into).(interface{ check() error }); ok && err == nil {
		err = row.check()
	}
	return err
}

// decodeRows yields the rows of a file, decoded as a T with its number. It rejects a row that cannot be decoded.
func decodeRows[T any](file FileRows) iter.Seq2[rows.Row, *T] {
	return func(yield func(rows.Row, *T) bool) {
		for row := range file.Rows {
			decoded := new(T)
			if err := decode(row.Text, decoded); err != nil {
				file.Reject(row.Line, err)
			} else if !yield(row, decoded) {
				return
			}
		}
	}
}

// parser returns a function for Format.Parse: it decodes a line as a T and calls item.
func parser[T any](item func(row *T) (Item, error)) func(line []byte) (Item, error) {
	return func(line []byte) (Item, error) {
		var row T
		if err := decode(line, &row); err != nil {
			return Item{}, err
		}
		return item(&row)
	}
}

// missingKeyError returns an error for the first required key, by the tag must, that a decoded row lacks.
func missingKeyError(row reflect.Value) error {
	if row.Kind() != reflect.Struct {
		return nil
	}
	for field, value := range row.Fields() {
		if field.Anonymous {
			if err := missingKeyError(value); err != nil {
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

// textOrNumber holds a JSON string, or a JSON number in its original notation: ids may be either.
type textOrNumber string

func (t *textOrNumber) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, (*string)(t))
	}
	var n json.Number
	if err := json.Unmarshal(b, &n); err != nil {
		return fmt.Errorf("an id is a text or a number, not %s", rows.JSONType(b))
	}
	*t = textOrNumber(n)
	return nil
}

// categoryOrDefault returns the row's own category as the group, or other if it has none.
func categoryOrDefault(category, other string) string {
	if strings.TrimSpace(category) == "" {
		return other
	}
	return category
}

// addKeyToRows writes every row as it is or, if the row lacks a key, with the key and a value added. value gets the
// number of preceding rows. It serves as a Format's Assemble.
func addKeyToRows(all FileRows, key string, value func(row int) any) ([]string, error) {
	n := 0
	for row := range all.Rows {
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
		all.EmitLine(row.Line, line)
		n++
	}
	return nil, nil
}
