// Package races lays out races, in which judges are asked item by item and leave once another is significantly better
// (scoring/race): the answer in sentences, and a table of the judges for text, pages, CSV and JSON.
package races

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
	"gavel/scoring/race"
	"gavel/scoring/stats"
)

// Race holds the results of a race between judges as `gavel race` prints them.
type Race struct {
	Says string `json:"says"` // the judges that are left and the calls saved, in a sentence or two
	race.Result
	// Hours is the time that the race has taken so far; nil for a race over finished runs.
	Hours       *float64 `json:"hours,omitempty"`
	HoursForAll *float64 `json:"full_hours,omitempty"` // hours that all judges would take for all items, estimated
	Unfinished  bool     `json:"unfinished,omitempty"` // the race was interrupted and can be continued

	rules      race.Rules
	rows       []raceTableRow // the judges: first those that remain, the leader first
	modelLoads int            // turns of judges: on a single GPU, the number of model loads
	seed       int64          // seed of the order of the items
	warnings   []string
}

// raceTableRow holds the row of one judge in the table of a race.
type raceTableRow struct {
	judgeIndex        int                 // number of the judge in the race, from 0
	runDir, name      string              // folder of the judge's run, and display name of the judge
	items             int                 // items that the judge was asked
	share, leaderLead scoring.Result      // percent of items right; lead of the leader over this judge, in points
	exit              *race.EliminatedRun // how the judge left the race; nil if it remains
	eliminatedBy      string              // the name of the better judge, if this one left
	state             string              // how the judge stands or left, in words: "leads", "tied with the leader"
}

// New returns the results of a race between the judges of runs, which took the items in an order drawn by seed. calls
// is the number of judgments of an item.
func New(runs []scoring.Side, r *race.Race, calls int, seed int64, warnings []string) *Race {
	var folders []string
	for _, s := range runs {
		folders = append(folders, s.Run)
	}
	names := scoring.DisplayNames(runs)
	out := &Race{
		Result:     r.Result(folders, calls),
		rules:      r.Rules,
		modelLoads: r.ModelLoads(),
		seed:       seed,
		warnings:   warnings,
	}
	judges := r.Remaining()
	leader := judges[0]
	for _, l := range slices.Backward(r.Eliminations()) {
		judges = append(judges, l.Judge)
	}
	for _, j := range judges {
		row := raceTableRow{judgeIndex: j, runDir: folders[j], name: names[j], items: r.OutcomeCount(j)}
		if row.items > 0 {
			row.share = inPercent(r.ShareOfRight(j))
		}
		if j != leader {
			row.leaderLead = inPercent(r.Lead(leader, j))
			row.leaderLead.Mode = scoring.ModeDifference
		}
		out.rows = append(out.rows, row)
	}
	out.setRacerStates()
	out.Says = out.answer()
	return out
}

// inPercent returns the result of a share from 0 to 1, or of a difference of two, with its interval.
func inPercent(share float64, iv stats.Interval) scoring.Result {
	return scoring.Result{Value: scoring.Percent(share), Low: scoring.Percent(iv.Low), High: scoring.Percent(iv.High)}
}

// FromState returns the results of a race from its stored state, race.json. name returns the display name of a run's
// judge.
func FromState(s *race.State, name func(run string) string) *Race {
	out := &Race{
		Unfinished: !s.Over,
		rules:      race.Rules{Items: s.Items, TieMargin: s.TieMargin / 100},
		seed:       s.Seed,
	}
	if s.Result == nil {
		return out
	}
	out.Result = *s.Result
	for j, run := range s.Runs {
		row := raceTableRow{runDir: run, name: name(run), items: s.ItemsAsked[j]}
		if j < len(s.RightShares) {
			row.share = scoring.Result{Value: s.RightShares[j].Value, Low: s.RightShares[j].Low, High: s.RightShares[j].High}
		}
		out.rows = append(out.rows, row)
	}
	out.setRacerStates()
	slices.SortStableFunc(out.rows, func(a, b raceTableRow) int {
		return cmp.Or(cmp.Compare(scoring.Indicator(a.exit != nil), scoring.Indicator(b.exit != nil)),
			cmp.Compare(scoring.Indicator(b.runDir == out.Leader), scoring.Indicator(a.runDir == out.Leader)),
			cmp.Compare(b.items, a.items))
	})
	out.Says = out.answer()
	return out
}

