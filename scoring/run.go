package scoring

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gavel/judging"
)

// Run is a run directory as scores need it.
type Run struct {
	Dir      string
	Manifest *judging.Manifest
	Reading  judging.Reading
	Items    int // scored: with all their judgments
	Outcomes map[judging.Outcome]int
	Reread   int // records whose outcome or choice differs from the one stored
	Records  int
	Answered int              // judgments that did not fail, of every time
	Unserved judging.Unserved // of these, those that have no verdict for want of the server or of room
	remarks
	origins
	systems judging.Systems

	scorer   Scorer
	again    *again // of a run that asks more than once
	sure     forecasts
	missing  MissingPolicy
	readings readings
	byPolicy bool // some verdict is read by a rule that leaves a choice to Reading.Policy

	ids    func() ([]string, error) // of all its items; see Known
	failed map[string]bool          // items with a judgment that failed

	account account
	items   Responses // nil where nobody said

	altered []string // files of its folder that are not as the run wrote them
	folder  string   // where its files are; "" where nobody said
	itemSet judging.ItemSet

	cluster  func(id string) string // of a unit, where the dataset says what belongs together
	clusters string                 // what that is, in words
}

// ItemSet identifies the items of a run in a folder; those that cannot be read go by the hash of their file.
func (run *Run) ItemSet() judging.ItemSet {
	if run.itemSet == "" {
		run.itemSet = judging.ItemSet(run.Manifest.ItemsFile())
		f, err := os.Open(filepath.Join(run.folder, judging.ItemsFile))
		if err != nil {
			return run.itemSet
		}
		defer f.Close()
		ids, err := judging.ReadItems(run.Manifest, f)
		if err == nil {
			run.itemSet = judging.ItemSetOf(ids)
		}
	}
	return run.itemSet
}

// FindAltered looks which files in the run's folder are not as it wrote them; its warnings say it. root may be nil.
func (run *Run) FindAltered(root *os.Root, dir string) (err error) {
	run.altered, err = run.Manifest.EverAltered(root, dir)
	return err
}

// InFolder tells the run where its files are: the items there say what servers were sent.
func (run *Run) InFolder(dir string) {
	run.Dir = dir
	run.folder = dir
	run.Known(func() ([]string, error) { return judging.ItemIDs(dir) })
}

// ItemsFrom sets where the run reads its items from, if that is not the file of its folder.
func (run *Run) ItemsFrom(items Responses) {
	run.items = items
	run.Known(func() (ids []string, err error) {
		err = items(func(id string, _ []judging.Response) { ids = append(ids, id) })
		return ids, err
	})
}

// Known tells the run the ids of all its items, as [judging.ItemIDs] has them. Without them a run that is not at its
// end has values without intervals.
func (run *Run) Known(ids func() ([]string, error)) { run.ids = ids }

func load(dir string, how judging.Reading) (*Run, error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	load, err := NewLoader(m, how)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, judging.ManifestFile), err)
	}
	if err := judging.ReadRecordsBy(filepath.Join(dir, judging.RecordsFile), load.Look, load.Take); err != nil {
		return nil, err
	}
	run := load.Run()
	run.InFolder(dir)
	return run, nil
}

// Loader gathers the records of one run. It is for scoring a run from what is
// in hand while it is made: it comes to what [Load] would read from the files.
type Loader struct {
	mu    sync.Mutex
	run   *Run
	asker judging.Asker
}

// NewLoader makes a loader for the run of a manifest.
func NewLoader(m *judging.Manifest, how judging.Reading) (*Loader, error) {
	asker, err := judging.AskerOf(m)
	if err != nil {
		return nil, err
	}
	make, ok := scorers[m.Spec.Protocol]
	if !ok {
		return nil, fmt.Errorf("nothing scores runs of the protocol %q", m.Spec.Protocol)
	}
	how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut
	how.Name = cmp.Or(how.Name, judging.ReadersOf(m.Imported != ""))
	run := &Run{
		Manifest: m,
		Reading:  how,
		Outcomes: map[judging.Outcome]int{},
		scorer:   make(m),
		altered:  m.Altered,
		failed:   map[string]bool{},
	}
	if n := m.Spec.Parameters.Repetitions(); n > 1 {
		run.again = newAgain(n, func() Scorer { return make(m) })
	}
	run.CountMissing("")
	return &Loader{run: run, asker: asker}, nil
}

// InFolder sets the folder of the records, and a function that returns the ids of its items without reading them there.
func (l *Loader) InFolder(dir string, ids func() ([]string, error)) {
	l.run.InFolder(dir)
	l.run.Known(ids)
}

