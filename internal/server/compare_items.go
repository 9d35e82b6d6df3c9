package server

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/scoring"
)

// matchingComparisonFilters reports for each filter of [comparisonFilters], by name, whether an item matches it; names
// that are missing do not match. positions holds the item's number in each run.
func matchingComparisonFilters(runs []*store.Index, positions []int) map[string]bool {
	var right, scored, confident int // numbers of runs
	last := 0                        // the last run that is right
	same := true
	first := runs[0].Judgments(positions[0])
	for k, x := range runs {
		f := x.Flags(positions[k])
		if f.Has("right") {
			right++
			last = k
		}
		if f.Has("right") || f.Has("wrong") {
			scored++
		}
		if f.Has("confident") {
			confident++
		}
		same = same && sameVerdicts(first, x.Judgments(positions[k]))
	}
	all := scored == len(runs)
	return map[string]bool{
		"differ":                       all && right > 0 && right < len(runs),
		scoring.LetterOf(last):         all && right == 1,
		fmt.Sprintf("right-%d", right): all,
		"both":                         right == len(runs),
		"neither":                      all && right == 0,
		"confident":                    confident == len(runs),
		"none":                         right == 0,
		"verdicts":                     !same,
		"all":                          true,
	}
}

// comparisonFilters returns the filters of the items that compared runs share, such as "they differ", in the order in
// which the page lists them. names has the names of the judges. Hidden filters are listed only while they are chosen.
func comparisonFilters(names []string) (out []Choice, hidden map[string]bool) {
	runs := len(names)
	all, none := "both", "neither"
	if runs > 2 {
		all, none = "all", "none"
	}
	add := func(name, label string) { out = append(out, Choice{Value: name, Name: label}) }
	hidden = map[string]bool{"none": true}
	add("differ", "they differ")
	for i, name := range names {
		short := func(name string) string { return markup.Shorten(name, 16) }
		if !slices.ContainsFunc(names, func(o string) bool { return o != name && short(o) == short(name) }) {
			name = short(name)
		}
		add(scoring.LetterOf(i), "only "+name+" correct")
	}
	for n := range runs + 1 {
		name := fmt.Sprintf("right-%d", n)
		hidden[name] = true
		add(name, fmt.Sprintf("%d of %d correct", n, runs))
	}
	add("both", all+" correct")
	add("neither", none+" correct")
	add("confident", all+" wrong every time")
	add("none", "not known to be correct in any")
	add("verdicts", "a verdict differs")
	add("all", "all")
	return out, hidden
}

// fillItems fills in the filters with their numbers of items, and the requested page of the items that match the chosen
// filter.
func (s *Server) fillItems(v *compareView, runs []*store.Index) error {
	f := v.Filter
	var heads []RunHead
	for _, x := range runs {
		heads = append(heads, s.runHead(x.Run, x.Manifest))
	}
	v.A, v.B = &heads[0], &heads[1]
	names := distinctNames(heads)
	for i, head := range heads {
		v.Chosen = append(v.Chosen, comparedRun{Name: names[i], Head: head})
	}
	list, hidden := comparisonFilters(names)
	var values []string
	for _, d := range list {
		values = append(values, d.Value)
	}
	if !slices.Contains(values, f.Show) {
		return unknownValueError("show", f.Show, values)
	}
	counts := map[string]int{}
	var all [][]int // items that match the chosen filter: their numbers in each run
	for i := range runs[0].Len() {
		positions, ok := commonItem(runs, i)
		if !ok || f.Group != "" && runs[0].Group(i) != f.Group {
			continue
		}
		v.Shared++
		holds := matchingComparisonFilters(runs, positions)
		for name, is := range holds {
			if is {
				counts[name]++
			}
		}
		if holds[f.Show] {
			all = append(all, positions)
		}
	}
	for _, d := range list {
		d.N = counts[d.Value]
		if d.Value == f.Show || !hidden[d.Value] && (d.N > 0 || d.Value == "differ") {
			v.Shows = append(v.Shows, d)
		}
	}
	v.Matches = len(all)
	part, pages, err := pageSlice(all, f.Page, perPage)
	v.Pages = pages
	v.First = v.First && len(part) > maxFirstItems
	if v.First {
		part = part[:maxFirstItems]
	}
	v.addItems(runs, part)
	return err
}

// addItems adds a row to v for each item in part, which holds the item's number in each run.
func (v *compareView) addItems(runs []*store.Index, part [][]int) {
	for _, positions := range part {
		row := CompareRow{
			ID:     runs[0].ItemID(positions[0]),
			Group:  runs[0].Group(positions[0]),
			FlagsA: runs[0].Flags(positions[0]).Names(),
			FlagsB: runs[1].Flags(positions[1]).Names(),
		}
		for k, x := range runs {
			item, _ := x.Item(positions[k]) // its own page shows the error
			row.Question = cmp.Or(row.Question, questionExcerpt(item))
			row.Cells = append(row.Cells, briefs(x, positions[k], item))
		}
		row.A, row.B = row.Cells[0], row.Cells[1]
		row.Link = "/compare/item" + v.Filter.Query("item", row.ID)
		v.Items = append(v.Items, row)
	}
}

