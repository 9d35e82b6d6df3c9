package report

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/report/table"
	"gavel/scoring"
)

// Comparison wraps what `gavel compare` prints.
type Comparison struct{ *scoring.Comparisons }

// CSV writes one row per comparison, metric and group.
func (c Comparison) CSV(w io.Writer) error {
	rows := [][]string{{
		"run_a", "run_b", "metric", "group", "a", "b", "difference", "low", "high", "n", "both", "only_a",
		"only_b", "neither", "p", "p_holm", "noise_floor", "may_be_noise", "note", "mode", "unit",
	}}
	for _, two := range c.Comparisons.Comparisons {
		for _, d := range two.Differences {
			in := decimals(d.Unit)
			counts := make([]string, 4)
			if d.Table != nil {
				for i, n := range []int{d.Table.Both, d.Table.OnlyA, d.Table.OnlyB, d.Table.Neither} {
					counts[i] = strconv.Itoa(n)
				}
			}
			row := []string{
				two.A.Run, two.B.Run, d.Metric, d.Group, table.Cell(d.A, in), table.Cell(d.B, in),
				table.Cell(d.Diff, in), table.Cell(d.Low, in), table.Cell(d.High, in), strconv.Itoa(d.N),
			}
			row = append(row, counts...)
			rows = append(rows, append(row, precise(d.P), precise(d.Holm), table.Cell(d.Floor, 4),
				strconv.FormatBool(d.Noise), d.Note, d.Mode, d.Unit))
		}
	}
	return table.WriteCSV(w, withoutModes(rows))
}

// Brief is of every two runs the answer, and the numbers that it rests on.
func (c Comparison) Brief() []table.Table {
	var tables []table.Table
	for _, two := range c.Comparisons.Comparisons {
		names := two.Names()
		const room = 16
		heads := names
		if max(len(names[0]), len(names[1])) > room {
			heads = [2]string{"A", "B"}
		}
		t := table.Table{Plain: true}
		var drawn []scoring.Difference
		row := func(name string, d scoring.Difference) {
			ahead := "noise?"
			switch {
			case d.Diff == nil:
				ahead = ""
			case d.Noise:
			case best(two.A.Protocol, d.Metric) == "":
				ahead = "differs"
			case (*d.Diff > 0) == (best(two.A.Protocol, d.Metric) == scoring.Higher):
				ahead = heads[1]
			default:
				ahead = heads[0]
			}
			of := func(v *float64) string { return table.Rough(v, scoring.Result{Unit: d.Unit}) }
			diff := d.Result()
			t.Row(name, of(d.A), of(d.B), table.Roughly(diff), "", ahead)
			drawn = append(drawn, d)
		}
		for _, tile := range layoutOf(two.A.Protocol).Tiles {
			for _, d := range two.Differences {
				if d.Metric != tile.Metric || d.Mode != tile.Mode || d.Group != scoring.Overall || tile.Folded {
					continue
				}
				if two.Alike != nil && two.Alike.Metric == d.Metric {
					d = *two.Alike
				}
				row(tile.label(&scoring.Report{}), d)
			}
		}
		if d := two.Headline(); d != nil && d.Table != nil {
			test := cmp.Or(d.Test, "exact McNemar")
			p := ""
			if d.P != nil {
				p = pWords(d.P)
			}
			t.Row("only this one is right", strconv.Itoa(d.Table.OnlyA), strconv.Itoa(d.Table.OnlyB), p, test, "")
		}
		scale := drawDifferences(&t, drawn)
		t.Columns = table.Left("").Right(heads[0], heads[1], "difference").Left(scale, "").Spare(scale)
		if heads != names {
			t.Notef("A: %s, B: %s", names[0], names[1])
		}
		t.Notef("difference: %s less %s; noise?: the interval holds 0, or the test may be chance", heads[1], heads[0])
		if len(c.Comparisons.Comparisons) > 1 {
			t.Note("after Holm's correction over " + c.Family)
		}
		if two.Alike != nil {
			t.Notef("where both orders agree: on the %s where both judges' do", table.Count(two.Alike.N, "pair"))
		}
		t.Warn(two.Warnings)
		t.Note(fullHint)
		tables = append(tables, table.Table{Title: two.Says}, t)
		if two.Within != nil {
			tables = append(tables, within(two.Within))
		}
	}
	return tables
}

