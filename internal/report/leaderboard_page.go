package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Leaderboard is a board as a page shows it: the answer, one chart of the judges, where they fail, and whether the
// place decides. Its address of anything is "" where there is none.
type Leaderboard struct {
	Board
	Most    int      `json:"-"` // rows of the chart; 0: all
	All     string   `json:"-"` // address of the page with all rows
	Hardest string   `json:"-"` // address of the items that most judges get wrong
	Notes   []string `json:"-"` // under the chart
	Prefix  string   `json:"-"` // of the ids of its elements, where several are on a page
	About   string   `json:"-"` // the question and the dataset, where the page does not say them
}

// Headline is the answer. No name is broken into two lines.
func (l *Leaderboard) Headline() template.HTML {
	first, _ := l.sentences()
	first = strings.Replace(first, "of the "+l.Unit+"s.", "of "+l.of()+".", 1)
	var names []string
	for _, s := range l.placed() {
		names = append(names, s.Name)
	}
	return unbroken(first, names)
}

// unbroken keeps names in words on one line, unless they are long.
func unbroken(words string, names []string) template.HTML {
	var whole []string
	for _, n := range slices.SortedFunc(slices.Values(names), func(a, b string) int { return len(b) - len(a) }) {
		if n == "" || len(n) > mostUnbroken {
			continue
		}
		name := string(spaced(n))
		whole = append(whole, name, `<span class="nowrap">`+name+`</span>`)
	}
	return template.HTML(strings.NewReplacer(whole...).Replace(string(spaced(words))))
}

// mostUnbroken is how long, in bytes, names are that stay on a line of a phone.
const mostUnbroken = 24

// Also is what else there is to say of the answer.
func (l *Leaderboard) Also() template.HTML {
	_, rest := l.sentences()
	return spaced(strings.TrimSpace(rest + " " + l.beyond()))
}

// beyond says it where the best judges are told apart from every other.
func (l *Leaderboard) beyond() string {
	best := l.Best()
	others := len(l.placed()) - len(best)
	behind := func(s Standing) bool { return s.Last > len(best) }
	if l.Test == "" || len(best) == 0 || others == 0 || slices.ContainsFunc(best, behind) {
		return ""
	}
	if others == 1 {
		return "The difference to the other judge is beyond noise."
	}
	return "The difference to every other judge here is beyond noise."
}

// spaced keeps numbers on the line of their unit.
func spaced(words string) template.HTML {
	return template.HTML(template.HTMLEscapeString((*RunPage)(nil).Spaced(words)))
}

// Body is all below the answer.
func (l *Leaderboard) Body() template.HTML { return blocks(nil, l.sections()...) }

func (l *Leaderboard) sections() []Section {
	if len(l.Rows) == 0 {
		return nil
	}
	all := []Section{{ID: "cards", Body: l.cards()}, l.chart(), l.fails(), l.against(), l.reading()}
	for i := range all {
		all[i].ID = l.Prefix + all[i].ID
	}
	return all
}

// layout of the judges' runs.
func (l *Leaderboard) layout() *Layout { return layoutOf(l.Rows[0].Report.Protocol) }

// of is how many of what the judges with the most judged.
func (l *Leaderboard) of() string {
	most := 0
	for _, s := range l.Rows {
		most = max(most, s.Headline.N)
	}
	return table.Count(most, l.Unit)
}

// fewestKept is the share of pairs, in percent, that a judge keeps at least of which a card says how sure it is there.
const fewestKept = 50

