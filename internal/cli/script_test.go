package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"text/template"
	"time"

	"github.com/adrg/xdg"
	"github.com/rogpeppe/go-internal/testscript"
	"gotest.tools/v3/golden"
)

// TestScripts runs the scripts of testdata/script, which show gavel's behaviour as a user meets it. A script is a list
// of commands and the files they need, in the format of testscript (go doc github.com/rogpeppe/go-internal/testscript);
// it begins with a comment that says what it shows. It runs in a folder of its own, with no other user's settings. Make
// one with `go test ./internal/cli -run TestScripts/NAME`. Beside testscript's commands there are
//
//	gavel ARGS...                     runs gavel, which has to end well; with "! " before it, not
//	exits STATUS gavel ARGS...        runs gavel, which has to end with that status
//	refuses STATUS WORDS gavel ARGS   the same, with nothing on stdout and " … " between the words of its last line
//	says WORDS                        what the last command printed holds the words, in their order, across line breaks
//	judge NAME [ollama] TEMPLATE      starts a scripted judge: $NAME is its address, NAME.log has a line for each request
//	calls NAME N [MODEL...]           how many questions it was asked since the last look: 64, <=64 or >=64, and of which
//	                                  models in turn (with Ollama MODEL@CONTEXT)
//	same DIR DIR                      the runs in both folders came to the same results
//	json FILE [PATH VALUE]...         looks values up in JSON; see [lookUp]. A value is a regular expression
//	edit FILE REGEXP NEW              replaces all matches, of which there has to be one
//	start NAME gavel ARGS...          runs gavel beside the script, with its output in NAME.out and NAME.err
//	await FILE|URL REGEXP [NAME]      waits until a file or a page holds it; $NAME is then its last group
//	signal NAME INT|HUP|KILL          sends a signal to what was started
//	ended NAME STATUS                 waits for its end
//	http METHOD URL STATUS [BODY]     a request: stdout is the body of the response, stderr its header
//
// The template of a judge (text/template, or a file of one, read anew for each request) makes its replies out of an
// [ask]. There are the conditions [shared], where published data is in ../shared, [hangup], where the tests do not run
// under nohup, [llama], where $SERVER is llama.cpp, and [both], where Ollama is up too.
func TestScripts(t *testing.T) { runScripts(t, "testdata/script", "") }

// TestSharedScripts runs the scripts that take published data, which is in $SHARED.
func TestSharedScripts(t *testing.T) {
	if !done(filepath.Join(sourceDir, "../../../shared/data")) {
		t.Skip("there is no ../shared/data")
	}
	runScripts(t, "testdata/shared", "")
}

// TestServersScripts runs the scripts that ask real servers: $SERVER is one, and $ITEMS says how many items to ask
// about.
func TestServersScripts(t *testing.T) {
	realServers(t, func(t *testing.T, url string) { runScripts(t, "testdata/servers", url) })
}