// fullHint says where there is more.
const fullHint = "more: the same with --full, by category; gavel serve, item by item"

// differenceStrip is how many characters a drawn difference has, the middle one at 0.
const differenceStrip = 13

// drawDifferences draws the first rows of a short table in its last column but one, those of the first one's unit, and
// returns the scale above them.
func drawDifferences(t *table.Table, differences []scoring.Difference) (head string) {
	var all []scoring.Result
	for _, d := range differences {
		if d.Unit == differences[0].Unit {
			all = append(all, d.Result())
		}
	}
	axis := DifferenceAxis(all...)
	for i, d := range differences {
		if d.Unit == differences[0].Unit && d.Diff != nil {
			t.Rows[i][4] = stripOfDifference(axis, d.Result())
		}
	}
	end := strconv.FormatFloat(axis.Max, 'f', -1, 64)
	side := differenceStrip / 2
	return fmt.Sprintf("%-*s0%*s", side, "-"+end, side, "+"+end)
}

// stripOfDifference draws a difference and its interval: ···━●━│······
func stripOfDifference(axis Axis, x scoring.Result) string {
	at := func(v float64) int {
		return int(math.Round(axis.place(v) / 100 * (differenceStrip - 1)))
	}
	line := slices.Repeat([]rune{'·'}, differenceStrip)
	if x.Low != nil && x.High != nil {
		for i := at(*x.Low); i <= at(*x.High); i++ {
			line[i] = '━'
		}
	}
	line[differenceStrip/2] = '│'
	line[at(*x.Value)] = '●'
	return string(line)
}

// best says which values of a protocol's metric are the better.
func best(protocol, metric string) scoring.Best {
	term, _ := scoring.TermIn(Terms(protocol), metric)
	return term.Best
}

// Tables lays every comparison out for people.
func (c Comparison) Tables() []table.Table {
	var tables []table.Table
	for _, two := range c.Comparisons.Comparisons {
		if two.Says != "" {
			tables = append(tables, table.Table{Title: two.Says})
		}
		tables = append(tables, compared(two, c.Comparisons))
		if t, ok := tableOfTwo(two, c.Bootstrap.Unit); ok {
			tables = append(tables, t)
		}
		if two.Within != nil {
			tables = append(tables, within(two.Within))
		}
		tables = append(tables, costs("run", []costRow{{"A", two.A.Ledger}, {"B", two.B.Ledger}})...)
	}
	return tables
}

// within is whether two runs are the same.
func within(w *scoring.Within) table.Table {
	t := table.Table{
		Title:   fmt.Sprintf("%s: %s", w.Metric, sameness(w)),
		Columns: table.Right("n", "B − A", "90 % interval", "right → wrong", "wrong → right"),
		Notes: []string{"the same: two one-sided tests at 5 %, by Tango's score interval; different: " +
			"p (exact McNemar) is below 0.05; → is from A to B"},
	}
	if w.Interval != scoring.ByTango {
		t.Notes = []string{"the same: the interval lies within the margin; different: p is below 0.05; " +
			"both hold at every look, since a run is not at its end; → is from A to B"}
	}
	diff := scoring.Result{Value: w.Diff, Low: w.Low, High: w.High, Mode: scoring.ModeDifference}
	row := []string{
		strconv.Itoa(w.N), table.Plain(diff), table.Ends(diff), strconv.Itoa(w.RightToWrong),
		strconv.Itoa(w.WrongToRight),
	}
	if w.Turned != nil {
		t.Columns = t.Columns.Right("changed with the order in A", "in B")
		row = append(row, strconv.Itoa(w.Turned[0]), strconv.Itoa(w.Turned[1]))
	}
	t.Rows = [][]string{row}
	return t
}

// sameness is the verdict, in words.
func sameness(w *scoring.Within) string {
	switch w.Verdict {
	case scoring.WithinMargin:
		return fmt.Sprintf("the same within %s points", decimal(w.Points))
	case scoring.Different:
		return fmt.Sprintf("different, and not surely within %s points", decimal(w.Points))
	}
	return fmt.Sprintf("cannot say whether they are the same within %s points; some %d pairs would, if they are",
		decimal(w.Points), *w.Pairs)
}

