package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/dustin/go-humanize"

	"gavel/internal/report/table"
	"gavel/scoring"
	"gavel/scoring/race"
)

// Race wraps what `gavel race` prints.
type Race struct {
	Says string `json:"says"` // the answer in a sentence or two
	race.Result
	// Of a race that asks: the hours that it was asking, and those that all items would have taken.
	Hours      *float64 `json:"hours,omitempty"`
	FullHours  *float64 `json:"full_hours,omitempty"`
	Unfinished bool     `json:"unfinished,omitempty"` // it was broken off, and can go on

	asks   bool
	rights *scoring.Rights
	rules  race.Rules
	rows   []racer
	loads  int
	seed   int64
}

// racer is a judge of a race.
type racer struct {
	run, name    string
	items        int
	share, ahead scoring.Result // of the leader before it, in points; the leader has no ahead
	left         *race.Leaver
	state        string
	by           string // of one that left: who is better
}

// NewRace lays out a race that is over, in the order of a seed.
func NewRace(rights *scoring.Rights, r *race.Race, rules race.Rules, seed int64) *Race {
	var folders []string
	for _, s := range rights.Runs {
		folders = append(folders, s.Run)
	}
	out := &Race{Result: r.Result(folders, rights.Calls), rights: rights, rules: rules, loads: r.Loads(), seed: seed}
	names := scoring.NamesOf(rights.Runs)
	judges := r.In()
	leader := judges[0]
	for _, l := range slices.Backward(r.Left()) {
		judges = append(judges, l.Judge)
	}
	for _, j := range judges {
		out.add(r, j, leader, names)
	}
	out.stand(func(run string) string { return names[slices.Index(folders, run)] })
	out.Says = out.answer()
	return out
}

// Took says how long a race that asks has been asking each judge, and whether it is over.
func (out *Race) Took(seconds []float64, over bool) *Race {
	out.asks, out.Unfinished = true, !over
	spent, all := 0.0, 0.0
	for _, row := range out.rows {
		j := slices.IndexFunc(out.rights.Runs, func(s scoring.Side) bool { return s.Run == row.run })
		spent += seconds[j]
		all += seconds[j] / float64(max(1, row.items)) * float64(out.rules.Items)
	}
	hours := func(s float64) *float64 { return new(math.Round(s/3600*1e4) / 1e4) }
	out.Hours, out.FullHours = hours(spent), hours(all)
	out.Says = out.answer()
	return out
}

func (out *Race) add(r *race.Race, j, leader int, names []string) {
	share, n, iv := r.Share(j)
	row := racer{
		run:   out.rights.Runs[j].Run,
		name:  names[j],
		items: n,
		share: scoring.Result{
			Value: scoring.Percent(share),
			Low:   scoring.Percent(iv.Low),
			High:  scoring.Percent(iv.High),
		},
	}
	if j != leader {
		ahead, iv := r.Ahead(leader, j)
		row.ahead = scoring.Result{
			Value: scoring.Percent(ahead),
			Low:   scoring.Percent(iv.Low),
			High:  scoring.Percent(iv.High),
			Mode:  scoring.ModeDifference,
		}
	}
	out.rows = append(out.rows, row)
}

// stand says of each judge how it stands, by what the race came to.
func (out *Race) stand(name func(run string) string) {
	for i := range out.rows {
		row := &out.rows[i]
		row.state = "not told apart from the leader"
		switch left := slices.IndexFunc(out.Left, func(l race.Leaver) bool { return l.Run == row.run }); {
		case left >= 0:
			row.left = &out.Left[left]
			row.by = name(row.left.By)
			row.state = "left: " + row.by + " is better"
		case row.run == out.Leader:
			row.state = "leads"
		case slices.ContainsFunc(out.Tied, func(tied []string) bool {
			return slices.Contains(tied, row.run) && slices.Contains(tied, out.Leader)
		}):
			row.state = "tied with the leader"
		}
	}
}

// Sentences are the answer.
func (out *Race) Sentences() []string { return []string{out.Says} }

// answer says who is left, and what the race saved.
func (out *Race) answer() string {
	var in []string
	tied := true
	longest := 0
	for _, row := range out.rows {
		if row.left != nil {
			longest = max(longest, row.left.Items)
			continue
		}
		in = append(in, scoring.InSentence(row.name))
		tied = tied && (len(in) == 1 || row.state == "tied with the leader")
	}
	all := len(out.rows)
	if out.Calls == 0 {
		return fmt.Sprintf("None of the %d judges has been asked yet.", all)
	}
	says := ""
	switch first := in[0]; {
	case len(in) == 1 && out.Unfinished:
		says = fmt.Sprintf("%s is the best of %d judges so far.", first, all)
	case len(in) == 1:
		says = fmt.Sprintf("%s is the best of %d judges.", first, all)
	case out.Unfinished:
		says = fmt.Sprintf("%d of %d judges are in so far; %s leads.", len(in), all, first)
	case tied:
		says = fmt.Sprintf("%d of %d judges are left, and tied: %s.", len(in), all, listed3(in))
	default:
		says = fmt.Sprintf("%d of %d judges are left: %s cannot be told apart.", len(in), all, listed3(in))
	}
	switch others := all - len(in); {
	case others == 1:
		says += fmt.Sprintf(" The other is out after %s.", table.Count(longest, "item"))
	case others > 1:
		says += fmt.Sprintf(" The others are out after %s at most.", table.Count(longest, "item"))
	}
	saved := ""
	switch n := out.FullCalls - out.Calls; {
	case out.Unfinished:
		saved = " so far"
	case n > 0:
		saved = fmt.Sprintf(": %.0f %% saved", 100*float64(n)/float64(out.FullCalls))
	}
	return says + fmt.Sprintf(" It took %s of %s calls%s.", humanize.Comma(int64(out.Calls)),
		humanize.Comma(int64(out.FullCalls)), saved)
}