func runScripts(t *testing.T, dir, server string) {
	gavel, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	home(t)
	settings := map[string]string{
		"PATH":     filepath.Dir(gavel) + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"NO_COLOR": "1", "MY_KEY": "", "COLUMNS": "",
		"SLURM_ARRAY_TASK_ID": "", "SLURM_ARRAY_TASK_MIN": "", "SLURM_ARRAY_TASK_COUNT": "",
		"OLLAMA_HOST": "", "OPENAI_BASE_URL": "", "OPENAI_API_KEY": "",
		"SHARED": filepath.Join(sourceDir, "../../../shared/data"), "TESTDATA": filepath.Join(sourceDir, "testdata/files"),
		"LLAMA": os.Getenv("GAVEL_LLAMA_URL"), "OLLAMA": os.Getenv("GAVEL_OLLAMA_URL"),
		"SERVER": server, "ITEMS": fmt.Sprint(itemCount(server, 12, 4, 2)),
	}
	for name := range settings {
		t.Setenv(name, os.Getenv(name)) // so that it is put back
	}
	commands := map[string]func(*script, []string){
		"gavel": (*script).gavel, "exits": (*script).exits, "refuses": (*script).refuses, "says": (*script).says,
		"judge": (*script).judge, "calls": (*script).calls, "json": (*script).json, "edit": (*script).edit,
		"start": (*script).start, "await": (*script).await, "signal": (*script).signal, "ended": (*script).ended,
		"http": (*script).http, "same": (*script).same,
	}
	p := testscript.Params{
		Dir: filepath.Join(sourceDir, dir), ContinueOnError: true, UpdateScripts: golden.FlagUpdate(),
		Cmds: map[string]func(*testscript.TestScript, bool, []string){},
	}
	for name, command := range commands {
		p.Cmds[name] = func(ts *testscript.TestScript, not bool, args []string) {
			s := ts.Value(scriptKey{}).(*script)
			s.TestScript, s.not = ts, not
			command(s, args)
		}
	}
	p.Setup = func(e *testscript.Env) error {
		s := &script{work: e.WorkDir, judges: map[string]*scripted{}, started: map[string]*exec.Cmd{}}
		e.Values[scriptKey{}] = s
		settings["HOME"], settings["XDG_CACHE_HOME"] = e.WorkDir, filepath.Join(e.WorkDir, "cache")
		settings["XDG_DATA_HOME"] = filepath.Join(e.WorkDir, "data")
		for name, value := range settings {
			e.Setenv(name, value)
			s.env = append(s.env, name)
		}
		e.Defer(s.end)
		return nil
	}
	p.Condition = func(name string) (bool, error) {
		switch name {
		case "shared":
			return done(filepath.Join(sourceDir, "../../../shared/data")), nil
		case "hangup":
			return !signal.Ignored(syscall.SIGHUP), nil
		case "llama":
			return server == settings["LLAMA"], nil
		case "both":
			return settings["LLAMA"] != "" && settings["OLLAMA"] != "", nil
		}
		return false, fmt.Errorf("no condition is called %q", name)
	}
	testscript.RunT(inTurn{t}, p)
}

// inTurn runs scripts one after the other: gavel is run in this process, whose folder and environment change.
type inTurn struct{ *testing.T }

func (inTurn) Parallel()     {}
func (inTurn) Verbose() bool { return testing.Verbose() }
func (t inTurn) Run(name string, f func(testscript.T)) {
	t.T.Run(name, func(t *testing.T) { f(inTurn{t}) })
}

// script holds the state of a running script.
type script struct {
	*testscript.TestScript
	not     bool // the command has a "!" before it
	work    string
	env     []string // the names of the variables that gavel gets
	judges  map[string]*scripted
	started map[string]*exec.Cmd
}

type scriptKey struct{}

func (s *script) end() {
	os.Chdir(sourceDir)
	for _, cmd := range s.started {
		cmd.Process.Kill()
		cmd.Wait()
	}
	for _, j := range s.judges {
		j.CloseClientConnections()
		j.Close()
	}
}

// enter gives this process the script's folder and environment.
func (s *script) enter() {
	for _, name := range s.env {
		os.Setenv(name, s.Getenv(name))
	}
	xdg.Reload()
	s.Check(os.Chdir(s.MkAbs(".")))
}

func (s *script) run(args []string) (status int) {
	s.enter()
	return newEnv(nil, s.Stdout(), s.Stderr()).runCommandLine(context.Background(), args)
}

func (s *script) gavel(args []string) {
	if status := s.run(args); (status != 0) != s.not {
		s.Fatalf("gavel ended with exit status %d", status)
	}
}

func (s *script) exits(args []string) {
	if status := fmt.Sprint(s.run(args[2:])); !regexp.MustCompile("^" + args[0] + "$").MatchString(status) {
		s.Fatalf("exit status %s, want %s", status, args[0])
	}
}

func (s *script) refuses(args []string) {
	s.exits(slices.Delete(slices.Clone(args), 1, 2))
	lines := strings.Split(strings.TrimSuffix(fmt.Sprint(s.Stderr()), "\n"), "\n")
	last := lines[len(lines)-1]
	if fmt.Sprint(s.Stdout()) != "" || !strings.HasPrefix(last, "gavel: ") {
		s.Fatalf("stdout is not empty, or the last line does not say what is wrong")
	}
	s.holds(last, args[1])
}

func (s *script) says(args []string) { s.holds(s.ReadFile("stdout")+s.ReadFile("stderr"), args[0]) }

