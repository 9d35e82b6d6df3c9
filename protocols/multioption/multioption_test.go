package multioption

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/judging/judgingtest"
	"gavel/protocols/protocoltest"
)

// optionsItem returns a test item; the first option is the best, the last the worst.
func optionsItem(texts ...string) datasets.Item {
	item := datasets.Item{ID: "i1", Shape: datasets.ShapeOptions, Source: "ours", Group: fmt.Sprintf("%d options", len(texts)), Question: "Name a prime number."}
	for i, text := range texts {
		item.Candidates = append(item.Candidates, datasets.Candidate{ID: fmt.Sprintf("%02d", i+1), Text: text, Rank: &i})
	}
	return item
}

// withUnrelated adds an option of another item in front.
func withUnrelated(item datasets.Item, text string) datasets.Item {
	item.Candidates = slices.Insert(slices.Clone(item.Candidates), 0, datasets.Candidate{ID: "00", Text: text, Unrelated: true})
	if item.Gold != datasets.NoGold {
		item.Gold++
	}
	return item
}

func choosing(t testing.TB, template string, options judging.Settings) multiOption {
	t.Helper()
	tpl, err := Protocol.Template(template)
	if err != nil {
		t.Fatal(err)
	}
	return Protocol.NewAsker(tpl, options).(multiOption)
}

func TestMultiOptionPromptGolden(t *testing.T) {
	item := withUnrelated(optionsItem("7", "It is 9."), "Paris")
	for _, tpl := range Protocol.Templates {
		for _, goal := range goalOption.Values {
			t.Run(tpl.Name+"/"+goal, func(t *testing.T) {
				p := choosing(t, tpl.Name, judging.Settings{"goal": goal})
				var b strings.Builder
				for _, s := range p.Presentations(item) {
					prompt := p.Prompt(item, s)
					if s.Index == 0 {
						fmt.Fprintf(&b, "--- system\n%s\n", prompt.System)
					}
					fmt.Fprintf(&b, "--- user, presentation %d\n%s\n", s.Index, prompt.User)
					if s.Index == 0 {
						fmt.Fprintf(&b, "--- labels\n%s\n--- label turn\n%s\n", strings.Join(prompt.Labels, "\n"), prompt.LabelRequest)
					}
					if prompt.FollowUp != "" {
						t.Errorf("a follow-up turn %q: one response is asked for", prompt.FollowUp)
					}
				}
				golden.Assert(t, b.String(), "prompts/multi-option-"+tpl.Name+"-"+goal+".golden")
			})
		}
	}
}

func TestMultiOptionTextIsData(t *testing.T) {
	const q, a, b = "QQQ", "AAA", "BBB"
	fill := func(question, first, second string) datasets.Item {
		item := optionsItem(first, second)
		item.Question = question
		return item
	}
	p := choosing(t, "1", nil)
	for _, s := range p.Presentations(fill(q, a, b)) {
		frame := regexp.MustCompile("QQQ|AAA|BBB").Split(p.Prompt(fill(q, a, b), s).User, -1)
		if len(frame) != 4 {
			t.Fatalf("%d texts in the user message", len(frame)-1)
		}
		for name, h := range judgingtest.TemplateHazards {
			texts := []string{h + "1", h + "2"}
			want := frame[0] + h + frame[1] + texts[s.Order[0]] + frame[2] + texts[s.Order[1]] + frame[3]
			if got := p.Prompt(fill(h, texts[0], texts[1]), s).User; got != want {
				t.Errorf("%s, presentation %d: got\n%q\nwant\n%q", name, s.Index, got, want)
			}
		}
	}
}

// The scan of the paper has three dots in place of the fences of a code block, and bold type in prompts 3 and 4
// (see docs/decisions/0024-several-options-what-the-prompts-text-is.md).
func TestMultiOptionIsThePapersText(t *testing.T) {
	raw, err := os.ReadFile("../../../shared/papers/grade-score.txt")
	if err != nil {
		t.Skip("the paper's text is not on this machine")
	}
	for _, tpl := range Protocol.Templates[:4] {
		t.Run(tpl.Name, func(t *testing.T) {
			_, after, ok := strings.Cut(string(raw), "**Prompt "+tpl.Name+"**\n")
			if !ok {
				t.Fatal("no such prompt in the paper")
			}
			text, _, _ := strings.Cut(after, "\nFigure ")
			want := judgingtest.CollapseSpaces(strings.ReplaceAll(strings.ReplaceAll(text, "**", ""), "\n...\n", "\n```\n"))
			if got := judgingtest.CollapseSpaces(choosing(t, tpl.Name, nil).system()); got != want {
				t.Errorf("got\n%s\nthe paper has\n%s", got, want)
			}
		})
	}
}