// commonItem returns the numbers that item i of the first run has in all runs; ok is false unless all runs judged it.
func commonItem(runs []*store.Index, i int) (positions []int, ok bool) {
	positions = make([]int, len(runs))
	for k, x := range runs {
		j, ok := x.FindItem(runs[0].ItemID(i))
		if !ok || len(x.Judgments(j)) == 0 {
			return nil, false
		}
		positions[k] = j
	}
	return positions, true
}

// compareItemView holds an item with the judgments of all compared runs. A and B are the first two runs.
type compareItemView struct {
	A     ItemView      `json:"a"`
	B     ItemView      `json:"b"`
	Sides []ItemView    `json:"-"` // the item in each run
	Rows  []judgmentRow `json:"-"` // judgments of all runs, side by side
	Texts *ItemTexts    `json:"-"` // the item's texts, from the first run that has them
	Back  string        `json:"-"` // address of the comparison
	Same  bool          `json:"-"` // all runs ask the same question, with the same correct answer
	Said  bool          `json:"-"` // some judgment has a reply, not only a verdict
}

// judgmentRow holds the judgments of the same order of candidates and the same repetition, one of each run.
type judgmentRow struct {
	Title *JudgmentView   // the judgment in the first run that has it, for the heading
	Cells []*JudgmentView // the judgment in each run; nil for a run without it
	order string          // mode and candidates shown, as a key
}

// compareItemView returns the item that a request names as the compared runs judged it.
func (s *Server) compareItemView(r *http.Request) (v compareItemView, err error) {
	q := r.URL.Query()
	names, err := runsOf(q)
	if err != nil {
		return v, err
	}
	if len(names) < 2 {
		return v, failure.BadRequest("which runs? Name two at least, as a and b")
	}
	runs, err := s.runs.Indexes(r.Context(), names)
	if err != nil {
		return v, err
	}
	var heads []RunHead
	for k, x := range runs {
		i, ok := x.FindItem(q.Get("item"))
		if !ok {
			return v, failure.NotFound("there is no item %q that all of these runs have",
				markup.Shorten(q.Get("item"), 100))
		}
		side, err := itemViewOf(x, i)
		if err != nil {
			return v, err
		}
		for j, g := range side.Judgments {
			side.Judgments[j].placePrefix = scoring.LetterOf(k) + "-"
			v.Said = v.Said || len(g.Turns) > 0
		}
		side.Run = s.runHead(x.Run, x.Manifest)
		heads = append(heads, side.Run)
		v.Sides = append(v.Sides, side)
	}
	v.A = v.Sides[0]
	v.B = v.Sides[1]
	v.Same = true
	for i, name := range distinctNames(heads) {
		side := &v.Sides[i]
		side.JudgeName = name
		if v.Texts == nil {
			v.Texts = side.Item
		}
		v.Same = v.Same && side.Asked == v.A.Asked
	}
	v.Rows = alignJudgments(v.Sides)
	v.Back = "/compare" + compareFilter{Runs: names}.Query()
	return v, nil
}

// Says returns a sentence with the number and names of the judges that are correct on the item.
func (v compareItemView) Says() string {
	right := v.judgesWithFlags("right")
	scored := len(right) + len(v.judgesWithFlags("wrong"))
	code := "together.correct"
	if scored < len(v.Sides) {
		code = "together.correct-of-scored"
	}
	if scored == 0 {
		return phrases.Sentence("together.unscored")
	}
	names := ""
	if n := len(right); n > 0 && n < scored {
		names = ": " + table.Enumerate(right)
	}
	return phrases.Sentence(code, len(right), scored, names)
}

// Also returns sentences on judges that always prefer the same position, and on a label that all judges contradict.
func (v compareItemView) Also() string {
	var all []string
	for _, place := range []string{"first", "last"} {
		if names := v.judgesWithFlags(place, "inconsistent"); len(names) > 0 {
			all = append(all, phrases.Sentence("together.position", place, table.Enumerate(names)))
		}
	}
	models := 0 // judges that are not simulated
	for _, side := range v.Sides {
		if !side.Run.Simulated {
			models++
		}
	}
	if models > 1 && len(v.judgesWithFlags("confident")) == len(v.Sides) {
		all = append(all, phrases.Sentence("together.all-wrong"))
	}
	return strings.Join(all, " ")
}

