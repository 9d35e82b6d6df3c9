package datasets

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// options are candidates with these ranks, "-" for none, and a text each.
func options(ranks string) []Candidate {
	var out []Candidate
	for i, r := range strings.Fields(ranks) {
		c := Candidate{Text: fmt.Sprintf("option %d", i+1)}
		if r != "-" {
			var rank jsonRank
			if err := json.Unmarshal([]byte(r), &rank); err != nil {
				panic(err)
			}
			c.Rank = rank.rank
		}
		out = append(out, c)
	}
	if err := nameOptions(out); err != nil {
		panic(err)
	}
	return out
}

func ids(candidates []Candidate) string {
	var out []string
	for _, c := range candidates {
		out = append(out, c.ID)
	}
	return strings.Join(out, " ")
}

func ranks(candidates []Candidate) string {
	var out []string
	for _, c := range candidates {
		if c.Rank == nil {
			out = append(out, "-")
		} else {
			out = append(out, fmt.Sprint(*c.Rank))
		}
	}
	return strings.Join(out, " ")
}

func TestParseOptions(t *testing.T) {
	for name, tc := range map[string]struct {
		line, id, ids, ranks, group string
		gold                        int
	}{
		"strings alone":       {`{"prompt":"p","outputs":["a","b"]}`, "", "01 02", "- -", "2 options", NoGold},
		"ranks beside":        {`{"id":"x","prompt":"p","outputs":["a","b","c"],"ranks":[2,0,1]}`, "x", "01 02 03", "2 0 1", "3 options", 1},
		"ranks inside":        {`{"id":7,"prompt":"p","outputs":[{"text":"a","rank":1},{"text":"b","rank":0}]}`, "7", "01 02", "1 0", "2 options", 1},
		"strings and objects": {`{"prompt":"p","outputs":["a",{"text":"b","rank":0,"model":"m"}]}`, "", "01 02", "- 0", "2 options", 1},
		"ranks from 1":        {`{"prompt":"p","outputs":["a","b"],"ranks":[2,1]}`, "", "01 02", "2 1", "2 options", 1},
		"ranks with gaps":     {`{"prompt":"p","outputs":["a","b"],"ranks":[9,4]}`, "", "01 02", "9 4", "2 options", 1},
		"ranks as floats":     {`{"prompt":"p","outputs":["a","b","c"],"ranks":[1.0,0.0,null]}`, "", "01 02 03", "1 0 -", "3 options", 1},
		"all ranks null":      {`{"prompt":"p","outputs":["a","b"],"ranks":[null,null]}`, "", "01 02", "- -", "2 options", NoGold},
		"no list of ranks":    {`{"prompt":"p","outputs":["a","b"],"ranks":null}`, "", "01 02", "- -", "2 options", NoGold},
		"the best is shared":  {`{"prompt":"p","outputs":["a","b","c"],"ranks":[0,0,1]}`, "", "01 02 03", "0 0 1", "3 options", NoGold},
		"the worst is shared": {`{"prompt":"p","outputs":["a","b","c"],"ranks":[1,0,1]}`, "", "01 02 03", "1 0 1", "3 options", 1},
		"unknown beside 1":    {`{"prompt":"p","outputs":["a","b"],"ranks":[1,null]}`, "", "01 02", "1 -", "2 options", NoGold},
		"equal and empty":     {`{"prompt":"","outputs":["a","a",""],"ranks":[0,1,2]}`, "", "01 02 03", "0 1 2", "3 options", 0},
		"group of its own":    {`{"prompt":"p","outputs":["a","b"],"group":"law"}`, "", "01 02", "- -", "law", NoGold},
		"unrelated":           {`{"id":"x","prompt":"p","outputs":[{"id":"00","text":"u","unrelated":true},"a","b"],"ranks":[null,1,0]}`, "x", "00 01 02", "- 1 0", "2 options", 2},
		"cut to some":         {`{"prompt":"p","outputs":[{"id":"03","text":"a"},{"id":"11","text":"b"}]}`, "", "03 11", "- -", "2 options", NoGold},
		"other keys":          {`{"prompt":"p","outputs":["a","b"],"reason":"r","winner":[1]}`, "", "01 02", "- -", "2 options", NoGold},
		"outputs given twice": {`{"prompt":"p","outputs":[{"text":"x","rank":0},{"text":"y","rank":1}],"outputs":[{"text":"a"},{"text":"b"}]}`, "", "01 02", "- -", "2 options", NoGold},
	} {
		t.Run(name, func(t *testing.T) {
			it, err := parseOptions([]byte(tc.line))
			if err != nil {
				t.Fatal(err)
			}
			if it.ID != tc.id || ids(it.Candidates) != tc.ids || ranks(it.Candidates) != tc.ranks || it.Group != tc.group || it.Gold != tc.gold || it.Shape != Options {
				t.Errorf("got %q, ids %s, ranks %s, group %s, gold %d", it.ID, ids(it.Candidates), ranks(it.Candidates), it.Group, it.Gold)
			}
		})
	}
}