// cards say which judge to take for what.
func (l *Leaderboard) cards() template.HTML {
	placed := l.placed()
	if len(placed) < 2 {
		return ""
	}
	var cards []card
	if l.Test != "" && l.warning() == "" && len(l.Best()) < len(placed) {
		cards = append(cards, l.bestCard(placed))
	}
	var surest, fastest *Standing
	for i := range placed {
		s := &placed[i]
		useful := s.Level == scoring.Usable || s.Level == scoring.Strong
		kept := s.RightWhereAlike.Value != nil && s.Coverage.Value != nil && *s.Coverage.Value >= fewestKept
		if useful && kept && (surest == nil || *s.RightWhereAlike.Value > *surest.RightWhereAlike.Value) {
			surest = s
		}
		if useful && s.Seconds != nil && (fastest == nil || *s.Seconds < *fastest.Seconds) {
			fastest = s
		}
	}
	if surest != nil {
		cards = append(cards, card{
			Name:  "Most to rely on where both orders agree",
			Value: surest.Name,
			About: fmt.Sprintf("Right on %.0f %% of these verdicts; %.0f %% of the %ss get one.",
				*surest.RightWhereAlike.Value, *surest.Coverage.Value, l.Unit),
		})
	}
	if fastest != nil {
		cards = append(cards, card{
			Name:  "Fastest that is usable",
			Value: fastest.Name + " · " + seconds1(*fastest.Seconds) + " a " + l.Unit,
			About: capital(l.Board.values([]Standing{*fastest})),
		})
	}
	for _, bad := range []struct {
		level scoring.Level
		name  string
	}{{scoring.Unusable, "Do not use"}, {scoring.Weak, "Do not rely on alone"}} {
		rows := slices.DeleteFunc(slices.Clone(placed), func(s Standing) bool { return s.Level != bad.level })
		if len(rows) == 0 {
			continue
		}
		slices.Reverse(rows)
		c := card{Name: bad.name, Value: namesOf(rows)}
		if len(rows) == 1 {
			c.About = rows[0].Report.Says
		} else {
			c.About = fmt.Sprintf("%s: %s", rows[0].Name, lower(rows[0].Report.Says))
		}
		cards = append(cards, c)
		break
	}
	if len(cards) == 0 {
		return ""
	}
	return part("board-cards", cards)
}

// bestCard names the best.
func (l *Leaderboard) bestCard(placed []Standing) card {
	best := l.Best()
	c := card{Name: "Most accurate", Value: namesOf(best)}
	if !l.ofRight() {
		c.Name = "Highest " + l.headline()
	}
	points := func(a, b Standing) string {
		x := scoring.Result{Unit: a.Headline.Unit}
		d := *a.Headline.Value - *b.Headline.Value
		if x.Unit == "" {
			return table.Rough(&d, x) + " points"
		}
		return table.Rough(&d, x)
	}
	switch last := best[len(best)-1]; {
	case len(best) > 1:
		c.About = fmt.Sprintf("Within %s of each other: choose by time and by what you keep.", points(best[0], last))
	case len(placed) > 1:
		c.About = fmt.Sprintf("%s above %s, the next.", points(best[0], placed[1]), placed[1].Name)
	}
	return c
}

// lower makes the first letter of a sentence small.
func lower(s string) string {
	if s == "" {
		return s
	}
	return strings.ToLower(s[:1]) + s[1:]
}

// seconds1 is a time of one item.
func seconds1(s float64) string {
	switch {
	case s < 9.95:
		return fmt.Sprintf("%.1f s", s)
	case s < 120:
		return fmt.Sprintf("%.0f s", s)
	}
	return fmt.Sprintf("%.0f min", s/60)
}

// BoardCell is what a leaderboard draws of a run beside the headline.
type BoardCell struct {
	Head  string
	Class string // kp of words, bi of shares around 50, n of numbers
	Draw  func(r *scoring.Report) template.HTML
}

// boardRow is a judge in the chart.
type boardRow struct {
	Standing
	Bracket       string // first, mid or last of the judges that one joins
	Plot, Value   template.HTML
	Beside        []template.HTML
	Time, Ranked  string
	NameWithBreak template.HTML
}

// cells are what stands beside the headline.
func (l *Leaderboard) cells() []BoardCell {
	cells := l.layout().BoardCells
	if cells != nil {
		return cells
	}
	for _, c := range l.beside() {
		cells = append(cells, BoardCell{
			Head:  strings.TrimSpace(c.Heads[0] + " " + c.Heads[1]),
			Class: "n",
			Draw: func(r *scoring.Report) template.HTML {
				x := c.Of(r)
				return template.HTML(template.HTMLEscapeString(table.Rough(x.Value, x)))
			},
		})
	}
	return cells
}

