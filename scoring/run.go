package scoring

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"gavel/internal/phrases"
	"gavel/judging"
)

// Run holds a loaded run: its manifest, the counts over its records, and a scorer with its judgments.
type Run struct {
	Dir      string // folder of the run, as given
	Manifest *judging.Manifest
	Reading  judging.ReadingOptions  // by which rules replies are read
	Items    int                     // scored items: those with all their judgments
	Outcomes map[judging.Outcome]int // judgments of the first repetition by outcome
	// records whose verdict, read again by the published rules, differs from the stored one
	RereadDifferences int
	Records           int // number of records, duplicates included
	Answered          int // judgments that did not fail, in all repetitions
	// counts of judgments without a verdict because of the server or its limits
	Unserved judging.Unserved
	remarks
	origins
	servedModels judging.ServedModels // models and fingerprints that the replies name

	scorer            Scorer
	repeats           *repeats // all repetitions; nil if the run asks once
	forecasts         forecasts
	missingPolicy     MissingPolicy // how judgments without a verdict count
	readingComparison readingComparison
	usesReadingPolicy bool // for some reply the published rule leaves it to Reading.LabelPolicy which verdict counts

	// returns the ids of all items of the run; nil if unknown. See [Run.SetItemIDs].
	ids         func() ([]string, error)
	failedItems map[string]bool // ids of the items with a failed judgment

	account       account          // requests and tokens of the records, for the ledger
	itemResponses ResponseIterator // responses of the items; nil: read from the folder

	alteredFiles []string        // files of the folder that changed after the run wrote them
	folder       string          // folder of the run's files; "" if unknown
	itemSet      judging.ItemSet // cached result of [Run.ItemSet]; "" until it is called

	cluster     func(id string) string // returns the cluster of a unit by its id; nil if the dataset has no clusters
	clusterNoun string                 // noun for one cluster, such as question

	// reports whether to score a unit, by its id or that of its cluster; nil for all units. See [Run.Subset].
	keep func(id string) bool
}

// Subset returns the run with the units that keep accepts, by the id of the unit or of its cluster. Counts of judgments
// stay those of the whole run.
func (run Run) Subset(keep func(id string) bool) *Run {
	run.keep = keep
	return &run
}

// ItemSet returns a value that identifies the items of a run: their digests or, if they cannot be read, the hash of
// their file.
func (run *Run) ItemSet() judging.ItemSet {
	if run.itemSet == "" {
		run.itemSet = judging.ItemSet(run.Manifest.ItemsFileKey())
		f, err := os.Open(filepath.Join(run.folder, judging.ItemsFile))
		if err != nil {
			return run.itemSet
		}
		defer f.Close()
		ids, err := judging.ReadIDsByDigest(run.Manifest, f)
		if err == nil {
			run.itemSet = judging.NewItemSet(ids)
		}
	}
	return run.itemSet
}

// FindAlteredFiles finds the files in the run's folder dir that changed after the run wrote them, for a warning. root
// is the open folder, or nil.
func (run *Run) FindAlteredFiles(root *os.Root, dir string) (err error) {
	run.alteredFiles, err = run.Manifest.AlteredFiles(root, dir)
	return err
}

// SetFolder sets the folder of the run's files. Prompt tokens with an ideal cache are computed from the items in it.
func (run *Run) SetFolder(dir string) {
	run.Dir = dir
	run.folder = dir
	run.SetItemIDs(func() ([]string, error) { return judging.ItemIDs(dir) })
}

// SetItemResponses sets where the items and their responses are read, in place of the file in the run's folder.
func (run *Run) SetItemResponses(items ResponseIterator) {
	run.itemResponses = items
	run.SetItemIDs(func() (ids []string, err error) {
		err = items(func(id string, _ []judging.Candidate) { ids = append(ids, id) })
		return ids, err
	})
}

// SetItemIDs sets the function that returns the ids of all items, as [judging.ItemIDs] does. Without it a run before
// its end has values without intervals.
func (run *Run) SetItemIDs(ids func() ([]string, error)) { run.ids = ids }

func load(dir string, reading judging.ReadingOptions) (*Run, error) {
	m, err := judging.ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	loader, err := NewLoader(m, reading)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, judging.ManifestFile), err)
	}
	err = judging.ReadRecordsWithValues(filepath.Join(dir, judging.RecordsFile), loader.ReadVerdict, loader.AddParsed)
	if err != nil {
		return nil, err
	}
	run := loader.Run()
	run.SetFolder(dir)
	return run, nil
}

