package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"gavel/judging"
	"gavel/scoring/race"
)

// racers is one server with models of whom everything is known: how often each is right, and how long it takes. It notes
// which of them was asked, call by call.
type racers struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	rights map[string]float64       // how often a model is right
	takes  map[string]time.Duration // of a call
	fails  bool
}

var sumAsked = regexp.MustCompile(`What is (\d+) times (\d+)\?`)

func newRacers(t *testing.T, rights map[string]float64) *racers {
	t.Helper()
	s := &racers{rights: rights, takes: map[string]time.Duration{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		var list []any
		for name := range rights {
			list = append(list, map[string]string{"id": name, "owned_by": "test"})
		}
		json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list})
	})
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) {
		var req struct {
			Model    string
			Messages []struct{ Content string }
		}
		json.NewDecoder(r.Body).Decode(&req)
		s.mu.Lock()
		s.asked = append(s.asked, req.Model)
		takes, fails := s.takes[req.Model], s.fails
		s.mu.Unlock()
		time.Sleep(takes)
		if fails {
			http.Error(w, `{"error":{"message":"no such luck"}}`, http.StatusUnauthorized)
			return
		}
		user := req.Messages[len(req.Messages)-1].Content
		sum := sumAsked.FindStringSubmatch(user)
		a, _ := strconv.Atoi(sum[1])
		h := fnv.New32a()
		io.WriteString(h, req.Model+sum[1])
		first := strings.Index(user, fmt.Sprintf("It is %d.", a*(a+7))) < strings.Index(user, "as far as I know")
		if right := float64(h.Sum32()%1000) < 1000*rights[req.Model]; right != first {
			user = "[[B>A]]"
		} else {
			user = "[[A>B]]"
		}
		json.NewEncoder(w).Encode(map[string]any{"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": user}}}, "usage": map[string]int{"prompt_tokens": 5000, "completion_tokens": 5}})
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

// calls is how many there were since, and the models in the order in which they were begun with.
func (s *racers) calls() (n int, loads []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.asked), slices.Compact(slices.Clone(s.asked))
}

func (s *racers) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = nil
}

// aRace is a suite's file of the server's models over so many pairs.
func (s *racers) aRace(t *testing.T, out string, pairs int, models ...string) string {
	t.Helper()
	hundred := strings.TrimSpace(read(t, hundredPairs(t)))
	var lines strings.Builder
	for i := range (pairs + 99) / 100 {
		for _, line := range strings.Split(hundred, "\n")[:min(100, pairs-100*i)] {
			var pair map[string]any
			json.Unmarshal([]byte(line), &pair)
			n, _ := strconv.Atoi(pair["pair_id"].(string)[1:])
			n += 100 * i
			pair["pair_id"], pair["question"] = fmt.Sprintf("p%04d", n), fmt.Sprintf("What is %d times %d?", n, n+7)
			pair["response_A"], pair["response_B"] = fmt.Sprintf("It is %d.", n*(n+7)), fmt.Sprintf("It is %d, as far as I know.", n*(n+6)+1)
			raw, _ := json.Marshal(pair)
			lines.Write(append(raw, '\n'))
		}
	}
	data := write(t, out+".jsonl", lines.String())
	var judges []string
	for _, m := range models {
		judges = append(judges, "{model: "+m+"}")
	}
	return write(t, out+".yaml", fmt.Sprintf("out: %s\ndefaults: {base-url: %s, dataset: %s, prompt: direct, attempts: 1, concurrency: 3, retry-for: 1ms, cache: %s.cache}\njudges: [%s]\nconditions: [{protocol: pairwise}]\n", out, s.URL, data, out, strings.Join(judges, ", ")))
}

type racedJSON struct {
	Leader string
	Left   []struct {
		Run   string
		Items int
		E     float64
		By    string
	}
	Tied       [][]string
	Calls      int
	Full       int `json:"full_calls"`
	Unfinished bool
}

func raceJSON(t *testing.T, args ...string) (r racedJSON) {
	t.Helper()
	parse(t, mustCall(t, append([]string{"race", "--json"}, args...)...), &r)
	return r
}

var fourModels = map[string]float64{"best": 0.95, "fair": 0.7, "poor": 0.6, "coin": 0.5}