// sides names two runs, and says what both have judged.
func sides(two *scoring.Comparison) string {
	name := func(s scoring.Side) string {
		return heading(s.Model, s.Protocol, prompted(s.Prompt, s.Settings), s.Dataset, s.Simulated) + "  (" + s.Run + ")"
	}
	of := cmp.Or(two.Unit, layoutOf(two.A.Protocol).item())
	return fmt.Sprintf("A = %s\nB = %s\n%s in both", name(two.A), name(two.B), table.Count(two.N, of))
}

// Differs marks what may be noise.
func Differs(d scoring.Difference) string {
	if d.Noise {
		return "~"
	}
	return "differs"
}

// compared is the table of two runs.
func compared(two *scoring.Comparison, all *scoring.Comparisons) table.Table {
	var notes []string
	if further := layoutOf(two.A.Protocol).Compared; further != nil {
		notes = further(two)
	}
	t := table.Table{
		Title:   sides(two),
		Columns: table.Left("metric", "group").Right("n", "A", "B", "B − A", "95 % interval", "p", "Holm").Left(""),
	}
	modes := slices.ContainsFunc(two.Differences, func(d scoring.Difference) bool { return d.Mode != "" })
	if modes {
		t.Columns = slices.Insert(t.Columns, 1, table.Left("mode")...)
	}
	in := "in percent"
	floors := hasFloor(two)
	floor := ""
	if floors {
		floor = ", or the difference is not above the noise floor"
		t.Columns = slices.Insert(t.Columns, len(t.Columns)-1, table.Right("noise floor")...)
	}
	var said table.Remarks
	for _, d := range two.Differences {
		of := func(v *float64) string { return table.Plain(scoring.Result{Value: v, Unit: d.Unit}) }
		diff := d.Result()
		row := []string{d.Metric}
		if modes {
			row = append(row, d.Mode)
		}
		row = append(row,
			d.Group, strconv.Itoa(d.N), of(d.A), of(d.B), table.Plain(diff),
			table.Ends(diff), table.PValue(d.P), table.PValue(d.Holm),
		)
		if floors {
			row = append(row, of(d.Floor))
		}
		t.Row(append(row, Differs(d))...)
		said.Add(strings.Join(strings.Fields(d.Metric+" "+d.Mode+" "+d.Group), " "), d.Note)
		if d.Unit != "" {
			in = "in percent, but correlations and scores as the papers print them"
		}
	}
	t.Notes = slices.Concat([]string{
		fmt.Sprintf("~ may be noise: the interval holds 0, or there is none, or p (%s) is not below 0.05%s; %s",
			Tests(two), floor, Intervals(all.Bootstrap, Methods(two))),
		"Holm over " + all.Family, in, noiseFloor(two),
	}, said.Lines(), notes, table.Warned(two.Warnings))
	return t
}

// Tests says what the p of a comparison are of.
func Tests(two *scoring.Comparison) string {
	var words []string
	other := map[string][]string{}
	for _, d := range two.Differences {
		switch {
		case d.P == nil:
		case d.Test == "":
			words = []string{"exact McNemar"}
		case !slices.Contains(other[d.Test], d.Metric):
			other[d.Test] = append(other[d.Test], d.Metric)
		}
	}
	for _, test := range slices.Sorted(maps.Keys(other)) {
		words = append(words, "of "+strings.Join(other[test], " and ")+" by "+test)
	}
	if words == nil {
		return "none here"
	}
	return strings.Join(words, ", ")
}

// tableOfTwo is the 2×2 table of the headline, overall: the first that has one.
func tableOfTwo(two *scoring.Comparison, unit string) (table.Table, bool) {
	for _, d := range two.Differences {
		if x := d.Table; x != nil && d.Group == scoring.Overall {
			return table.Table{
				Title:   fmt.Sprintf("%s, %s by %s", d.Metric, unit, unit),
				Columns: table.Left("").Right("B right", "B wrong"),
				Rows: [][]string{
					{"A right", strconv.Itoa(x.Both), strconv.Itoa(x.OnlyA)},
					{"A wrong", strconv.Itoa(x.OnlyB), strconv.Itoa(x.Neither)},
				},
			}, true
		}
	}
	return table.Table{}, false
}

// precise writes a p with all its digits; "" for none.
func precise(p *float64) string {
	if p == nil {
		return ""
	}
	return strconv.FormatFloat(*p, 'g', -1, 64)
}
