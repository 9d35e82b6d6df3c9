package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/urfave/cli/v2"

	"gavel/internal/doctor"
	"gavel/internal/eval"
	"gavel/protocols/pairwise"
)

func doctorCommand(e *env) *cli.Command {
	return &cli.Command{Name: "doctor", Flags: flagsOf(eval.EndpointFields()), Action: e.doctor}
}

// doctor tests a server and a judge and prints the findings; its error names what failed.
func (e *env) doctor(c *cli.Context) error {
	if c.Bool("list") {
		return e.resultAction(e.listModels)(c)
	}
	r, err := doctorRequest(c)
	if err != nil {
		return err
	}
	tools, err := e.doctorDependencies(c.Context, r)
	if err != nil {
		return err
	}
	limit := c.Duration("time-limit")
	if limit < 0 {
		return usageError("--time-limit %s: expected 0 or more", limit)
	}
	report, err := doctor.Check(c.Context, doctor.Examination{
		SystemTextRole: r.SystemTextRole,
		Quick:          c.Bool("quick"),
		CallTimeout:    r.Timeout,
		Limit:          limit,
	}, tools)
	if err != nil {
		return err
	}
	if err := cmp.Or(e.printResult(c, report), report.Err()); err != nil {
		return err
	}
	usual := eval.NewRequest(pairwise.Protocol)
	r.Timeout = usual.Timeout
	r.RetryFor = usual.RetryFor
	e.say("next: %s", r.Command())
	return nil
}

// doctorRequest returns the request of a run by the judge that the flags name; the doctor tests that judge.
func doctorRequest(c *cli.Context) (r eval.RunRequest, err error) {
	r = eval.NewRequest(pairwise.Protocol)
	r.Dataset = "sample"
	r.Model = c.String("model")
	r.SystemTextRole = c.String("system-role")
	r.Timeout, r.RetryFor = c.Duration("timeout"), c.Duration("timeout")
	r.Endpoint, err = endpointFrom(c)
	if err == nil {
		err = r.Validate()
	}
	if err == nil && r.Simulated() {
		err = usageError("--backend sim is not a server: there is nothing to test")
	}
	return r, err
}

// doctorDependencies returns the judge of a request, and texts such as a run would show to the judge.
func (e *env) doctorDependencies(ctx context.Context, r eval.RunRequest) (t doctor.Dependencies, err error) {
	judges, err := e.maker().FindJudges(ctx, r)
	if err != nil {
		return t, err
	}
	t = doctor.Dependencies{PoolMember: judges[0], Now: e.now, ShowProgress: func(text string) { e.say("%s", text) }}
	t.ServerText = eval.DescribeServer(t.Server)
	t.StartConcurrency = eval.InitialConcurrency(r.Concurrency, t.Server, t.Model)
	set, err := e.library().Open(r.Dataset)
	if err != nil {
		return t, err
	}
	defer set.Close()
	for i := range set.Len() {
		item, err := set.Item(i)
		if err != nil {
			return t, err
		}
		t.SampleText += fmt.Sprintf("\n\n%s\n\n%s\n\n%s", item.Question, item.Candidates[0].Text, item.Candidates[1].Text)
	}
	return t, nil
}
