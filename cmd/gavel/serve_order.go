package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sync/singleflight"

	"gavel/backends"
	"gavel/datasets"
	"gavel/judging"
	"gavel/server"
)

// What an order may say are flags of `gavel run`. The others are the server's
// own business: whoever orders a run names no file and no address, but chooses
// from what is offered.
var (
	orderFlags = []string{
		"prompt", "limit", "sample", "seed", "group", "turns", "agents", "own", "unrelated", "max-options",
		"max-tokens", "num-ctx", "system-role", "accept-cut", "think", "constrain", "logprobs", "repeat", "strict-determinism",
		"attempts", "concurrency", "timeout", "retry-for",
	}
	// Given by the order's endpoint, dataset and model, after they were checked.
	chosenFlags = []string{"model", "dataset", "backend", "base-url"}
	// Never given.
	serversFlags = []string{"ids", "cache", "no-cache", "out", "dry-run", "json", "csv", "markdown", "api-key-env", "lang"}
)

// ordered tells whether a flag of a protocol may be given in an order.
func ordered(k judging.Kind, flag string) bool {
	return slices.Contains(orderFlags, flag) || slices.ContainsFunc(k.Options, func(o judging.Option) bool { return o.Name == flag })
}

// Names of an order's fields that are no flags.
const (
	fieldProtocol = "protocol"
	fieldEndpoint = "endpoint"
	fieldModel    = "model"
	fieldDataset  = "dataset"
)

// options reads an order as the command line that it stands for.
func (r *runner) options(ctx context.Context, order server.Order) (o runOptions, err error) {
	if o, err = r.read(ctx, order); err != nil {
		return runOptions{}, &orderError{http.StatusBadRequest, err}
	}
	return o, nil
}

func (r *runner) read(ctx context.Context, order server.Order) (o runOptions, err error) {
	kind, err := judging.KindNamed(order.Get(fieldProtocol))
	if err != nil {
		return o, err
	}
	args := []string{"--model=" + order.Get(fieldModel), "--dataset=" + order.Get(fieldDataset)}
	if !slices.ContainsFunc(r.datasets(), func(d server.NamedAbout) bool { return d.Name == order.Get(fieldDataset) }) {
		return o, fmt.Errorf("--dataset %q is none that is offered", order.Get(fieldDataset))
	}
	at, err := r.endpointArgs(ctx, order[fieldEndpoint])
	if err != nil {
		return o, err
	}
	args = append(args, at...)
	if r.opts.cacheDir != "" {
		args = append(args, "--cache="+r.opts.cacheDir)
	}
	if r.opts.noCache {
		args = append(args, "--no-cache")
	}
	more, err := r.orderArgs(ctx, kind, order)
	if err != nil {
		return o, err
	}
	return r.env.parseRun(kind, append(args, more...))
}

// endpointArgs are the arguments that name servers: one, or several that serve
// one and the same model.
func (r *runner) endpointArgs(ctx context.Context, ids []string) (args []string, err error) {
	if len(ids) == 0 {
		ids = []string{""}
	}
	for i, id := range ids {
		at, err := r.endpoint(ctx, id)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			args = append(args, "--backend="+at.backend)
		}
		if at.url != "" {
			args = append(args, "--base-url="+at.url)
		}
	}
	return args, nil
}