// judgesWithFlags returns the names of the judges whose judgments of the item have all of these flags.
func (v compareItemView) judgesWithFlags(flags ...string) (names []string) {
	for _, side := range v.Sides {
		lacks := func(flag string) bool { return !slices.Contains(side.Flags, flag) }
		if !slices.ContainsFunc(flags, lacks) {
			names = append(names, scoring.QuoteName(side.JudgeName))
		}
	}
	return names
}

// alignJudgments groups an item's judgments in all runs by the order in which candidates were shown and by repetition.
func alignJudgments(sides []ItemView) (rows []judgmentRow) {
	var orders []string
	for k, side := range sides {
		for i := range side.Judgments {
			g := &side.Judgments[i]
			order := store.OrderKey(g.Mode, g.Order)
			row := slices.IndexFunc(rows, func(r judgmentRow) bool {
				return r.order == order && r.Title.Repetition == g.Repetition
			})
			if row < 0 {
				row = len(rows)
				rows = append(rows, judgmentRow{Title: g, Cells: make([]*JudgmentView, len(sides)), order: order})
				orders = append(orders, order)
			}
			rows[row].Cells[k] = g
		}
	}
	slices.SortStableFunc(rows, func(a, b judgmentRow) int {
		return cmp.Or(slices.Index(orders, a.order)-slices.Index(orders, b.order), a.Title.Repetition-b.Title.Repetition)
	})
	return rows
}

// CompareRow holds an item that all compared runs have, with the judgments of each run. A and B are the first two runs.
type CompareRow struct {
	ID     string          `json:"item"`
	Group  string          `json:"group,omitempty"`
	A      []JudgmentBrief `json:"a"`
	B      []JudgmentBrief `json:"b"`
	FlagsA []string        `json:"a_facts"` // filters that match the item in the first run
	FlagsB []string        `json:"b_facts"` // filters that match the item in the second run

	Question string            `json:"-"` // beginning of the item's question
	Cells    [][]JudgmentBrief `json:"-"` // judgments of each run
	Link     string            `json:"-"` // link to the item as all runs judged it
}

// comparedRun holds a run of a comparison, with a name of its judge that no other judge of the comparison has.
type comparedRun struct {
	Name string
	Head RunHead
}

// compareView holds the comparison of two or more runs. A and B are the first two.
type compareView struct {
	Filter     compareFilter        `json:"filter"`
	A          *RunHead             `json:"a"`
	B          *RunHead             `json:"b"`
	Comparison *scoring.Comparisons `json:"comparison" jsonschema:"as gavel compare --format json; null without one"`
	Problem    string               `json:"problem,omitempty" jsonschema:"why there is no comparison"`
	Shared     int                  `json:"shared" jsonschema:"items that all runs have"`
	Matches    int                  `json:"matches"` // items that match the filter
	Pages      int                  `json:"pages"`
	Items      []CompareRow         `json:"items"`

	Fields []Choice      `json:"-"` // runs in the fields of the form
	Runs   []Choice      `json:"-"` // runs that the form lists to choose from
	Links  []Choice      `json:"-"` // links to other comparisons
	Chosen []comparedRun `json:"-"` // the compared runs
	Shows  []Choice      `json:"-"` // filters of the items, with their numbers of items
	Meta   string        `json:"-"` // questions and datasets of the runs, in a line
	Answer string        `json:"-"` // the result in a sentence
	Also   string        `json:"-"` // a second sentence
	Above  template.HTML `json:"-"` // tables and charts above the items
	Below  template.HTML `json:"-"` // tables and charts below the items
	First  bool          `json:"-"` // only the first items are listed
}

// maxFirstItems limits the items on a comparison's page before a person chooses a filter or a page.
const maxFirstItems = 10

// sameVerdicts reports whether a and b, the judgments of an item in two runs, have the same verdict wherever both have
// a judgment of the same order and repetition.
func sameVerdicts(a, b []store.IndexedJudgment) bool {
	return !slices.ContainsFunc(a, func(g store.IndexedJudgment) bool {
		return slices.ContainsFunc(b, func(h store.IndexedJudgment) bool {
			return h.OrderKey == g.OrderKey && h.Repetition == g.Repetition &&
				(h.Outcome != g.Outcome || h.Choice != g.Choice || h.Right != g.Right)
		})
	})
}

// distinctNames returns names of the judges of compared runs. Where judges have the same name, it adds what differs.
func distinctNames(heads []RunHead) []string {
	var sides []scoring.Side
	for _, h := range heads {
		sides = append(sides, scoring.Side{
			Run:      h.Name,
			Protocol: h.Protocol,
			RunSetup: scoring.RunSetup{
				Prompt: h.Prompt, Settings: h.Settings, Model: h.Model, Name: h.GivenJudgeName(), Dataset: h.Dataset,
			},
		})
	}
	names := scoring.DisplayNames(sides)
	for i, name := range names {
		names[i] = markup.MakeVisible(name)
	}
	return names
}