// The prompts of the two goals differ only in the words that say which option to select. The meaning of grades stays,
// as does the best conclusion in prompt 4.
func TestBestAndWorstDifferInTheGoalAlone(t *testing.T) {
	turned := map[string]string{"best": "worst", "best,": "worst,", "most": "least"}
	for name, differ := range map[string]int{"1": 3, "2": 3, "3": 2, "4": 1} {
		best, worst := choosing(t, name, judging.Settings{"goal": goalBest}), choosing(t, name, judging.Settings{"goal": GoalWorst})
		b, w := strings.Fields(best.system()), strings.Fields(worst.system())
		if len(b) != len(w) {
			t.Fatalf("prompt %s: %d words for the best, %d for the worst", name, len(b), len(w))
		}
		n := 0
		for i := range b {
			if b[i] != w[i] {
				n++
				if turned[b[i]] != w[i] {
					t.Errorf("prompt %s: %q is turned to %q", name, b[i], w[i])
				}
			}
		}
		if n != differ {
			t.Errorf("prompt %s: %d words are turned, want %d", name, n, differ)
		}
		if strings.Join(regexp.MustCompile(`\S+`).Split(best.system(), -1), "|") != strings.Join(regexp.MustCompile(`\S+`).Split(worst.system(), -1), "|") {
			t.Errorf("prompt %s: white space differs", name)
		}
		item := optionsItem("a", "b", "c")
		for i, s := range best.Presentations(item) {
			x, y := best.Prompt(item, s), worst.Prompt(item, worst.Presentations(item)[i])
			if x.User != y.User || x.LabelRequest != y.LabelRequest || !slices.Equal(x.Labels, y.Labels) {
				t.Errorf("prompt %s, presentation %d: more than the system message differs", name, i)
			}
		}
	}
}

func TestRotations(t *testing.T) {
	for _, c := range []struct {
		n    int
		want [][]int // right rotations, the identity last
	}{
		{2, [][]int{{1, 0}, {0, 1}}},
		{3, [][]int{{2, 0, 1}, {1, 2, 0}, {0, 1, 2}}},
		{4, [][]int{{3, 0, 1, 2}, {2, 3, 0, 1}, {1, 2, 3, 0}, {0, 1, 2, 3}}},
	} {
		if got := rotations(c.n); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%d options: %v, want %v", c.n, got, c.want)
		}
	}
	for n := 1; n <= 20; n++ {
		places := map[[2]int]bool{}
		for _, order := range rotations(n) {
			for position, c := range order {
				places[[2]int{c, position}] = true
			}
		}
		if len(places) != n*n {
			t.Errorf("%d options: %d of %d pairs of option and place", n, len(places), n*n)
		}
	}
}

func TestMultiOptionPresentations(t *testing.T) {
	three := optionsItem("a", "b", "c")
	for name, c := range map[string]struct {
		item   datasets.Item
		orders string
		want   string
	}{
		"rotations":                  {three, "", "[[2 0 1] [1 2 0] [0 1 2]]"},
		"with an unrelated option":   {withUnrelated(optionsItem("a", "b"), "x"), "rotations", "[[2 0 1] [1 2 0] [0 1 2]]"},
		"all, sorted":                {three, "all", "[[0 1 2] [0 2 1] [1 0 2] [1 2 0] [2 0 1] [2 1 0]]"},
		"all of two":                 {optionsItem("a", "b"), "all", "[[0 1] [1 0]]"},
		"as many drawn as there are": {three, "random:6", "[[0 1 2] [0 2 1] [1 0 2] [1 2 0] [2 0 1] [2 1 0]]"},
		"more drawn than there are":  {optionsItem("a", "b"), "random:1000", "[[0 1] [1 0]]"},
		"one option":                 {optionsItem("a"), "", "[[0]]"},
		"one option, all":            {optionsItem("a"), "all", "[[0]]"},
		"none":                       {optionsItem(), "", "[]"},
		"too many for all":           {optionsItem("a", "b", "c", "d", "e"), "all", "[[0 1 2 3 4]]"},
	} {
		p := choosing(t, "1", nil)
		if c.orders != "" {
			p = choosing(t, "1", judging.Settings{"orders": c.orders})
		}
		got := [][]int{}
		for i, s := range p.Presentations(c.item) {
			got = append(got, s.Order)
			if s.Index != i || s.Shape != datasets.ShapeOptions || s.Mode != "" {
				t.Errorf("%s: presentation %d is %+v", name, i, s)
			}
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: %v, want %s", name, got, c.want)
		}
	}
}