func TestParseOptionsErrors(t *testing.T) {
	for name, tc := range map[string]struct{ line, want string }{
		"no prompt":            {`{"outputs":["a","b"]}`, `key "prompt" is missing`},
		"no outputs":           {`{"prompt":"p"}`, `key "outputs" is missing`},
		"one output":           {`{"prompt":"p","outputs":["a"]}`, errFewOptions.Error()},
		"no output":            {`{"prompt":"p","outputs":[]}`, errFewOptions.Error()},
		"one beside unrelated": {`{"prompt":"p","outputs":[{"id":"00","text":"u","unrelated":true},{"text":"a"}]}`, errFewOptions.Error()},
		"empty id":             {`{"id":"","prompt":"p","outputs":["a","b"]}`, `"id" is empty`},
		"id of another type":   {`{"id":[1],"prompt":"p","outputs":["a","b"]}`, `an id is a text or a number, not an array`},
		"prompt is a list":     {`{"prompt":["p"],"outputs":["a","b"]}`, `key "prompt" is of type array, expected string`},
		"outputs is an object": {`{"prompt":"p","outputs":{"a":1}}`, `key "outputs" is of type object, expected an array`},
		"a number among them":  {`{"prompt":"p","outputs":["a",2]}`, `an output is neither a string nor an object with "text"`},
		"null among them":      {`{"prompt":"p","outputs":["a",null]}`, `an output is neither a string nor an object with "text"`},
		"object without text":  {`{"prompt":"p","outputs":["a",{"rank":1}]}`, `an output is neither a string nor an object with "text"`},
		"too few ranks":        {`{"prompt":"p","outputs":["a","b"],"ranks":[0]}`, `"ranks" has 1 entries for 2 outputs`},
		"half a rank":          {`{"prompt":"p","outputs":["a","b"],"ranks":[0,0.5]}`, `rank 0.5 is not a whole number from 0`},
		"rank below 0":         {`{"prompt":"p","outputs":["a","b"],"ranks":[0,-1]}`, `rank -1 is not a whole number from 0`},
		"rank in words":        {`{"prompt":"p","outputs":[{"text":"a","rank":"best"},"b"]}`, `rank "best" is not a whole number from 0`},
		"two ranks":            {`{"prompt":"p","outputs":[{"text":"a","rank":1},"b"],"ranks":[0,1]}`, `output 1 has a rank of its own and one in "ranks"`},
		"ids out of order":     {`{"prompt":"p","outputs":[{"id":"02","text":"a"},{"id":"01","text":"b"}]}`, `id "01" of output 2 is out of order: give all outputs ids that sort after "00" and in their order, or none`},
		"the same id":          {`{"prompt":"p","outputs":[{"id":"02","text":"a"},{"id":"02","text":"b"}]}`, `id "02" of output 2 is out of order: give all outputs ids that sort after "00" and in their order, or none`},
		"one id of two":        {`{"prompt":"p","outputs":[{"id":"02","text":"a"},{"text":"b"}]}`, `id "" of output 2 is out of order: give all outputs ids that sort after "00" and in their order, or none`},
		"unrelated, but last":  {`{"prompt":"p","outputs":["a","b",{"id":"00","text":"u","unrelated":true}]}`, `output 3 is marked as unrelated; only the first may be, with id "00"`},
		"unrelated, but 01":    {`{"prompt":"p","outputs":[{"id":"01","text":"u","unrelated":true},"a","b"]}`, `output 1 is marked as unrelated; only the first may be, with id "00"`},
		"unrelated and ranked": {`{"prompt":"p","outputs":[{"id":"00","text":"u","rank":1,"unrelated":true},"a","b"]}`, `the unrelated output has a rank`},
		"not UTF-8":            {"{\"prompt\":\"\xff\"}", "not UTF-8: save the file in that encoding"},
		"not JSON":             {`{"prompt"`, "broken JSON at byte 9: unexpected end of JSON input"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseOptions([]byte(tc.line))
			oneLine(t, err, "FILE", tc.want)
		})
	}
}

