package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"gavel/scoring"
	"gavel/server"
)

// A suite that is ordered is the file of `gavel suite`, as text. What it may say
// is less: it names no file of this machine, and no server that is not offered.

// Names of the fields of an order of a suite.
const (
	fieldFile = "file"
	fieldYes  = "yes"
)

// orderedFile is what errors call the file.
const orderedFile = "suite.yaml"

// turn waits for the work on suites that others have ordered: a large matrix
// keeps a processor busy. Whoever has the turn ends it.
func (r *runner) turn(ctx context.Context) (end func(), err error) {
	select {
	case r.turns <- struct{}{}:
		return func() { <-r.turns }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// suite reads the file of an order.
func (r *runner) suite(ctx context.Context, order server.Order) (*suite, error) {
	err := onlySuite(order)
	var s *suite
	if err == nil {
		s, err = r.readSuite(ctx, order.Get(fieldFile))
	}
	if err == nil {
		err = r.env.check(ctx, s)
	}
	if err != nil {
		return nil, &orderError{http.StatusBadRequest, err}
	}
	return s, nil
}

// onlySuite refuses what would be passed over in silence.
func onlySuite(order server.Order) error {
	for name, values := range order {
		switch {
		case name != fieldFile && name != fieldYes:
			return fmt.Errorf("%q is no field of a suite: it has %s, and %s to start it above its limits", name, fieldFile, fieldYes)
		case len(values) > 1:
			return fmt.Errorf("%s is given %d times: give it once", name, len(values))
		}
	}
	if yes := order.Get(fieldYes); yes != "" && yes != "true" && yes != "false" {
		return fmt.Errorf("%s %q: it is true or false", fieldYes, yes)
	}
	return nil
}

func (r *runner) readSuite(ctx context.Context, text string) (*suite, error) {
	file, err := parseSuite(orderedFile, []byte(strings.ReplaceAll(text, "\r\n", "\n"))) // as browsers send it
	if err != nil {
		return nil, err
	}
	if err := r.place(file); err != nil {
		return nil, err
	}
	return makeMatrix(file, func(c *suiteCell) (runOptions, error) { return r.readCell(ctx, c) })
}

// place puts the suite's folder where the server's runs are.
func (r *runner) place(file *suiteFile) error {
	if file.outLine == 0 {
		file.out = filepath.Join(r.dir, file.folder(file.name))
		return nil
	}
	out, err := filepath.Abs(file.out)
	if err != nil {
		return err
	}
	rel, err := filepath.Rel(r.dir, out)
	if err != nil || rel == "." || !server.Shows(path.Join(filepath.ToSlash(rel), "run")) {
		return file.wrong(file.outLine, "out: %s is no folder that this server looks for runs in: take this line out", file.out)
	}
	for at := filepath.Dir(out); at != r.dir; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, scoring.SuiteFile)); err == nil {
			return file.wrong(file.outLine, "out: %s lies in the folder of another suite: name another, or take this line out", file.out)
		}
	}
	file.out = out
	return nil
}

// readCell reads a cell's options, as those of a run that is ordered.
func (r *runner) readCell(ctx context.Context, c *suiteCell) (o runOptions, err error) {
	if ctx.Err() != nil {
		return o, context.Cause(ctx)
	}
	order := server.Order{fieldProtocol: {c.point.kind.Name}}
	judge := endpointOptions{backend: "auto"}
	for _, set := range c.set {
		words := set.values[0].words
		switch {
		case set.flag == "backend":
			judge.backend = words[0]
		case set.flag == "base-url":
			judge.baseURLs = words
		case set.flag == fieldModel || set.flag == fieldDataset:
			order[set.flag] = words
		case !ordered(c.point.kind, set.flag):
			return o, usage("--%s belongs to the command line, or to the one who runs this server: leave it out", set.flag)
		default:
			order[set.flag] = words
		}
	}
	if order[fieldEndpoint], err = r.judgeAt(ctx, judge, order.Get(fieldModel)); err != nil {
		return o, err
	}
	if o, err = r.read(ctx, order); err != nil {
		return o, usage("%v", err)
	}
	o.out, o.backend = c.out, judge.backend
	return o, nil
}

// judgeAt finds the servers of a judge among those that are offered: those that
// it names, else the first that has the model.
func (r *runner) judgeAt(ctx context.Context, judge endpointOptions, model string) (ids []string, err error) {
	if err := oneOf("--backend", judge.backend, backendNames); err != nil {
		return nil, err
	}
	if err := checkURLs(judge); err != nil {
		return nil, err
	}
	offered := r.endpoints(ctx)
	if judge.backend == simulatedEndpoint.ID {
		return []string{simulatedEndpoint.ID}, nil
	}
	for _, at := range judge.baseURLs {
		i := slices.IndexFunc(offered, func(e endpoint) bool { return e.url != "" && sameAddress(e.url, at) })
		if i < 0 {
			return nil, usage("--base-url %s is no server that is offered here: the one who runs this server can name it (gavel serve --base-url)", at)
		}
		ids = append(ids, offered[i].ID)
	}
	if len(ids) > 0 {
		return ids, nil
	}
	for _, e := range offered {
		if e.url != "" && slices.ContainsFunc(e.Models, func(m string) bool { return m == model || m == model+":latest" }) {
			return []string{e.ID}, nil
		}
	}
	return nil, usage("--model %s: no server that is offered here has it; name one with base-url, or write backend: sim for a simulated judge", model)
}

func sameAddress(a, b string) bool {
	u, err := url.Parse(a)
	v, verr := url.Parse(b)
	return err == nil && verr == nil && sameURL(u) == sameURL(v)
}

// PlanSuite is `gavel suite plan`.
func (r *runner) PlanSuite(ctx context.Context, order server.Order) (server.SuitePlanned, error) {
	end, err := r.turn(ctx)
	if err != nil {
		return server.SuitePlanned{}, err
	}
	defer end()
	s, err := r.suite(ctx, order)
	if err != nil {
		return server.SuitePlanned{}, err
	}
	out := server.SuitePlanned{Suite: r.name(s.out), Notes: []string{}}
	e := r.within(func(line string) { out.Notes = append(out.Notes, line) }, &interrupts{})
	done, err := e.hold(s)
	if err != nil {
		out.Notes = append(out.Notes, fmt.Sprintf("what the cache would answer is not known: %v", err))
	} else {
		defer done()
	}
	plan, err := e.planSuite(ctx, s, false)
	if err != nil {
		return out, &orderError{http.StatusUnprocessableEntity, err}
	}
	plan.Out = out.Suite
	out.Tables, out.Plan, out.Above = plan.Tables(), plan, plan.Above
	return out, nil
}

// StartSuite is `gavel suite run`.
func (r *runner) StartSuite(ctx context.Context, order server.Order) (server.Job, error) {
	end, err := r.turn(ctx)
	if err != nil {
		return server.Job{}, err
	}
	defer end()
	s, err := r.suite(ctx, order)
	if err != nil {
		return server.Job{}, err
	}
	return r.begin(server.Job{Order: order, Suite: r.name(s.out)}, func(ctx context.Context, e *env) error {
		err := e.makeSuite(ctx, s, order.Get(fieldYes) == "true")
		var above *aboveLimits
		if errors.As(err, &above) {
			return fmt.Errorf("the suite is above its limits: %s; plan it, and start it although it is", above.what)
		}
		return err
	})
}