// setRacerStates sets for each row how the judge left the race or how it stands.
func (out *Race) setRacerStates() {
	names := map[string]string{}
	for _, row := range out.rows {
		names[row.runDir] = row.name
	}
	for i := range out.rows {
		row := &out.rows[i]
		row.state = "no significant difference from the leader"
		switch i := slices.IndexFunc(out.Eliminated, func(l race.EliminatedRun) bool { return l.Run == row.runDir }); {
		case i >= 0:
			row.exit = &out.Eliminated[i]
			row.eliminatedBy = names[row.exit.Winner]
			row.state = "left: " + row.eliminatedBy + " is better"
		case row.runDir == out.Leader:
			row.state = "leads"
		case slices.ContainsFunc(out.Tied, func(tied []string) bool {
			return slices.Contains(tied, row.runDir) && slices.Contains(tied, out.Leader)
		}):
			row.state = "tied with the leader"
		}
	}
}

// AddTimes adds to a race by [New] the seconds that each judge took, by its number, and whether the race is over.
func (out *Race) AddTimes(seconds []float64, over bool) *Race {
	out.Unfinished = !over
	spent, all := 0.0, 0.0
	for _, row := range out.rows {
		spent += seconds[row.judgeIndex]
		all += seconds[row.judgeIndex] / float64(max(1, row.items)) * float64(out.rules.Items)
	}
	hours := func(s float64) *float64 { return new(math.Round(s/3600*1e4) / 1e4) }
	out.Hours, out.HoursForAll = hours(spent), hours(all)
	out.Says = out.answer()
	return out
}

// answer returns sentences on the judges that are left and on the calls saved.
func (out *Race) answer() string {
	var in []string
	tied := true
	longest := 0
	for _, row := range out.rows {
		if row.exit != nil {
			longest = max(longest, row.exit.Items)
			continue
		}
		in = append(in, scoring.QuoteName(row.name))
		tied = tied && (len(in) == 1 || row.state == "tied with the leader")
	}
	all := len(out.rows)
	if out.Calls == 0 {
		return phrases.Sentence("race.nothing", all)
	}
	soFar := ""
	if out.Unfinished {
		soFar = " so far"
	}
	text := ""
	switch {
	case len(in) == 1:
		text = phrases.Sentence("race.best", in[0], all, soFar)
	case out.Unfinished:
		text = phrases.Sentence("race.leads", len(in), all, in[0])
	case tied:
		text = phrases.Sentence("race.left-tied", len(in), all, table.Shortlist(in))
	default:
		text = phrases.Sentence("race.left", len(in), all, table.Shortlist(in))
	}
	switch others := all - len(in); {
	case others == 1:
		text += " " + phrases.Sentence("race.out-one", table.CountWithNoun(longest, "item"))
	case others > 1:
		text += " " + phrases.Sentence("race.out", table.CountWithNoun(longest, "item"))
	}
	return text + " " + callsSentence(out.Calls, out.FullCalls, soFar)
}

// callsSentence returns a sentence on the calls of a race; soFar is " so far", or "" for a race that is over.
func callsSentence(calls, all int, soFar string) string {
	if calls < all && soFar == "" {
		soFar = phrases.Sentence("race.saved", 100*float64(all-calls)/float64(all))
	}
	return phrases.Sentence("race.calls", humanize.Comma(int64(calls)), humanize.Comma(int64(all)), soFar)
}

// csvRows returns the CSV rows: a header and one for each judge.
func (out *Race) csvRows() [][]string {
	rows := [][]string{{
		"run", "state", "items", "share", "low", "high", "leader_ahead", "ahead_low", "ahead_high",
		"left_after", "e", "by",
	}}
	for _, x := range out.rows {
		row := []string{x.runDir, x.state, strconv.Itoa(x.items)}
		for _, v := range []*float64{
			x.share.Value, x.share.Low, x.share.High,
			x.leaderLead.Value, x.leaderLead.Low, x.leaderLead.High,
		} {
			row = append(row, table.CSVNumber(v, 4))
		}
		exitCells := []string{"", "", ""}
		if x.exit != nil {
			exitCells = []string{strconv.Itoa(x.exit.Items), table.CSVNumber(x.exit.E, 4), x.exit.Winner}
		}
		rows = append(rows, append(row, exitCells...))
	}
	return rows
}

// Document returns the race as a table with a row for each judge: the number of items that it was asked, as a bar, and
// how the race ended for it.
func (out *Race) Document() doc.Document {
	return doc.Document{Answer: out.Says, Blocks: []doc.Block{out.Block()}, CSVRows: out.csvRows()}
}