func TestOptionsFile(t *testing.T) {
	content := lines(
		`{"prompt":"first","outputs":["a","b"]}`,
		``,
		`{"prompt":"alone","outputs":["a"]}`,
		`{"prompt":"fourth","outputs":["a","b","c"],"ranks":[0,1]}`,
		`{"id":"named","prompt":"fifth","outputs":["a","b","c"]}`,
		`{"prompt":"sixth","outputs":["a","b"],"ranks":[1,0]}`,
	)
	s := open(t, write(t, "own.jsonl", content))
	if s.Format != "options" || s.Len() != 3 || s.Skipped != 1 {
		t.Fatalf("format %s, %d items, %d skipped", s.Format, s.Len(), s.Skipped)
	}
	oneLine(t, s.Bad[0], s.Path, `FILE:4: "ranks" has 2 entries for 3 outputs`)
	if want := []string{"1 row left out that have fewer than 2 outputs: there is nothing to choose, and no entropy."}; !slices.Equal(s.Notes, want) {
		t.Errorf("notes %q", s.Notes)
	}
	for i, want := range []struct {
		id   string
		line int
	}{{"1", 1}, {"named", 5}, {"6", 6}} {
		it := item(t, s, i)
		if it.ID != want.id || it.Line != want.line {
			t.Errorf("item %d is %q of line %d, want %q of line %d", i, it.ID, it.Line, want.id, want.line)
		}
		again, err := parseOptions(it.Raw)
		if err != nil || !sameOptions(it, again) {
			t.Errorf("the line of item %q alone is another item: %v", it.ID, err)
		}
	}
	if got := string(item(t, s, 1).Raw); !strings.Contains(content, got) {
		t.Errorf("a line that names its item was changed: %s", got)
	}
}

func TestOptionsFileOfNothing(t *testing.T) {
	path := write(t, "own.jsonl", lines(`{"prompt":"alone","outputs":["a"]}`, `{"prompt":"none","outputs":[]}`))
	_, err := OpenFile(path)
	oneLine(t, err, path, "FILE: no item is left: 2 rows left out that have fewer than 2 outputs: there is nothing to choose, and no entropy.")
}

func TestLargeOptions(t *testing.T) {
	long := strings.Repeat("ü[Option 2]\n", 50<<10/12)
	outputs := slices.Repeat([]any{"", "same", "same", long}, 5)
	line, err := json.Marshal(map[string]any{"id": "x", "prompt": "p", "outputs": outputs})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, write(t, "own.jsonl", string(line)))
	it := item(t, s, 0)
	if len(it.Candidates) != 20 || it.Group != "20 options" || it.Candidates[19].ID != "20" || it.Candidates[19].Text != long || it.Candidates[0].Text != "" {
		t.Errorf("%d candidates of group %s", len(it.Candidates), it.Group)
	}
	if !slices.IsSorted(strings.Fields(ids(it.Candidates))) {
		t.Errorf("ids out of order: %s", ids(it.Candidates))
	}
	if got := options(strings.Repeat("- ", 101)); got[0].ID != "001" || got[100].ID != "101" {
		t.Errorf("of 101 options the first is %s and the last %s", got[0].ID, got[100].ID)
	}
}

func TestCategoryOrderOfNumbers(t *testing.T) {
	want := []string{"Knowledge", "Math", "2 options", "3 options", "10 options", "20 options", "law", "q", "q02", "q2", "q2b", "q10", "q10a"}
	got := slices.Clone(want)
	slices.Reverse(got)
	slices.SortFunc(got, CategoryOrder)
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	for _, a := range want {
		for _, b := range want {
			if CategoryOrder(a, b) != -CategoryOrder(b, a) || (CategoryOrder(a, b) == 0) != (a == b) {
				t.Errorf("%q and %q have no order", a, b)
			}
		}
	}
}

