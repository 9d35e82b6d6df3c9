package server

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"gavel/internal/report"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/scoring"
)

func init() {
	addRoutes(route{
		pattern:  "GET /compare/item",
		template: "compare-item",
		view:     viewOf((*Server).compareItemView),
		api:      "/compare/item",
		about:    "An item as two runs judged it",
		query: struct {
			A    string `json:"a" required:"true" jsonschema:"a run"`
			B    string `json:"b" required:"true" jsonschema:"another"`
			Item string `json:"item" required:"true" jsonschema:"its id"`
		}{},
	})
}

// difference is a filter of the items of a comparison.
type difference struct {
	name, about string
	hidden      bool // offered only where it is chosen
	is          func(x flagged) bool
}

// flagged is an item as each run judged it: how many runs are right, have a label and all judgments, and are wrong in
// each judgment.
type flagged struct {
	flags                    []store.Flags
	right, scored, confident int
	same                     bool // all verdicts are
}

// newFlagged counts the flags of the runs. same says whether all their verdicts are.
func newFlagged(flags []store.Flags, same bool) flagged {
	x := flagged{flags: flags, same: same}
	for _, f := range flags {
		x.right += int(scoring.One(f.Has("right")))
		x.scored += int(scoring.One(f.Has("right") || f.Has("wrong")))
		x.confident += int(scoring.One(f.Has("confident")))
	}
	return x
}

// differences of runs, in the order of the page.
func differences(names []string) (out []difference) {
	runs := len(names)
	all, none := "both", "neither"
	if runs > 2 {
		all, none = "all", "none"
	}
	add := func(name, about string, hidden bool, is func(x flagged) bool) {
		out = append(out, difference{name: name, about: about, hidden: hidden, is: is})
	}
	add("differ", "they differ", false, func(x flagged) bool { return x.scored == runs && x.right > 0 && x.right < runs })
	for i, name := range names {
		short := func(name string) string { return markup.Shortened(name, 16) }
		if !slices.ContainsFunc(names, func(o string) bool { return o != name && short(o) == short(name) }) {
			name = short(name)
		}
		add(strings.ToLower(letterOf(i)), "only "+name+" correct", false, func(x flagged) bool {
			return x.scored == runs && x.flags[i].Has("right") && x.right == 1
		})
	}
	for n := range runs + 1 {
		add(rightIn(n), fmt.Sprintf("%d of %d correct", n, runs), true, func(x flagged) bool {
			return x.scored == runs && x.right == n
		})
	}
	add("both", all+" correct", false, func(x flagged) bool { return x.right == runs })
	add("neither", none+" correct", false, func(x flagged) bool { return x.scored == runs && x.right == 0 })
	add("confident", all+" wrong every time", false, func(x flagged) bool { return x.confident == runs })
	add("none", "not known to be correct in any", true, func(x flagged) bool { return x.right == 0 })
	add("verdicts", "a verdict differs", false, func(x flagged) bool { return !x.same })
	add("all", "all", false, func(flagged) bool { return true })
	return out
}

// rightIn names the filter of items that so many runs are right on.
func rightIn(runs int) string { return fmt.Sprintf("right-%d", runs) }

