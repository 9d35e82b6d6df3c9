package datasets

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"
)

func set(t *testing.T, lines []string) *Set {
	t.Helper()
	s, err := inMemory("set", []byte(strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pick returns the ids selected, in the order given.
func pick(t *testing.T, sel Selection, s *Set) []string {
	t.Helper()
	rows, err := sel.Pick(s)
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]string, len(rows))
	for i, r := range rows {
		ids[i] = s.ItemID(r)
	}
	return ids
}

func TestPick(t *testing.T) {
	s := set(t, pairs(5))
	for name, tc := range map[string]struct {
		sel  Selection
		want string
	}{
		"all":                    {Selection{}, "p000 p001 p002 p003 p004"},
		"limit":                  {Selection{Limit: 2}, "p000 p001"},
		"limit beyond the end":   {Selection{Limit: 9}, "p000 p001 p002 p003 p004"},
		"sample beyond the end":  {Selection{Sample: 9, Seed: 3}, "p000 p001 p002 p003 p004"},
		"ids, in file order":     {Selection{IDs: []string{"p003", "p001"}}, "p001 p003"},
		"ids, then limit":        {Selection{IDs: []string{"p003", "p001"}, Limit: 1}, "p001"},
		"ids, then sample":       {Selection{IDs: []string{"p003"}, Sample: 1}, "p003"},
		"no ids is not all":      {Selection{IDs: []string{}}, ""},
		"sample, then its first": {Selection{Sample: 3, Seed: 1, Limit: 1}, pick(t, Selection{Sample: 3, Seed: 1}, s)[0]},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(pick(t, tc.sel, s), " "); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func TestPickUnknownID(t *testing.T) {
	_, err := Selection{IDs: []string{"p001", "nobody", "p002", "none"}}.Pick(set(t, pairs(5)))
	oneLine(t, err, "FILE", `id "nobody" is not in set (2 of the 4 ids are missing)`)
}

func TestSampleDependsOnSeedAndIDsAlone(t *testing.T) {
	forward := pairs(200)
	backward := slices.Clone(forward)
	slices.Reverse(backward)
	a, b := set(t, forward), set(t, backward)

	small := pick(t, Selection{Sample: 20, Seed: 7}, a)
	other := pick(t, Selection{Sample: 20, Seed: 7}, b)
	slices.Reverse(other) // file order of the reversed file
	if !slices.Equal(small, other) || len(small) != 20 {
		t.Errorf("order of the file changes the sample:\n%v\n%v", small, other)
	}
	large := pick(t, Selection{Sample: 60, Seed: 7}, a)
	for _, id := range small {
		if !slices.Contains(large, id) {
			t.Errorf("the sample of 60 lacks %s of the sample of 20", id)
		}
	}
	if slices.Equal(small, pick(t, Selection{Sample: 20, Seed: 8}, a)) {
		t.Error("another seed draws the same sample")
	}
	if !slices.IsSorted(small) {
		t.Errorf("not in file order: %v", small)
	}
	// The definition, so that no later version draws another sample: the ids
	// of the smallest SHA-256 of "7", a NUL byte and the id.
	if got := fmt.Sprint(pick(t, Selection{Sample: 3, Seed: 7}, a)); got != "[p053 p186 p193]" {
		t.Errorf("the sample of 3 by seed 7 is %s", got)
	}
}

func TestReadIDs(t *testing.T) {
	for name, tc := range map[string]struct{ content, want, err string }{
		"plain":            {content: "b\na\n", want: "b a"},
		"comments, blanks": {content: "# chosen by hand\n\na\n  b \r\n", want: "a b"},
		"spaces inside":    {content: "a b\n", want: "a b"},
		"twice":            {content: "a\n#\nb\na\n", err: `FILE:4: duplicate id "a", first in line 1`},
		"none":             {content: "# nothing\n\n", err: "FILE: no ids in it; write one id per line"},
		"endless line":     {content: strings.Repeat("x", 1<<17), err: "FILE: bufio.Scanner: token too long"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "ids.txt", tc.content)
			ids, err := ReadIDs(path)
			if tc.err != "" {
				oneLine(t, err, path, tc.err)
			} else if err != nil || strings.Join(ids, " ") != tc.want {
				t.Errorf("got %q, %v, want %q", ids, err, tc.want)
			}
		})
	}
	if _, err := ReadIDs(t.TempDir() + "/none"); err == nil {
		t.Error("a missing file has ids")
	}
}

func TestPickOfEachGroup(t *testing.T) {
	var rows []string
	for i := range 60 {
		rows = append(rows, question(with("question_id", i), with("category", []string{"law", "math", "art"}[i%3])))
	}
	s := openWith(t, OpenOptions{}, rows...)
	_, err := Selection{Sample: 1, ItemsPerGroup: 1}.Pick(s)
	oneLine(t, err, s.Path, "a sample of all items and one of each group: choose one")

	each := pick(t, Selection{ItemsPerGroup: 5, Seed: 7}, s)
	var apart []string
	for _, g := range s.Groups() {
		alone := pick(t, Selection{Sample: 5, Seed: 7}, openWith(t, OpenOptions{Groups: []string{g}}, rows...))
		if len(alone) != 5 {
			t.Errorf("%d of %s", len(alone), g)
		}
		apart = append(apart, alone...)
	}
	slices.Sort(apart)
	if sorted := slices.Sorted(slices.Values(each)); !slices.Equal(sorted, apart) {
		t.Errorf("together %v, one group after the other %v", sorted, apart)
	}
	if !slices.IsSortedFunc(each, func(a, b string) int { return len(a) - len(b) }) {
		t.Errorf("not in file order: %v", each)
	}
	if n := len(pick(t, Selection{ItemsPerGroup: 50}, s)); n != 60 {
		t.Errorf("%d of at most 50 of each", n)
	}
	if got, want := pick(t, Selection{ItemsPerGroup: 5, Seed: 7, Limit: 2}, s), each[:2]; !slices.Equal(got, want) {
		t.Errorf("limited %v, want %v", got, want)
	}
	// The definition, so that no later version draws another sample.
	if got := strings.Join(pick(t, Selection{ItemsPerGroup: 2, Seed: 7}, s), " "); got != "10 39 42 46 47 53" {
		t.Errorf("two of each by seed 7 are %s", got)
	}
}

func TestManyGroupsAreNotAllListed(t *testing.T) {
	var rows []string
	for i := range 60 {
		rows = append(rows, pair(fmt.Sprint(i), with("source", fmt.Sprintf("s%02d", i))))
	}
	_, err := openFileWith(write(t, "many.jsonl", lines(rows...)), OpenOptions{Groups: []string{"x"}})
	assert.ErrorContains(t, err, "s38, s39 and 20 more")
}