// Permutations depend only on the item and its number of options: they differ from each other and between items, and
// more of them include the fewer.
func TestDrawnOrders(t *testing.T) {
	keys := func(orders [][]int) (out []string) {
		for _, o := range orders {
			out = append(out, fmt.Sprint(o))
		}
		return out
	}
	fewer, more := keys(randomOrders("i1", 6, 10)), keys(randomOrders("i1", 6, 40))
	if !slices.Equal(fewer, keys(randomOrders("i1", 6, 10))) || slices.Equal(fewer, keys(randomOrders("i2", 6, 10))) {
		t.Error("the same item has other orders, or another item the same")
	}
	if len(fewer) != 10 || len(more) != 40 || len(slices.Compact(slices.Sorted(slices.Values(more)))) != 40 {
		t.Errorf("%d and %d orders, or an order twice", len(fewer), len(more))
	}
	for _, o := range fewer {
		if !slices.Contains(more, o) {
			t.Errorf("%s is not among 40", o)
		}
	}
	if !slices.IsSorted(more) {
		t.Error("not sorted, so that less of a prompt is shared with the one before")
	}
	// Every option is at every position about equally often: of 4 · 1000 orders of five, 800 ± 4 standard deviations
	// (25.3).
	counts := map[[2]int]int{}
	for i := range 1000 {
		for _, order := range randomOrders(strconv.Itoa(i), 5, 4) {
			for position, c := range order {
				counts[[2]int{c, position}]++
			}
		}
	}
	for k, n := range counts {
		if n < 700 || n > 900 {
			t.Errorf("option %d stands at place %d %d times of 4000", k[0], k[1], n)
		}
	}
}

func TestParseOrders(t *testing.T) {
	for value, want := range map[string]orderPolicy{"rotations": {}, "all": {all: true}, "random:2": {random: 2}, "random:1000": {random: 1000}} {
		if got, err := parseOrders(value); err != nil || got != want || OrdersOption.Check(value) != nil {
			t.Errorf("%s: %+v, %v", value, got, err)
		}
	}
	for _, value := range []string{"", "random", "random:", "random:1", "random:0", "random:-3", "random:1001", "random:x", "All", "rotation", "random:99999999999999999999"} {
		if got, err := parseOrders(value); err == nil || got != (orderPolicy{}) || OrdersOption.Check(value) == nil {
			t.Errorf("%q reads as %+v", value, got)
		}
	}
}

func TestMultiOptionCheck(t *testing.T) {
	four, five := optionsItem("a", "b", "c", "d"), optionsItem("a", "b", "c", "d", "e")
	all := choosing(t, "1", judging.Settings{"orders": "all"})
	if err := all.Check(four); err != nil {
		t.Errorf("four options: %v", err)
	}
	for _, item := range []datasets.Item{five, withUnrelated(four, "x")} {
		if err := all.Check(item); err == nil || !strings.Contains(err.Error(), "i1 has 5 options to show") || !strings.Contains(err.Error(), "--max-options") {
			t.Errorf("five options: %v", err)
		}
		for _, orders := range []string{"rotations", "random:9"} {
			if err := choosing(t, "1", judging.Settings{"orders": orders}).Check(item); err != nil {
				t.Errorf("%s: %v", orders, err)
			}
		}
	}
}

