package eval

import (
	"context"
	"os"
	"strings"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
)

// CheckRequest opens the files that a request names and checks that the protocol can judge their items, without asking
// a server. The error is a *FieldError if a field is wrong; otherwise it is about the dataset.
func (e *Maker) CheckRequest(o RunRequest) error {
	q := e.quiet()
	subset, protocol, err := q.openItems(o)
	if err != nil {
		return err
	}
	defer subset.set.Close()
	_, err = findTemplate(protocol, o.PromptNameOrFile)
	if err != nil {
		return err
	}
	stage := protocol.FirstStage(o.Options, o.PromptNameOrFile)
	if stage == nil {
		return checkShape(protocol, subset)
	}
	_, err = (&stages{request: o, stage: stage, questionItems: subset}).needsAnswers()
	if err != nil {
		return err
	}
	for _, a := range o.Agents {
		if strings.HasPrefix(a, "sim:") {
			if _, err := backends.NewSimulatedJudge(a); err != nil {
				return InvalidField("agents", a, ": %v", err)
			}
		} else if _, err := os.Stat(a); err != nil && !strings.Contains(a, "@") {
			return InvalidField("agents", a, "%s: not a file, a run or MODEL@URL", a)
		}
	}
	return nil
}

// Items returns a request's items, and the number of judgments that they take in all per repetition. The observer gets
// no notes.
func (e *Maker) Items(o RunRequest) (items []datasets.Item, calls int, err error) {
	subset, protocol, err := e.quiet().openItems(o)
	if err != nil {
		return nil, 0, err
	}
	defer subset.set.Close()
	for _, row := range subset.rows {
		item, err := subset.set.Item(row)
		if err != nil {
			return nil, 0, err
		}
		items = append(items, item)
	}
	template, err := findTemplate(protocol, o.PromptNameOrFile)
	if err == nil {
		template = protocol.AdaptTemplate(template, o.Options)
		calls, err = judging.CountPresentations(protocol.NewAsker(template, o.Options), subset.set, subset.rows)
	}
	return items, calls, err
}

// CheckJudge finds the judge of a request without waiting, and checks that its server supports the request's
// parameters. The error is ErrUsage if the request or the server must change.
func (e *Maker) CheckJudge(ctx context.Context, o RunRequest) error {
	o.RetryFor = time.Millisecond
	judges, err := e.quiet().FindJudges(ctx, o)
	if err == nil {
		params := o.CallParameters()
		err = checkAbilities(judges[0].Server, JointModel(judges), &params)
	}
	if backends.IsKind(err, backends.ErrorNotFound, backends.ErrorAuth, backends.ErrorRedirect, backends.ErrorBadRequest) {
		err = ErrorOfKind(ErrUsage, err)
	}
	return err
}

// QuestionsKey returns a text that is equal for requests that differ only in the judge, its server and the folder.
func (r RunRequest) QuestionsKey() string {
	r.Endpoint = Endpoint{}
	r.Model = ""
	r.Out = ""
	return r.Key()
}