// holds looks for words in a text, as if it were one line.
func (s *script) holds(text, words string) {
	flat := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	rest := flat(text)
	for part := range strings.SplitSeq(words, " … ") {
		_, after, ok := strings.Cut(rest, flat(part))
		if ok == s.not {
			s.Fatalf("%q is there: %t", part, ok)
		}
		if ok {
			rest = after
		}
	}
}

// ask is a request to a scripted judge, as its template sees it.
type ask struct {
	N                               int // which question this is, from 1; 0 where it is none
	Asked                           int // questions so far
	Tokens, MaxTokens               int // about, of the prompt; at most, of the reply
	Method, Path, Body, Model, User string
	JSON                            any // the body
	dir                             string
	w                               http.ResponseWriter
	r                               *http.Request
	status                          int  // where the text is the whole response
	abort                           bool // hang up
}

// Raw has the template's text be the whole response.
func (a *ask) Raw(status int) string { a.status = status; return "" }

// Header returns one of the request's.
func (a *ask) Header(key string) string { return a.r.Header.Get(key) }

// Set sets a header.
func (a *ask) Set(key, value string) string { a.w.Header().Set(key, value); return "" }

// Abort hangs up without a response.
func (a *ask) Abort() string { a.abort = true; return "" }

// Forward asks another server in the judge's place.
func (a *ask) Forward(url string) (string, error) {
	r, err := http.NewRequestWithContext(a.r.Context(), a.Method, url+a.Path, strings.NewReader(a.Body))
	if err != nil {
		return "", err
	}
	r.Header = a.r.Header
	w, err := http.DefaultClient.Do(r)
	if err != nil {
		return a.Abort(), nil
	}
	defer w.Body.Close()
	body, err := io.ReadAll(w.Body)
	return a.Raw(w.StatusCode) + string(body), err
}

// Wire sends bytes that need not be HTTP, and waits for gavel to hang up.
func (a *ask) Wire(text string) string {
	raw(a.w, false, func(c net.Conn) {
		io.WriteString(c, text)
		io.Copy(io.Discard, c)
	})
	return a.Abort()
}

// Basic returns the user name and password of the request.
func (a *ask) Basic() string {
	user, password, _ := a.r.BasicAuth()
	return user + " " + password
}

// Hang answers nothing until gavel hangs up.
func (a *ask) Hang() string { <-a.r.Context().Done(); return "" }

// Sleep waits.
func (a *ask) Sleep(d time.Duration) string { time.Sleep(d * time.Millisecond); return "" }

// Await waits until a file of the script holds a regular expression.
func (a *ask) Await(file, expression string) (string, error) {
	_, err := awaitIn(filepath.Join(a.dir, file), expression)
	return "", err
}

// Every tells whether this is an nth question.
func (a *ask) Every(n int) bool { return a.N%n == 0 }

// Has tells whether the user's message holds words.
func (a *ask) Has(words string) bool { return strings.Contains(a.User, words) }

// Sent tells whether the request holds a text.
func (a *ask) Sent(text string) bool { return strings.Contains(a.Body, text) }

// Repeat returns a text so many times.
func (a *ask) Repeat(n int, text string) string { return strings.Repeat(text, n) }

// Fits tells whether the longest reply has room in a context beside the prompt.
func (a *ask) Fits(context int) bool { return a.Tokens+a.MaxTokens <= context }

// Longer prefers the longer response of a pair.
func (a *ask) Longer() string { _, reply := prefersLonger(0, a.User); return reply }

// Any answers under every protocol.
func (a *ask) Any() string { _, reply := anything(0, a.User); return reply }

// Sum judges a pair of testdata/files/sums.jsonl, and is right about as often as given, in 1000.
func (a *ask) Sum(often int) string {
	question, _, _ := strings.Cut(a.User, "?")
	h := fnv.New32a()
	io.WriteString(h, a.Model+question)
	first := strings.Index(a.User, ".\n") < strings.Index(a.User, "as far as I know")
	if right := int(h.Sum32()%1000) < often; right != first {
		return "[[B>A]]"
	}
	return "[[A>B]]"
}

// Option chooses one of the first two options by a hash of the question.
func (a *ask) Option() string { _, reply := choosesByHash(0, a.User); return reply }

