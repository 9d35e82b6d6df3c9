package report

import (
	"cmp"
	"fmt"
	"slices"

	"gavel/internal/doc"
	"gavel/internal/jury"
	"gavel/internal/report/table"
	"gavel/judging"
	"gavel/scoring"
)

// ItemCountText returns a number of items of a protocol in words, such as "350 pairs".
func ItemCountText(protocol string, n int) string {
	return table.CountWithNoun(n, layoutOf(protocol).ItemNoun)
}

// BoardJudge holds a judge of a leaderboard, with the run that stands for it.
type BoardJudge struct {
	Manifest *judging.Manifest
	Report   *scoring.Report
	Name     string // that a person gave it; "" for the name in the suite's file, or the model
}

// name returns the name of the judge, which other judges may have, too.
func (j BoardJudge) name() string {
	return cmp.Or(j.Name, j.Manifest.Name, scoring.JudgeName(j.Manifest.Spec.Model.Name))
}

// NameJudges returns a different name for each judge, and details of each: where it was served, and in what its prompt,
// settings and items differ from those of most judges.
func NameJudges(judges []BoardJudge) (names, details []string) {
	prompt := commonest(judges, func(j BoardJudge) string { return j.Report.Prompt })
	settings := commonest(judges, func(j BoardJudge) string { return j.Report.Settings })
	largest := 0
	for _, j := range judges {
		largest = max(largest, j.Report.Items)
	}
	count := map[string]int{}
	var manifests []*judging.Manifest
	for _, j := range judges {
		name := j.name()
		manifests = append(manifests, j.Manifest)
		count[name]++
		var parts []string
		_, models, isJury := scoring.SplitJuryName(j.Manifest.Spec.Model.Name)
		switch {
		case isJury:
			parts = append(parts, jury.RuleName(j.Report.Prompt)+" of "+models)
		case j.Manifest.Imported != "":
			published := "stored replies"
			if j.Manifest.Server.Name == "published verdicts" {
				published = j.Manifest.Server.Name
			}
			parts = append(parts, "reference", published)
		case !j.Manifest.Simulated:
			parts = append(parts, j.Manifest.Model.Quantisation, j.Manifest.Server.Name)
		}
		names = append(names, name)
		details = append(details, dotted(append(parts,
			textIf(j.Manifest.LabelsFollowResponses, "labels stayed with the responses"),
			textIf(j.Report.Prompt != prompt && !isJury, "prompt "+j.Report.Prompt),
			textIf(j.Report.Settings != settings, j.Report.Settings),
			textIf(j.Report.Items < largest, fmt.Sprintf("%d of %d", j.Report.Items, largest)),
			textIf(j.Manifest.Status != judging.Complete, j.Manifest.Status),
		)...))
	}
	differences := scoring.DistinctSettings(manifests, names)
	for i, j := range judges {
		if count[j.name()] < 2 {
			continue
		}
		if j.Manifest.Imported != "" {
			differences[i] = details[i]
		}
		names[i] += " · " + cmp.Or(differences[i], details[i], j.Report.Run)
	}
	return names, details
}

// commonest returns the value that most judges have, or the first of several such values.
func commonest(judges []BoardJudge, value func(BoardJudge) string) (common string) {
	count := map[string]int{}
	for _, j := range judges {
		count[value(j)]++
	}
	for _, j := range judges {
		if count[value(j)] > count[common] {
			common = value(j)
		}
	}
	return common
}

// NewLeaderboard returns the leaderboard that shows a ranking. judges has the judges in the order of r.Runs.
func NewLeaderboard(r scoring.Ranking, judges []BoardJudge) *Leaderboard {
	names, details := NameJudges(judges)
	l := &Leaderboard{Board: NewBoard(r, names)}
	places := map[string]int{}
	for i, run := range r.Runs {
		places[run.Run] = i
	}
	for i := range l.Rows {
		row := &l.Rows[i]
		place := places[row.Run]
		row.Detail = details[place]
		row.IsPublished = judges[place].Manifest.Imported != ""
		row.Seconds = secondsPerItem(row.Report)
		row.target = doc.RunRef(row.Run)
	}
	return l
}