// Add takes a record; it keeps no hold of it. It may be called from many goroutines.
func (l *Loader) Add(r *judging.Record) error {
	read, err := l.Look(r)
	if err != nil {
		return err
	}
	return l.Take(r, read)
}

// Look reads a record and takes nothing. It may be called from many goroutines.
func (l *Loader) Look(r *judging.Record) (read Read, err error) {
	read.Verdict, read.other, err = r.ReadBoth(l.asker, l.run.Reading)
	return read, err
}

// Read is the verdict of a record by the reading of a run, and by the other.
type Read struct {
	judging.Verdict
	other judging.Verdict
}

// Take is Add of a record that was read by a loader of the same run.
func (l *Loader) Take(r *judging.Record, read Read) error {
	run, v := l.run, read.Verdict
	l.mu.Lock()
	defer l.mu.Unlock()
	run.count(r, read, l.asker)
	if added, err := run.again.add(r, v); err != nil || !added {
		return err
	}
	if r.Repetition == 0 { // the scores are those of the first time
		added, err := run.scorer.Add(r, v)
		if err != nil || !added {
			return err
		}
		run.Outcomes[v.Outcome]++
		run.sure.add(r, run.Manifest, l.asker, v)
		run.remarks.add(run.Manifest, r, v)
		if v.Outcome == judging.Failed {
			run.failed[strings.Clone(r.Item)] = true
		}
	}
	if v.Outcome != judging.Failed {
		run.Answered++
	}
	run.Unserved.Add(run.Manifest, r, v.Outcome)
	return nil
}

// count notes what a record tells of the run, be it the first of its judgment or not.
func (run *Run) count(r *judging.Record, read Read, asker judging.Asker) {
	paper := read.Verdict // as is recorded
	if run.Reading.Name == judging.Robust {
		paper = read.other
	}
	if run.Records == 0 {
		run.cluster, run.clusters = r.Cluster()
	}
	run.Records++
	if !read.Verdict.Same(read.other) {
		run.readings.differ++
	}
	if paper.Outcome != r.Outcome || r.CandidateID(paper.Choice) != r.Choice || paper.Answer != r.Answer {
		run.Reread++
	}
	if p, ok := asker.(judging.PolicyReader); ok && p.ReadsByPolicy(r) {
		run.byPolicy = true
	}
	run.origins.add(r)
	run.systems.Add(run.Manifest, r)
	if !run.unpaid() {
		run.account.enter(r, read.Verdict)
	}
}

// Item tells what an item came to by a metric of [Shares], once all its judgments of the first time were taken.
func (l *Loader) Item(id, metric string) (is ItemResult, complete bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	scorer, ok := l.run.scorer.(Itemwise)
	if !ok {
		return NotKnown, false
	}
	num, den, complete := scorer.Item(id, metric)
	switch {
	case l.run.failed[id]:
		return NotKnown, complete
	case den == 0:
		return LeftOut, complete
	case num > 0:
		return Right, complete
	}
	return Wrong, complete
}

// Run is what the records come to. The loader is of no use afterwards.
func (l *Loader) Run() *Run {
	l.run.Items = l.run.scorer.Finish()
	if l.run.again != nil {
		for _, one := range l.run.again.times {
			one.Finish()
		}
	}
	l.run.sure.finish()
	return l.run
}

// sheet is what the scorer makes of the records, with what belongs together by the dataset.
func (run *Run) sheet(seed uint64) *Sheet {
	s := run.sheetOf(run.scorer, seed)
	s.early = run.earlyOrder(s.Units)
	return s
}

// earlyOrder returns how far a run is in the order drawn; nil if intervals for a fixed n hold: at its end, for an
// imported run, and for one that asks in the order of the file.
func (run *Run) earlyOrder(units []Unit) *early {
	m := run.Manifest
	if m.DrawnBy == nil || m.Imported != "" || run.Items >= m.Spec.Dataset.Items {
		return nil
	}
	e := &early{seed: *m.DrawnBy, place: map[string]int{}, failed: run.failed}
	if run.ids == nil {
		return e
	}
	ids, err := run.ids()
	if err != nil {
		return e
	}
	judged := make(map[string]bool, len(units))
	for _, u := range units {
		judged[u.ID] = true
	}
	most := len(ids)
	if m.Stopped != nil {
		most = min(most, m.Stopped.Items)
	}
	for i, id := range judging.Drawn(ids, e.seed)[:most] {
		if !judged[id] {
			break
		}
		e.place[id] = i
	}
	return e
}

