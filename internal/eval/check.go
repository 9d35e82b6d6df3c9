package eval

import (
	"context"
	"os"
	"strings"
	"time"

	"gavel/backends"
)

// Check opens the files that a request names and checks that the protocol can judge their items, before anything is
// asked. The error is a *FieldError if a field is wrong; otherwise it is about the dataset.
func (e *Maker) Check(o RunRequest) error {
	q := e.quiet()
	subset, protocol, err := q.openItems(o)
	if err != nil {
		return err
	}
	defer subset.set.Close()
	stage := protocol.FirstStage(o.Options)
	if stage == nil {
		_, _, err = checkItems(o, subset)
		return err
	}
	_, err = (&stages{opts: o, stage: stage, questions: subset}).needed()
	if err != nil {
		return err
	}
	_, err = findTemplate(protocol, o.Prompt)
	if err != nil {
		return err
	}
	for _, a := range o.Agents {
		if strings.HasPrefix(a, "sim:") {
			if _, err := backends.NewSim(a); err != nil {
				return InvalidField("agents", a, ": %v", err)
			}
		}
		if _, statErr := os.Stat(a); statErr != nil && !strings.Contains(a, "@") && !strings.HasPrefix(a, "sim:") {
			return InvalidField("agents", a, "%s: not a file, a run or MODEL@URL", a)
		}
	}
	return nil
}

// Items returns the ids of a request's items, and the number of judgments of each, without notes to the observer.
func (e *Maker) Items(o RunRequest) (ids []string, each int, err error) {
	subset, protocol, err := e.quiet().openItems(o)
	if err != nil {
		return nil, 0, err
	}
	defer subset.set.Close()
	for _, row := range subset.rows {
		ids = append(ids, subset.set.ID(row))
	}
	return ids, max(1, protocol.Presentations), nil
}

// CheckJudge finds the judge of a request now, and checks that it supports what the request asks for. The error is
// ErrUsage if waiting does not help.
func (e *Maker) CheckJudge(ctx context.Context, o RunRequest) error {
	o.RetryFor = time.Millisecond
	judges, err := e.quiet().FindJudges(ctx, o)
	if err == nil {
		params := o.CallParameters()
		err = checkAbilities(judges[0].Server, JointModel(judges), &params)
	}
	if backends.IsKind(err, backends.NotFound, backends.Auth, backends.Moved, backends.BadRequest) {
		err = WithKind(ErrUsage, err)
	}
	return err
}

// QuestionsKey returns a string that is equal for requests that ask the same of any judge, in any folder.
func (r RunRequest) QuestionsKey() string {
	r.Endpoint = Endpoint{}
	r.Model = ""
	r.Out = ""
	return r.Key()
}
