package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/internal/disk"
	"gavel/internal/eval"
	"gavel/internal/server/failure"
	"gavel/internal/server/memo"
	"gavel/judging"
)

// Names of the fields of a job request that every run has: its protocol, server, model and dataset.
const (
	fieldProtocol = "protocol"
	fieldEndpoint = "endpoint"
	fieldModel    = "model"
	fieldDataset  = "dataset"
)

// runRequest turns a job request into the request of a run, and gives errors the status 400. A job request names
// offered servers, datasets and runs, never files or other addresses. The cache comes from the options of the server.
func (r *Manager) runRequest(ctx context.Context, request JobRequest) (eval.RunRequest, error) {
	o, err := r.parseRunRequest(ctx, request)
	return o, failure.WithStatus(http.StatusBadRequest, err)
}

// parseRunRequest does the work of [Manager.runRequest], without adding a status to errors.
func (r *Manager) parseRunRequest(ctx context.Context, request JobRequest) (o eval.RunRequest, err error) {
	protocol, err := judging.ProtocolNamed(request.Get(fieldProtocol))
	if err != nil {
		return o, err
	}
	dataset := request.Get(fieldDataset)
	if !slices.ContainsFunc(r.datasets(), func(d datasets.Entry) bool { return d.Name == dataset }) {
		return o, eval.InvalidField(fieldDataset, dataset, "%q is not offered", dataset)
	}
	ids := request[fieldEndpoint]
	if request.Get(fieldEndpoint) == "" {
		return o, errors.New("endpoint is missing: choose a server")
	}
	for _, id := range ids {
		if err := r.checkEndpoint(ctx, id); err != nil {
			return o, err
		}
	}
	values, err := r.values(ctx, protocol, request)
	if err != nil {
		return o, err
	}
	values[fieldModel] = []string{request.Get(fieldModel)}
	values[fieldDataset] = []string{dataset}
	values["backend"] = []string{"auto"}
	if ids[0] == backends.Simulation {
		values["backend"] = ids[:1]
	}
	values["base-url"] = slices.DeleteFunc(slices.Clone(ids), isSimulation)
	if r.Cache != "" {
		values["cache"] = []string{r.Cache}
	}
	if r.NoCache {
		values["no-cache"] = []string{"true"}
	}
	return eval.ParseRequest(protocol, values)
}

// values returns the job request's fields other than protocol, endpoint, model and dataset, each with its values. It
// leaves out values that equal the default: some judges do not accept some fields, whatever their value.
func (r *Manager) values(
	ctx context.Context, protocol judging.Protocol, request JobRequest,
) (map[string][]string, error) {
	out := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(request)) {
		if slices.Contains([]string{fieldProtocol, fieldEndpoint, fieldModel, fieldDataset}, name) {
			continue
		}
		f, ok := eval.FieldNamed(protocol, name)
		if !ok || f.Local {
			return nil, fmt.Errorf("%q is not a field of %s", name, protocol.Name)
		}
		values := request[name]
		if f.Kind != eval.FieldKindList && len(values) > 1 {
			values = values[len(values)-1:] // the form's value, after that of the address
		}
		for _, value := range values {
			if value == "" || value == f.Default {
				continue
			}
			value, err := r.requestValue(ctx, protocol, f, value)
			if err != nil {
				return nil, err
			}
			out[name] = append(out[name], value)
		}
	}
	return out, nil
}

// requestValue returns a field's value as the request of a run needs it: the name of a run becomes its folder. It
// refuses files, and addresses of servers that are not offered.
func (r *Manager) requestValue(
	ctx context.Context, protocol judging.Protocol, f eval.Field, value string,
) (string, error) {
	if strings.ContainsRune(value, 0) {
		return "", eval.InvalidField(f.Name, value, ": not a text")
	}
	switch {
	case f.Name == "prompt" && !slices.Contains(protocol.TemplateNames(), value):
		return "", eval.InvalidField(f.Name, value, "%q: it is one of %s", value,
			strings.Join(protocol.TemplateNames(), ", "))
	case f.Name == "own", f.Runs && !slices.Contains(f.Values, value):
		return r.runFolder(f.Name, value)
	case f.Name == "agents":
		return r.checkAgent(ctx, value)
	}
	return value, nil
}

// checkAgent checks the agent whose answers are to be judged: a simulation, a run of the server's folder, or the model
// of an offered server. It returns value, or for a run its folder.
func (r *Manager) checkAgent(ctx context.Context, value string) (string, error) {
	if strings.HasPrefix(value, "sim:") {
		return value, nil
	}
	if strings.Contains(value, ",") {
		return "", eval.InvalidField("agents", value, "%q: give each separately", value)
	}
	if _, url, ok := strings.Cut(value, "@"); ok {
		if r.checkEndpoint(ctx, url) != nil || isSimulation(url) {
			return "", eval.InvalidField("agents", value,
				"%q: expected MODEL@URL with the URL of an offered server, a run, or sim:…", value)
		}
		return value, nil
	}
	return r.runFolder("agents", value)
}

// runFolder returns the folder of the run called name; its errors are about flag, the field that names the run.
func (r *Manager) runFolder(flag, name string) (string, error) {
	missing := eval.InvalidField(flag, name, ": there is no run %q", name)
	if !filepath.IsLocal(name) || strings.Contains(name, ",") {
		return "", missing
	}
	dir := filepath.Join(r.runsFolder, filepath.FromSlash(name))
	if _, err := judging.ReadManifest(dir); err != nil || !r.RunListShows(filepath.ToSlash(name)) ||
		disk.CheckBelow(r.runsFolder, dir) != nil || disk.CheckRegular(dir, judging.RunFiles...) != nil {
		return "", missing
	}
	return dir, nil
}

