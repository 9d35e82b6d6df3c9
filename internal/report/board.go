package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Board ranks the judges of one question about the same items by their headline score, the best first. Judges without a
// score come last.
type Board struct {
	Metric          string     `json:"metric"` // by which judges are ranked
	Mode            string     `json:"mode,omitempty"`
	Test            string     `json:"test"`             // test of the difference between two judges; empty if none made
	TestFamily      string     `json:"family"`           // the tests that Holm's correction counts
	Unit            string     `json:"unit"`             // word for what was judged: `pair`
	Says            string     `json:"says"`             // the result in a sentence or two
	Rows            []BoardRow `json:"judges"`           // judges, the best first
	AcrossAllJudges *Across    `json:"across,omitempty"` // what an analysis finds in all judges together
}

// BoardRow holds a judge on a board. Its possible ranks are those from FirstRank to LastRank.
type BoardRow struct {
	// one more than the number of judges that are significantly better; 0 for a judge without a score
	FirstRank int `json:"rank_first"`
	// number of judges with a score, less those that are significantly worse
	LastRank    int                    `json:"rank_last"`
	Name        string                 `json:"name"`
	Detail      string                 `json:"detail,omitempty"`    // what distinguishes it from others: server, prompt
	IsPublished bool                   `json:"reference,omitempty"` // its replies or verdicts are published ones
	Mark        string                 `json:"mark,omitempty"`      // sign after the name for a note below the board
	Run         string                 `json:"run"`
	Model       string                 `json:"model"`
	Simulated   bool                   `json:"simulated"`
	Level       scoring.UsabilityLevel `json:"level"`
	Headline    scoring.Result         `json:"headline"`
	// accuracy when consistent, of pairs; empty for protocols without this metric
	AccuracyWhenConsistent scoring.Result `json:"right_where_alike"`
	Coverage               scoring.Result `json:"coverage"`
	PrefersFirst           scoring.Result `json:"first_position"`
	// seconds per item while at least one judgment was being made; left out if no server was asked
	Seconds *float64 `json:"seconds_per_item,omitempty"`

	Report *scoring.Report `json:"-"` // report of its run, for further columns
	target doc.Ref         // link to its run
}

// NewBoard returns the board that shows a ranking. names are the judges' names in the order of r.Runs; a judge without
// a name gets that of its model.
func NewBoard(r scoring.Ranking, names []string) Board {
	b := Board{Metric: r.Metric, Mode: r.Mode, Test: r.Test, TestFamily: r.FamilyText, Unit: r.Boot.Unit}
	ranks := rankRanges(r)
	for i, run := range r.Runs {
		rep := run.Report
		row := BoardRow{
			FirstRank:              ranks[i][0],
			LastRank:               ranks[i][1],
			Name:                   run.Model,
			Run:                    run.Run,
			Model:                  run.Model,
			Simulated:              run.Simulated,
			Level:                  rep.Level(),
			Headline:               run.Result,
			AccuracyWhenConsistent: rep.Overall(scoring.AccuracyWhenConsistent),
			Coverage:               rep.Overall(scoring.Coverage),
			PrefersFirst:           rep.Overall(scoring.FirstPosition),
			Report:                 rep,
		}
		if i < len(names) {
			row.Name = cmp.Or(names[i], row.Name)
		}
		b.Rows = append(b.Rows, row)
	}
	score := func(row BoardRow) float64 { return *cmp.Or(row.Headline.Value, new(math.Inf(-1))) }
	slices.SortStableFunc(b.Rows, func(x, y BoardRow) int { return cmp.Compare(score(y), score(x)) })
	first, rest := b.sentences()
	b.Says = strings.TrimSpace(first + " " + rest)
	b.AcrossAllJudges = findAcross(b.Rows)
	return b
}