// orderArgs are the arguments of the order's other fields, in the order of their
// names. What is the default is left out: some flags may not be given with some
// judges, whatever their value.
func (r *runner) orderArgs(ctx context.Context, kind judging.Kind, order server.Order) ([]string, error) {
	names := make([]string, 0, len(order))
	for name := range order {
		if name != fieldProtocol && name != fieldEndpoint && name != fieldModel && name != fieldDataset {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	fields := fieldsOf(kind)
	var args []string
	for _, name := range names {
		i := slices.IndexFunc(fields, func(f server.Field) bool { return f.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("%q is no field of %s", name, kind.Name)
		}
		f := fields[i]
		values := order[name]
		if !f.Many && len(values) > 1 {
			values = values[len(values)-1:] // a field that was given in the address too
		}
		for _, value := range values {
			if value == "" || value == f.Default {
				continue
			}
			value, err := r.orderValue(ctx, kind, f, value)
			if err != nil {
				return nil, err
			}
			args = append(args, "--"+name+"="+value)
		}
	}
	return args, nil
}

// orderValue checks values that could name files or addresses.
func (r *runner) orderValue(ctx context.Context, kind judging.Kind, f server.Field, value string) (string, error) {
	if strings.ContainsRune(value, 0) {
		return "", fmt.Errorf("--%s: not a text", f.Name)
	}
	switch {
	case f.Name == "prompt" && !slices.Contains(kind.TemplateNames(), value):
		return "", fmt.Errorf("--prompt %q: it is one of %s", value, strings.Join(kind.TemplateNames(), ", "))
	case f.Name == "own":
		return r.runNamed(f.Name, value)
	case f.Name == "agents":
		return r.agent(ctx, value)
	}
	return value, nil
}

// agent is who answered what is judged: a simulation, a run of this server's
// folder, or a model of a server that is offered.
func (r *runner) agent(ctx context.Context, value string) (string, error) {
	if strings.HasPrefix(value, "sim:") {
		return value, nil
	}
	if strings.Contains(value, ",") {
		return "", fmt.Errorf("--agents %q: name each by itself", value)
	}
	if model, at, ok := strings.Cut(value, "@"); ok {
		e, err := r.endpoint(ctx, at)
		if err != nil || e.url == "" {
			return "", fmt.Errorf("--agents %q: it is MODEL@URL with the URL of a server that is offered, a run, or sim:…", value)
		}
		return model + "@" + e.url, nil
	}
	return r.runNamed("agents", value)
}

// runNamed is the folder of a run that a flag names.
func (r *runner) runNamed(flag, name string) (string, error) {
	if !filepath.IsLocal(name) || strings.Contains(name, ",") {
		return "", fmt.Errorf("--%s: there is no run %q", flag, name)
	}
	dir := filepath.Join(r.dir, filepath.FromSlash(name))
	if _, err := judging.ReadManifest(dir); err != nil {
		return "", fmt.Errorf("--%s: there is no run %q", flag, name)
	}
	return dir, nil
}

// parseRun reads the flags of a run as the command line does.
func (e *env) parseRun(kind judging.Kind, args []string) (o runOptions, err error) {
	app := newApp(e)
	read := &cli.Command{Name: kind.Name, Flags: runFlags(kind), Action: func(c *cli.Context) error {
		var err error
		o, err = runOptionsFrom(c, kind)
		return err
	}}
	app.Commands = []*cli.Command{read}
	adopt(app.Commands)
	if err := app.Run(append([]string{app.Name, kind.Name}, args...)); err != nil {
		// What stands after it sends readers to a command line that they do not have.
		text, _, _ := strings.Cut(err.Error(), " See: ")
		return o, errors.New(text)
	}
	return o, nil
}

// aboutFields are what is said of fields that are less than their flags.
var aboutFields = map[string]string{
	"prompt": "one of the protocol's own",
	"group":  "only items of this group",
	"seed":   "of the sample",
	"own":    "a run of this server's with the judge's own answers; without one the judge is asked",
	"agents": "who answered what is judged: a run of this server's, MODEL@URL of a server that is offered, or sim:…",
}

// fieldsOf are the fields of a protocol's form: its flags.
func fieldsOf(kind judging.Kind) []server.Field {
	var fields []server.Field
	for _, flag := range runFlags(kind) {
		name := flag.Names()[0]
		if !ordered(kind, name) {
			continue
		}
		f := server.Field{Name: name, Kind: "text"}
		switch flag := flag.(type) {
		case *cli.BoolFlag:
			f.Kind, f.About, f.Part, f.Default = "switch", flag.Usage, flag.Category, "false"
		case *cli.IntFlag:
			f.Kind, f.About, f.Part, f.Default = "number", flag.Usage, flag.Category, fmt.Sprint(flag.Value)
		case *cli.Int64Flag:
			f.Kind, f.About, f.Part, f.Default = "number", flag.Usage, flag.Category, fmt.Sprint(flag.Value)
		case *cli.StringFlag:
			f.About, f.Part, f.Default = flag.Usage, flag.Category, flag.Value
		case *cli.DurationFlag:
			f.About, f.Part, f.Default = flag.Usage, flag.Category, shortDuration(flag.Value)
		case *cli.StringSliceFlag:
			f.About, f.Part, f.Many = flag.Usage, flag.Category, true
		}
		f.About = strings.ReplaceAll(f.About, "`", "")
		if said, ok := aboutFields[name]; ok {
			f.About = said
		}
		if f.Values = valuesOf(kind, name); f.Values != nil {
			f.Kind = "choice"
		}
		fields = append(fields, f)
	}
	return fields
}

// valuesOf are all that a flag may have, nil where they are not a list.
func valuesOf(kind judging.Kind, flag string) []string {
	switch flag {
	case "prompt":
		return kind.TemplateNames()
	case "think":
		return backends.Thinks
	case "system-role":
		return []string{backends.System, backends.User}
	case "turns":
		return []string{"first", "all"}
	}
	for _, o := range kind.Options {
		if o.Name == flag && o.Default != "false" {
			return o.Values
		}
	}
	return nil
}

// shortDuration writes 10m0s as 10m.
func shortDuration(d time.Duration) string {
	return strings.TrimSuffix(d.String(), "0s")
}

// datasets are those that can be judged now: gavel's own, and those fetched.
func (r *runner) datasets() []server.NamedAbout {
	var out []server.NamedAbout
	lib := r.env.library()
	for _, k := range datasets.Registry {
		if !k.Builtin() {
			if _, err := os.Stat(lib.Path(k.Name)); err != nil {
				continue
			}
		}
		out = append(out, server.NamedAbout{Name: k.Name, About: k.About})
	}
	return out
}

// shapesOf are the items that the files of a format have. A format that is not
// here may have any.
var shapesOf = map[string]datasets.Shape{
	"judgebench": datasets.Pair, "mmlu-pro": datasets.Choice, "gsm8k": datasets.Number, "gsm-symbolic": datasets.Number,
	"mt-bench": datasets.Preference, "chatbot-arena": datasets.Preference,
	"options": datasets.Options, "oasst-trees": datasets.Options, "oasst-messages": datasets.Options,
}

// takesDataset tells whether a protocol, or the stage it begins with, takes the
// items of a dataset.
func takesDataset(kind judging.Kind, name string) bool {
	known, _ := datasets.Lookup(name)
	shape, sure := shapesOf[known.Format]
	if kind.Takes(datasets.Judgment) {
		kind, _ = judging.KindNamed("answer")
	}
	return !sure || kind.Takes(shape)
}

// endpoint is a server of models that can be chosen.
type endpoint struct {
	server.EndpointOffer
	backend, url string
}

// simulatedEndpoint is always there.
var simulatedEndpoint = endpoint{EndpointOffer: server.EndpointOffer{ID: "sim", About: "simulated judges: no model is asked", Models: []string{"right", "first", "coin", "silent", "accuracy=0.8,first=0.1"}}, backend: "sim"}

// offers remembers the servers found for a few seconds. They are looked for once
// for all who ask meanwhile, and not under the lock: nobody waits for a server
// that hangs for longer than he wants to.
type offers struct {
	flight singleflight.Group
	mu     sync.Mutex
	at     time.Time
	found  []endpoint
}

// Times of offers: how long they are good, and how long a server has to say what
// it is, and then which models it has.
const (
	offersGood = 10 * time.Second
	offerTime  = 5 * time.Second
)

// known are the offers that are still good; nil where there are none.
func (o *offers) known(now time.Time) []endpoint {
	o.mu.Lock()
	defer o.mu.Unlock()
	if now.Sub(o.at) >= offersGood {
		return nil
	}
	return o.found
}

func (o *offers) keep(found []endpoint, now time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.found, o.at = found, now
}

// endpoint finds one that was chosen by its id.
func (r *runner) endpoint(ctx context.Context, id string) (endpoint, error) {
	all := r.endpoints(ctx)
	i := slices.IndexFunc(all, func(e endpoint) bool { return e.ID == id })
	switch {
	case i < 0 && id == "":
		return endpoint{}, errors.New("endpoint is missing: which server is asked?")
	case i < 0:
		return endpoint{}, fmt.Errorf("endpoint %q is none that is offered", id)
	}
	return all[i], nil
}

// endpoints are the servers that are offered; whoever gives up waiting for them
// is offered simulated judges alone.
func (r *runner) endpoints(ctx context.Context) []endpoint {
	if found := r.offers.known(r.env.now()); found != nil {
		return found
	}
	looked := r.offers.flight.DoChan("", func() (any, error) {
		found := r.look(r.ctx) // not in the name of who asks first: he may leave
		if r.ctx.Err() == nil {
			r.offers.keep(found, r.env.now())
		}
		return found, nil
	})
	select {
	case <-ctx.Done():
		return []endpoint{simulatedEndpoint}
	case l := <-looked:
		return l.Val.([]endpoint)
	}
}

// look looks for servers as the command line does: those named with --base-url,
// those of the environment, those on the usual ports. It takes no longer than
// twice offerTime.
func (r *runner) look(ctx context.Context) []endpoint {
	var all []endpoint
	for _, url := range r.opts.baseURLs {
		r.keys.Store(url, r.opts.apiKeyEnv)
		all = append(all, endpoint{EndpointOffer: server.EndpointOffer{ID: url, About: url}, backend: "auto", url: url})
	}
	if candidates, err := backends.Candidates(r.env.getenv("OLLAMA_HOST"), r.env.getenv("OPENAI_BASE_URL")); err == nil {
		named := map[string]bool{}
		for _, c := range candidates {
			named[c.URL] = c.Env
		}
		limited, cancel := context.WithTimeout(ctx, offerTime)
		defer cancel()
		for _, f := range backends.Discover(limited, r.env.http, candidates, r.env.getenv("OPENAI_API_KEY")) {
			if f.Why == "OPENAI_BASE_URL" {
				r.keys.LoadOrStore(f.Server.URL, "") // which --base-url may name too
			}
			if !slices.ContainsFunc(all, func(e endpoint) bool { return e.ID == f.Server.URL }) {
				all = append(all, endpoint{EndpointOffer: server.EndpointOffer{ID: f.Server.URL, About: describe(f.Server) + " (" + f.Why + ")"}, backend: "auto", url: f.Server.URL})
			}
		}
	}
	var wg sync.WaitGroup
	for i := range all {
		wg.Go(func() { r.models(ctx, &all[i]) })
	}
	wg.Wait()
	return append(all, simulatedEndpoint)
}

// models asks a server what it has.
func (r *runner) models(ctx context.Context, at *endpoint) {
	ctx, cancel := context.WithTimeout(ctx, offerTime)
	defer cancel()
	e := r.within(func(string) {}, &interrupts{})
	b, s, err := e.connect(ctx, endpointOptions{backend: "auto", baseURLs: []string{at.url}})
	if err != nil {
		at.Error = err.Error()
		return
	}
	if at.About == at.url {
		at.About = describe(s)
	}
	models, err := b.Models(ctx)
	if err != nil {
		at.Error = err.Error()
	}
	for _, m := range models {
		at.Models = append(at.Models, m.Name)
	}
}

// Offer is what the form has for a protocol.
func (r *runner) Offer(ctx context.Context, protocol string) (server.Offer, error) {
	if protocol == "" {
		protocol = judging.Kinds[0].Name
	}
	kind, err := judging.KindNamed(protocol)
	if err != nil {
		return server.Offer{}, &orderError{http.StatusBadRequest, err}
	}
	o := server.Offer{Protocol: kind.Name, Datasets: []server.NamedAbout{}, Fields: fieldsOf(kind)}
	for _, k := range judging.Kinds {
		o.Protocols = append(o.Protocols, server.NamedAbout{Name: k.Name, About: k.About})
	}
	for _, e := range r.endpoints(ctx) {
		o.Endpoints = append(o.Endpoints, e.EndpointOffer)
	}
	for _, d := range r.datasets() {
		if takesDataset(kind, d.Name) {
			o.Datasets = append(o.Datasets, d)
		}
	}
	o.Notes = []string{"More datasets can be chosen once they are fetched (gavel datasets fetch NAME), more servers once they are named (gavel serve --base-url URL)."}
	return o, nil
}