// earlyNote tells what the intervals of a run that is not at its end hold for; "" for other runs.
func (run *Run) earlyNote() string {
	m := run.Manifest
	switch {
	case run.Items >= m.Spec.Dataset.Items, m.Imported != "", m.DrawnBy == nil &&
		m.Status != judging.Interrupted && m.Status != judging.Running:
		return ""
	case m.DrawnBy == nil:
		return "not at its end, and asked in the order of the file: " +
			"intervals and tests are those of what is judged so far, and say nothing of the rest"
	case m.Stopped != nil && run.clusters != "":
		return fmt.Sprintf("stopped by rule (%s) after %d of %d items: those of one %s are alike, "+
			"so the answer holds of these very items, and is too sure of items like these",
			m.Stopped.Rule, m.Stopped.Items, m.Spec.Dataset.Items, run.clusters)
	case m.Stopped != nil:
		return fmt.Sprintf("stopped by rule (%s) after %d of %d items: intervals hold however often one looks",
			m.Stopped.Rule, m.Stopped.Items, m.Spec.Dataset.Items)
	}
	return "not at its end: intervals hold however often one looks, over the first items of the order drawn"
}

func (run *Run) sheetOf(scorer Scorer, seed uint64) *Sheet {
	s := scorer.Sheet(run.missing, seed)
	s.protocol = run.Manifest.Spec.Protocol
	s.missing = run.missing
	s.Metrics = s.define(s.Metrics)
	for i := range s.Units {
		u := &s.Units[i]
		u.Question = u.Cluster
		if run.cluster != nil {
			u.Cluster = run.cluster(cmp.Or(u.Cluster, u.ID))
		}
	}
	return s
}

func (run *Run) unlabelled() int {
	if s, ok := run.scorer.(Labelling); ok {
		return s.Unlabelled()
	}
	return 0
}

// resampled is what a cluster of units is, in words.
func (run *Run) resampled() string { return cmp.Or(run.clusters, run.words().Unit) }

// Responses calls use with the candidates of each item, in the order of their ids.
type Responses func(use func(id string, of []judging.Response)) error

// unpaid tells whether the run asked no server.
func (run *Run) unpaid() bool { return run.Manifest.Simulated || run.Manifest.Imported != "" }

// CountMissing sets how judgments without a verdict count. Runs whose metrics say so each by itself, as those of
// pairs do, have no such choice, and a policy of another protocol leaves a run at its own default.
func (run *Run) CountMissing(how MissingPolicy) {
	if policies := run.words().Policies; len(policies) > 0 {
		run.missing = how
		if !slices.Contains(policies, how) {
			run.missing = policies[0]
		}
	}
	if run.readings.other != nil {
		run.readings.other.CountMissing(how)
	}
}

// lost says what becomes of records without a verdict.
func (run *Run) lost() string {
	switch run.missing {
	case MissingDrop, MissingUsable:
		return "are left out"
	case MissingStrict:
		return "count as a choice of nothing"
	}
	if run.Items < run.Manifest.Spec.Dataset.Items {
		return "count as wrong, but for those that are left out"
	}
	return "count as wrong"
}

func (run *Run) words() Words { return run.scorer.Words() }

// readings are what a run knows of the reading that was not chosen.
type readings struct {
	differ int  // records that it reads otherwise
	told   bool // that is to be said
	other  *Run // the run as it reads it; nil where that matters to few replies
}

// scoredRun is a run with its sheet.
type scoredRun struct {
	*Run
	*Sheet
	sheets []*Sheet // of each time, where it was asked more than once
}

// ahead returns the units of two runs in the order drawn; nil if both are at their ends.
func (a scoredRun) ahead(b scoredRun, joined []Joined) *pairedOrder {
	if a.early == nil && b.early == nil {
		return nil
	}
	e := cmp.Or(a.early, b.early)
	if a.early != nil && b.early != nil && a.early.seed != b.early.seed {
		return &pairedOrder{seeds: true}
	}
	judged := func(side *early, id string) bool {
		if side == nil {
			return true
		}
		_, in := side.place[id]
		return in && !side.failed[id]
	}
	ordered := make([]*Joined, len(e.place))
	for i, j := range joined {
		if id := j.A.ID; judged(a.early, id) && judged(b.early, id) {
			ordered[e.place[id]] = &joined[i]
		}
	}
	p := new(pairedOrder)
	for _, j := range ordered {
		if j == nil {
			break
		}
		p.in = append(p.in, *j)
	}
	return p
}

// clusterOf is what a unit is resampled with.
func (run *Run) clusterOf(unit string) string {
	if run.cluster == nil {
		return unit
	}
	return cmp.Or(run.cluster(unit), unit)
}