// Loader collects the records of one run, which may still be in progress. The loaded run equals that of [Load] on the
// finished files.
type Loader struct {
	mu    sync.Mutex
	run   *Run          // the run so far; locked by mu
	asker judging.Asker // asks and reads as the run's protocol does
}

// NewLoader returns a loader for the run of a manifest, which reads replies by the rules of reading.
func NewLoader(m *judging.Manifest, reading judging.ReadingOptions) (*Loader, error) {
	asker, err := judging.AskerOf(m)
	if err != nil {
		return nil, err
	}
	newScorer, ok := scorers[m.Spec.Protocol]
	if !ok {
		return nil, fmt.Errorf("no scorer for the protocol %q", m.Spec.Protocol)
	}
	reading.AcceptTruncated = reading.AcceptTruncated || m.Spec.Parameters.AcceptTruncated
	reading.Readers = cmp.Or(reading.Readers, judging.DefaultReaders(m.Imported != ""))
	if w := reading.GradeWeight; w > 0 {
		m.GradeWeight = w
	}
	run := &Run{
		Manifest:     m,
		Reading:      reading,
		Outcomes:     map[judging.Outcome]int{},
		scorer:       newScorer(m),
		alteredFiles: m.Altered,
		failedItems:  map[string]bool{},
	}
	if n := m.Spec.Parameters.Repetitions(); n > 1 {
		run.repeats = newRepeats(n, func() Scorer { return newScorer(m) })
	}
	run.SetMissingPolicy("")
	return &Loader{run: run, asker: asker}, nil
}

// SetFolder sets the folder of the records, and a function that returns the ids of all items, so that they need not be
// read there.
func (l *Loader) SetFolder(dir string, ids func() ([]string, error)) {
	l.run.SetFolder(dir)
	l.run.SetItemIDs(ids)
}

// Add parses a record and adds it to the run, but does not keep it. It may be called from many goroutines.
func (l *Loader) Add(r *judging.Record) error {
	read, err := l.ReadVerdict(r)
	if err != nil {
		return err
	}
	return l.AddParsed(r, read)
}

// ReadVerdict reads the verdict from a record's replies without adding the record. Many goroutines may call it.
func (l *Loader) ReadVerdict(r *judging.Record) (read VerdictReadings, err error) {
	read.Verdict, read.other, err = r.VerdictsOfBothReaders(l.asker, l.run.Reading)
	return read, err
}

// VerdictReadings holds two verdicts of a record: by the run's reading rules, and by the other ones (published or
// robust).
type VerdictReadings struct {
	judging.Verdict
	other judging.Verdict // the verdict by the rules that the run does not use
}

// AddParsed adds a record to the run, with its verdict from [Loader.ReadVerdict] of this or another loader of the run.
func (l *Loader) AddParsed(r *judging.Record, read VerdictReadings) error {
	run, v := l.run, read.Verdict
	l.mu.Lock()
	defer l.mu.Unlock()
	run.countRecord(r, read, l.asker)
	if added, err := run.repeats.add(r, v); err != nil || !added {
		return err
	}
	if r.Repetition == 0 { // scores use the first repetition only
		added, err := run.scorer.Add(r, v)
		if err != nil || !added {
			return err
		}
		run.Outcomes[v.Outcome]++
		run.forecasts.add(r, run.Manifest, l.asker, v)
		run.remarks.add(run.Manifest, r, v)
		if v.Outcome == judging.Failed {
			run.failedItems[strings.Clone(r.Item)] = true
		}
	}
	if v.Outcome != judging.Failed {
		run.Answered++
	}
	run.Unserved.Add(run.Manifest, r, v.Outcome)
	return nil
}