// beside lists the items that the filter takes.
func (s *Server) beside(v *compareView, runs []*store.Index) error {
	f := v.Filter
	var heads []RunHead
	for _, x := range runs {
		head := headOf(x.Run, x.Manifest)
		head.About = s.runs.About(x.Run)
		heads = append(heads, head)
	}
	names := namesAmong(heads)
	for i, head := range heads {
		v.Chosen = append(v.Chosen, comparedRun{Letter: letterOf(i), Name: names[i], Head: head})
	}
	v.A, v.B = &heads[0], &heads[1]
	list := differences(names)
	chosen := slices.IndexFunc(list, func(d difference) bool { return d.name == f.Show })
	if chosen < 0 {
		var names []string
		for _, d := range list {
			names = append(names, d.name)
		}
		return failure.Bad("show %q: it is one of %s", markup.Visible(f.Show), strings.Join(names, ", "))
	}
	texts := make([]*os.File, len(runs))
	for k, x := range runs {
		texts[k] = x.OpenItems()
		defer texts[k].Close()
	}
	counts := make([]int, len(list))
	var all [][]int // of the chosen filter: places in each run
	for i := range runs[0].Len() {
		at, ok := commonItem(runs, i)
		if !ok || f.Group != "" && runs[0].Group(i) != f.Group {
			continue
		}
		v.Shared++
		var flags []store.Flags
		same := true
		for k, x := range runs {
			flags = append(flags, x.Flags(at[k]))
			same = same && sameVerdicts(runs[0].Judgments(i), x.Judgments(at[k]))
		}
		item := newFlagged(flags, same)
		for k, d := range list {
			if d.is(item) {
				counts[k]++
				if k == chosen {
					all = append(all, at)
				}
			}
		}
	}
	for k, d := range list {
		if k == chosen || !d.hidden && (counts[k] > 0 || d.name == "differ") {
			v.Shows = append(v.Shows, Option{Value: d.name, Name: d.about, N: counts[k]})
		}
	}
	v.Matches = counts[chosen]
	part, pages, err := pageOf(all, f.Page, perPage)
	v.Pages = pages
	v.First = v.First && len(part) > firstCompared
	if v.First {
		part = part[:firstCompared]
	}
	for _, at := range part {
		v.Items = append(v.Items, compareRow(runs, names, texts, at, f))
	}
	return err
}

// compareRow is an item, at its place in each run.
func compareRow(runs []*store.Index, names []string, texts []*os.File, at []int, f compareFilter) CompareRow {
	x := runs[0]
	row := CompareRow{ID: x.ID(at[0]), Group: x.Group(at[0])}
	for k, x := range runs {
		item := x.ItemIfThere(texts[k], at[k])
		if row.Question == "" {
			row.Question = questionOf(item)
		}
		row.Cells = append(row.Cells, compareCell{
			Name:      names[k],
			Judgments: briefs(x, at[k], item),
			Flags:     x.Flags(at[k]).Names(),
		})
	}
	a, b := row.Cells[0], row.Cells[1]
	row.A = a.Judgments
	row.FlagsA = a.Flags
	row.B = b.Judgments
	row.FlagsB = b.Flags
	row.Link = "/compare/item" + f.Query("item", row.ID)
	return row
}

// commonItem is the place of the first run's item in all runs, where all have judged it.
func commonItem(runs []*store.Index, i int) (at []int, ok bool) {
	at = make([]int, len(runs))
	for k, x := range runs {
		j, ok := x.Find(runs[0].ID(i))
		if !ok || len(x.Judgments(j)) == 0 {
			return nil, false
		}
		at[k] = j
	}
	return at, true
}

// compareItemView is an item with the judgments of all runs.
type compareItemView struct {
	A     ItemView      `json:"a"`
	B     ItemView      `json:"b"`
	Sides []ItemView    `json:"-"` // all of them
	Rows  []judgmentRow `json:"-"`
	Texts *ItemTexts    `json:"-"` // of the first run that has them
	Back  string        `json:"-"`
	Same  bool          `json:"-"` // all were asked the same
	Said  bool          `json:"-"` // some reply is here, not only a verdict
}

// judgmentRow are the judgments of one order, asked for the same time, one of each run.
type judgmentRow struct {
	Title *JudgmentView // of the first run that has one
	Cells []judgmentCell
	of    aligned
}

type judgmentCell struct {
	Name string // of the judge
	*JudgmentView
}