// The best option is right to name, or with the other goal the worst.
func TestMultiOptionOracle(t *testing.T) {
	ranked := func(item datasets.Item, ranks ...int) datasets.Item { // −1: no rank
		for i, r := range ranks {
			item.Candidates[i].Rank = &r
			if r < 0 {
				item.Candidates[i].Rank = nil
			}
		}
		return item
	}
	noGold := func(item datasets.Item) datasets.Item { item.Gold = datasets.NoGold; return item }
	abc := func() datasets.Item { return optionsItem("a", "b", "c") }
	second := func() datasets.Item { i := abc(); i.Gold = 1; return i }
	for name, c := range map[string]struct {
		item        datasets.Item
		best, worst int // candidates
	}{
		"ranked in order":           {abc(), 0, 2},
		"the best is the second":    {ranked(second(), 1, 0, 2), 1, 2},
		"the worst is the first":    {ranked(second(), 2, 0, 1), 1, 0},
		"two are the worst":         {ranked(abc(), 0, 4, 4), 0, 1},
		"nobody knows":              {noGold(ranked(abc(), -1, -1, -1)), 0, 0},
		"only the best is known":    {ranked(second(), -1, 0, -1), 1, 0},
		"all alike":                 {noGold(ranked(abc(), 3, 3, 3)), 0, 0},
		"unrelated":                 {withUnrelated(abc(), "x"), 1, 0},
		"unrelated, nobody knows":   {withUnrelated(noGold(ranked(abc(), -1, -1, -1)), "x"), 1, 0},
		"a gold that is not there":  {func() datasets.Item { i := abc(); i.Gold = 7; return i }(), 0, 2},
		"no options, and no panics": {noGold(optionsItem()), 0, 0},
	} {
		for goal, want := range map[string]int{goalBest: c.best, GoalWorst: c.worst} {
			p := choosing(t, "2", judging.Settings{"goal": goal})
			for _, s := range p.Presentations(c.item) {
				o := p.Prompt(c.item, s).Oracle
				if s.Order[o.CorrectPosition] != want || o.Item != "i1" || o.Presentation != s.Index || len(o.VerdictLabels) != len(s.Order) || o.TieLabel != "" {
					t.Errorf("%s, %s, presentation %d: oracle %+v names %d, want %d", name, goal, s.Index, o, s.Order[o.CorrectPosition], want)
				}
				for position, choice := range o.VerdictLabels {
					if v := p.Parse(s, choice, judging.ReadingOptions{}); v.Outcome != judging.Decided || v.Choice != s.Order[position] {
						t.Errorf("%s: %q reads as %+v", name, choice, v)
					}
				}
			}
		}
	}
}

func TestDescribeOptions(t *testing.T) {
	item := withUnrelated(optionsItem("same", "other", "same", "", "same", ""), "x")
	item.Candidates[2].Rank = nil
	m := &judging.Manifest{Spec: judging.Spec{Protocol: name}}
	r := judging.NewRecord(m, item, judging.Presentation{})
	if r.Shape != "options" || r.Gold != "01" || r.UnrelatedID != "00" || fmt.Sprint(r.EqualOptions) != "[[01 03 05] [04 06]]" || fmt.Sprint(r.Ranks) != "map[01:0 03:2 04:3 05:4 06:5]" {
		t.Errorf("%+v", r)
	}
	r = judging.NewRecord(m, judgingtest.PairItem("p1", 0), judging.Presentation{})
	if r.EqualOptions != nil || r.Ranks != nil || r.Shape != "" {
		t.Errorf("a pair is described as %+v", r)
	}
}