// listed3 are names in a sentence, of more than three two and how many more.
func listed3(names []string) string {
	if len(names) > most {
		names = append(slices.Clone(names[:most-1]), fmt.Sprintf("%d more", len(names)-most+1))
	}
	return Enumerate(names)
}

// CSV writes a row for each judge.
func (out *Race) CSV(w io.Writer) error {
	rows := [][]string{{
		"run", "state", "items", "share", "low", "high", "leader_ahead", "ahead_low", "ahead_high",
		"left_after", "e", "by",
	}}
	for _, x := range out.rows {
		row := []string{x.run, x.state, strconv.Itoa(x.items)}
		for _, v := range []*float64{x.share.Value, x.share.Low, x.share.High, x.ahead.Value, x.ahead.Low, x.ahead.High} {
			row = append(row, table.Cell(v, 4))
		}
		if x.left != nil {
			row = append(row, strconv.Itoa(x.left.Items), table.Cell(x.left.E, 4), x.left.By)
		} else {
			row = append(row, "", "", "")
		}
		rows = append(rows, row)
	}
	return table.WriteCSV(w, rows)
}

// Tables is one: who leads, who is tied with it, who left and why.
func (out *Race) Tables() []table.Table {
	t := table.Table{
		Title: fmt.Sprintf("race of %d judges by %s over %d items, in the order of seed %d · about %s",
			len(out.rows), out.rights.Metric, out.rules.Items, out.seed, aboutWords[out.About]),
		Columns: table.Left("judge").Right("items", "right, %", "leader ahead by, points", "left after", "E").Left(""),
	}
	for _, x := range out.rows {
		row := []string{x.name, strconv.Itoa(x.items), table.Whole(x.share), "", "", "", x.state}
		if x.ahead.Value != nil {
			row[3] = table.Whole(x.ahead)
		}
		if x.left != nil {
			row[4] = strconv.Itoa(x.left.Items)
			row[5] = evidence(x.left)
		}
		t.Row(row...)
	}
	share := func(calls float64) string {
		return fmt.Sprintf("%s of %d calls (%.1f %%)", decimal(calls), out.FullCalls, 100*calls/float64(out.FullCalls))
	}
	enough := float64(len(out.rows)-1) / out.Alpha
	t.Notes = []string{
		fmt.Sprintf("%s; %d saved; models are loaded %d times where one is at a time",
			share(float64(out.Calls)), out.FullCalls-out.Calls, out.loads),
		fmt.Sprintf("who is beaten with E ≥ %s leaves: the best one does so with probability at most %s, "+
			"however often one looks", decimal(enough), decimal(out.Alpha)),
		fmt.Sprintf("intervals hold at every look at once: of a share %s %%, of the lead to where E reaches %s",
			decimal(math.Round(1e4*(1-out.Alpha))/100), decimal(enough)),
	}
	if out.asks {
		t.Notes = slices.Insert(t.Notes, 1, fmt.Sprintf("asking took %s h here; "+
			"all items would have taken some %s h", decimal(*out.Hours), decimal(*out.FullHours)))
	}
	if out.Unfinished {
		t.Notes = slices.Insert(t.Notes, 0, "! broken off: the same command goes on")
	}
	if out.rules.Margin > 0 {
		t.Notef("tied: surely less than %s points apart; "+
			"the race ends when all that are in are tied", decimal(100*out.rules.Margin))
	}
	if o := out.Orders; o.Tried > 0 {
		behind := ""
		if out.rules.Margin > 0 {
			behind = " by more than the margin"
		}
		t.Notef("in %d orders: the leader was behind the best of all %d "+
			"items%s in %d (%.1f %%); a race took %s, the median",
			o.Tried, out.rules.Items, behind, o.Erred, 100*float64(o.Erred)/float64(o.Tried), share(o.Calls))
	}
	t.Warn(out.rights.Warnings)
	return []table.Table{t}
}

// evidence is the E against a judge that left.
func evidence(l *race.Leaver) string {
	if l.E == nil {
		return "certain"
	}
	return strconv.FormatFloat(*l.E, 'f', 1, 64)
}

var aboutWords = map[string]string{race.AboutItems: "items like these", race.AboutBenchmark: "this benchmark"}

// decimal writes a number with the digits that it has, of which six count.
func decimal(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}