// rankRanges returns the first and last possible rank of each run, from the significant differences in the ranking.
func rankRanges(r scoring.Ranking) [][2]int {
	withValue := 0
	ranks := make([][2]int, len(r.Runs))
	for _, run := range r.Runs {
		if run.Value != nil {
			withValue++
		}
	}
	for i, run := range r.Runs {
		if run.Value != nil {
			ranks[i] = [2]int{1, withValue}
		}
	}
	for _, v := range r.Pairs {
		a := r.Runs[v.RunA].Value
		b := r.Runs[v.RunB].Value
		switch {
		case v.NotSignificant || a == nil || b == nil:
		case *a > *b:
			ranks[v.RunA][1]--
			ranks[v.RunB][0]++
		case *a < *b:
			ranks[v.RunA][0]++
			ranks[v.RunB][1]--
		}
	}
	return ranks
}

// ReportForBoard returns the part of a run's report that boards show: all scores over all items, and the headline score
// of each category.
func ReportForBoard(r *scoring.Report) *scoring.Report {
	head := Headline(r)
	small := scoring.Report{
		Run:             r.Run,
		ID:              r.ID,
		Protocol:        r.Protocol,
		Goal:            r.Goal,
		RunSetup:        r.RunSetup,
		Items:           r.Items,
		Expected:        r.Expected,
		RunSummary:      r.RunSummary,
		ScoringMethod:   scoring.ScoringMethod{Bootstrap: r.Bootstrap},
		OptionalResults: scoring.OptionalResults{Baselines: r.Baselines},
	}
	for _, x := range r.Results {
		if x.Group == scoring.Overall || head != nil && x.Metric == head.Metric && x.Mode == head.Mode {
			small.Results = append(small.Results, x)
		}
	}
	return &small
}

// first returns the row of the board's first judge, or one with an empty report for an empty board.
func (b Board) first() BoardRow {
	if len(b.Rows) == 0 {
		return BoardRow{Report: &scoring.Report{}}
	}
	return b.Rows[0]
}

// layout returns the layout for the protocol of the judges' runs.
func (b Board) layout() *Layout { return layoutOf(b.first().Report.Protocol) }

// itemCount returns the number of items of the judge that judged most, in words such as "350 pairs".
func (b Board) itemCount() string { return table.CountWithNoun(mostItems(b.Rows), b.Unit) }

// axis returns the axis on which the headline scores are drawn.
func (b Board) axis() *doc.Axis { return doc.AxisForUnit(b.first().Headline.Unit) }

// headlineLabel returns the label of the metric that the board ranks by.
func (b Board) headlineLabel() string { return ScoreName(b.first().Report, b.Metric) }

// ScoreName returns the label of a metric of the run of r. If the run's labels are people's preferences, it is
// "agreement with people".
func ScoreName(r *scoring.Report, metric string) string {
	if r.LabelsArePreferences {
		return agreementWithPeople
	}
	return doc.MetricName(r.Protocol, metric)
}

// mostItems returns the largest number of items that a judge in rows judged.
func mostItems(rows []BoardRow) (n int) {
	for _, s := range rows {
		n = max(n, s.Headline.N)
	}
	return n
}

// scoredRows returns the rows of judges with a score.
func (b Board) scoredRows() []BoardRow {
	return slices.DeleteFunc(slices.Clone(b.Rows), func(s BoardRow) bool { return s.FirstRank == 0 })
}

// BestJudges returns the judges at the top of the board that no other judge beats significantly. It leaves out judges
// of fewer than half as many items as others, whose rank is too uncertain.
func (b Board) BestJudges() (best []BoardRow) {
	standings := b.scoredRows()
	items := mostItems(standings)
	for _, s := range standings {
		if s.FirstRank > 1 {
			break
		}
		if 2*s.Headline.N >= items {
			best = append(best, s)
		}
	}
	if len(best) == 0 {
		return standings[:min(1, len(standings))]
	}
	return best
}

