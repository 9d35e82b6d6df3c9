package server

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"slices"
	"strings"

	"gavel/internal/report/table"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
	"gavel/scoring"
)

// itemOfTwo has the parameters of a call for an item of two runs.
type itemOfTwo struct {
	A    string `json:"a" required:"true" jsonschema:"a run"`
	B    string `json:"b" required:"true" jsonschema:"another"`
	Item string `json:"item" required:"true" jsonschema:"its id"`
}

// difference is a filter of the items of a comparison.
type difference struct {
	name, about string
	hidden      bool // offered only where it is chosen
}

// holding returns the differences that hold for an item, which stands at these positions in the runs.
func holding(runs []*store.Index, at []int) map[string]bool {
	var right, scored, confident int // runs
	last := 0                        // that is right
	same := true
	first := runs[0].Judgments(at[0])
	for k, x := range runs {
		f := x.Flags(at[k])
		if f.Has("right") {
			right++
			last = k
		}
		scored += int(scoring.One(f.Has("right") || f.Has("wrong")))
		confident += int(scoring.One(f.Has("confident")))
		same = same && sameVerdicts(first, x.Judgments(at[k]))
	}
	all := scored == len(runs)
	return map[string]bool{
		"differ":                        all && right > 0 && right < len(runs),
		strings.ToLower(letterOf(last)): all && right == 1,
		fmt.Sprintf("right-%d", right):  all,
		"both":                          right == len(runs),
		"neither":                       all && right == 0,
		"confident":                     confident == len(runs),
		"none":                          right == 0,
		"verdicts":                      !same,
		"all":                           true,
	}
}

// differences returns the filters of a comparison of judges with these names, in the order of the page.
func differences(names []string) (out []difference) {
	runs := len(names)
	all, none := "both", "neither"
	if runs > 2 {
		all, none = "all", "none"
	}
	add := func(name, about string) { out = append(out, difference{name: name, about: about}) }
	hide := func(name, about string) { out = append(out, difference{name: name, about: about, hidden: true}) }
	add("differ", "they differ")
	for i, name := range names {
		short := func(name string) string { return markup.Shortened(name, 16) }
		if !slices.ContainsFunc(names, func(o string) bool { return o != name && short(o) == short(name) }) {
			name = short(name)
		}
		add(strings.ToLower(letterOf(i)), "only "+name+" correct")
	}
	for n := range runs + 1 {
		hide(fmt.Sprintf("right-%d", n), fmt.Sprintf("%d of %d correct", n, runs))
	}
	add("both", all+" correct")
	add("neither", none+" correct")
	add("confident", all+" wrong every time")
	hide("none", "not known to be correct in any")
	add("verdicts", "a verdict differs")
	add("all", "all")
	return out
}

// beside lists the items that the filter takes.
func (s *Server) beside(v *compareView, runs []*store.Index) error {
	f := v.Filter
	var heads []RunHead
	for _, x := range runs {
		heads = append(heads, s.head(x.Run, x.Manifest))
	}
	v.A, v.B = &heads[0], &heads[1]
	names := namesAmong(heads)
	for i, head := range heads {
		v.Chosen = append(v.Chosen, comparedRun{Name: names[i], Head: head})
	}
	list := differences(names)
	var known []string
	for _, d := range list {
		known = append(known, d.name)
	}
	if !slices.Contains(known, f.Show) {
		return notOneOf("show", f.Show, known)
	}
	counts := map[string]int{}
	var all [][]int // of the chosen filter: places in each run
	for i := range runs[0].Len() {
		at, ok := commonItem(runs, i)
		if !ok || f.Group != "" && runs[0].Group(i) != f.Group {
			continue
		}
		v.Shared++
		holds := holding(runs, at)
		for name, is := range holds {
			counts[name] += int(scoring.One(is))
		}
		if holds[f.Show] {
			all = append(all, at)
		}
	}
	for _, d := range list {
		if d.name == f.Show || !d.hidden && (counts[d.name] > 0 || d.name == "differ") {
			v.Shows = append(v.Shows, Option{Value: d.name, Name: d.about, N: counts[d.name]})
		}
	}
	v.Matches = len(all)
	part, pages, err := pageOf(all, f.Page, perPage)
	v.Pages = pages
	v.First = v.First && len(part) > firstCompared
	if v.First {
		part = part[:firstCompared]
	}
	v.addItems(runs, part)
	return err
}

// addItems adds items, each with its position in every run.
func (v *compareView) addItems(runs []*store.Index, part [][]int) {
	texts := make([]*os.File, len(runs))
	for k, x := range runs {
		texts[k] = x.OpenItems()
		defer texts[k].Close()
	}
	for _, at := range part {
		row := CompareRow{
			ID:     runs[0].ID(at[0]),
			Group:  runs[0].Group(at[0]),
			FlagsA: runs[0].Flags(at[0]).Names(),
			FlagsB: runs[1].Flags(at[1]).Names(),
		}
		for k, x := range runs {
			item := x.ItemIfThere(texts[k], at[k])
			row.Question = cmp.Or(row.Question, questionOf(item))
			row.Cells = append(row.Cells, briefs(x, at[k], item))
		}
		row.A, row.B = row.Cells[0], row.Cells[1]
		row.Link = "/compare/item" + v.Filter.Query("item", row.ID)
		v.Items = append(v.Items, row)
	}
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
	Cells []*JudgmentView
	order string // see [store.ShownAs]
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
		side.Run = s.head(x.Run, x.Manifest)
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
		says += ": " + table.Enumerate(right)
	}
	return says + "."
}

