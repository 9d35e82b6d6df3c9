package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/internal/server/failure"
	"gavel/internal/suite"
	"gavel/scoring"
)

// A posted suite is the text of a file of `gavel suite`. It names offered servers only, and no file of this machine.

// Names of the fields of a job request of a suite.
const (
	fieldFile    = "file" // text of the suite's file
	fieldConfirm = "yes"  // "true" to start the suite even if its plan exceeds its limits
)

// postedFile stands for the name of the posted suite's file in errors.
const postedFile = "suite.yaml"

// callWithSuite reads and checks the suite of a request, and calls do with it. Concurrent calls wait for each other.
func (r *Manager) callWithSuite(ctx context.Context, request JobRequest, do func(*suite.Suite) error) error {
	if err := r.suitePlanSemaphore.Acquire(ctx, 1); err != nil {
		return err
	}
	defer r.suitePlanSemaphore.Release(1)
	var s *suite.Suite
	err := checkSuiteFields(request)
	if err == nil {
		s, err = r.readSuite(ctx, request.Get(fieldFile))
	}
	if err == nil {
		err = s.Check(ctx, r.maker)
	}
	if err != nil {
		return failure.WithStatus(http.StatusBadRequest, err)
	}
	return do(s)
}

// checkSuiteFields refuses fields other than file and yes, several values of one field, and values of yes that are
// neither true nor false.
func checkSuiteFields(request JobRequest) error {
	for name, values := range request {
		switch {
		case name != fieldFile && name != fieldConfirm:
			return fmt.Errorf("%q is not a field of a suite: use %s, and %s to start it above its limits",
				name, fieldFile, fieldConfirm)
		case len(values) > 1:
			return fmt.Errorf("%s is given %d times: give it once", name, len(values))
		}
	}
	if yes := request.Get(fieldConfirm); yes != "" && yes != "true" && yes != "false" {
		return fmt.Errorf("%s %q: it is true or false", fieldConfirm, yes)
	}
	return nil
}

// readSuite parses text, the file of a suite, and puts the suite's folder below the folder of runs.
func (r *Manager) readSuite(ctx context.Context, text string) (*suite.Suite, error) {
	file, err := suite.ParseFile(postedFile, []byte(strings.ReplaceAll(text, "\r\n", "\n"))) // browsers send CRLF
	if err != nil {
		return nil, err
	}
	if err := r.setSuiteFolder(file); err != nil {
		return nil, err
	}
	return file.MakeSuite(func(c *suite.Cell) (eval.RunRequest, error) { return r.requestOfCell(ctx, c) })
}

// setSuiteFolder makes the suite's folder one below the folder of runs. It refuses a folder that the server does not
// search for runs, or that lies in the folder of another suite.
func (r *Manager) setSuiteFolder(file *suite.Definition) error {
	return file.SetFolder(r.runsFolder, func(out string) error {
		rel, err := filepath.Rel(r.runsFolder, out)
		if err != nil || rel == "." || !r.RunListShows(path.Join(filepath.ToSlash(rel), "run")) {
			return errors.New("is not a folder that this server searches for runs: remove this line")
		}
		if err := disk.CheckBelow(r.runsFolder, out); err != nil {
			return err
		}
		for parent := filepath.Dir(out); parent != r.runsFolder; parent = filepath.Dir(parent) {
			if _, err := os.Stat(filepath.Join(parent, scoring.SuiteRunsFile)); err == nil {
				return errors.New("lies in the folder of another suite: choose another, or remove this line")
			}
		}
		return nil
	})
}

// requestOfCell returns the request for the run of a cell: one combination of the suite's judges, datasets and
// settings. The cell passes the same checks as a posted run.
func (r *Manager) requestOfCell(ctx context.Context, c *suite.Cell) (o eval.RunRequest, err error) {
	if ctx.Err() != nil {
		return o, context.Cause(ctx)
	}
	request := JobRequest{fieldProtocol: {c.Protocol().Name}}
	judge := eval.Endpoint{Backend: eval.Backends[0]}
	for name, words := range c.Values() {
		f, ok := eval.FieldNamed(c.Protocol(), name)
		switch {
		case name == "backend":
			judge.Backend = words[0]
		case name == "base-url":
			judge.BaseURLs = words
		case ok && f.Local && name != fieldModel && name != fieldDataset:
			return o, eval.InvalidField(name, words[0], "can be set on the command line only: leave it out")
		default:
			request[name] = words
		}
	}
	request[fieldEndpoint], err = r.endpointIDs(ctx, judge, request.Get(fieldModel))
	if err != nil {
		return o, err
	}
	o, err = r.parseRunRequest(ctx, request)
	if err != nil {
		return o, err
	}
	o.Backend = judge.Backend
	o.PromptGiven = request["prompt"] != nil
	return o, nil
}