// countRecord updates the counts over all records, duplicates included. read is the record's verdict.
func (run *Run) countRecord(r *judging.Record, read VerdictReadings, asker judging.Asker) {
	paper := read.Verdict // the verdict by the recorded reading
	if run.Reading.Readers == judging.RobustReaders {
		paper = read.other
	}
	if run.Records == 0 {
		run.cluster, run.clusterNoun = r.ClusterKeyFunc()
	}
	run.Records++
	if !read.Verdict.Same(read.other) {
		run.readingComparison.differingRecords++
	}
	if paper.Outcome != r.Outcome || r.CandidateID(paper.Choice) != r.Choice || paper.Answer != r.Answer {
		run.RereadDifferences++
	}
	if p, ok := asker.(judging.PolicyReader); ok && p.ReadsByPolicy(r) {
		run.usesReadingPolicy = true
	}
	run.origins.add(r)
	run.servedModels.Add(run.Manifest, r)
	if !run.calledNoServer() {
		run.account.add(r, read.Verdict)
	}
}

// ItemResult returns the result of an item by one of the metrics of [ItemwiseMetrics]. complete is false until all
// judgments of the item in the first repetition were added.
func (l *Loader) ItemResult(id, metric string) (result ItemResult, complete bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	scorer, ok := l.run.scorer.(ItemwiseScorer)
	if !ok {
		return ItemUnknown, false
	}
	num, den, complete := scorer.ItemContribution(id, metric)
	switch {
	case l.run.failedItems[id]:
		return ItemUnknown, complete
	case den == 0:
		return ItemNotCounted, complete
	case num > 0:
		return ItemRight, complete
	}
	return ItemWrong, complete
}

// Run returns the run. Records of a protocol with items that are right or wrong may be added afterwards, for another
// call: the calibration then lacks the items that were not complete. Loaders of other protocols must not be used again.
func (l *Loader) Run() *Run {
	l.run.Items = l.run.scorer.Finish()
	if l.run.repeats != nil {
		for _, scorer := range l.run.repeats.scorers {
			scorer.Finish()
		}
	}
	l.run.forecasts.removeIncomplete()
	return l.run
}

// sheet returns the sheet of the run's scored units, with the clusters of the dataset; seed starts simulations.
func (run *Run) sheet(seed uint64) *Sheet {
	s := run.sheetOf(run.scorer, seed)
	s.early = run.earlyOrder(s.Units)
	return s
}

// earlyOrder returns the items judged in the order drawn by seed, up to the first unjudged one. It is nil if intervals
// for a fixed n are valid: at the end of a run, for an imported run, and for a run in the order of the file.
func (run *Run) earlyOrder(units []Unit) *earlyItems {
	m := run.Manifest
	if m.OrderSeed == nil || m.Imported != "" || run.Items >= m.Spec.Dataset.Items {
		return nil
	}
	e := &earlyItems{orderKey: fmt.Sprint(*m.OrderSeed, m.HeldOut), positions: map[string]int{}, failed: run.failedItems}
	if run.ids == nil {
		return e
	}
	ids, err := run.ids()
	if err != nil {
		return e
	}
	complete := make(map[string]bool, len(units))
	for _, u := range units {
		complete[u.ID] = true
	}
	end := len(ids)
	if m.Stopped != nil {
		end = min(end, m.Stopped.ItemCount)
	}
	for i, id := range m.DrawOrder(ids)[:end] {
		if !complete[id] {
			break
		}
		e.positions[id] = i
	}
	return e
}

// unfinishedRunNote returns a warning about the intervals of a run before its end; "" for complete and imported runs.
func (run *Run) unfinishedRunNote() string {
	m := run.Manifest
	switch {
	case run.Items >= m.Spec.Dataset.Items, m.Imported != "", m.OrderSeed == nil &&
		m.Status != judging.Interrupted && m.Status != judging.Running:
		return ""
	case m.OrderSeed == nil:
		return phrases.Sentence("warning.file-order")
	case m.Stopped != nil && run.clusterNoun != "":
		return phrases.Sentence(
			"warning.stopped-dependent", m.Stopped.Rule, m.Stopped.ItemCount, m.Spec.Dataset.Items, run.clusterNoun,
		)
	case m.Stopped != nil:
		return phrases.Sentence("warning.stopped", m.Stopped.Rule, m.Stopped.ItemCount, m.Spec.Dataset.Items)
	}
	return phrases.Sentence("warning.early")
}

