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

// flagged is an item as each run judged it.
type flagged struct {
	flags []store.Flags
	same  bool // all verdicts are
}

// right is how many runs are right on the item.
func (x flagged) right() (n int) {
	for _, f := range x.flags {
		n += int(scoring.One(f.Right))
	}
	return n
}

// whole tells whether the item has a label, and each run all of its judgments.
func (x flagged) whole() bool {
	return !slices.ContainsFunc(x.flags, func(f store.Flags) bool { return !f.Right && !f.Wrong })
}

// differences of runs, in the order of the page.
func differences(names []string) []difference {
	all, none := "both", "neither"
	if len(names) > 2 {
		all, none = "all", "none"
	}
	out := []difference{{
		name:  "differ",
		about: "they differ",
		is:    func(x flagged) bool { n := x.right(); return x.whole() && n > 0 && n < len(x.flags) },
	}}
	for i, name := range names {
		short := func(name string) string { return markup.Shortened(name, 16) }
		if !slices.ContainsFunc(names, func(o string) bool { return o != name && short(o) == short(name) }) {
			name = short(name)
		}
		out = append(out, difference{
			name:  strings.ToLower(letterOf(i)),
			about: "only " + name + " right",
			is:    func(x flagged) bool { return x.whole() && x.flags[i].Right && x.right() == 1 },
		})
	}
	for n := range len(names) + 1 {
		out = append(out, difference{
			name:   rightIn(n),
			about:  fmt.Sprintf("%d of %d right", n, len(names)),
			hidden: true,
			is:     func(x flagged) bool { return x.whole() && x.right() == n },
		})
	}
	return append(out,
		difference{
			name:  "both",
			about: all + " right",
			is:    func(x flagged) bool { return x.right() == len(x.flags) },
		},
		difference{
			name:  "neither",
			about: none + " right",
			is:    func(x flagged) bool { return x.whole() && x.right() == 0 },
		},
		difference{
			name:  "confident",
			about: all + " wrong every time",
			is: func(x flagged) bool {
				return x.whole() && !slices.ContainsFunc(x.flags, func(f store.Flags) bool { return !f.Confident })
			},
		},
		difference{
			name:   "none",
			about:  "not known to be right in any",
			hidden: true,
			is:     func(x flagged) bool { return x.right() == 0 },
		},
		difference{
			name:  "verdicts",
			about: "a verdict differs",
			is:    func(x flagged) bool { return !x.same },
		},
		difference{name: "all", about: "all", is: func(flagged) bool { return true }})
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
		item := flagged{same: true}
		for k, x := range runs {
			item.flags = append(item.flags, x.Flags(at[k]))
			item.same = item.same && sameVerdicts(runs[0].Judgments(i), x.Judgments(at[k]))
		}
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

// namedJudges is how many judges a headline names.
const namedJudges = 3

// Says is which judges are right on the item.
func (v compareItemView) Says() string {
	right := v.named("right")
	wrong := v.named("wrong")
	n := len(v.Sides)
	scored := len(right) + len(wrong)
	all := fmt.Sprintf("All %s judges are", scoring.CountWord(n))
	none := fmt.Sprintf("None of %s judges is", scoring.CountWord(n))
	if n == 2 {
		all = "Both judges are"
		none = "Neither judge is"
	}
	switch {
	case scored == 0:
		return "Nobody can say who is right: there is no label, or not every judgment."
	case scored < n:
		return fmt.Sprintf("Right: %d of the %d that can be scored.", len(right), scored)
	case len(wrong) == 0:
		return all + " right."
	case len(right) == 0:
		return none + " right."
	case n == 2:
		return right[0] + " is right, " + wrong[0] + " is not."
	case len(right) <= namedJudges:
		return "Only " + report.Enumerate(right) + plural(right, " is", " are") + " right."
	case len(wrong) <= namedJudges:
		return "All are right but " + report.Enumerate(wrong) + "."
	}
	return fmt.Sprintf("%d of %d judges are right.", len(right), n)
}

// Also says whose verdicts depend on the place alone, and what it means that all are wrong.
func (v compareItemView) Also() string {
	var all []string
	for _, place := range []string{"first", "last"} {
		if names := v.named(place, "inconsistent"); len(names) > 0 {
			all = append(all, report.Enumerate(names)+plural(names, " names", " name")+" what is shown "+place+
				", whatever that is.")
		}
	}
	asked := 0 // that are no simulation
	for _, side := range v.Sides {
		asked += int(1 - scoring.One(side.Run.Simulated))
	}
	if len(v.named("confident")) == len(v.Sides) && asked > 1 {
		all = append(all, "Each is wrong every time: the label may be wrong.")
	}
	return strings.Join(all, " ")
}

// named are the runs of which all of this is so, by the names of their judges.
func (v compareItemView) named(flags ...string) (names []string) {
	for _, side := range v.Sides {
		lacks := func(flag string) bool { return !slices.Contains(side.Flags, flag) }
		if !slices.ContainsFunc(flags, lacks) {
			names = append(names, scoring.InSentence(side.Called))
		}
	}
	return names
}

// plural chooses between the words for one thing and for several.
func plural(things []string, one, several string) string {
	if len(things) == 1 {
		return one
	}
	return several
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
