package scoring

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gavel/scoring/stats"
)

// Runs by place, 0 the highest value, and which pairs were told apart.
func TestTied(t *testing.T) {
	for name, tt := range map[string]struct {
		n     int
		apart [][2]int
		want  string // letters of each
	}{
		"one":       {1, nil, "a"},
		"two, tied": {2, nil, "a a"},
		"two apart": {2, [][2]int{{0, 1}}, "a b"},
		// The first differs from the last alone: what lies between is of both groups.
		"a chain":       {3, [][2]int{{0, 2}}, "a ab b"},
		"a chain, back": {3, [][2]int{{2, 0}}, "a ab b"},
		"first alone":   {3, [][2]int{{0, 1}, {0, 2}}, "a b b"},
		"all apart":     {3, [][2]int{{0, 1}, {0, 2}, {1, 2}}, "a b c"},
		"a long chain":  {5, [][2]int{{0, 2}, {0, 3}, {0, 4}, {1, 3}, {1, 4}, {2, 4}}, "a ab bc cd d"},
		// A middle that differs from its neighbours but not from the ends: more
		// items were judged by both there.
		"no order":          {3, [][2]int{{0, 1}}, "a b ab"},
		"a cycle of four":   {4, [][2]int{{0, 2}, {1, 3}}, "ab ac cd bd"},
		"two groups of two": {4, [][2]int{{0, 2}, {0, 3}, {1, 2}, {1, 3}}, "a a b b"},
	} {
		letters := make([]string, tt.n)
		for g, group := range stats.TieGroups(tt.n, tt.apart) {
			for _, i := range group {
				letters[i] += LetterOf(g)
			}
		}
		if got := strings.Join(letters, " "); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// Whatever was told apart, two runs share a letter exactly where they were not,
// and every time the same.
func TestTiedIsTheTies(t *testing.T) {
	const n = 6
	pairs := [][2]int{}
	for i := range n {
		for j := range i {
			pairs = append(pairs, [2]int{j, i})
		}
	}
	for mask := 0; mask < 1<<len(pairs); mask += 37 {
		var apart [][2]int
		for k, p := range pairs {
			if mask>>k&1 == 1 {
				apart = append(apart, p)
			}
		}
		groups := stats.TieGroups(n, apart)
		for _, p := range pairs {
			together := slices.ContainsFunc(groups, func(g []int) bool { return slices.Contains(g, p[0]) && slices.Contains(g, p[1]) })
			if together == slices.Contains(apart, p) {
				t.Fatalf("apart %v: groups %v", apart, groups)
			}
		}
		slices.Reverse(apart)
		if again := stats.TieGroups(n, apart); fmt.Sprint(again) != fmt.Sprint(groups) {
			t.Fatalf("%v and %v", groups, again)
		}
	}
}

func TestLetterOf(t *testing.T) {
	for n, want := range map[int]string{0: "a", 25: "z", 26: "A", 51: "Z", 52: "(53)"} {
		if got := LetterOf(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

// Letters from p values made by hand: four runs whose values do not follow their
// order, one without a value.
func TestLetters(t *testing.T) {
	value := func(v float64) RankedRun { return RankedRun{Result: Result{Value: &v}} }
	s := Ranking{Runs: []RankedRun{value(50), value(70), {}, value(60)}, Alpha: 0.05}
	pair := func(a, b int, same bool) PairTest { return PairTest{RunA: a, RunB: b, NotSignificant: same} }
	s.Pairs = []PairTest{pair(0, 1, false), pair(0, 2, false), pair(0, 3, true), pair(1, 2, true), pair(1, 3, true), pair(2, 3, false)}
	s.assignLetters()
	var got []string
	for _, r := range s.Runs {
		got = append(got, r.Letters)
	}
	if want := []string{"b", "a", "", "ab"}; !slices.Equal(got, want) || len(s.Groups) != 2 {
		t.Errorf("%q, groups %q; want %q", got, s.Groups, want)
	}
	alone := Ranking{Runs: []RankedRun{value(1), {}}}
	if alone.assignLetters(); alone.Runs[0].Letters != "" {
		t.Error("a run with nothing to compare it with has a letter")
	}
}
