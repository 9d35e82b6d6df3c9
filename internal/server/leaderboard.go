package server

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gavel/datasets"
	"gavel/internal/phrases"
	"gavel/internal/report"
	"gavel/internal/report/table"
	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/memo"
	"gavel/judging"
	"gavel/scoring"
)

// boardFilter holds the parameters that choose a leaderboard: its question (protocol and goal) and its items.
type boardFilter struct {
	Protocol string `json:"protocol,omitempty"`
	Goal     string `json:"goal,omitempty"`
	Dataset  string `json:"dataset,omitempty" jsonschema:"name, or beginning of the SHA-256 of the items"`
}

// leaderboardView holds a leaderboard, and for its page also the newest runs and jobs.
type leaderboardView struct {
	Question string              `json:"question"`
	Dataset  string              `json:"dataset"`
	Items    int                 `json:"items"`
	Pending  bool                `json:"pending" jsonschema:"the differences between judges are still being tested"`
	Scoring  int                 `json:"scoring,omitempty" jsonschema:"number of runs that are being scored"`
	Reading  bool                `json:"-"` // the folder of runs is being read for the first time
	Board    *report.Leaderboard `json:"board" jsonschema:"null before the first judge has a score"`

	Choices        boardChoices   `json:"-"` // links to other leaderboards
	Query          string         `json:"-"` // query of this leaderboard's address
	Runs           []RunRow       `json:"-"` // runs in progress, then the newest
	Total          int            `json:"-"` // number of all runs
	Running        int            `json:"-"` // number of runs in progress
	Jobs           []jobs.Job     `json:"-"` // jobs without a run yet
	Ended          string         `json:"-"` // warning that runs may be missing; "" for none
	LabelAgreement labelAgreement `json:"-"` // judges by their agreement with people's labels

	allRuns []RunRow // all runs of the folder
}

// boardChoices holds links to leaderboards with another question about the same items, and with the same question about
// other items.
type boardChoices struct{ Questions, Datasets linkGroup }

// linkGroup holds a group of links, of which one is the current page.
type linkGroup struct {
	Label   string
	Choices []Choice // links shown beside each other
	More    []Choice // further links, in a menu
}

// Limits of the page of a leaderboard, and of the tests of differences between its judges.
const (
	maxBoardRows       = 20        // judges shown without show=all
	maxBoardDatasets   = 4         // links to datasets outside the menu
	maxBoardRuns       = 5         // runs in the list of the newest
	maxTestedJudges    = 100       // judges whose differences are tested
	maxTestRecordBytes = 512 << 20 // bytes of records that are read for the tests
	itemsHashLength    = 12        // characters of the SHA-256 of items in an address
	samplePrefix       = "sample"  // prefix of the names of gavel's samples
)

// comparableRuns groups the runs that ask one question about the same items: a leaderboard ranks their judges.
type comparableRuns struct {
	protocol, goal string
	itemsHash      string          // hash of the first run's file of items, see [judging.Manifest.ItemsFileKey]
	set            judging.ItemSet // items that all its runs have
	dataset        string          // name of the dataset
	n              int             // number of items in set
	runs           []*RunRow       // runs over these items
	largerRuns     []*RunRow       // runs that ask the question about these items and others
}

// conditions groups runs by question and items: those that have a score or are being scored, except shards (parts of a
// run made separately). Sets of items that differ a little count as one. Conditions with the most judged items come
// first, those over gavel's samples last.
func conditions(rows []RunRow) (all []*comparableRuns) {
	var runs []*RunRow
	for i := range rows {
		r := &rows[i]
		if r.Shard == "" && (r.hasHeadlineScore() || r.needsScoring()) {
			runs = append(runs, r)
		}
	}
	slices.SortStableFunc(runs, func(a, b *RunRow) int { return b.Items - a.Items })
	for _, r := range runs {
		c := &comparableRuns{
			protocol:  r.Protocol,
			goal:      r.Goal,
			itemsHash: r.manifest.ItemsFileKey(),
			set:       r.itemSet,
			dataset:   r.ItemsOf,
			n:         r.Items,
		}
		into := c
		for _, o := range all {
			switch {
			case !o.sameQuestion(c):
			case c.set.AlmostEqual(o.set):
				into = o
			case c.set.SubsetOf(o.set):
				c.largerRuns = append(c.largerRuns, o.runs...)
			}
		}
		switch {
		case into == c:
			all = append(all, c)
		case into.set != c.set:
			into.set = into.set.Common(c.set, c.n)
			into.n = into.set.Len()
		}
		into.runs = append(into.runs, r)
	}
	sample := func(c *comparableRuns) float64 { return scoring.Indicator(strings.HasPrefix(c.dataset, samplePrefix)) }
	slices.SortStableFunc(all, func(a, b *comparableRuns) int {
		return cmp.Or(cmp.Compare(sample(a), sample(b)),
			b.judgedItemCount()-a.judgedItemCount(),
			strings.Compare(a.dataset, b.dataset), strings.Compare(a.itemsHash, b.itemsHash))
	})
	return all
}