// WithRunNames returns the board for outputs without room for details: the names of its judges say how their runs
// differ.
func (l *Leaderboard) WithRunNames(runs []scoring.Report) *Board {
	names := NamesOf(runs)
	b := l.Board
	b.Rows = slices.Clone(b.Rows)
	for i, s := range b.Rows {
		b.Rows[i].Name = names[slices.IndexFunc(runs, func(r scoring.Report) bool { return r.Run == s.Run })]
	}
	return &b
}

// secondsPerItem returns the seconds that a run took per item; nil if its times are unknown, or if at least half of its
// replies came from the cache.
func secondsPerItem(r *scoring.Report) *float64 {
	l := r.Ledger
	if l == nil || l.Calls <= l.CachedReplies || r.Items == 0 || l.Seconds <= 0 {
		return nil
	}
	return new(l.Seconds / float64(r.Items))
}

// LeaderboardOfRuns returns the leaderboard of two or more runs that ask the same question about the same items; nil
// for others.
func LeaderboardOfRuns(runs []*scoring.Run, reports []scoring.Report, o scoring.Options) *Leaderboard {
	if len(runs) < 2 {
		return nil
	}
	judges := make([]BoardJudge, len(runs))
	for i, r := range runs {
		if !canRankTogether(r, runs[0]) {
			return nil
		}
		judges[i] = BoardJudge{Manifest: r.Manifest, Report: &reports[i]}
	}
	rankings, err := scoring.RankScored(runs, reports, o.Bootstrap)
	if err != nil || len(rankings) == 0 {
		return nil
	}
	return NewLeaderboard(rankings[0], judges)
}

// canRankTogether reports whether one leaderboard can rank two runs: same protocol and goal, almost the same items.
func canRankTogether(a, b *scoring.Run) bool {
	spec, other := a.Manifest.Spec, b.Manifest.Spec
	return spec.Protocol == other.Protocol && spec.Goal == other.Goal && a.ItemSet().AlmostEqual(b.ItemSet())
}

// Leaderboards returns the leaderboards of a report's runs, with links to the pages of the runs in the report. It also
// sets runs[i].Jury for juries, which compares them with their members.
func Leaderboards(loaded []*scoring.Run, runs []Run, o scoring.Options) (boards []*Leaderboard) {
	pages := map[string]string{}
	for i := range runs {
		runs[i].Jury = jury.FindAndEvaluate(loaded[i], loaded, o)
		if len(runs) > 1 {
			pages[runs[i].Run] = fmt.Sprintf("#run-%d-page", i+1)
		}
	}
	for _, places := range groupBySameItems(loaded) {
		var group []*scoring.Run
		var reports []scoring.Report
		for _, i := range places {
			group = append(group, loaded[i])
			reports = append(reports, runs[i].Report)
		}
		l := LeaderboardOfRuns(group, reports, o)
		if l == nil {
			continue
		}
		l.Link = func(r doc.Ref) string {
			if len(r.Runs) != 1 {
				return ""
			}
			return pages[r.Runs[0]]
		}
		l.IDPrefix = fmt.Sprintf("board-%d-", len(boards)+1)
		l.About = JudgeQuestion(reports[0]) + " · " + reports[0].Dataset
		boards = append(boards, l)
	}
	return boards
}

// UntestedRanking returns the ranking of judges by their headline scores alone, without tests of differences.
func UntestedRanking(judges []BoardJudge) scoring.Ranking {
	r := scoring.Ranking{Boot: judges[0].Report.Bootstrap}
	for _, j := range judges {
		head := cmp.Or(Headline(j.Report), &scoring.Result{Group: scoring.Overall})
		r.Metric = cmp.Or(head.Metric, r.Metric)
		r.Mode = head.Mode
		r.Unit = cmp.Or(head.Unit, r.Unit)
		r.Runs = append(r.Runs, scoring.RankedRun{
			Run:       j.Report.Run,
			Model:     j.Report.Model,
			Simulated: j.Report.Simulated,
			Result:    *head,
			Report:    j.Report,
		})
	}
	return r
}