// scripted is a judge whose replies come from a template.
type scripted struct {
	*httptest.Server
	mu       sync.Mutex
	models   []string // of each question
	lookedAt int      // how many of them were looked at
}

func (s *script) judge(args []string) {
	name, source := args[0], args[len(args)-1]
	ollama := len(args) == 3 && args[1] == "ollama"
	facts, j := judgeFacts(ollama), &scripted{}
	path := s.MkAbs(source)
	log, err := os.Create(filepath.Join(s.work, name+".log"))
	s.Check(err)
	j.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		a := &ask{Method: r.Method, Path: r.URL.Path, Body: string(body), dir: s.work, w: w, r: r}
		var sent struct {
			Model    string
			Messages []struct{ Role, Content string }
			Most     int `json:"max_tokens"`
			Options  struct {
				Context int `json:"num_ctx"`
			}
		}
		json.Unmarshal(body, &sent)
		json.Unmarshal(body, &a.JSON)
		a.Model, a.MaxTokens = sent.Model, sent.Most
		for _, m := range sent.Messages {
			a.Tokens += 5 + len(m.Content)/3
			a.User = m.Content
		}
		j.mu.Lock()
		if isChat(a.Path) || a.Path == "/v1/systemone" {
			j.models = append(j.models, strings.TrimSuffix(fmt.Sprint(sent.Model, "@", sent.Options.Context), "@0"))
			a.N = len(j.models)
		}
		a.Asked = len(j.models)
		fmt.Fprintln(log, a.N, a.Method, a.Path, a.Body)
		j.mu.Unlock()
		text := source
		if b, err := os.ReadFile(path); err == nil {
			text = strings.TrimSuffix(string(b), "\n")
		}
		var output strings.Builder
		t, err := template.New("").Parse(text)
		if err == nil {
			err = t.Execute(&output, a)
		}
		switch {
		case err != nil:
			http.Error(w, err.Error(), http.StatusNotImplemented)
		case a.abort:
			panic(http.ErrAbortHandler)
		case a.status != 0:
			w.WriteHeader(a.status)
			io.WriteString(w, output.String())
		case isChat(a.Path):
			json.NewEncoder(w).Encode(completion(ollama, output.String(), a.Tokens))
		default:
			facts.ServeHTTP(w, r)
		}
	}))
	s.judges[name] = j
	s.Setenv(name, j.URL)
	s.env = append(s.env, name)
}

func (s *script) calls(args []string) {
	j := s.judges[args[0]]
	j.mu.Lock()
	defer j.mu.Unlock()
	models := j.models[j.lookedAt:]
	j.lookedAt = len(j.models)
	n := len(models)
	want, err := strconv.Atoi(strings.TrimLeft(args[1], "<>="))
	s.Check(err)
	ok := n == want || args[1][0] == '<' && n < want || args[1][0] == '>' && n > want
	loads := slices.Compact(slices.Clone(models))
	if !ok || len(args) > 2 && !slices.Equal(loads, args[2:]) {
		s.Fatalf("%s was asked %d times, of %s; want %s", args[0], n, loads, args[1:])
	}
}

func (s *script) json(args []string) {
	var v any
	d := json.NewDecoder(strings.NewReader(s.ReadFile(args[0])))
	d.UseNumber()
	s.Check(d.Decode(&v))
	for pair := range slices.Chunk(args[1:], 2) {
		matches := lookUp(v, strings.Split(pair[0], "/"))
		want := regexp.MustCompile("^(?:" + pair[1] + ")$")
		for _, f := range matches {
			if want.MatchString(fmt.Sprint(f)) == s.not {
				s.Fatalf("%s is %v, want %s", pair[0], f, pair[1])
			}
		}
		if len(matches) == 0 && !s.not {
			s.Fatalf("there is no %s", pair[0])
		}
	}
}

// lookUp returns the value at a path, if any: "key", "0" of a list, "key=value" for the first element that has it, "len"
// for how many there are.
func lookUp(v any, path []string) (matches []any) {
	if len(path) == 0 {
		return []any{v}
	}
	key, value, filtered := strings.Cut(path[0], "=")
	list, _ := v.([]any)
	switch object, _ := v.(map[string]any); {
	case key == "len":
		return []any{len(list) + len(object)}
	case filtered:
		for _, each := range list {
			if o, _ := each.(map[string]any); fmt.Sprint(o[key]) == value {
				return lookUp(each, path[1:])
			}
		}
	case list != nil:
		if i, err := strconv.Atoi(key); err == nil && i < len(list) {
			return lookUp(list[i], path[1:])
		}
	default:
		if each, ok := object[key]; ok {
			return lookUp(each, path[1:])
		}
	}
	return matches
}