func TestCheckOptionsOfARecord(t *testing.T) {
	good := judging.Record{Schema: 1, Protocol: name, Item: "i1", Outcome: judging.Decided, Presentations: 3, Order: []string{"02", "00", "01"}, Shape: datasets.ShapeOptions, Choice: "01", Gold: "01",
		UnrelatedID: "00", Ranks: map[string]int{"01": 0}, EqualOptions: [][]string{{"01", "02"}}}
	if err := protocoltest.CheckRecordRoundTrip(&good); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*judging.Record){
		`unrelated option "07"`:        func(r *judging.Record) { r.UnrelatedID = "07" },
		`"07" has a rank`:              func(r *judging.Record) { r.Ranks = map[string]int{"07": 0} },
		`"07" is equal to another`:     func(r *judging.Record) { r.EqualOptions = [][]string{{"01", "02"}, {"00", "07"}} },
		"a record without an order sh": func(r *judging.Record) { r.Order, r.UnrelatedID, r.Choice, r.Gold = []string{"01"}, "", "01", "01" },
	} {
		r := good
		change(&r)
		if err := protocoltest.CheckRecordRoundTrip(&r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Items that could break a careless protocol.
func TestOddItemsOfOptions(t *testing.T) {
	twenty := make([]string, 20)
	for i := range twenty {
		twenty[i] = fmt.Sprintf("text %d", i+1)
	}
	for name, texts := range map[string][]string{
		"twenty options":     twenty,
		"an option of 50 kB": {strings.Repeat("long ", 10_000), "short"},
		"an empty option":    {"", "b"},
		"all empty":          {"", "", ""},
		"two equal options":  {"same", "other", "same"},
		"one option":         {"alone"},
	} {
		for _, orders := range []string{"rotations", "random:3"} {
			item := optionsItem(texts...)
			p := choosing(t, "3", judging.Settings{"orders": orders})
			for _, s := range p.Presentations(item) {
				prompt := p.Prompt(item, s)
				rest := prompt.User
				for position, c := range s.Order {
					mark := strconv.Itoa(position + 1)
					want := "[Option " + mark + "]\n\n" + texts[c] + "\n\n[\\Option " + mark + "]"
					_, after, ok := strings.Cut(rest, want)
					if !ok {
						t.Fatalf("%s: option %s is not %q", name, mark, texts[c])
					}
					rest = after
				}
				if rest != "" || len(prompt.Labels) != len(texts) || prompt.Oracle.CorrectPosition >= len(texts) {
					t.Errorf("%s: %q is left, labels %v, oracle %+v", name, rest, prompt.Labels, prompt.Oracle)
				}
			}
		}
	}
}

// shared returns how many bytes of a prompt a server with a prefix cache has read already, after another prompt.
func shared(before, now []backends.Message) int {
	a, b := before[0].Content+"\x00"+before[1].Content, now[0].Content+"\x00"+now[1].Content
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// evaluated returns how many bytes of prompts such a server reads.
func evaluated(prompts [][]backends.Message) int {
	n := 0
	for i, p := range prompts {
		n += len(p[0].Content) + len(p[1].Content)
		if i > 0 {
			n -= min(shared(prompts[i-1], p), len(p[0].Content)+len(p[1].Content))
		}
	}
	return n
}

// Asking the orders of an item one after the other keeps the instruction in the server's prefix cache; asking one order
// of all items after the other does not. Sorted permutations keep options in it too.
func TestOrdersOfAnItemShareTheirBeginning(t *testing.T) {
	var items []datasets.Item
	for i := range 6 {
		item := optionsItem(strings.Repeat("first ", 30), strings.Repeat("second ", 30), strings.Repeat("third ", 30))
		item.ID, item.Question = fmt.Sprint("i", i), strings.Repeat(fmt.Sprintf("question %d ", i), 20)
		items = append(items, item)
	}
	turns := func(p judging.Asker, byItem bool, turn func(n, i int) int) (out [][]backends.Message) {
		k := len(p.Presentations(items[0]))
		for i := range len(items) * k {
			item, presentation := i/k, i%k
			if !byItem {
				item, presentation = i%len(items), i/len(items)
			}
			s := p.Presentations(items[item])[turn(k, presentation)]
			out = append(out, judging.FirstTurnMessages(p.Prompt(items[item], s), backends.RoleSystem))
		}
		return out
	}
	asListed := func(_, i int) int { return i }
	p := choosing(t, "1", nil)
	together, apart := evaluated(turns(p, true, asListed)), evaluated(turns(p, false, asListed))
	// 18 prompts; item by item, the instruction is read 6 times instead of 18
	if saved := apart - together; saved < 12*len(items[0].Question) || saved > 12*(len(items[0].Question)+60) {
		t.Errorf("together %d bytes, apart %d: %d saved, of instructions of %d bytes", together, apart, saved, len(items[0].Question))
	}
	all := choosing(t, "1", judging.Settings{"orders": "all"})
	sorted := evaluated(turns(all, true, asListed))
	mixed := evaluated(turns(all, true, func(n, i int) int { return i * 5 % n })) // 0 5 4 3 2 1
	stride := evaluated(turns(all, true, func(n, i int) int { return []int{0, 2, 4, 1, 3, 5}[i] }))
	if sorted > mixed || sorted >= stride {
		t.Errorf("sorted %d bytes, in other orders %d and %d", sorted, mixed, stride)
	}
}
