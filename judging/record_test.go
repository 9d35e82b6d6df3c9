package judging

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/backends"
	"gavel/internal/trials"
)

// goodRecord returns a valid record.
func goodRecord() Record {
	return Record{
		Schema: 1, Run: "run", Gavel: "test", Protocol: "pairwise", Prompt: "sop", PromptID: "hash", Model: "judge", Identity: "test judge",
		Item: "p1", Source: "sums", Group: "sums", Presentation: 1, Presentations: 2, Order: []string{"B", "A"}, Gold: "A",
		Replies: []Reply{{
			Text: "\"<b>\u2028[[B>A]]\" \x00 \U0001F600", Thinking: "hm", Finish: backends.FinishStop, PromptTokens: 12, ReplyTokens: 3, Milliseconds: 1.5, Cached: true,
		}},
		Outcome: Decided, Label: "B>A", Choice: "A", At: noon,
	}
}

func recordsFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), RecordsFile)
	assert.NilError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

func lineOf(t testing.TB, r Record) string {
	t.Helper()
	b, err := json.Marshal(r)
	assert.NilError(t, err)
	return string(b) + "\n"
}

func TestReadRecordsGivesBackWhatWasWritten(t *testing.T) {
	decision := "A>B"
	imported := goodRecord()
	imported.Imported = &ImportedFields{Prompt: "p", Scores: json.RawMessage(`[1.5,-2]`), Decision: &decision, DecisionIsVerdict: true}
	failed := goodRecord()
	failed.Replies, failed.Outcome, failed.Label, failed.Choice, failed.Error = []Reply{}, Failed, "", "", "HTTP 500: no"
	want := []Record{goodRecord(), imported, failed}
	var text string
	for _, r := range want {
		text += lineOf(t, r)
	}
	var got []Record
	if err := ReadRecords(recordsFile(t, text), func(r *Record) error { got = append(got, *r); return nil }); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestImpossibleRecordsAreRefused(t *testing.T) {
	trials.RunCases(t, "impossible.txt", func(t *testing.T, fields []string) []string {
		r := goodRecord()
		assert.NilError(t, json.Unmarshal([]byte(fields[0]), &r))
		path := recordsFile(t, lineOf(t, goodRecord())+lineOf(t, r))
		err := ReadRecords(path, func(*Record) error { return nil })
		assert.ErrorContains(t, err, path+":2: ")
		why, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), path+":2: damaged record: "), "; mend the line")
		return []string{why}
	})
}

func TestReadRecordsNamesTheLine(t *testing.T) {
	good := lineOf(t, goodRecord())
	for _, c := range []struct {
		name, text string
		line       string // of the error; "" for none
		records    int
	}{
		{"empty file", "", "", 0},
		{"two records", good + good, "", 2},
		{"last line not finished", good + good[:len(good)/2], "", 1},
		{"last line whole but without its newline", good + good[:len(good)-1], "", 1},
		{"broken in the middle", good + good[:len(good)/2] + "\n" + good, ":2: ", 1},
		{"empty line", good + "\n" + good, "", 2},
		{"not JSON", "run\n", ":1: ", 0},
		{"an array", "[]\n", ":1: ", 0},
		{"a wrong type", good + good + `{"schema": "one"}` + "\n", ":3: ", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := recordsFile(t, c.text)
			n := 0
			err := ReadRecords(path, func(*Record) error { n++; return nil })
			if n != c.records || (err == nil) != (c.line == "") || err != nil && !strings.HasPrefix(err.Error(), path+c.line) {
				t.Errorf("%d records, error %v; want %d records, error at %q", n, err, c.records, c.line)
			}
		})
	}
}

func TestReadRecordsStopsWhereItIsTold(t *testing.T) {
	path := recordsFile(t, strings.Repeat(lineOf(t, goodRecord()), 3))
	enough := errors.New("enough")
	n := 0
	err := ReadRecords(path, func(*Record) error {
		if n++; n == 2 {
			return enough
		}
		return nil
	})
	if !errors.Is(err, enough) || n != 2 || !strings.HasPrefix(err.Error(), path+":2: ") {
		t.Errorf("%d records, error %v", n, err)
	}
	sum := 0
	refuses := func(r *Record) (int, error) {
		if r.Item == "refused" {
			return 0, enough
		}
		return len(r.Item), nil
	}
	refused := goodRecord()
	refused.Item = "refused"
	path = recordsFile(t, lineOf(t, goodRecord())+lineOf(t, refused)+lineOf(t, goodRecord()))
	err = ReadRecordsWithValues(path, refuses, func(r *Record, value int) error { sum += value - len(r.Item) + 1; return nil })
	if !errors.Is(err, enough) || sum != 1 || !strings.HasPrefix(err.Error(), path+":2: ") {
		t.Errorf("%d records are taken, error %v", sum, err)
	}
	if err := ReadRecords(path+".none", nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no such file: %v", err)
	}
}

// A reply can be longer than any buffer.
func TestReadRecordsOfAnyLength(t *testing.T) {
	r := goodRecord()
	r.Replies[0].Text = strings.Repeat("long ", 200_000)
	path := recordsFile(t, lineOf(t, r)+lineOf(t, goodRecord()))
	var lengths []int
	err := ReadRecords(path, func(r *Record) error {
		lengths = append(lengths, len(r.Replies[0].Text))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(lengths) != 2 || lengths[0] != 1_000_000 {
		t.Errorf("texts of %v bytes", lengths)
	}
}