func (s *script) same(args []string) {
	paths, _ := filepath.Glob(filepath.Join(s.MkAbs(args[0]), "*", "results.json"))
	for _, path := range paths {
		folder := filepath.Base(filepath.Dir(path))
		if s.ReadFile(path) != readIfAny(filepath.Join(s.MkAbs(args[1]), folder, "results.json")) {
			s.Fatalf("%s: the results differ", folder)
		}
	}
	if len(paths) == 0 {
		s.Fatalf("there are no runs in %s", args[0])
	}
}

func (s *script) edit(args []string) {
	text, expression := s.ReadFile(args[0]), regexp.MustCompile(args[1])
	if !expression.MatchString(text) {
		s.Fatalf("%s holds no %s", args[0], args[1])
	}
	text = expression.ReplaceAllString(text, strings.ReplaceAll(args[2], `\n`, "\n"))
	s.Check(os.WriteFile(s.MkAbs(args[0]), []byte(text), 0o644))
}

func (s *script) start(args []string) {
	s.enter()
	cmd := exec.Command(args[1], args[2:]...)
	for suffix, w := range map[string]*io.Writer{".out": &cmd.Stdout, ".err": &cmd.Stderr} {
		f, err := os.Create(filepath.Join(s.work, args[0]+suffix))
		s.Check(err)
		defer f.Close()
		*w = f
	}
	s.Check(cmd.Start())
	s.started[args[0]] = cmd
}

func (s *script) await(args []string) {
	path := args[0]
	if !strings.Contains(path, "://") {
		path = s.MkAbs(path)
	}
	match, err := awaitIn(path, args[1])
	s.Check(err)
	if len(args) == 3 {
		s.Setenv(args[2], match)
	}
}

// awaitIn waits until a file or a page holds an expression, and returns the last group of its first match.
func awaitIn(path, expression string) (string, error) {
	r, err := regexp.Compile("(?m)" + expression)
	text := ""
	for end := time.Now().Add(time.Minute); err == nil && time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		text = readIfAny(path)
		if page, err := http.Get(path); err == nil {
			body, _ := io.ReadAll(page.Body)
			page.Body.Close()
			text = string(body)
		}
		if m := r.FindStringSubmatch(text); m != nil {
			return m[len(m)-1], nil
		}
	}
	return "", errors.Join(err, fmt.Errorf("%s never held %s:\n%s", path, expression, text))
}

func (s *script) signal(args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "HUP": syscall.SIGHUP, "KILL": os.Kill}
	s.Check(s.started[args[0]].Process.Signal(signals[args[1]]))
}

func (s *script) ended(args []string) {
	cmd := s.started[args[0]]
	cmd.Wait()
	if got := cmd.ProcessState.ExitCode(); fmt.Sprint(got) != args[1] {
		s.Fatalf("exit status %d, want %s:\n%s", got, args[1], s.ReadFile(filepath.Join(s.work, args[0]+".err")))
	}
}

func (s *script) http(args []string) {
	body := strings.Join(args[3:], "")
	r, err := http.NewRequest(args[0], args[1], strings.NewReader(body))
	s.Check(err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if strings.HasPrefix(body, "{") {
		r.Header.Set("Content-Type", "application/json")
	}
	w, err := http.DefaultTransport.RoundTrip(r)
	s.Check(err)
	defer w.Body.Close()
	_, err = io.Copy(s.Stdout(), w.Body)
	s.Check(err)
	w.Header.Write(s.Stderr())
	if !regexp.MustCompile("^" + args[2] + "$").MatchString(fmt.Sprint(w.StatusCode)) {
		s.Fatalf("%s %s: status %d, want %s", args[0], args[1], w.StatusCode, args[2])
	}
}

// readIfAny reads a file, or nothing where there is none.
func readIfAny(path string) string {
	b, _ := os.ReadFile(path)
	return string(b)
}
