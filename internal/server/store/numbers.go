package store

import (
	"encoding/json"
	"errors"
	"io"
	"path"

	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/judging"
	"gavel/scoring"
)

// Stamps holds the states of the four files of a run that pages are computed from.
type Stamps struct{ Items, Records, Manifest, Results Stamp }

// Stamps returns the present states of a run's files; a file that does not exist has the zero Stamp.
func (s *Store) Stamps(run string) (stamps Stamps) {
	for file, to := range map[string]*Stamp{
		judging.ItemsFile:    &stamps.Items,
		judging.RecordsFile:  &stamps.Records,
		judging.ManifestFile: &stamps.Manifest,
		judging.ResultsFile:  &stamps.Results,
	} {
		if info, err := s.root.Stat(path.Join(run, file)); err == nil {
			*to = StampOf(info)
		}
	}
	return stamps
}

// WrittenReport returns the report in a run's results.json; nil if the file belongs to another run than m, or is older
// than the items or records. A report of an earlier version of gavel keeps its Scoring, the version of the scores, and
// gets a new diagnosis.
func (s *Store) WrittenReport(run string, m *judging.Manifest, stamps Stamps) *scoring.Report {
	mtime := stamps.Results.mtime
	if stamps.Results == (Stamp{}) || mtime.Before(stamps.Records.mtime) || mtime.Before(stamps.Items.mtime) {
		return nil
	}
	f, _, err := s.OpenRunFile(run, judging.ResultsFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	rep := new(scoring.Report)
	if json.NewDecoder(io.LimitReader(f, maxManifest)).Decode(rep) != nil || rep.ID != m.ID ||
		rep.Results == nil || rep.Outcomes == nil {
		return nil
	}
	if rep.ScoringVersion < scoring.Version {
		rep.Diagnosis = nil
	}
	rep.AddDiagnosis(m)
	return rep
}

// AlteredFiles returns the names of a run's files whose SHA-256 differs from the one in the manifest m.
func (s *Store) AlteredFiles(run string, m *judging.Manifest) []string {
	names, err := m.AlteredFiles(s.root, run)
	if err != nil {
		return nil // other calls report files that cannot be read
	}
	return names
}

// Score scores a run from its records: over the items of a set, or over all of its items if the set is empty.
func (s *Store) Score(run string, set judging.ItemSet) (*scoring.Report, error) {
	loaded, err := s.Load(run, set)
	if err != nil {
		return nil, err
	}
	rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
	rep.Ledger = loaded.Ledger()
	return &rep, nil
}

// Load reads a run's records of the items in a set, or all if the set is empty. As [scoring.Load] does, it reads the
// verdicts from the replies by the rules paper or robust, and compares the result with that of the other rules.
func (s *Store) Load(run string, set judging.ItemSet) (*scoring.Run, error) {
	loaded, err := s.LoadOneReading(run, set)
	if err == nil {
		err = loaded.CompareReadingRules(func(reading judging.ReadingOptions) (*scoring.Run, error) {
			return s.loadRun(run, reading, set)
		})
	}
	return loaded, err
}

// ItemSet returns the set of a run's items. If the items cannot be read, it returns a set that equals only those of
// runs with the same file of items.
func (s *Store) ItemSet(run string, m *judging.Manifest) judging.ItemSet {
	file := m.ItemsFileKey()
	set, ok := memo.Peek[judging.ItemSet](s.fileMemo, "items "+file, nil)
	if ok {
		return set
	}
	ids, err := s.itemIDsByDigest(run, m)
	if err != nil {
		return judging.ItemSet(file)
	}
	set = judging.NewItemSet(ids)
	if m.Status != judging.Running {
		s.fileMemo.Put("items "+file, nil, set)
	}
	return set
}

// maxItemsBytes is the size in bytes of the largest items.jsonl that [Store.ItemSet] reads.
const maxItemsBytes = 64 << 20

// itemIDsByDigest returns the ids of a run's items, by the digests of their contents.
func (s *Store) itemIDsByDigest(run string, m *judging.Manifest) (map[uint64]string, error) {
	f, info, err := s.OpenRunFile(run, judging.ItemsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > maxItemsBytes {
		return nil, errors.ErrUnsupported
	}
	return judging.ReadIDsByDigest(m, s.reader(f, 0, info))
}

// LoadOneReading does the work of [Store.Load] without reading the verdicts by the other rules, paper or robust.
func (s *Store) LoadOneReading(run string, set judging.ItemSet) (*scoring.Run, error) {
	return s.loadRun(run, scoring.DefaultOptions.Reading, set)
}

// loadRun reads a run's records of the items in a set, or all if the set is empty, with the options of a reading.
func (s *Store) loadRun(run string, reading judging.ReadingOptions, set judging.ItemSet) (*scoring.Run, error) {
	m, err := s.Manifest(run)
	if err != nil {
		return nil, err
	}
	inSet := map[string]bool{}
	if set != "" {
		ids, err := s.itemIDsByDigest(run, m)
		if err != nil {
			return nil, failure.Unreadable("%s: %w", run, err)
		}
		for digest, id := range ids {
			if set.Has(digest) {
				inSet[id] = true
			}
		}
		part := *m
		part.Spec.Dataset.Items = set.Len()
		m = &part
	}
	loader, err := scoring.NewLoader(m, reading)
	if err != nil {
		return nil, failure.Unreadable("%s: %w", run, err)
	}
	f, info, err := s.OpenRunFile(run, judging.RecordsFile)
	if err != nil {
		return nil, s.MissingError(run, err)
	}
	defer f.Close()
	take := func(r *judging.Record, read scoring.VerdictReadings) error {
		if set != "" && !inSet[r.Item] {
			return nil
		}
		return loader.AddParsed(r, read)
	}
	err = judging.ScanRecords(path.Join(run, judging.RecordsFile), s.reader(f, 0, info), loader.ReadVerdict, take)
	if err != nil {
		return nil, failure.Unreadable("this run has no scores: %w", err)
	}
	loaded := loader.Run()
	loaded.Dir = run
	loaded.SetItemResponses(func(use func(id string, responses []judging.Candidate)) error {
		f, _, err := s.OpenRunFile(run, judging.ItemsFile)
		if err != nil {
			return err
		}
		defer f.Close()
		return judging.EachResponse(loaded.Manifest, f, func(id string, responses []judging.Candidate) {
			if set == "" || inSet[id] {
				use(id, responses)
			}
		})
	})
	if err := loaded.FindAlteredFiles(s.root, run); err != nil {
		return nil, failure.Unreadable("%s: %w", run, err)
	}
	return loaded, nil
}