// sheetOf returns the sheet of a scorer, the run's or that of a repetition, with the clusters of the dataset.
func (run *Run) sheetOf(scorer Scorer, seed uint64) *Sheet {
	s := scorer.Sheet(run.missingPolicy, seed)
	s.protocol = run.Manifest.Spec.Protocol
	s.missingPolicy = run.missingPolicy
	s.Metrics = s.addTermTexts(s.Metrics)
	for i := range s.Units {
		u := &s.Units[i]
		u.Question = u.Cluster
		if run.cluster != nil {
			u.Cluster = run.cluster(u.ResamplingUnit())
		}
	}
	if run.keep != nil {
		s.Units = slices.DeleteFunc(slices.Clone(s.Units), func(u Unit) bool { return !run.keep(u.ResamplingUnit()) })
	}
	return s
}

// unlabelled returns the number of units without a label.
func (run *Run) unlabelled() int {
	if s, ok := run.scorer.(UnlabelledCounter); ok {
		return s.Unlabelled()
	}
	return 0
}

// resamplingNoun returns the noun for what intervals resample: the dataset's clusters, or else the scored units.
func (run *Run) resamplingNoun() string { return cmp.Or(run.clusterNoun, run.terms().Unit) }

// ResponseIterator calls use for each item, with its id and the texts of its responses, in the order of the ids.
type ResponseIterator func(use func(id string, responses []judging.Candidate)) error

// calledNoServer reports whether the run called no server: its judge is simulated, or its judgments are imported.
func (run *Run) calledNoServer() bool { return run.Manifest.Simulated || run.Manifest.Imported != "" }

// SetMissingPolicy sets how judgments without a verdict count. It has no effect on protocols without a choice, such as
// that of pairs. A policy that the run's protocol does not offer selects the default of the protocol.
func (run *Run) SetMissingPolicy(policy MissingPolicy) {
	if policies := run.terms().Policies; len(policies) > 0 {
		run.missingPolicy = policy
		if !slices.Contains(policies, policy) {
			run.missingPolicy = policies[0]
		}
	}
	if run.readingComparison.runByOtherRules != nil {
		run.readingComparison.runByOtherRules.SetMissingPolicy(policy)
	}
}

// missingPhrase returns the end of a sentence on judgments without a verdict, such as "count as wrong".
func (run *Run) missingPhrase() string {
	switch run.missingPolicy {
	case MissingDrop, MissingUsable:
		return phrases.Sentence("missing.left-out")
	case MissingStrict:
		return phrases.Sentence("missing.no-choice")
	}
	if run.Items < run.Manifest.Spec.Dataset.Items {
		return phrases.Sentence("missing.wrong-unless")
	}
	return phrases.Sentence("missing.wrong")
}

func (run *Run) terms() ScorerTerms { return run.scorer.Terms() }

// readings compares the verdicts by the run's reading rules with those by the other ones (published or robust).
type readingComparison struct {
	differingRecords   int  // records from which the two sets of rules read different verdicts
	reportsDifferences bool // the report shows the number of records that differ
	runByOtherRules    *Run // the run, read by the other rules; nil if at most 1 % of the records differ
}

// scoredRun holds a run with its sheet, the table of its scored units.
type scoredRun struct {
	*Run
	*Sheet
	sheets []*Sheet // one sheet for each repetition; nil if the run asks once
}

// sharedOrder returns the units that two runs share in the order drawn by seed, up to the first that either has not
// judged; nil if both runs are at their ends.
func (a scoredRun) sharedOrder(b scoredRun, shared []SharedUnit) *sharedUnitOrder {
	if a.early == nil && b.early == nil {
		return nil
	}
	e := cmp.Or(a.early, b.early)
	if a.early != nil && b.early != nil && a.early.orderKey != b.early.orderKey {
		return &sharedUnitOrder{ordersDiffer: true}
	}
	usable := func(side *earlyItems, id string) bool {
		if side == nil {
			return true
		}
		_, in := side.positions[id]
		return in && !side.failed[id]
	}
	ordered := make([]*SharedUnit, len(e.positions))
	for i, j := range shared {
		if id := j.A.ID; usable(a.early, id) && usable(b.early, id) {
			ordered[e.positions[id]] = &shared[i]
		}
	}
	p := new(sharedUnitOrder)
	for _, j := range ordered {
		if j == nil {
			break
		}
		p.units = append(p.units, *j)
	}
	return p
}

// clusterOf returns the cluster that is resampled as a whole with a unit, given by its id; the id itself without
// clusters.
func (run *Run) clusterOf(unit string) string {
	if run.cluster == nil {
		return unit
	}
	return cmp.Or(run.cluster(unit), unit)
}