// endpointIDs returns the ids of the offered servers that judge names; if it names none, the id of the first offered
// server that has the model.
func (r *Manager) endpointIDs(ctx context.Context, judge eval.Endpoint, model string) (ids []string, err error) {
	if err := judge.Validate(); err != nil {
		return nil, err
	}
	offered := r.endpoints(ctx)
	if isSimulation(judge.Backend) {
		return []string{simulatedEndpoint.ID}, nil
	}
	for _, url := range judge.BaseURLs {
		i := slices.IndexFunc(offered, func(e EndpointOffer) bool { return eval.SameAddress(e.ID, url) })
		if i < 0 {
			return nil, eval.InvalidField("base-url", url,
				"%s is not offered here: whoever runs this server can add it (gavel serve --base-url)", url)
		}
		ids = append(ids, offered[i].ID)
	}
	if len(ids) > 0 {
		return ids, nil
	}
	for _, e := range offered {
		if !isSimulation(e.ID) && (slices.Contains(e.Models, model) || slices.Contains(e.Models, model+":latest")) {
			return []string{e.ID}, nil
		}
	}
	return nil, eval.InvalidField("model", model, "%s: no offered server has it; "+
		"name one with base-url, or write backend: sim for a simulated judge", model)
}

// PlanSuite plans the suite of a job request, as `gavel suite plan` does.
func (r *Manager) PlanSuite(ctx context.Context, request JobRequest) (out SuitePlanned, err error) {
	err = r.callWithSuite(ctx, request, func(s *suite.Suite) error {
		planning := &runJob{manager: r}
		plan, err := s.Plan(ctx, planning.maker())
		if err != nil {
			return failure.WithStatus(http.StatusUnprocessableEntity, err)
		}
		plan.Out = r.nameOfFolder(s.Out)
		out = SuitePlanned{
			Suite:          plan.Out,
			ExceededLimits: append([]string{}, plan.Exceeded...),
			Plan:           plan,
			Notes:          append([]string{}, planning.Log...),
		}
		return nil
	})
	return out, err
}

// StartSuite begins a job that makes the runs of the suite of a job request, as `gavel suite run` does.
func (r *Manager) StartSuite(ctx context.Context, request JobRequest) (job Job, err error) {
	err = r.callWithSuite(ctx, request, func(s *suite.Suite) (err error) {
		job, err = r.beginSuite(s, request)
		return err
	})
	return job, err
}

// ResumeSuite begins a job that makes the missing runs of the suite in folder; file is the text of the suite's file. It
// returns an error if file names a server that is not offered here, or another folder, as after a move.
func (r *Manager) ResumeSuite(ctx context.Context, folder, file string) (job Job, err error) {
	request := JobRequest{fieldFile: {file}}
	err = r.callWithSuite(ctx, request, func(s *suite.Suite) (err error) {
		if out := r.nameOfFolder(s.Out); out != folder {
			return failure.BadRequest("its file is that of the folder %s", out)
		}
		job, err = r.beginSuite(s, request)
		return err
	})
	if err != nil && failure.Status(err) == http.StatusBadRequest {
		err = failure.Conflict(
			"%s cannot be continued from here: %v. Use the command line: gavel suite run FILE", folder, err)
	}
	return job, err
}

// beginSuite begins a job that makes the runs of s, the suite of the request.
func (r *Manager) beginSuite(s *suite.Suite, request JobRequest) (Job, error) {
	return r.begin(Job{Request: request, Suite: r.nameOfFolder(s.Out)}, func(ctx context.Context, e *eval.Maker) error {
		err := s.Run(ctx, e, request.Get(fieldConfirm) == "true")
		var above *suite.LimitsError
		if errors.As(err, &above) {
			return fmt.Errorf("the plan exceeds the suite's limits: %s; "+
				"to start it anyway, send \"yes\": true, or use the command line: gavel suite run FILE --yes", above.Excess)
		}
		return err
	})
}