func (s *Server) compareItemView(r *http.Request) (v compareItemView, err error) {
	q := r.URL.Query()
	names, err := runsOf(q)
	if err != nil {
		return v, err
	}
	if len(names) < 2 {
		return v, failure.Bad("which runs? Name two at least, as a and b")
	}
	runs, err := s.runs.Indexes(r.Context(), names)
	if err != nil {
		return v, err
	}
	var heads []RunHead
	for k, x := range runs {
		i, ok := x.Find(q.Get("item"))
		if !ok {
			return v, failure.NotFound("there is no item %q that all of these runs have",
				markup.Shortened(q.Get("item"), 100))
		}
		side, err := s.itemOf(x, i)
		if err != nil {
			return v, err
		}
		for j, g := range side.Judgments {
			side.Judgments[j].side = strings.ToLower(letterOf(k)) + "-"
			v.Said = v.Said || len(g.Turns) > 0
		}
		side.Run.About = s.runs.About(x.Run)
		side.Row.manifest = x.Manifest
		heads = append(heads, side.Run)
		v.Sides = append(v.Sides, side)
	}
	v.A = v.Sides[0]
	v.B = v.Sides[1]
	v.Same = true
	for i, name := range namesAmong(heads) {
		side := &v.Sides[i]
		side.Called = name
		if v.Texts == nil {
			v.Texts = side.Item
		}
		v.Same = v.Same && side.Asked == v.A.Asked
	}
	v.Rows = align(v.Sides)
	v.Back = "/compare" + compareFilter{Runs: names}.Query()
	return v, nil
}

// Says is which judges are correct on the item.
func (v compareItemView) Says() string {
	right := v.named("right")
	scored := len(right) + len(v.named("wrong"))
	of := fmt.Sprintf("%d judges", len(v.Sides))
	if scored < len(v.Sides) {
		of = fmt.Sprintf("the %d that can be scored", scored)
	}
	if scored == 0 {
		return "No judge can be scored: there is no label, or not every judgment."
	}
	says := fmt.Sprintf("%d of %s correct", len(right), of)
	if n := len(right); n > 0 && n < scored {
		says += ": " + report.Enumerate(right)
	}
	return says + "."
}

// Also names the judges whose verdicts depend on the place alone, and says what it means that all are wrong.
func (v compareItemView) Also() string {
	var all []string
	for _, place := range []string{"first", "last"} {
		if names := v.named(place, "inconsistent"); len(names) > 0 {
			all = append(all, fmt.Sprintf("Preferred what was shown %s, in every order: %s.", place, report.Enumerate(names)))
		}
	}
	asked := 0 // that are no simulation
	for _, side := range v.Sides {
		asked += int(1 - scoring.One(side.Run.Simulated))
	}
	if asked > 1 && len(v.named("confident")) == len(v.Sides) {
		all = append(all, "Each is wrong every time: the label may be wrong.")
	}
	return strings.Join(all, " ")
}

// named are the runs that have all of some flags, by the names of their judges.
func (v compareItemView) named(flags ...string) (names []string) {
	for _, side := range v.Sides {
		lacks := func(flag string) bool { return !slices.Contains(side.Flags, flag) }
		if !slices.ContainsFunc(flags, lacks) {
			names = append(names, scoring.InSentence(side.Called))
		}
	}
	return names
}

// aligned is what judgments that stand beside each other have in common; of those that a run has twice, nth counts.
type aligned struct {
	order      string // see ShownAs
	repetition int
	nth        int
}

// align puts judgments beside each other that showed the same in the same order, asked for the same time; of those
// that a run has twice, the first beside the first.
func align(sides []ItemView) (rows []judgmentRow) {
	at := map[aligned]int{}
	var orders []string
	for k, side := range sides {
		seen := map[aligned]int{}
		for i := range side.Judgments {
			g := &side.Judgments[i]
			of := aligned{order: store.ShownAs(g.Mode, g.Order), repetition: g.Repetition}
			n := seen[of]
			seen[of]++
			of.nth = n
			row, ok := at[of]
			if !ok {
				row = len(rows)
				at[of] = row
				rows = append(rows, judgmentRow{Title: g, Cells: make([]judgmentCell, len(sides)), of: of})
				for c := range sides {
					rows[row].Cells[c].Name = sides[c].Called
				}
			}
			if !slices.Contains(orders, of.order) {
				orders = append(orders, of.order)
			}
			rows[row].Cells[k].JudgmentView = g
		}
	}
	slices.SortStableFunc(rows, func(a, b judgmentRow) int {
		return cmp.Or(slices.Index(orders, a.of.order)-slices.Index(orders, b.of.order),
			a.of.nth-b.of.nth, a.of.repetition-b.of.repetition)
	})
	return rows
}