func TestOptionsLine(t *testing.T) {
	it := optionsItem("<id>", "a & b\n\u2028\x00", options("2 0 -"))
	it.Source = "own"
	it.Candidates[1].Model = "m"
	line, err := OptionsLine(it)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"<id>","source":"own","prompt":"a & b\n\u2028\u0000","outputs":[{"id":"01","text":"option 1","rank":2},{"id":"02","text":"option 2","model":"m","rank":0},{"id":"03","text":"option 3"}]}`
	if string(line) != want {
		t.Errorf("got\n%s\nwant\n%s", line, want)
	}
	for name, spoil := range map[string]func(*Item){
		"no id":             func(it *Item) { it.ID = "" },
		"not UTF-8":         func(it *Item) { it.Question = "\xff" },
		"not its best":      func(it *Item) { it.Gold = 0 },
		"another shape":     func(it *Item) { it.Shape = Choice },
		"ids out of order":  func(it *Item) { it.Candidates[0].ID = "09" },
		"one option":        func(it *Item) { it.Candidates = it.Candidates[:1] },
		"no group":          func(it *Item) { it.Group = "" },
		"an answer besides": func(it *Item) { it.Answer = "1" },
	} {
		t.Run(name, func(t *testing.T) {
			bad := it
			bad.Candidates = slices.Clone(it.Candidates)
			spoil(&bad)
			if line, err := OptionsLine(bad); err == nil {
				t.Errorf("no error, but %s", line)
			}
		})
	}
}

func TestTrimOptions(t *testing.T) {
	full := optionsItem("x", "p", options("9 8 7 6 5 4 3 2 1 0 10 11 12 13 14 15 16 17 18 19"))
	for n := 2; n < 20; n++ {
		cut := TrimOptions(full, n, 1)
		if len(cut.Candidates) != n || cut.Candidates[cut.Gold].ID != "10" || cut.Group != fmt.Sprintf("%d options", n) {
			t.Errorf("cut to %d: %d options, the best is %d of %s, group %s", n, len(cut.Candidates), cut.Gold, ids(cut.Candidates), cut.Group)
		}
		if !slices.IsSorted(strings.Fields(ids(cut.Candidates))) {
			t.Errorf("cut to %d: order changed: %s", n, ids(cut.Candidates))
		}
		larger := TrimOptions(full, n+1, 1)
		for _, c := range cut.Candidates {
			if !slices.ContainsFunc(larger.Candidates, func(l Candidate) bool { return l.ID == c.ID && l.Text == c.Text }) {
				t.Errorf("cut to %d loses %s of the cut to %d", n+1, c.ID, n)
			}
		}
		line, err := OptionsLine(cut)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parseOptions(line); err != nil || !sameOptions(back, cut) {
			t.Errorf("cut to %d: the line reads as another item: %v", n, err)
		}
	}
	for _, n := range []int{-1, 0, 1, 20, 99} {
		if got := TrimOptions(full, n, 1); !reflect.DeepEqual(got, full) {
			t.Errorf("cut to %d changes the item: %s", n, ids(got.Candidates))
		}
	}
	// The definition, so that no later version draws others: the best, and the
	// smallest SHA-256 of "options", 1, "x" and the option's id, a NUL between them.
	if got := ids(TrimOptions(full, 5, 1).Candidates); got != "10 13 15 17 20" {
		t.Errorf("the cut to 5 by seed 1 is %s", got)
	}
	if a, b := ids(TrimOptions(full, 5, 1).Candidates), ids(TrimOptions(full, 5, 2).Candidates); a == b {
		t.Errorf("seeds 1 and 2 draw the same: %s", a)
	}
	other := full
	other.ID = "y"
	if a, b := ids(TrimOptions(full, 5, 1).Candidates), ids(TrimOptions(other, 5, 1).Candidates); a == b {
		t.Errorf("items x and y are cut alike: %s", a)
	}
}

func TestTrimOptionsKeeps(t *testing.T) {
	for name, tc := range map[string]struct {
		ranks string
		keep  string // one of these ids at least
	}{
		"the best":           {"5 4 3 2 1 0", "06"},
		"one of two best":    {"1 0 2 3 0 4", "02 05"},
		"nothing known":      {"- - - - - -", "01 02 03 04 05 06"},
		"the only one known": {"- - - 0 - -", "04"},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range int64(30) {
				cut := TrimOptions(optionsItem("x", "p", options(tc.ranks)), 2, seed)
				if !slices.ContainsFunc(cut.Candidates, func(c Candidate) bool { return strings.Contains(tc.keep, c.ID) }) {
					t.Errorf("seed %d keeps %s", seed, ids(cut.Candidates))
				}
			}
		})
	}
	it := withUnrelated(optionsItem("x", "p", options("3 2 1 0")), Candidate{Text: "u"})
	it.Group, it.Raw = "law", []byte("{}")
	cut := TrimOptions(it, 2, 1)
	if len(cut.Candidates) != 3 || !cut.Candidates[0].Unrelated || cut.Candidates[cut.Gold].ID != "04" || cut.Group != "law" || cut.Raw != nil {
		t.Errorf("with an unrelated option: %+v", cut)
	}
	if len(it.Candidates) != 5 || it.Gold != 4 {
		t.Errorf("the item that was cut changed: %+v", it)
	}
}

func FuzzOptions(f *testing.F) {
	for _, s := range []string{
		`{"id":"x","prompt":"p","outputs":["a","b"],"ranks":[1,0]}`, `{"id":3,"prompt":"p","outputs":[{"text":"a","rank":0.0,"model":"m"},"b"],"group":"g","source":"s"}`,
		`{"id":"x","prompt":"\ud800","outputs":[{"id":"00","text":"u","unrelated":true},{"id":"01","text":"a"},{"id":"1","text":"b"}]}`, `{"prompt":"p","outputs":["a"]}`, "[]", "null", "\xff",
	} {
		f.Add([]byte(s), int64(1), 2)
	}
	f.Fuzz(func(t *testing.T, line []byte, seed int64, n int) {
		it, err := parseOptions(line)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\r\n") {
				t.Errorf("the message is longer than a line: %q", err)
			}
			return
		}
		if it.ID == "" {
			it.ID = "1"
		}
		for _, it := range []Item{it, TrimOptions(it, n, seed)} {
			checkOptions(t, it)
		}
	})
}

// checkOptions checks what every item of the shape is, and that its line is it.
func checkOptions(t *testing.T, it Item) {
	t.Helper()
	last := ""
	for i, c := range it.Candidates {
		if c.ID <= last || c.Unrelated != (c.ID == unrelatedID && i == 0) {
			t.Errorf("candidate ids %s", ids(it.Candidates))
		}
		last = c.ID
	}
	if it.ID == "" || it.Group == "" || len(it.Candidates) < 2 || it.Gold < NoGold || it.Gold >= len(it.Candidates) || it.Gold >= 0 && it.Candidates[it.Gold].Rank == nil {
		t.Errorf("not an item: %+v", it)
	}
	line, err := OptionsLine(it)
	if err != nil {
		t.Fatalf("no line of %+v: %v", it, err)
	}
	back, err := parseOptions(line)
	if err != nil || !reflect.DeepEqual(back, withoutPlace(it)) {
		t.Errorf("%+v\nreads as\n%+v, %v", it, back, err)
	}
	if bytes.ContainsAny(line, "\r\n") {
		t.Errorf("longer than a line: %s", line)
	}
}

// withoutPlace is the item without where it was read.
func withoutPlace(it Item) Item {
	it.Line, it.Raw = 0, nil
	return it
}

// A line is written of any texts there can be, and is read as the same item, or
// there is an error.
func FuzzOptionsLine(f *testing.F) {
	f.Add("id", "q", "a", "b", "m", 0, 1, true)
	f.Add("\x00", "\u2028<&>", "[Option 2]\r\n", "", "\\", -1, 3, false)
	f.Add("x", "\xff", "a", "a", "", 2, 2, false)
	f.Fuzz(func(t *testing.T, id, question, a, b, model string, rankA, rankB int, unrelated bool) {
		candidates := options("- -")
		candidates[0].Text, candidates[1].Text, candidates[1].Model = a, b, model
		for i, r := range []int{rankA, rankB} {
			if r >= 0 && r < 1<<31 {
				candidates[i].Rank = &r
			}
		}
		it := optionsItem(id, question, candidates)
		if unrelated {
			it = withUnrelated(it, Candidate{Text: question, Model: model})
		}
		line, err := OptionsLine(it)
		if err != nil {
			if id != "" && utf8.ValidString(id+"|"+question+"|"+a+"|"+b+"|"+model) {
				t.Error(err)
			}
			return
		}
		if back, err := parseOptions(line); err != nil || !reflect.DeepEqual(back, it) {
			t.Errorf("%+v\nreads as\n%+v, %v", it, back, err)
		}
	})
}

// TestOptionsAreRelabelled: people's label takes the place of the ranks, whatever was the best before.
func TestOptionsAreRelabelled(t *testing.T) {
	it, err := parseOptions([]byte(`{"id":"i","prompt":"p","outputs":["a",{"text":"b","rank":0},"c"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for said, gold := range map[string]int{"01": 0, "02": 1, "tie": NoGold} {
		line, err := it.labelled(said)
		if err != nil {
			t.Fatalf("%s: %v", said, err)
		}
		if back, err := parseOptions(line); err != nil || back.Gold != gold {
			t.Errorf("%s is read as %d, %v: %s", said, back.Gold, err, line)
		}
	}
}
