package eval

import (
	"context"
	"os"
	"strings"
	"time"

	"gavel/backends"
)

// Check opens what a request is of and holds it to the protocol, before anything is asked. Its error is a *FieldError
// where a field is at fault; else it is the dataset.
func (e *Maker) Check(o Request) error {
	q := e.quiet()
	its, protocol, err := q.openItems(o)
	if err != nil {
		return err
	}
	defer its.set.Close()
	stage := protocol.Before(o.Options)
	if stage == nil {
		_, _, err = ask(o, its)
		return err
	}
	_, err = (&stages{opts: o, stage: stage, questions: its}).before()
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
				return Wrong("agents", a, ": %v", err)
			}
		}
		if _, gone := os.Stat(a); gone != nil && !strings.Contains(a, "@") && !strings.HasPrefix(a, "sim:") {
			return Wrong("agents", a, "%s: not a file, a run or MODEL@URL", a)
		}
	}
	return nil
}

// Items returns the ids of a request's items, and the number of judgments of each, without notes to the observer.
func (e *Maker) Items(o Request) (ids []string, each int, err error) {
	its, protocol, err := e.quiet().openItems(o)
	if err != nil {
		return nil, 0, err
	}
	defer its.set.Close()
	for _, row := range its.rows {
		ids = append(ids, its.set.ID(row))
	}
	return ids, max(1, protocol.Presentations), nil
}

// CheckJudge finds the judge of a request now, and holds the request to what it can be asked for. The error is ErrUsage
// where waiting does not help.
func (e *Maker) CheckJudge(ctx context.Context, o Request) error {
	o.RetryFor = time.Millisecond
	judges, err := e.quiet().FindJudges(ctx, o)
	if err == nil {
		params := o.CallParameters()
		err = abilities(judges[0].Server, JointModel(judges), &params)
	}
	if backends.IsKind(err, backends.NotFound, backends.Auth, backends.Moved, backends.BadRequest) {
		err = Failed(ErrUsage, err)
	}
	return err
}

// QuestionsKey is equal for requests that ask the same, whoever is asked and wherever the run is.
func (r Request) QuestionsKey() string {
	r.Endpoint = Endpoint{}
	r.Model = ""
	r.Out = ""
	return r.Key()
}