// chart has a row for each judge.
func (l *Leaderboard) chart() Section {
	rows := l.Rows
	left := 0
	if l.Most > 0 && len(rows) > l.Most {
		left = len(rows) - l.Most
		rows = rows[:l.Most]
	}
	head := rows[0].Headline
	axis := valueAxis(head.Unit)
	cells := l.cells()
	view := struct {
		Label, Name, Head, TimeHead, All string
		Prefix                           string
		Left                             int
		Axis                             template.HTML
		Cells                            []BoardCell
		Rows                             []boardRow
		Dots, References, Brackets       bool
		Timed                            bool
		Notes                            []string
	}{
		Label:    "Judges by " + l.headline() + ", the best first",
		Name:     l.headline(),
		Head:     "Right",
		All:      l.All,
		Prefix:   l.Prefix,
		Left:     left,
		Axis:     axis.heads(),
		Cells:    cells,
		Notes:    l.Notes,
		TimeHead: "Time a " + l.Unit,
	}
	if !l.ofRight() {
		view.Head = capital(l.headline())
	}
	view.Timed = slices.ContainsFunc(rows, func(s Standing) bool { return s.Seconds != nil })
	brackets := make([]string, len(rows))
	if l.Test != "" {
		brackets = bracketsOf(rows)
	}
	for i, s := range rows {
		look := "dot"
		if s.Reference {
			look = "diamond"
		}
		row := boardRow{
			Standing: s,
			Bracket:  brackets[i],
			Ranked:   s.Ranks(),
			Plot:     Signs(axis, Sign{Result: s.Headline, Look: look}),
			Value:    ValueCell(s.Headline),
		}
		if l.Test == "" {
			row.Ranked = ""
		}
		for _, c := range cells {
			row.Beside = append(row.Beside, c.Draw(s.Report))
		}
		if s.Seconds != nil {
			row.Time = seconds1(*s.Seconds)
		}
		row.NameWithBreak = breakable(s.Name)
		view.Dots = view.Dots || !s.Reference
		view.References = view.References || s.Reference
		view.Brackets = view.Brackets || brackets[i] != ""
		view.Rows = append(view.Rows, row)
	}
	unit := "percent of " + l.of()
	if head.Unit != "" {
		unit = "from " + table.Fixed(&axis.Min, 0) + " to " + table.Fixed(&axis.Max, 0) + ", over " + l.of()
	}
	return Section{
		ID:    "judges",
		Title: capital(l.headline()),
		About: unit + ", with 95 % interval · the best first · a judge's name leads to its run",
		Body:  part("board-chart", view) + l.rules(axis),
	}
}

// ruled is how many items the judge was held against rules on.
func (s Standing) ruled() int {
	if len(s.Report.Rules) == 0 {
		return 0
	}
	return s.Headline.N
}

// rules are what rules that do not read get on the items, folded, in grey.
func (l *Leaderboard) rules(axis Axis) template.HTML {
	of := slices.MaxFunc(l.Rows, func(a, b Standing) int { return cmp.Compare(a.ruled(), b.ruled()) }).Report
	if len(of.Rules) == 0 || !l.ofRight() {
		return ""
	}
	c := Chart{
		Label:   "Rules that do not read",
		Class:   "wide",
		Columns: []ChartColumn{{Class: "pl", Axis: &axis}, {Class: "val", Head: "Right"}},
	}
	for _, rule := range of.Rules {
		x := scoring.Result{Value: &rule.Value, Low: rule.Low, High: rule.High}
		c.Rows = append(c.Rows, ChartRow{
			Name:  rule.Name,
			Look:  "level-" + string(scoring.Unknown),
			Cells: []template.HTML{Plot(axis, x), ValueCell(x)},
		})
	}
	return folded(l.Prefix+"rules", "What rules that do not read get on these "+l.Unit+"s", c.HTML())
}

// bracketsOf says of each row whether it is the first, one in the middle or the last of judges of which none can be
// told from another, and each can from all others.
func bracketsOf(rows []Standing) []string {
	out := make([]string, len(rows))
	for i := 0; i < len(rows); i++ {
		first, last := rows[i].First, rows[i].Last
		if first == 0 || first != i+1 || last <= first || last > len(rows) {
			continue
		}
		if slices.ContainsFunc(rows[i:last], func(s Standing) bool { return s.First != first || s.Last != last }) {
			continue
		}
		for j := i; j < last; j++ {
			out[j] = "mid"
		}
		out[i] = "first"
		out[last-1] = "last"
	}
	return out
}

// breakable is a name that breaks after its signs rather than within a word.
func breakable(name string) template.HTML {
	var b strings.Builder
	for _, r := range table.Clean(name) {
		b.WriteString(template.HTMLEscapeString(string(r)))
		if strings.ContainsRune(",=:_/", r) {
			b.WriteString("<wbr>")
		}
	}
	return template.HTML(b.String())
}