// scoreOnCommonItems keeps the runs of a condition that have a score, and adds those over more items, scored on the
// condition's items alone. pending counts the runs that are still being scored on these items.
func (s *Server) scoreOnCommonItems(ctx context.Context, c *comparableRuns) (pending int) {
	ctx, cancel := s.pageWaitContext(ctx)
	defer cancel()
	var runs []*RunRow
	for _, r := range slices.Concat(c.runs, c.largerRuns) {
		if pending == maxBackgroundScores {
			break
		}
		if !r.hasHeadlineScore() {
			continue
		}
		if r.itemSet == c.set {
			runs = append(runs, r)
			continue
		}
		numbers, err := s.scoreOnItems(ctx, r, c.set)
		if err != nil {
			pending++
			continue
		}
		part := *r
		part.scoredItems = c.set
		part.runNumbers = numbers
		if part.hasHeadlineScore() {
			runs = append(runs, &part)
		}
	}
	c.runs = runs
	return pending
}

// judgedItemCount returns the number of judged items, summed over the condition's runs.
func (c *comparableRuns) judgedItemCount() (n int) {
	for _, r := range c.runs {
		if r.report == nil {
			n += r.Items
			continue
		}
		n += r.report.Items
	}
	return n
}

// sameQuestion reports whether two conditions differ at most in their items.
func (c *comparableRuns) sameQuestion(o *comparableRuns) bool {
	return c.protocol == o.protocol && c.goal == o.goal
}

// query returns the query of the address of the condition's leaderboard, with more parameters as names and values.
func (c *comparableRuns) query(more ...string) string {
	return query(append([]string{"protocol", c.protocol, "goal", c.goal, "dataset", shortKey(c.itemsHash)}, more...)...)
}

// link returns the address of the condition's leaderboard.
func (c *comparableRuns) link() string { return "/" + c.query() }

// shortKey returns the beginning of the SHA-256 of a file of items, as addresses name it.
func shortKey(items string) string { return items[:min(itemsHashLength, len(items))] }

// firstMatch returns the first condition in all that matches the filter; nil if there is none.
func (f boardFilter) firstMatch(all []*comparableRuns) *comparableRuns {
	for _, c := range all {
		if (f.Protocol == "" || f.Protocol == c.protocol) && (f.Goal == "" || f.Goal == c.goal) &&
			(f.Dataset == "" || c.hasDataset(f.Dataset)) {
			return c
		}
	}
	return nil
}

// hasDataset reports whether name is that of the dataset of one of the condition's runs, or the beginning of the
// SHA-256 of the run's items.
func (c *comparableRuns) hasDataset(name string) bool {
	return slices.ContainsFunc(c.runs, func(r *RunRow) bool {
		return name == r.ItemsOf || name == r.Dataset || name == shortKey(r.manifest.ItemsFileKey())
	})
}

// leaderboardPage returns the first page: a leaderboard, the newest runs, and the judges by agreement with the labels.
func (s *Server) leaderboardPage(r *http.Request) (leaderboardView, error) {
	v, err := s.requestedBoard(r)
	if err != nil {
		return v, err
	}
	v.Jobs = s.jobsWithoutRun()
	v.Ended = s.runs.ListingWarning()
	if s.Labels != "" {
		ctx, cancel := s.pageWaitContext(r.Context())
		defer cancel()
		v.LabelAgreement = s.labelAgreement(ctx)
	}
	v.Total = len(v.allRuns)
	running := func(r RunRow) int { return int(scoring.Indicator(r.Status == judging.Running)) }
	for _, r := range v.allRuns {
		v.Running += running(r)
	}
	v.Runs = slices.SortedStableFunc(slices.Values(v.allRuns), func(a, b RunRow) int {
		return cmp.Or(running(b)-running(a), b.Started.Compare(a.Started))
	})
	v.Runs = v.Runs[:min(maxBoardRuns, v.Total)]
	return v, nil
}

// requestedBoard returns the leaderboard that a request asks for. Without parameters it is that of the first condition.
func (s *Server) requestedBoard(r *http.Request) (v leaderboardView, err error) {
	v.allRuns, err = s.requestedRunRows(r)
	if err != nil {
		return v, err
	}
	v.Reading = v.allRuns == nil
	v.Scoring = s.scoreMissing(r.Context(), v.allRuns)
	var filter boardFilter
	if err := readQuery(r.URL.Query(), &filter); err != nil {
		return v, err
	}
	all := conditions(v.allRuns)
	c := filter.firstMatch(all)
	if c == nil && !v.Reading && filter != (boardFilter{}) {
		return v, failure.NotFound("too few judges of that have ended: the leaderboard is at /")
	}
	if c == nil {
		return v, nil
	}
	v.Question = c.question()
	v.Dataset = c.dataset
	v.Items = c.n
	v.Query = c.query()
	v.Choices = boardLinks(all, c)
	v.Scoring += s.scoreOnCommonItems(r.Context(), c)
	if len(c.runs) > 0 {
		v.Board, v.Pending = s.buildLeaderboard(r.Context(), c, r.URL.Query().Get("show") == "all" || isAPI(r))
	}
	return v, nil
}