// TestRaceOfFile: four models on a server are raced; a model is begun with once a block; what was asked is in runs that
// "gavel suite run" completes, asking only for the rest; and a race over the complete runs says the same.
func TestRaceOfFile(t *testing.T) {
	home(t)
	s := newRacers(t, fourModels)
	file := s.aRace(t, "a", 200, "coin", "poor", "fair", "best")
	plan := mustCall(t, "race", file, "--dry-run")
	if n, _ := s.calls(); n > 0 || !strings.Contains(plan, "4 cells") || !strings.Contains(plan, "1600") {
		t.Fatalf("%d calls for a plan\n%s", n, plan)
	}
	got := raceJSON(t, file)
	n, loads := s.calls()
	if !strings.HasPrefix(got.Leader, "a/best") || len(got.Left) != 3 || got.Unfinished || got.Full != 1600 {
		t.Errorf("%+v", got)
	}
	var state race.State
	if err := json.Unmarshal([]byte(read(t, "a/race.json")), &state); err != nil || !state.Over || state.Result.Calls != got.Calls {
		t.Fatalf("%v: %+v", err, state)
	}
	blocks := 0
	for _, asked := range state.Asked {
		for _, from := range []int{0, 16, 32, 64, 128} {
			if asked > from {
				blocks++
			}
		}
	}
	if most := got.Calls + blocks*3*2; n < got.Calls || n > most || n > 800 { // at the end of a block each of three workers finishes its pair
		t.Errorf("%d calls were made, the race counts %d in %d blocks", n, got.Calls, blocks)
	}
	if len(loads) > blocks {
		t.Errorf("models were begun with %d times, in %d blocks: %v", len(loads), blocks, loads)
	}
	for i, run := range state.Runs {
		m, err := judging.ReadManifest("a/" + run)
		if err != nil || m.Status != judging.ByRule && m.Status != judging.Complete || m.Status == judging.ByRule && (m.Stopped == nil || m.Stopped.Rule != "race" || m.Stopped.Items > state.Asked[i]) {
			t.Errorf("%s: %v %+v", run, err, m.Stopped)
		}
	}
	s.forget()
	if again := raceJSON(t, file); fmt.Sprint(again) != fmt.Sprint(got) {
		t.Errorf("again: %+v, was %+v", again, got)
	}
	if n, _ := s.calls(); n > 0 {
		t.Errorf("%d calls for a race that is over", n)
	}
	mustCall(t, "suite", "run", file)
	if rest, _ := s.calls(); n+rest != 1600 {
		t.Errorf("%d calls in the race and %d for the rest, want 1600", n, rest)
	}
	var runs []string
	for _, run := range state.Runs {
		runs = append(runs, filepath.Join("a", run))
		if m, err := judging.ReadManifest(filepath.Join("a", run)); err != nil || m.Status != judging.Complete || m.DrawnBy != nil || m.Stopped != nil {
			t.Errorf("%s: %v %+v", run, err, m)
		}
	}
	over := raceJSON(t, append([]string{"--orders", "0"}, runs...)...)
	if fmt.Sprint(over) != fmt.Sprint(got) {
		t.Errorf("over the complete runs: %+v, live %+v", over, got)
	}
}

// TestRaceKilled: a race that is killed with -9 at several moments goes on to the same end, and pays for nothing twice but
// what was in flight.
func TestRaceKilled(t *testing.T) {
	home(t)
	s := newRacers(t, fourModels)
	want := raceJSON(t, s.aRace(t, "undisturbed", 100, "best", "fair", "poor", "coin"))
	s.takes = map[string]time.Duration{"best": time.Millisecond, "fair": 3 * time.Millisecond, "poor": 2 * time.Millisecond, "coin": 4 * time.Millisecond}
	s.forget()
	file := s.aRace(t, "a", 100, "best", "fair", "poor", "coin")
	moments := []int{1, 20, 75, 140}
	for _, moment := range moments {
		cmd := process(t, "race", file)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if n, _ := s.calls(); n >= moment {
				break
			}
		}
		cmd.Process.Kill()
		if err := cmd.Wait(); err == nil {
			t.Fatalf("the race was over before it was killed at call %d", moment)
		}
	}
	got := raceJSON(t, file)
	for i := range got.Left {
		got.Left[i].Run, got.Left[i].By = strings.Replace(got.Left[i].Run, "a/", "undisturbed/", 1), strings.Replace(got.Left[i].By, "a/", "undisturbed/", 1)
	}
	if got.Leader = strings.Replace(got.Leader, "a/", "undisturbed/", 1); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%+v, undisturbed %+v", got, want)
	}
	if n, _ := s.calls(); n > want.Calls+3*(len(moments)+12) {
		t.Errorf("%d calls, the race counts %d", n, want.Calls)
	}
}

// TestRaceGoesOn: a budget, a call that fails and Ctrl-C end a race with its table so far, and the same command goes on.
func TestRaceGoesOn(t *testing.T) {
	home(t)
	s := newRacers(t, fourModels)
	file := s.aRace(t, "a", 100, "best", "fair", "poor", "coin")
	out, stderr, code := call(t, "race", file, "--budget", "100")
	if n, _ := s.calls(); code != exitIncomplete || n > 100+6 || !strings.Contains(stderr, "--budget") || !strings.Contains(out, "broken off") {
		t.Errorf("%d calls within 100: exit %d\n%s%s", n, code, out, stderr)
	}
	s.mu.Lock()
	s.fails = true
	s.mu.Unlock()
	if out, stderr, code = call(t, "race", file); code != exitIncomplete || !strings.Contains(stderr, "again to go on") {
		t.Errorf("a server that fails: exit %d\n%s%s", code, out, stderr)
	}
	s.mu.Lock()
	s.fails, s.takes = false, map[string]time.Duration{"best": 5 * time.Millisecond, "fair": 5 * time.Millisecond}
	s.mu.Unlock()
	cmd := process(t, "race", file)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.forget()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if n, _ := s.calls(); n >= 3 {
			break
		}
	}
	cmd.Process.Signal(os.Interrupt)
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != exitInterrupted || strings.Contains(said.String(), "panic") {
		t.Errorf("Ctrl-C: %v\n%s", err, said.String())
	}
	if got := raceJSON(t, file); got.Unfinished || !strings.HasPrefix(got.Leader, "a/best") {
		t.Errorf("%+v", got)
	}
	if _, stderr, code := call(t, "race", file, "--alpha", "0.1"); code == exitOK || !strings.Contains(stderr, "another race was started here: --alpha was 0.05, now 0.1") {
		t.Errorf("other rules: exit %d\n%s", code, stderr)
	}
}
