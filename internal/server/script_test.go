package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/net/html"
	"gotest.tools/v3/golden"

	"gavel/backends"
	"gavel/internal/eval"
	"gavel/internal/jury"
	"gavel/internal/server/failure"
	"gavel/internal/server/jobs"
	"gavel/internal/server/store"
	"gavel/judging"
)

// TestScripts runs the scripts of testdata: requests, and what is answered. A script is in the format of testscript (go
// doc github.com/rogpeppe/go-internal/testscript) and begins with a comment that says what it shows. Run one with
// go test ./internal/server -run TestScripts/NAME, and write goldens anew with -update. Beside testscript's commands
// there are
//
//	run DIR [KEY=VALUE...]       makes a run in runs/DIR by a simulated judge; keys are the fields of [making], or options
//	edit FILE REGEXP NEW         replaces all matches, of which there has to be one
//	suite DIR                    makes the suite of [suiteOf] in runs/DIR
//	jury DIR MEMBER...           makes a jury of runs that votes by majority
//	serve [runner|manager|token|DIR]
//	                             serves the runs; with a runner that makes none or one that does, a token, or a desk to
//	                             label the items of runs/DIR
//	finish                       waits for what is being made
//	get URL STATUS [HEADER]      asks, and holds what the API answers to its description (but for ! get), with a header: stdout is the outline of the page, stderr the response's head
//	post URL STATUS [BODY] [HEADER]  the same with a form or JSON
//	                             (+CHOICE: that choice with what is hidden in the form of the page)
//	says WORDS...                the text of the page has these words, across line breaks
//	has WORDS...                 the body has these words
//	json PATH VALUE...           values of a JSON body, by paths such as items.0.id; # is the length of a list
//	told WORDS...                what the runner was told has these words
//	fails STATUS WORDS           the runner fails from now on
func TestScripts(t *testing.T) {
	p := testscript.Params{
		Dir: "testdata", ContinueOnError: true, UpdateScripts: golden.FlagUpdate(),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){},
		Setup: func(e *testscript.Env) error {
			e.Values[scriptKey{}] = &script{t: e.T().(inTurn).T, runs: filepath.Join(e.WorkDir, "runs")}
			return os.MkdirAll(filepath.Join(e.WorkDir, "runs"), 0o755)
		},
	}
	for name, command := range map[string]func(*script, []string){
		"run": (*script).makeRun, "edit": (*script).edit, "suite": (*script).suite, "jury": (*script).jury,
		"serve": (*script).serve,
		"get":   (*script).get, "post": (*script).post, "says": (*script).containsText, "has": (*script).has, "json": (*script).json,
		"told": (*script).runnerRequests, "finish": (*script).finish, "fails": (*script).fails,
	} {
		p.Cmds[name] = func(ts *testscript.TestScript, not bool, args []string) {
			s := ts.Value(scriptKey{}).(*script)
			s.TestScript, s.not = ts, not
			command(s, args)
		}
	}
	testscript.RunT(inTurn{t}, p)
}

// inTurn runs scripts one after the other.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }
func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

type scriptKey struct{}

// script holds the state of one script.
type script struct {
	*testscript.TestScript
	t      *testing.T
	not    bool // the command has a "!" before it
	runs   string
	site   *site
	runner fakeRunner

	manager *jobs.Manager
	body    string // of the last response
}

func (s *script) makeRun(args []string) {
	setup := runSetup{sim: "right"}
	texts := map[string]*string{
		"sim": &setup.sim, "protocol": &setup.protocol, "prompt": &setup.prompt, "dataset": &setup.dataset,
	}
	numbers := map[string]*int{"repetitions": &setup.repetitions, "stop": &setup.stop}
	for _, arg := range args[1:] {
		key, value, _ := strings.Cut(arg, "=")
		if texts[key] != nil {
			*texts[key] = value
		} else if numbers[key] != nil {
			*numbers[key], _ = strconv.Atoi(value)
		} else {
			setup.options = judging.Settings{key: value}
		}
	}
	makeRun(s.t, filepath.Join(s.runs, args[0]), setup)
}

