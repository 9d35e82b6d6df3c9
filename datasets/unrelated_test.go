package datasets

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// optionLines returns n lines with an id, a question and outputs that name their item. Each question belongs to same
// items.
func optionLines(n, same int) []string {
	out := make([]string, n)
	for i := range out {
		question := i / same
		line, err := json.Marshal(map[string]any{
			"id": fmt.Sprintf("i%03d", i), "prompt": fmt.Sprintf("question %d", question),
			"outputs": []string{fmt.Sprintf("%d a %d", question, i), fmt.Sprintf("%d b %d", question, i), fmt.Sprintf("%d c %d", question, i)},
			"ranks":   []int{2, 0, 1},
		})
		if err != nil {
			panic(err)
		}
		out[i] = string(line)
	}
	return out
}

func unrelated(t *testing.T, s *Set, seed int64) *UnrelatedOptions {
	t.Helper()
	u, err := NewUnrelatedOptions(s, seed)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

// unrelatedByID returns the items of a set with their unrelated option, by id.
func unrelatedByID(t *testing.T, u *UnrelatedOptions, rows []int) map[string]Item {
	t.Helper()
	out := map[string]Item{}
	for _, i := range rows {
		got, err := u.InsertInto(item(t, u.set, i))
		if err != nil {
			t.Fatal(err)
		}
		out[got.ID] = got
	}
	return out
}

func all(s *Set) []int {
	rows := make([]int, s.Len())
	for i := range rows {
		rows[i] = i
	}
	return rows
}

func TestUnrelated(t *testing.T) {
	s := set(t, optionLines(60, 2))
	for id, it := range unrelatedByID(t, unrelated(t, s, 3), all(s)) {
		c := it.Candidates[0]
		if c.ID != "00" || !c.Unrelated || c.Rank != nil || len(it.Candidates) != 4 || ids(it.Candidates) != "00 01 02 03" {
			t.Errorf("%s: %+v", id, it.Candidates)
		}
		if strings.HasPrefix(c.Text, strings.TrimPrefix(it.Question, "question ")+" ") {
			t.Errorf("%s asks %q and is given %q", id, it.Question, c.Text)
		}
		if it.Gold != 2 || *it.Candidates[it.Gold].Rank != 0 || it.Group != "3 options" || it.Raw != nil {
			t.Errorf("%s: gold %d, group %s, line %s", id, it.Gold, it.Group, it.Raw)
		}
		isItem(t, it)
	}
}

// Order of the file, of the asking, what else is asked, and how many ask at once:
// none of it changes a draw.
func TestUnrelatedDependsOnSeedAndItemsAlone(t *testing.T) {
	forward := optionLines(80, 2)
	s := set(t, forward)
	want := unrelatedByID(t, unrelated(t, s, 3), all(s))

	mixed := slices.Clone(forward)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(mixed), func(i, j int) { mixed[i], mixed[j] = mixed[j], mixed[i] })
	m := set(t, mixed)
	for id, it := range unrelatedByID(t, unrelated(t, m, 3), all(m)) {
		if !reflect.DeepEqual(it.Candidates, want[id].Candidates) {
			t.Errorf("%s: another order of the file draws %q, not %q", id, it.Candidates[0].Text, want[id].Candidates[0].Text)
		}
	}
	rows, err := Selection{Sample: 10, Seed: 5}.Pick(s)
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(rows)
	for id, it := range unrelatedByID(t, unrelated(t, s, 3), rows) {
		if !reflect.DeepEqual(it.Candidates, want[id].Candidates) {
			t.Errorf("%s: a sample draws %q, not %q", id, it.Candidates[0].Text, want[id].Candidates[0].Text)
		}
	}
	u := unrelated(t, s, 3)
	var wg sync.WaitGroup
	for i := range s.Len() {
		wg.Go(func() {
			got, err := s.Item(i)
			if err == nil {
				got, err = u.InsertInto(got)
			}
			if err != nil || !reflect.DeepEqual(got.Candidates, want[got.ID].Candidates) {
				t.Errorf("%s, all at once: %v", got.ID, err)
			}
		})
	}
	wg.Wait()

	same := 0
	for id, it := range unrelatedByID(t, unrelated(t, s, 4), all(s)) {
		if it.Candidates[0].Text == want[id].Candidates[0].Text {
			same++
		}
	}
	if same > 8 {
		t.Errorf("seeds 3 and 4 draw the same for %d of 80 items", same)
	}
}

