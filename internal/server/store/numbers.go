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

// Stamps holds the state of a run's files.
type Stamps struct{ Items, Records, Manifest, Results Stamp }

// Stamps returns the state of a run's files.
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

// WrittenReport returns the report in results.json; nil if it is of another run, or older than the items and records.
// A report by an earlier gavel keeps its Scoring, and gets a diagnosis in the words of this one.
func (s *Store) WrittenReport(run string, m *judging.Manifest, stamps Stamps) *scoring.Report {
	mtime := stamps.Results.mtime
	if stamps.Results == (Stamp{}) || mtime.Before(stamps.Records.mtime) || mtime.Before(stamps.Items.mtime) {
		return nil
	}
	f, _, err := s.Open(run, judging.ResultsFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	rep := new(scoring.Report)
	if json.NewDecoder(io.LimitReader(f, maxManifest)).Decode(rep) != nil || rep.ID != m.ID ||
		rep.Results == nil || rep.Outcomes == nil {
		return nil
	}
	if rep.Scoring < scoring.Version {
		rep.Diagnosis = nil
	}
	rep.Diagnose(m)
	return rep
}

// AlteredFiles returns the files of a run whose SHA-256 differs from that in its manifest.
func (s *Store) AlteredFiles(run string, m *judging.Manifest) []string {
	names, err := m.AlteredFiles(s.root, run)
	if err != nil {
		return nil // other calls report files that cannot be read
	}
	return names
}

// Score scores a run from its records: over the items of a set, or over all items if the set is empty.
func (s *Store) Score(run string, set judging.ItemSet) (*scoring.Report, error) {
	loaded, err := s.Load(run, set)
	if err != nil {
		return nil, err
	}
	rep := loaded.Score(scoring.DefaultOptions.Bootstrap)
	rep.Ledger = loaded.Ledger()
	return &rep, nil
}

// Load reads a run's records of the items of a set, or all of them if the set is empty, and compares the two readings
// of its replies, as [scoring.Load] does.
func (s *Store) Load(run string, set judging.ItemSet) (*scoring.Run, error) {
	loaded, err := s.LoadOneReading(run, set)
	if err == nil {
		err = loaded.CompareReadings(func(reading judging.Reading) (*scoring.Run, error) { return s.load(run, reading, set) })
	}
	return loaded, err
}

// ItemSet returns the set of a run's items; if they cannot be read, one with the hash of their file alone.
func (s *Store) ItemSet(run string, m *judging.Manifest) judging.ItemSet {
	file := m.ItemsFile()
	set, ok := memo.Peek[judging.ItemSet](s.files, "items "+file, nil)
	if ok {
		return set
	}
	ids, err := s.items(run, m)
	if err != nil {
		return judging.ItemSet(file)
	}
	set = judging.ItemSetOf(ids)
	if m.Status != judging.Running {
		s.files.Put("items "+file, nil, set)
	}
	return set
}

// mostItems is the size in bytes of the largest file of items that ItemSet reads.
const mostItems = 64 << 20

// items returns the ids of a run's items by digest.
func (s *Store) items(run string, m *judging.Manifest) (map[uint64]string, error) {
	f, info, err := s.Open(run, judging.ItemsFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > mostItems {
		return nil, errors.ErrUnsupported
	}
	return judging.ReadItems(m, s.reader(f, 0, info))
}

// LoadOneReading is [Store.Load] without the other reading.
func (s *Store) LoadOneReading(run string, set judging.ItemSet) (*scoring.Run, error) {
	return s.load(run, scoring.DefaultOptions.Reading, set)
}

func (s *Store) load(run string, reading judging.Reading, set judging.ItemSet) (*scoring.Run, error) {
	m, err := s.Manifest(run)
	if err != nil {
		return nil, err
	}
	inSet := map[string]bool{}
	if set != "" {
		ids, err := s.items(run, m)
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
	f, info, err := s.Open(run, judging.RecordsFile)
	if err != nil {
		return nil, s.MissingError(run, err)
	}
	defer f.Close()
	take := func(r *judging.Record, read scoring.ParsedVerdict) error {
		if set != "" && !inSet[r.Item] {
			return nil
		}
		return loader.AddParsed(r, read)
	}
	err = judging.ScanRecords(path.Join(run, judging.RecordsFile), s.reader(f, 0, info), loader.Parse, take)
	if err != nil {
		return nil, failure.Unreadable("this run has no scores: %w", err)
	}
	loaded := loader.Run()
	loaded.Dir = run
	loaded.SetItems(func(use func(id string, responses []judging.CandidateText)) error {
		f, _, err := s.Open(run, judging.ItemsFile)
		if err != nil {
			return err
		}
		defer f.Close()
		return judging.EachResponse(loaded.Manifest, f, func(id string, responses []judging.CandidateText) {
			if set == "" || inSet[id] {
				use(id, responses)
			}
		})
	})
	if err := loaded.FindAltered(s.root, run); err != nil {
		return nil, failure.Unreadable("%s: %w", run, err)
	}
	return loaded, nil
}
