package jobs

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"gavel/internal/eval"
	"gavel/internal/suite"
	"gavel/judging"
)

// fieldJudges of a draft: the id of a server that is offered, a space, a model.
const fieldJudges = "judges"

// DraftSuite adds what a form says to the file of a suite: its judges, and one
// condition, in which more than one value is an axis.
func (r *Runner) DraftSuite(ctx context.Context, request JobRequest) (string, error) {
	end, err := r.turn(ctx)
	if err != nil {
		return request.Get(fieldFile), err
	}
	defer end()
	text, err := r.draft(ctx, request)
	if err == nil {
		_, err = r.readSuite(ctx, text)
	}
	if err != nil {
		return text, refused(http.StatusBadRequest, err)
	}
	return text, nil
}

func (r *Runner) draft(ctx context.Context, request JobRequest) (string, error) {
	was := request.Get(fieldFile)
	protocol, err := judging.ProtocolNamed(request.Get(fieldProtocol))
	if err != nil {
		return was, err
	}
	d := suite.Draft{
		Name:     strings.TrimSpace(request.Get("name")),
		Protocol: protocol.Name,
		Datasets: request[fieldDataset],
	}
	for _, chosen := range request[fieldJudges] {
		id, model, _ := strings.Cut(chosen, " ")
		at, err := r.endpoint(ctx, id)
		if err != nil {
			return was, err
		}
		if model == "" {
			return was, fmt.Errorf("a judge of %s without a model", id)
		}
		judge := eval.Request{Endpoint: eval.Endpoint{Backend: at.backend}, Model: model}
		if at.url != "" {
			judge.BaseURLs = []string{at.url}
		}
		d.Judges = append(d.Judges, judge)
	}
	for _, f := range fieldsOf(protocol) {
		if given := givenOf(f, request[f.Name]); len(given) > 0 {
			d.Values = append(d.Values, suite.Value{Key: f.Name, Values: given})
		}
	}
	return d.AddTo(postedFile, was)
}

// givenOf are the values of a field that say more than its default.
func givenOf(f Field, chosen []string) []string {
	given := slices.DeleteFunc(slices.Clone(chosen), func(v string) bool { return strings.TrimSpace(v) == "" })
	if f.Name == "agents" && len(given) == 1 {
		given = strings.Fields(given[0])
	}
	if len(given) == 1 && given[0] == f.Default {
		return nil
	}
	return given
}