// All options of other questions are as likely: 300 items of 10 questions, each
// given one of the 810 options of the other nine.
func TestUnrelatedIsFair(t *testing.T) {
	s := set(t, optionLines(300, 30))
	questions, letters := map[string]int{}, map[string]int{}
	for seed := range int64(10) {
		for _, it := range unrelatedByID(t, unrelated(t, s, seed), all(s)) {
			f := strings.Fields(it.Candidates[0].Text)
			questions[f[0]]++
			letters[f[1]]++
		}
	}
	for _, q := range []map[string]int{questions, letters} {
		want := 3000 / len(q)
		for name, n := range q {
			if n < want*8/10 || n > want*12/10 {
				t.Errorf("%q is drawn %d times of 3,000, expected about %d", name, n, want)
			}
		}
	}
	if len(questions) != 10 || len(letters) != 3 {
		t.Errorf("drawn are %v, %v", questions, letters)
	}
}

func TestUnrelatedErrors(t *testing.T) {
	row := func(id, prompt string, outputs ...string) string {
		line, err := json.Marshal(map[string]any{"id": id, "prompt": prompt, "outputs": outputs})
		if err != nil {
			panic(err)
		}
		return string(line)
	}
	for name, tc := range map[string]struct {
		lines []string
		want  string // "" for none
	}{
		"one item":          {[]string{row("a", "p", "x", "y")}, "set: an unrelated option needs another instruction, but all 1 items have the same"},
		"one instruction":   {[]string{row("a", "p", "x", "y"), row("b", " p\n", "u", "v")}, "set: an unrelated option needs another instruction, but all 2 items have the same"},
		"two instructions":  {[]string{row("a", "p", "x", "y"), row("b", "q", "u", "v")}, ""},
		"only its own":      {[]string{row("a", "p", "x", "y"), row("b", "q", "y ", "x")}, `item "a": no unrelated option was found: those of the other items are empty, or the same as its own`},
		"only empty ones":   {[]string{row("a", "p", "x", "y"), row("b", "q", "", " ")}, `item "a": no unrelated option was found: those of the other items are empty, or the same as its own`},
		"one that will do":  {[]string{row("a", "p", "x", "y"), row("b", "q", "", "x"), row("c", "r", "y", "other")}, ""},
		"rarely another":    {append(optionLines(40, 40), row("z", "q", "u", "v")), ""},
		"has one already":   {[]string{`{"id":"a","prompt":"p","outputs":[{"id":"00","text":"u","unrelated":true},"x","y"]}`, row("b", "q", "u", "v")}, `item "a" already has an unrelated option`},
		"others' unrelated": {[]string{row("a", "p", "x", "y"), `{"id":"b","prompt":"q","outputs":[{"id":"00","text":"never","unrelated":true},"u","v"]}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := set(t, tc.lines)
			for seed := range int64(20) {
				u, err := NewUnrelatedOptions(s, seed)
				var got Item
				if err == nil {
					got, err = u.InsertInto(item(t, s, 0))
				}
				if tc.want != "" {
					oneLine(t, err, "FILE", tc.want)
				} else if err != nil || got.Candidates[0].Text == "never" || isEmptyOrRepeated(item(t, s, 0), got.Candidates[0].Text) {
					t.Errorf("got %+v, %v", got.Candidates, err)
				}
			}
		})
	}
	u := unrelated(t, set(t, optionLines(4, 2)), 1)
	stranger := optionsItem("x", "question 9", options("0 1"))
	if got, err := u.InsertInto(stranger); err != nil || got.Candidates[0].Text == "" {
		t.Errorf("an item that is not of the set: %v", err)
	}
}

// The definition, so that no later version draws others.
func TestUnrelatedStaysTheSame(t *testing.T) {
	s := set(t, optionLines(9, 1))
	got := unrelatedByID(t, unrelated(t, s, 7), []int{0, 4, 8})
	if text := got["i000"].Candidates[0].Text + ", " + got["i004"].Candidates[0].Text + ", " + got["i008"].Candidates[0].Text; text != "6 c 6, 7 b 7, 2 c 2" {
		t.Errorf("drawn are %s", text)
	}
}