// has reports whether the run called run belongs to the condition.
func (c *comparableRuns) has(run string) bool {
	return slices.ContainsFunc(c.runs, func(r *RunRow) bool { return r.Name == run })
}

// question returns the question of the condition's runs in words.
func (c *comparableRuns) question() string {
	for _, r := range c.runs {
		if r.hasHeadlineScore() {
			return r.Asks()
		}
	}
	return c.runs[0].asks()
}

// boardLinks returns links to leaderboards: those of the current question about other items, and those of the other
// questions. A link to another question keeps the items if the question was asked about them, else it leads to the
// items about which it was asked most.
func boardLinks(all []*comparableRuns, current *comparableRuns) (v boardChoices) {
	v.Datasets.Label = "Dataset"
	v.Questions.Label = "Question"
	names := map[string]int{}
	for _, c := range all {
		if c.sameQuestion(current) {
			names[fmt.Sprint(c.dataset, c.n)]++
		}
	}
	questions := map[string]bool{}
	var sets []Choice
	for _, c := range all {
		if c.sameQuestion(current) {
			choice := Choice{Name: c.dataset, N: c.n, Link: c.link(), Chosen: c == current}
			if names[fmt.Sprint(c.dataset, c.n)] > 1 {
				choice.Name += " (" + shortKey(c.itemsHash) + ")"
			}
			sets = append(sets, choice)
		}
		question := c.question()
		if questions[question] {
			continue
		}
		questions[question] = true
		to := c
		for _, o := range all {
			if o.sameQuestion(c) && o.itemsHash == current.itemsHash {
				to = o
			}
		}
		v.Questions.Choices = append(v.Questions.Choices, Choice{
			Name: question, Link: to.link(), Chosen: c.sameQuestion(current),
		})
	}
	if i := slices.IndexFunc(sets, func(c Choice) bool { return c.Chosen }); i >= maxBoardDatasets {
		last := sets[i]
		sets = slices.Insert(slices.Delete(sets, i, i+1), maxBoardDatasets-1, last)
	}
	n := min(maxBoardDatasets, len(sets))
	v.Datasets.Choices, v.Datasets.More = sets[:n], sets[n:]
	return v
}

// best returns one run of each judge, chosen by [RunRow.isPreferredTo]. The runs with the highest headline score come
// first.
func (c *comparableRuns) best() (judges []RunRow) {
	place := map[string]int{}
	for _, r := range c.runs {
		if !r.hasHeadlineScore() {
			continue
		}
		key := judgeOf(r.manifest)
		i, has := place[key]
		switch {
		case !has:
			place[key] = len(judges)
			judges = append(judges, *r)
		case r.isPreferredTo(judges[i]):
			judges[i] = *r
		}
	}
	slices.SortStableFunc(judges, func(a, b RunRow) int {
		return cmp.Or(cmp.Compare(*b.Headline.Value, *a.Headline.Value), strings.Compare(a.Name, b.Name))
	})
	return judges
}

// judgeOf identifies the judge of a run by its name, its model, and how the model was served and asked.
func judgeOf(m *judging.Manifest) string { return fmt.Sprint(m.Name, scoring.JudgeMetadata(m)) }

// isPreferredTo reports whether the leaderboard shows this run of a judge rather than another run of the same judge:
// complete runs come first, then runs over more items, then newer runs.
func (r RunRow) isPreferredTo(other RunRow) bool {
	whole := func(r RunRow) float64 { return scoring.Indicator(r.Status == judging.Complete) }
	return cmp.Or(cmp.Compare(whole(r), whole(other)), r.report.Items-other.report.Items,
		r.Started.Compare(other.Started)) > 0
}