func (s *script) edit(args []string) {
	before := s.ReadFile(args[0])
	after := regexp.MustCompile(args[1]).ReplaceAllString(before, args[2])
	if after == before {
		s.Fatalf("%s has no %s", args[0], args[1])
	}
	must(s.t, os.Remove(s.MkAbs(args[0]))) // which another run may share
	write(s.t, s.MkAbs(args[0]), after)
}

func (s *script) suite(args []string) { suiteOf(s.t, s.runs, args[0]) }

func (s *script) jury(args []string) {
	var members []string
	for _, run := range args[1:] {
		members = append(members, filepath.Join(s.runs, run))
	}
	_, err := jury.Make(jury.Recipe{Runs: members, Rule: jury.Majority, Out: filepath.Join(s.runs, args[0]), Gavel: "test"})
	s.Check(err)
}

func (s *script) serve(args []string) {
	s.site = newSite(s.t, s.runs, func(o *Options) {
		patient(o)
		switch with := strings.Join(args, ""); with {
		case "":
		case "runner":
			o.Runner = &s.runner
		case "manager":
			s.manager = managerOf(s.t, s.runs)
			o.Runner = s.manager
		case "token":
			o.Token = token
		default:
			o.Desk = desk(s.t, filepath.Join(s.runs, with))
			o.Labels = o.Desk.Path
		}
	})
}

// managerOf makes the runs of a folder.
func managerOf(t *testing.T, runs string) *jobs.Manager {
	m, err := jobs.New(t.Context(), eval.Maker{
		HTTP: backends.NewHTTPClient(4), Getenv: os.Getenv, Now: time.Now, Version: "test",
	}, jobs.Options{Runs: runs, NoCache: true, MaxActive: 2, RunListShows: store.CanList})
	must(t, err)
	t.Cleanup(m.Wait)
	return m
}

func (s *script) finish([]string) { s.manager.Wait() }

func (s *script) get(args []string)  { s.ask("GET", args) }
func (s *script) post(args []string) { s.ask("POST", args) }

func (s *script) ask(method string, args []string) {
	kind := asForm
	if strings.HasPrefix(args[0], apiPath) {
		kind = asJSON
	}
	more := func(*http.Request) {}
	body := strings.Join(args[2:], "\n")
	if choice, ok := strings.CutPrefix(body, "+"); ok {
		body = form(s.t, s.body, choice).Encode()
	}
	if head := headLine.FindStringSubmatch(body); head != nil {
		body, more = head[1], header(head[2], head[3])
	}
	var r *http.Request
	w := s.site.ask(method, args[0], body, kind, more, func(request *http.Request) { r = request })
	if strings.HasPrefix(args[0], apiPath) && !s.not {
		s.Check(s.site.describedAs(w, r))
	}
	s.body = strings.ReplaceAll(w.Body.String(), s.runs, "RUNS")
	fmt.Fprintln(s.Stderr(), w.Header())
	fmt.Fprintln(s.Stdout(), strings.TrimSpace(blank.ReplaceAllString(outline(parse(s.t, s.body)), "\n")))
	if strconv.Itoa(w.Code) != args[1] {
		s.Fatalf("%s %s: %d, not %s:\n%s", method, args[0], w.Code, args[1], s.body)
	}
}

// answers are the schemas of what the API answers, by pattern and status.
var answers = map[string]*jsonschema.Resolved{}

// describedAs holds an answer of the API to its description, to the last key.
func (s *site) describedAs(w *httptest.ResponseRecorder, r *http.Request) error {
	_, pattern := s.mux.Handler(r)
	name := fmt.Sprint(pattern, w.Code)
	if answers[name] == nil {
		schema, err := schemaOf(pattern, w.Code)
		must(s.t, err)
		answers[name] = schema
	}
	var v any
	must(s.t, json.Unmarshal(w.Body.Bytes(), &v))
	return answers[name].Validate(v)
}

