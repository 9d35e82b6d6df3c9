package store

import (
	"errors"
	"io"
	"io/fs"
	"net/http"
	"path"

	"gavel/scoring"
	"gavel/scoring/race"
	"gavel/server/failure"
	"gavel/server/markup"
)

// Suite reads what a suite's folder says of it.
func (s *Store) Suite(folder string) (*scoring.Suite, error) {
	if err := checkName(folder); err != nil {
		return nil, failure.New(http.StatusNotFound, "there is no suite %q", markup.Visible(folder))
	}
	f, _, err := s.Open(folder, scoring.SuiteFile)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, failure.New(http.StatusNotFound, "there is no suite %q: it may have been deleted or moved", folder)
	case err != nil:
		return nil, failure.Unreadable(err, "the suite %q cannot be read: %v", folder, reason(err))
	}
	defer f.Close()
	suite, err := scoring.DecodeSuite(path.Join(folder, scoring.SuiteFile), io.LimitReader(f, maxManifest))
	if err != nil {
		return nil, failure.New(http.StatusUnprocessableEntity, "%v", err)
	}
	return suite, nil
}

// Race of a suite's cells; nil where there is none that can be read.
func (s *Store) Race(folder string) *race.State {
	f, _, err := s.Open(folder, race.StateFile)
	if err != nil {
		return nil
	}
	defer f.Close()
	state, err := race.ReadState(race.StateFile, io.LimitReader(f, maxManifest))
	if err != nil {
		return nil
	}
	return state
}