// KeptCell is how often a judge is right where both orders agree, and of how many: "87 % of 389 pairs".
func KeptCell(x scoring.Result, noun string) template.HTML {
	if x.Value == nil {
		return "–"
	}
	return template.HTML(fmt.Sprintf("<b>%s %%</b> of %s", short(x, *x.Value), table.Count(x.N, noun)))
}

// BiasCell draws a share around its half: a bar from the middle, and the number.
func BiasCell(x scoring.Result) template.HTML {
	if x.Value == nil {
		return "–"
	}
	const width, half = 54.0, 27.0
	at := width * *x.Value / 100
	look := ""
	switch away := max(*x.Value, 100-*x.Value); {
	case away >= scoring.MostByPlace:
		look = " level-unusable"
	case away >= leaning:
		look = " level-weak"
	}
	return template.HTML(fmt.Sprintf(`<svg class="bias%s" width="%g" height="16" aria-hidden="true">`+
		`<rect class="box" x=".5" y="3.5" width="53" height="9" rx="2"/>`+
		`<rect class="lean" x="%s" width="%s" y="4" height="8"/>`+
		`<line x1="%[5]g" x2="%[5]g" y1="0" y2="16"/></svg> %[6]s %%`, look, width, coordinate(min(at, half)),
		coordinate(max(at, half)-min(at, half)), half, short(x, *x.Value)))
}

// leaning is from which share on a judge is said to lean to a place.
const leaning = 60

// Sizes of the matrix.
const (
	failRows    = 12
	failColumns = 8
	heatSteps   = 10
)

// fails are the headline of judges by category.
func (l *Leaderboard) fails() Section {
	rows := l.placed()
	rows = rows[:min(len(rows), failRows)]
	if len(rows) == 0 || rows[0].Headline.Unit != "" && valueAxis(rows[0].Headline.Unit).Min != 0 {
		return Section{}
	}
	head := rows[0].Headline
	var groups []string
	counts := map[string]int{}
	for _, s := range rows {
		for _, g := range s.Report.Groups() {
			x := s.Report.Result(head.Metric, g, head.Mode)
			if g == scoring.Overall || x.Value == nil {
				continue
			}
			if !slices.Contains(groups, g) {
				groups = append(groups, g)
			}
			counts[g] = max(counts[g], x.N)
		}
	}
	if len(groups) < 2 {
		return Section{}
	}
	left := max(0, len(groups)-failColumns)
	if left > 0 { // the largest stay
		slices.SortStableFunc(groups, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
		groups = groups[:failColumns]
	}
	type column struct {
		Name template.HTML
		N    int
	}
	type cell struct{ Class, Words, Title string }
	type row struct {
		Name  template.HTML
		Link  string
		Cells []cell
	}
	view := struct {
		Columns []column
		Rows    []row
		Hardest string
		Left    int
		More    int
	}{Hardest: l.Hardest, Left: left, More: len(l.placed()) - len(rows)}
	for _, g := range groups {
		view.Columns = append(view.Columns, column{Name: breakable(g), N: counts[g]})
	}
	high := valueAxis(head.Unit).Max
	for _, s := range rows {
		r := row{Name: breakable(s.Name), Link: s.Link}
		for _, g := range groups {
			x := s.Report.Result(head.Metric, g, head.Mode)
			c := cell{Words: "–"}
			if x.Value != nil {
				c.Words = short(x, *x.Value)
				c.Class = fmt.Sprintf("h%d", max(0, min(heatSteps, int(heatSteps**x.Value/high+.5))))
				c.Title = fmt.Sprintf("%s, %s: %s of %d", s.Name, g, table.Roughly(x), x.N)
			}
			r.Cells = append(r.Cells, c)
		}
		view.Rows = append(view.Rows, r)
	}
	about := l.headline()
	if head.Unit == "" {
		about += ", percent"
	}
	return Section{ID: "fails", Title: "Where they fail", About: about, Half: true, Body: part("board-fails", view)}
}

// reading says how sure the answer is and how the page is read.
func (l *Leaderboard) reading() Section {
	head := l.Rows[0].Headline
	view := struct {
		Test, Family, Interval, Of string
		Pairs, Scores              bool
	}{
		Test:     l.Test,
		Family:   l.Family,
		Interval: cmp.Or(head.Interval, "resampling"),
		Of:       l.of(),
		Pairs:    slices.ContainsFunc(l.Rows, func(s Standing) bool { return s.RightWhereAlike.Value != nil }),
		Scores:   head.Unit != "",
	}
	return Section{ID: "sure", Body: part("board-sure", view)}
}