// Block returns the table of a race, with a row for each judge.
func (out *Race) Block() doc.Block {
	t := &doc.Table{RowHead: "judge", Look: "race", Columns: []doc.Column{
		{
			Name: "asked of " + humanize.Comma(int64(out.rules.Items)), Kind: doc.ColumnProgress,
			Axis: doc.CountAxis(out.rules.Items),
		},
		{Name: "correct, %", Kind: doc.ColumnNumber},
		{Name: "calls", Kind: doc.ColumnInteger, HidePriority: 1},
		{Name: "leader ahead by", Kind: doc.ColumnNumber, Surfaces: doc.SurfaceFullText},
		{Name: "left after", Kind: doc.ColumnInteger, Surfaces: doc.SurfaceFullText},
		{Name: "E", Surfaces: doc.SurfaceFullText},
		{Name: "outcome"},
	}}
	in := 0
	for _, r := range out.rows {
		in += int(scoring.Indicator(r.exit == nil && r.items > 0))
	}
	each := out.FullCalls / max(1, out.rules.Items*len(out.rows))
	for _, r := range out.rows {
		items := doc.CountCell(r.items)
		var after, e doc.Value
		row := doc.Row{Name: r.name, Target: doc.RunRef(r.runDir)}
		if r.exit != nil {
			items.Text = fmt.Sprintf("out after %d", r.exit.Items)
			after = doc.CountCell(r.exit.Items)
			e = doc.TextCell(evidence(r.exit))
		} else if in > 1 && r.items > 0 {
			row.Ranks = [2]int{1, in}
		}
		row.Cells = doc.Cells(
			items, r.share, r.items*each, r.leaderLead, after, e, r.raceOutcome(),
		)
		t.Add(row)
	}
	b := doc.Block{
		ID:    "race",
		Title: fmt.Sprintf("Race of %d judges", len(out.rows)),
		About: fmt.Sprintf("%s, in the order of seed %d", table.CountWithNoun(out.rules.Items, "item"), out.seed),
		Table: t,
	}
	t.DropEmpty()
	out.remark(&b)
	return b
}

// remark adds notes about the cost of the race and the meaning of its numbers.
func (out *Race) remark(b *doc.Block) {
	if out.Unfinished {
		b.Remark(doc.WarningCode, phrases.Sentence("race.unfinished"))
	}
	b.Remark("race.alpha", table.Decimal(out.Alpha), table.Decimal(float64(len(out.rows)-1)/out.Alpha))
	b.Remark("race.intervals", table.Decimal(100*(1-out.Alpha)))
	if out.rules.TieMargin > 0 {
		b.Remark("race.tied", table.Decimal(100*out.rules.TieMargin))
	}
	if out.modelLoads > 0 {
		b.Remark("race.loads", out.modelLoads)
	}
	if o := out.OrdersSummary; o.Races > 0 {
		behind := ""
		if out.rules.TieMargin > 0 {
			behind = phrases.Sentence("race.by-margin")
		}
		b.Remark("race.orders", table.CountWithNoun(o.Races, "other order"), behind, o.WrongLeaders,
			100*float64(o.WrongLeaders)/float64(o.Races), 100*o.MedianCalls/float64(out.FullCalls))
	}
	if out.Hours != nil && *out.HoursForAll >= 0.01 {
		b.Remark("race.hours", table.Decimal(*out.Hours), table.Decimal(*out.HoursForAll))
	}
	if out.Question != "" {
		b.Remark("race.about", itemWordsByQuestion[out.Question])
	}
	b.Warn(out.warnings)
}

// evidence returns the e-value for which a judge left, with one decimal, or "certain" if it could not catch up.
func evidence(l *race.EliminatedRun) string {
	if l.E == nil {
		return "certain"
	}
	return strconv.FormatFloat(*l.E, 'f', 1, 64)
}

// itemWordsByQuestion holds, by the question of a race, on which items the best judge is sought, in words.
var itemWordsByQuestion = map[string]string{
	race.QuestionSimilarItems: "items like these",
	race.QuestionBenchmark:    "this benchmark",
}

// raceOutcome returns in words how the race ended, or stands, for a judge.
func (r raceTableRow) raceOutcome() string {
	switch {
	case r.exit != nil:
		return scoring.QuoteName(r.eliminatedBy) + " is better"
	case r.items == 0:
		return "not asked yet"
	}
	return strings.TrimSuffix(r.state, " from the leader")
}
