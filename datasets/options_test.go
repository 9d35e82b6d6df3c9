package datasets

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// options returns candidates with these ranks, "-" for none.
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
	if err := assignOptionIDs(out); err != nil {
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

func TestLargeOptions(t *testing.T) {
	long := strings.Repeat("ü[Option 2]\n", 50<<10/12)
	outputs := slices.Repeat([]any{"", "same", "same", long}, 5)
	line, err := json.Marshal(map[string]any{"id": "x", "prompt": "p", "outputs": outputs})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, write(t, "own.jsonl", string(line)))
	entry := item(t, s, 0)
	if len(entry.Candidates) != 20 || entry.Group != "20 options" || entry.Candidates[19].ID != "20" || entry.Candidates[19].Text != long || entry.Candidates[0].Text != "" {
		t.Errorf("%d candidates of group %s", len(entry.Candidates), entry.Group)
	}
	if !slices.IsSorted(strings.Fields(ids(entry.Candidates))) {
		t.Errorf("ids out of order: %s", ids(entry.Candidates))
	}
	if got := options(strings.Repeat("- ", 101)); got[0].ID != "001" || got[100].ID != "101" {
		t.Errorf("of 101 options the first is %s and the last %s", got[0].ID, got[100].ID)
	}
}

func TestOptionsLine(t *testing.T) {
	got := optionsItem("<id>", "a & b\n\u2028\x00", options("2 0 -"))
	got.Source = "own"
	got.Candidates[1].Model = "m"
	line, err := EncodeOptions(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"id":"<id>","source":"own","prompt":"a & b\n\u2028\u0000","outputs":[{"id":"01","text":"option 1","rank":2},{"id":"02","text":"option 2","model":"m","rank":0},{"id":"03","text":"option 3"}]}`
	if string(line) != want {
		t.Errorf("got\n%s\nwant\n%s", line, want)
	}
	for name, spoil := range map[string]func(*Item){
		"no id":             func(got *Item) { got.ID = "" },
		"not UTF-8":         func(got *Item) { got.Question = "\xff" },
		"not its best":      func(got *Item) { got.Gold = 0 },
		"another shape":     func(got *Item) { got.Shape = ShapeChoice },
		"ids out of order":  func(got *Item) { got.Candidates[0].ID = "09" },
		"one option":        func(got *Item) { got.Candidates = got.Candidates[:1] },
		"no group":          func(got *Item) { got.Group = "" },
		"an answer besides": func(got *Item) { got.Answer = "1" },
	} {
		t.Run(name, func(t *testing.T) {
			bad := got
			bad.Candidates = slices.Clone(got.Candidates)
			spoil(&bad)
			if line, err := EncodeOptions(bad); err == nil {
				t.Errorf("no error, but %s", line)
			}
		})
	}
}

func TestTrimOptions(t *testing.T) {
	full := optionsItem("x", "p", options("9 8 7 6 5 4 3 2 1 0 10 11 12 13 14 15 16 17 18 19"))
	for n := 2; n < 20; n++ {
		cut := ReduceOptions(full, n, 1)
		if len(cut.Candidates) != n || cut.Candidates[cut.Gold].ID != "10" || cut.Group != fmt.Sprintf("%d options", n) {
			t.Errorf("cut to %d: %d options, the best is %d of %s, group %s", n, len(cut.Candidates), cut.Gold, ids(cut.Candidates), cut.Group)
		}
		if !slices.IsSorted(strings.Fields(ids(cut.Candidates))) {
			t.Errorf("cut to %d: order changed: %s", n, ids(cut.Candidates))
		}
		larger := ReduceOptions(full, n+1, 1)
		for _, c := range cut.Candidates {
			if !slices.ContainsFunc(larger.Candidates, func(l Candidate) bool { return l.ID == c.ID && l.Text == c.Text }) {
				t.Errorf("cut to %d loses %s of the cut to %d", n+1, c.ID, n)
			}
		}
		line, err := EncodeOptions(cut)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := parseOptions(line); err != nil || !sameItem(back, cut) {
			t.Errorf("cut to %d: the line reads as another item: %v", n, err)
		}
	}
	for _, n := range []int{-1, 0, 1, 20, 99} {
		if got := ReduceOptions(full, n, 1); !reflect.DeepEqual(got, full) {
			t.Errorf("cut to %d changes the item: %s", n, ids(got.Candidates))
		}
	}
	// The definition, so that no later version draws others: the best, and the
	// smallest SHA-256 of "options", 1, "x" and the option's id, a NUL between them.
	if got := ids(ReduceOptions(full, 5, 1).Candidates); got != "10 13 15 17 20" {
		t.Errorf("the cut to 5 by seed 1 is %s", got)
	}
	if a, b := ids(ReduceOptions(full, 5, 1).Candidates), ids(ReduceOptions(full, 5, 2).Candidates); a == b {
		t.Errorf("seeds 1 and 2 draw the same: %s", a)
	}
	other := full
	other.ID = "y"
	if a, b := ids(ReduceOptions(full, 5, 1).Candidates), ids(ReduceOptions(other, 5, 1).Candidates); a == b {
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
				cut := ReduceOptions(optionsItem("x", "p", options(tc.ranks)), 2, seed)
				if !slices.ContainsFunc(cut.Candidates, func(c Candidate) bool { return strings.Contains(tc.keep, c.ID) }) {
					t.Errorf("seed %d keeps %s", seed, ids(cut.Candidates))
				}
			}
		})
	}
	got := withUnrelated(optionsItem("x", "p", options("3 2 1 0")), Candidate{Text: "u"})
	got.Group, got.Raw = "law", []byte("{}")
	cut := ReduceOptions(got, 2, 1)
	if len(cut.Candidates) != 3 || !cut.Candidates[0].Unrelated || cut.Candidates[cut.Gold].ID != "04" || cut.Group != "law" || cut.Raw != nil {
		t.Errorf("with an unrelated option: %+v", cut)
	}
	if len(got.Candidates) != 5 || got.Gold != 4 {
		t.Errorf("the item that was cut changed: %+v", got)
	}
}

// TestOptionsAreRelabelled: people's label takes the place of the ranks, whatever was the best before.
func TestOptionsAreRelabelled(t *testing.T) {
	got, err := parseOptions([]byte(`{"id":"i","prompt":"p","outputs":["a",{"text":"b","rank":0},"c"]}`))
	if err != nil {
		t.Fatal(err)
	}
	for said, gold := range map[string]int{"01": 0, "02": 1, "tie": NoGold} {
		line, err := got.labelledLine(said, nil)
		if err != nil {
			t.Fatalf("%s: %v", said, err)
		}
		if back, err := parseOptions(line); err != nil || back.Gold != gold {
			t.Errorf("%s is read as %d, %v: %s", said, back.Gold, err, line)
		}
	}
}