// buildLeaderboard returns the leaderboard of a condition, with all judges or the first maxBoardRows. pending is true
// while the differences between judges are still being tested.
func (s *Server) buildLeaderboard(
	ctx context.Context, c *comparableRuns, all bool,
) (b *report.Leaderboard, pending bool) {
	judges := c.best()
	boardJudges := judgesOf(judges)
	ranking, err := s.testDifferences(ctx, judges, c.set)
	pending = ranking == nil && err == nil
	if ranking == nil {
		ranking = new(report.UntestedRanking(boardJudges))
	}
	b = report.NewLeaderboard(*ranking, boardJudges)
	b.Link = refURL
	if !all {
		b.MaxRows = maxBoardRows
		b.AllJudgesLink.Address = "/" + c.query("show", "all")
	}
	if err != nil {
		b.Notes = append(b.Notes, err.Error())
	}
	b.Notes = append(b.Notes, s.publishedResultNotes(c)...)
	if len(judges) > 1 {
		b.Hardest.Address = hardestURL(judges[0].Name)
	}
	return b, pending
}

// publishedResultNotes returns a sentence with the published results on the condition's items, or with the command that
// imports the published judges; nil if there are none, or if they have been imported.
func (s *Server) publishedResultNotes(c *comparableRuns) []string {
	var figures []string
	for _, p := range datasets.PublishedResults(c.dataset) {
		if p.Protocol == c.protocol && p.Metric == c.runs[0].Headline.Metric {
			figures = append(figures, fmt.Sprintf("%s %s (n = %d)", p.Judge,
				table.WithInterval(scoring.Result{Value: &p.Value}), p.N))
		}
	}
	if figures != nil {
		return []string{phrases.Sentence("board.published", strings.Join(figures, ", "))}
	}
	isPublished := func(r *RunRow) bool { return r.Imported != "" }
	first := c.runs[0].report
	if first == nil || first.OnlyTotalsPublished() || slices.ContainsFunc(c.runs, isPublished) {
		return nil
	}
	bring := datasets.ShellLine("gavel", "references", "--out", s.Dir, s.folder(c.runs[0].Name))
	return []string{phrases.Sentence("board.bring-published", len(first.References), bring)}
}

// judgeNames returns the names of the judges of these runs. Where judges have the same model, it adds what differs.
func judgeNames(rows []RunRow) []string {
	names, _ := report.NameJudges(judgesOf(rows))
	return names
}

// judgesOf returns the judges of these runs as leaderboards take them.
func judgesOf(rows []RunRow) []report.BoardJudge {
	judges := make([]report.BoardJudge, len(rows))
	for i, r := range rows {
		judges[i] = report.BoardJudge{Manifest: r.manifest, Report: r.report, Name: r.GivenJudgeName()}
	}
	return judges
}

// testDifferences tests the difference between every two judges on the items of set, in the background. It returns nil
// if that takes longer than a page waits, and an error if there are too many judges or records.
func (s *Server) testDifferences(ctx context.Context, judges []RunRow, set judging.ItemSet) (*scoring.Ranking, error) {
	if len(judges) < 2 {
		return s.newRanking(judges), nil
	}
	if len(judges) > maxTestedJudges {
		return nil, fmt.Errorf("of more than %d judges the differences are not tested", maxTestedJudges)
	}
	var bytes int64
	for _, r := range judges {
		bytes += r.stamps.Records.Size
	}
	if bytes > maxTestRecordBytes {
		return nil, fmt.Errorf("the records are too large (%d MB) to test the differences here", bytes>>20)
	}
	ctx, cancel := s.pageWaitContext(ctx)
	defer cancel()
	name := "ranks " + judges[0].Protocol + " " + judges[0].Goal + " " + string(set)
	state := s.filesState(namesOf(judges)...)
	ranking, _ := memo.Get(ctx, s.backgroundMemo, name, state, func() (*scoring.Ranking, error) {
		return s.newRanking(judges), nil
	})
	return ranking, nil
}

// newRanking ranks the judges of these runs, with the cost of the runs. If the records of a run cannot be read, it does
// not test the differences between judges; the page of that run shows the error.
func (s *Server) newRanking(judges []RunRow) *scoring.Ranking {
	boardJudges := judgesOf(judges)
	var runs []*scoring.Run
	var reports []scoring.Report
	for i, r := range judges {
		run, err := s.runs.LoadOneReading(r.Name, r.scoredItems)
		if err != nil {
			continue
		}
		rep := *r.report
		rep.Ledger = run.Ledger()
		boardJudges[i].Report = &rep
		runs = append(runs, run)
		reports = append(reports, rep)
	}
	ranking := report.UntestedRanking(boardJudges)
	if len(runs) < len(judges) || len(runs) < 2 {
		return &ranking
	}
	rankings, _ := scoring.RankScored(runs, reports, scoring.DefaultOptions.Bootstrap)
	for _, r := range rankings {
		if r.Metric == ranking.Metric && r.Mode == ranking.Mode {
			return &r
		}
	}
	return &ranking
}

// byJudges is a value of the parameter "by" of lists of items: items that most judges get wrong come first.
const byJudges = "judges"

// hardestURL returns the address of the list of a run's items, sorted by the number of judges that get them wrong.
func hardestURL(run string) string { return runURL(run) + "/items" + query("by", byJudges) }