// FormFields returns the fields of the form that starts a run of a protocol, without those for the command line only.
func FormFields(protocol judging.Protocol) []FormField {
	var fields []FormField
	for _, f := range eval.ProtocolFields(protocol) {
		if f.Local {
			continue
		}
		field := FormField{
			Name:    f.Name,
			Label:   f.Label,
			Kind:    string(f.Kind),
			About:   strings.ReplaceAll(cmp.Or(f.About, f.Help), "`", ""),
			Part:    f.Part,
			Default: f.Default,
			Values:  f.Values,
			Many:    f.Kind == eval.FieldKindList,
		}
		switch {
		case f.Values != nil:
			field.Kind = "choice"
		case f.Kind != eval.FieldKindNumber && f.Kind != eval.FieldKindSwitch:
			field.Kind = "text"
		}
		fields = append(fields, field)
	}
	return fields
}

// datasets returns the datasets that can be judged now: gavel's samples, and those fetched or added.
func (r *Manager) datasets() []datasets.Entry {
	return slices.DeleteFunc(r.maker.Library.All(), func(k datasets.Entry) bool { return !r.maker.Library.Has(k) })
}

// simulatedEndpoint offers gavel's simulated judges, which need no server. Every form has it.
var simulatedEndpoint = EndpointOffer{
	ID:     backends.Simulation,
	About:  "simulated judges: no model is asked",
	Models: []string{"right", "first", "coin", "silent", "accuracy=0.8,first=0.1"},
}

// isSimulation reports whether the id of an endpoint is that of the simulated judges. All other ids are URLs.
func isSimulation(id string) bool { return id == simulatedEndpoint.ID }

const (
	offersMaxAge = 10 * time.Second // time for which a list of servers is used before a new search
	offerTime    = 5 * time.Second  // limit for finding servers, and again for their models
)

// checkEndpoint returns an error unless a server that endpoints returns has this id.
func (r *Manager) checkEndpoint(ctx context.Context, id string) error {
	if !slices.ContainsFunc(r.endpoints(ctx), func(e EndpointOffer) bool { return e.ID == id }) {
		return fmt.Errorf("endpoint %q is not offered", id)
	}
	return nil
}

// endpoints returns the servers that a run may use. Concurrent calls share one search for them. If ctx ends before the
// search, it returns the simulated judges alone.
func (r *Manager) endpoints(ctx context.Context) []EndpointOffer {
	endpoints, err := memo.Get(ctx, r.offers, "", r.maker.Now().Truncate(offersMaxAge), func() ([]EndpointOffer, error) {
		return r.discover(r.ctx), nil // not ctx: the first caller may leave before the others
	})
	if err != nil {
		return []EndpointOffer{simulatedEndpoint}
	}
	return endpoints
}

// discover returns the servers named with --base-url, those that environment variables name, and those on the usual
// ports, as the command line finds them. It takes at most twice offerTime.
func (r *Manager) discover(ctx context.Context) []EndpointOffer {
	var all []EndpointOffer
	for _, url := range r.BaseURLs {
		all = append(all, EndpointOffer{ID: url, About: url})
	}
	if candidates, err := backends.CandidateAddresses("", r.maker.Getenv); err == nil {
		limited, cancel := context.WithTimeout(ctx, offerTime)
		defer cancel()
		for _, f := range backends.Discover(limited, r.maker.HTTP, candidates, r.maker.Getenv("OPENAI_API_KEY")) {
			if !slices.ContainsFunc(all, func(e EndpointOffer) bool { return e.ID == f.Server.URL }) {
				all = append(all, EndpointOffer{ID: f.Server.URL, About: eval.DescribeServer(f.Server) + " (" + f.Source + ")"})
			}
		}
	}
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { r.addModels(ctx, &all[i]) })
	}
	wg.Wait()
	return append(all, simulatedEndpoint)
}

// addModels asks the server of an offer for its models, and adds their names to the offer, or else the error.
func (r *Manager) addModels(ctx context.Context, offer *EndpointOffer) {
	ctx, cancel := context.WithTimeout(ctx, offerTime)
	defer cancel()
	b, s, err := r.maker.Connect(ctx, eval.Endpoint{Backend: "auto", BaseURLs: []string{offer.ID}})
	if err != nil {
		offer.Error = err.Error()
		return
	}
	if offer.About == offer.ID {
		offer.About = eval.DescribeServer(s)
	}
	models, err := b.Models(ctx)
	if err != nil {
		offer.Error = err.Error()
	}
	for _, m := range models {
		offer.Models = append(offer.Models, m.Name)
	}
}

// Offer returns the choices of the form for a new run of the protocol called name, or of the first one if name is "".
func (r *Manager) Offer(ctx context.Context, name string) (Offer, error) {
	if name == "" {
		name = judging.Protocols()[0].Name
	}
	protocol, err := judging.ProtocolNamed(name)
	if err != nil {
		return Offer{}, failure.WithStatus(http.StatusBadRequest, err)
	}
	o := Offer{Protocol: protocol.Name, Datasets: []NamedAbout{}, Fields: FormFields(protocol)}
	for _, k := range judging.Protocols() {
		o.Protocols = append(o.Protocols, NamedAbout{Name: k.Name, About: k.About})
	}
	o.Endpoints = r.endpoints(ctx)
	for _, d := range r.datasets() {
		if eval.TakesDataset(protocol, d) {
			o.Datasets = append(o.Datasets, NamedAbout{Name: d.Name, About: d.About})
		}
	}
	o.Notes = []string{"To offer more datasets, fetch them (gavel datasets fetch NAME); " +
		"to offer more servers, name them (gavel serve --base-url URL)."}
	return o, nil
}