// sentences returns the answer: a sentence on which judges are best and how good they are, and the rest, on whether
// they differ significantly.
func (b Board) sentences() (first, rest string) {
	standings := b.scoredRows()
	if len(standings) == 0 {
		return phrases.Sentence("board.nothing"), ""
	}
	best := b.BestJudges()
	allTied := !slices.ContainsFunc(standings, func(s BoardRow) bool { return s.FirstRank > 1 })
	switch {
	case len(standings) == 1:
		first = phrases.Sentence("board.one", standings[0].Name, b.headlineScoresSentence(standings))
	case b.Test == "":
		first = phrases.Sentence("board.untested-best", judgeNames(standings[:1]), b.headlineScoresSentence(standings[:1]))
		rest = phrases.Sentence("board.not-tested")
	case allTied && len(standings) == 2:
		first = phrases.Sentence("board.two-tied", judgeNames(standings), b.headlineScoresSentence(standings))
	case allTied:
		first = phrases.Sentence("board.all-tied", len(standings), b.headlineScoresSentence(standings))
	default:
		first = phrases.Sentence("board.best", judgeNames(best), b.verb(len(best)), b.headlineScoresSentence(best))
		if len(best) > 1 {
			rest = phrases.Sentence("board.tied")
		}
	}
	return first, strings.TrimSpace(rest + " " + b.warning())
}

// verb returns the words between the names of the best judges and their scores, such as "judge best"; judges is their
// number.
func (b Board) verb(judges int) string {
	several := min(judges, 2) - 1
	if !b.measuresCorrectness() {
		return phrases.Sentence([]string{"board.has-highest", "board.have-highest"}[several], b.headlineLabel())
	}
	return phrases.Sentence([]string{"board.judges-best", "board.judge-best"}[several])
}

// measuresCorrectness reports whether the headline is a share of correct judgments.
func (b Board) measuresCorrectness() bool { return strings.HasPrefix(b.headlineLabel(), "correct") }

// warning returns a warning if the headline says nothing about correctness, or if no judge is usable; else "".
func (b Board) warning() string {
	l := b.layout()
	return strings.TrimSpace(textIf(l.UnlabelledHeadline == b.Metric, l.UnlabelledNote) + " " + b.uselessWarning())
}

// uselessWarning returns a warning if no judge has the level usable or strong; else "".
func (b Board) uselessWarning() string {
	unknown := 0
	for _, s := range b.Rows {
		switch s.Level {
		case scoring.LevelUsable, scoring.LevelStrong:
			return ""
		case scoring.LevelUnknown:
			unknown++
		}
	}
	switch {
	case len(b.Rows) == 1 && unknown == 1:
		return phrases.Sentence("board.unknown-one")
	case len(b.Rows) == 1:
		return phrases.Sentence("board.level-of-one", b.Rows[0].Level)
	case unknown == 0:
		return phrases.Sentence("board.none-usable")
	case unknown == len(b.Rows):
		return phrases.Sentence("board.unknown-all")
	}
	return phrases.Sentence("board.none-known")
}

// judgeNames returns the names of judges as an enumeration for a sentence.
func judgeNames(rows []BoardRow) string {
	names := make([]string, len(rows))
	for i, s := range rows {
		names[i] = scoring.QuoteName(s.Name)
	}
	return table.Shortlist(names)
}

// headlineScoresSentence returns a sentence on judges' headline scores: "correct in both orders on 81, 80 and 76 % of
// the pairs."
func (b Board) headlineScoresSentence(rows []BoardRow) string {
	var values []string
	for _, s := range rows {
		if v := table.Rounded(s.Headline.Value, s.Headline); !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	all := table.Enumerate(values)
	if len(values) > table.MostListed {
		all = values[len(values)-1] + " to " + values[0]
	}
	if rows[0].Headline.Unit == "" {
		all += " %"
	}
	if b.measuresCorrectness() {
		return phrases.Sentence("board.values", b.headlineLabel(), all, b.Unit)
	}
	return all + "."
}