func schemaOf(pattern string, status int) (*jsonschema.Resolved, error) {
	description, err := describeAPI(nil)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(description)
	if err != nil {
		return nil, err
	}
	var d struct {
		Paths map[string]map[string]struct {
			Responses map[string]struct {
				Content map[string]struct{ Schema *jsonschema.Schema }
			}
		}
		Components struct{ Schemas map[string]*jsonschema.Schema }
	}
	err = json.Unmarshal(bytes.ReplaceAll(text, []byte("#/components/schemas/"), []byte("#/$defs/")), &d)
	method, path, _ := strings.Cut(pattern, " ")
	responses := d.Paths[path][strings.ToLower(method)].Responses
	answer, ok := responses[strconv.Itoa(status)]
	if !ok {
		answer = responses["default"]
	}
	schema := answer.Content["application/json"].Schema
	if err != nil || schema == nil {
		return nil, fmt.Errorf("%s: no answer %d: %w", pattern, status, err)
	}
	schema.Defs = d.Components.Schemas
	return schema.Resolve(nil)
}

var (
	ownLine  = regexp.MustCompile(`^(title|h\d|p|tr|li|dt|dd|form|input|select|option|summary|pre)$`)
	spaces   = regexp.MustCompile(`\s+`)
	headLine = regexp.MustCompile(`^(?:(.*)\n)?([A-Z][A-Za-z-]*): (.*)$`)
	blank    = regexp.MustCompile(`\s*\n\s*`)
)

// outline returns a page's texts and links, a line for each heading, paragraph, row and field.
func outline(n *html.Node) (text string) {
	if n.Type == html.TextNode {
		return spaces.ReplaceAllString(n.Data, " ")
	}
	for c := range n.ChildNodes() {
		text += outline(c)
	}
	for _, name := range []string{"href", "action", "name", "value"} {
		if value := attr(n, name); value != "" && n.Data != "link" && n.Data != "meta" {
			text += " <" + value + ">"
		}
	}
	switch {
	case n.Data == "td", n.Data == "th":
		text += " |"
	case ownLine.MatchString(n.Data):
		text = "\n" + text + "\n"
	}
	return text
}

// holds wants all words in a text, or with a "!" none.
func (s *script) holds(text string, words []string) {
	for _, w := range words {
		if strings.Contains(text, w) == s.not {
			s.Fatalf("%q is there: %v\n%.3000s", w, s.not, text)
		}
	}
}

func (s *script) containsText(words []string) {
	s.holds(strings.Join(strings.Fields(textOf(parse(s.t, s.body))), " "), words)
}

func (s *script) has(words []string) { s.holds(s.body, words) }

func (s *script) runnerRequests(words []string) {
	text, err := json.Marshal([]any{s.runner.jobs, s.runner.deleted, s.runner.abouts})
	s.Check(err)
	s.holds(string(text), words)
}

func (s *script) fails(args []string) {
	status, err := strconv.Atoi(args[0])
	s.Check(err)
	s.runner.fails = failure.New(status, "%s", args[1])
}

func (s *script) json(args []string) {
	for ; len(args) > 1; args = args[2:] {
		var v any
		s.Check(json.Unmarshal([]byte(s.body), &v))
		for key := range strings.SplitSeq(args[0], ".") {
			list, _ := v.([]any)
			if i, err := strconv.Atoi(key); err == nil && i < len(list) {
				v = list[i]
			} else if key == "#" {
				v = len(list)
			} else {
				parent, _ := v.(map[string]any)
				v = parent[key]
			}
		}
		if (fmt.Sprint(v) == args[1]) == s.not {
			s.Fatalf("%s is %v, not %s in\n%.2000s", args[0], v, args[1], s.body)
		}
	}
}
