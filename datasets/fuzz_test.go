package datasets

import (
	"bytes"
	"strings"
	"testing"
)

// FuzzFormats: whatever a format makes of a line is an item of its shape, whose gold is one of its candidates.
func FuzzFormats(f *testing.F) {
	for _, path := range archives(f) {
		_, cases := readCases(f, path)
		for _, c := range cases {
			for line := range strings.Lines(c.content) {
				f.Add([]byte(line))
			}
		}
	}
	for _, row := range []string{"null", "[1]", "{}", "\xff", `{"question_id":1e999,"options":null}`, `{"id":{"a":1}}`} {
		f.Add([]byte(row))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, format := range Formats {
			got, err := format.Parse(line)
			switch {
			case err != nil && strings.ContainsAny(err.Error(), "\r\n"):
				t.Errorf("%s: the message is longer than a line: %q", format.Name, err)
			case err == nil:
				if got.ID == "" && got.Shape == ShapeOptions { // addRowNumbers gives it its row's
					got.ID = "1"
				}
				isItem(t, got)
			}
		}
	})
}

// FuzzOpen: whatever a file holds and however it is opened, its items are items, and so are those of their lines.
func FuzzOpen(f *testing.F) {
	for _, path := range archives(f) {
		_, cases := readCases(f, path)
		for _, c := range cases {
			fields, values := strings.Join(c.options.Fields, ","), strings.Join(c.options.LabelValues, ",")
			f.Add([]byte(c.content), c.options.Turns == TurnsAll, fields, values)
		}
	}
	for _, s := range []string{
		"", "\n", "PAR1", "\x1f\x8b", "\ufeffp,w\nQ,4\n", "\xff\xfe\x00\xd8", pair("a") + "\r\n\r\n" + pair("b"),
	} {
		f.Add([]byte(s), false, "", "")
	}
	f.Fuzz(func(t *testing.T, data []byte, all bool, fields, values string) {
		o := OpenOptions{}
		if all {
			o.Turns = TurnsAll
		}
		if fields != "" {
			o.Fields = []string{fields}
		}
		if values != "" {
			o.LabelValues = []string{values}
		}
		s, err := openBytes("fuzz", data, o)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") && !strings.ContainsAny(fields+values+string(data), "\r") &&
				!strings.Contains(fields+values, "\n") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		defer s.Close()
		for i := range s.Len() { // what was unpacked or assembled is no part of the file
			if raw, err := s.Raw(i); err != nil || s.close == nil && !bytes.Contains(data, raw) {
				t.Errorf("item %d: %q, %v", i, raw, err)
			}
		}
		sameAgain(t, s)
	})
}