// Also names the judges whose verdicts depend on the place alone, and says what it means that all are wrong.
func (v compareItemView) Also() string {
	var all []string
	for _, place := range []string{"first", "last"} {
		if names := v.named(place, "inconsistent"); len(names) > 0 {
			all = append(all, fmt.Sprintf("Preferred what was shown %s, in every order: %s.", place, table.Enumerate(names)))
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

// align puts judgments side by side that showed the same candidates in the same order, in the same repetition.
func align(sides []ItemView) (rows []judgmentRow) {
	var orders []string
	for k, side := range sides {
		for i := range side.Judgments {
			g := &side.Judgments[i]
			order := store.ShownAs(g.Mode, g.Order)
			at := slices.IndexFunc(rows, func(r judgmentRow) bool {
				return r.order == order && r.Title.Repetition == g.Repetition
			})
			if at < 0 {
				at = len(rows)
				rows = append(rows, judgmentRow{Title: g, Cells: make([]*JudgmentView, len(sides)), order: order})
				orders = append(orders, order)
			}
			rows[at].Cells[k] = g
		}
	}
	slices.SortStableFunc(rows, func(a, b judgmentRow) int {
		return cmp.Or(slices.Index(orders, a.order)-slices.Index(orders, b.order), a.Title.Repetition-b.Title.Repetition)
	})
	return rows
}

// CompareRow is an item that all runs have.
type CompareRow struct {
	ID     string          `json:"item"`
	Group  string          `json:"group,omitempty"`
	A      []JudgmentBrief `json:"a"`
	B      []JudgmentBrief `json:"b"`
	FlagsA []string        `json:"a_facts"`
	FlagsB []string        `json:"b_facts"`

	Question string            `json:"-"`
	Cells    [][]JudgmentBrief `json:"-"` // of each run
	Link     string            `json:"-"`
}

// comparedRun is a run of a comparison, with the name of its judge.
type comparedRun struct {
	Name string
	Head RunHead
}

// compareView is several runs beside each other.
type compareView struct {
	Filter     compareFilter        `json:"filter"`
	A          *RunHead             `json:"a"`
	B          *RunHead             `json:"b"`
	Comparison *scoring.Comparisons `json:"comparison" jsonschema:"as gavel compare --format json; null where there is none"`
	Problem    string               `json:"problem,omitempty" jsonschema:"why there is none"`
	Shared     int                  `json:"shared" jsonschema:"items that all have"`
	Matches    int                  `json:"matches"`
	Pages      int                  `json:"pages"`
	Items      []CompareRow         `json:"items"`

	Fields []compareField `json:"-"` // of the form
	Runs   []Option       `json:"-"` // to choose from
	Links  []boardChoice  `json:"-"` // other comparisons
	Chosen []comparedRun  `json:"-"`
	Shows  []Option       `json:"-"`
	Meta   string         `json:"-"`
	Answer string         `json:"-"`
	Also   string         `json:"-"`
	Above  template.HTML  `json:"-"` // the items
	Below  template.HTML  `json:"-"` // them
	First  bool           `json:"-"` // the first items only, not a page of all
}

// compareField is a field of the form.
type compareField struct{ Letter, Value string }

// firstCompared is the number of items on a page without a filter.
const firstCompared = 10

// letterOf returns the letter of the run at a place, below maxCompared.
func letterOf(place int) string { return string('A' + rune(place)) }

// Marked are the runs of which something is to be said beside their names, all of them where they cannot be compared.
func (v compareView) Marked() (marked []comparedRun) {
	for _, c := range v.Chosen {
		if c.Head.Simulated || c.Head.Status != judging.Complete || v.Problem != "" {
			marked = append(marked, c)
		}
	}
	return marked
}

// sameVerdicts tells whether two runs came to the same on an item, in all judgments that stand beside each other: of
// the same order, asked for the same time. What one of them alone has tells nothing.
func sameVerdicts(a, b []store.Judgment) bool {
	return !slices.ContainsFunc(a, func(g store.Judgment) bool {
		return slices.ContainsFunc(b, func(h store.Judgment) bool {
			return h.Shown == g.Shown && h.Repetition == g.Repetition &&
				(h.Outcome != g.Outcome || h.Choice != g.Choice || h.Right != g.Right)
		})
	})
}

// namesAmong returns the names of judges that stand side by side; judges with one name also get what differs.
func namesAmong(heads []RunHead) []string {
	var sides []scoring.Side
	for _, h := range heads {
		sides = append(sides, scoring.Side{
			Run:      h.Name,
			Protocol: h.Protocol,
			Question: scoring.Question{
				Prompt: h.Prompt, Settings: h.Settings, Model: h.Model, Name: h.AboutName(), Dataset: h.Dataset,
			},
		})
	}
	names := scoring.NamesOf(sides)
	for i, name := range names {
		names[i] = markup.Visible(name)
	}
	return names
}
