package golden

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

var makeEarlier = flag.Bool("make-earlier", false, "write testdata/made-by-38db738.tar.zst with the binary tested, where it is not there")

const earlier = "testdata/made-by-38db738.tar.zst"

// Folders made at commit 38db738: complete runs, by their folder in runs, …
var earlierRuns = []struct{ name, args string }{
	{"pairs", "pairwise --backend sim --model accuracy=0.8,first=0.2 --dataset sample --limit 8"},
	{"pairs-repeat", "pairwise --backend sim --model accuracy=0.8,first=0.2 --dataset sample --limit 4 --repeat 2"},
	{"worse", "reversed --backend sim --model accuracy=0.8,first=0.2 --dataset sample --limit 8"},
	{"answers", "answer --backend sim --model accuracy=0.6 --dataset sample-choice --sample 2"},
	{"options", "multi-option --backend sim --model accuracy=0.6,first=0.3 --dataset sample-options --limit 6 --unrelated"},
	{"judged", "self-reference --backend sim --model accuracy=0.8 --dataset sample-number --sample 2 --agents sim:accuracy=0.6,seed=2"},
	{"asked", "pairwise --model tiny --base-url OTHER --dataset sample --limit 5 --cache cache"},
	{"asked-constrained", "reversed --model tiny --base-url LLAMA --dataset sample --limit 3 --prompt cot --constrain --cache cache"},
	{"asked-judged", "self-reference --model tiny --base-url OLLAMA --dataset sample-number --sample 1 --agents sim:accuracy=0.6 --cache cache"},
}

// … and runs that were broken off.
const (
	killedArgs  = "pairwise --model tiny --base-url OTHER --dataset sample --limit 8 --no-cache --concurrency 1"
	stoppedArgs = "multi-option --model tiny --base-url OLLAMA --dataset sample-options --limit 4 --no-cache --concurrency 1"
	begunSuite  = `name: begun
defaults: {cache: cache, concurrency: 1}
judges:
  - {name: coin, backend: sim, model: coin}
  - {model: tiny, base-url: OTHER}
conditions:
  - {protocol: [pairwise, reversed], dataset: sample, limit: 3}
  - {protocol: multi-option, dataset: sample-options, limit: 2}
  - {name: self, protocol: self-reference, dataset: sample-number, sample: 1, agents: "sim:accuracy=0.6", mode: [cot, self]}
`
)

// addresses inserts the addresses of servers.
func addresses(all map[string]*stub, text string) string {
	return strings.NewReplacer("OLLAMA", all["ollama"].URL, "OTHER", all["other"].URL, "LLAMA", all["llama.cpp"].URL).Replace(text)
}

// breakOff starts a command, sends it a signal at the nth chat of a server once the folder has as many records, and
// returns its exit status.
func (w *world) breakOff(s *stub, n int, folder string, records int, signal os.Signal, args ...string) int {
	w.t.Helper()
	s.take(w)
	s.blocks(func(i int) bool { return i >= n })
	cmd := w.command(args...)
	if err := cmd.Start(); err != nil {
		w.t.Fatal(err)
	}
	for end := time.Now().Add(commandLimit); ; time.Sleep(10 * time.Millisecond) {
		s.mu.Lock()
		chats := len(s.chats)
		s.mu.Unlock()
		text, _ := os.ReadFile(w.path(folder + "/records.jsonl"))
		if chats > n && bytes.Count(text, []byte("\n")) >= records {
			break
		}
		if time.Now().After(end) {
			cmd.Process.Kill()
			w.t.Fatalf("%d chats asked for, %s", chats, text)
		}
	}
	ended := make(chan struct{})
	cmd.Process.Signal(signal)
	// the second Ctrl-C does not wait for open requests; a third would leave no time to write how the run ended
	go func() {
		select {
		case <-ended:
		case <-time.After(500 * time.Millisecond):
			cmd.Process.Signal(signal)
		}
	}()
	timer := time.AfterFunc(commandLimit, func() { cmd.Process.Kill() })
	cmd.Wait()
	timer.Stop()
	close(ended)
	s.blocks(nil)
	s.take(w)
	return cmd.ProcessState.ExitCode()
}

// TestMakeEarlier writes what later binaries must read. It was run once, at 38db738.
func TestMakeEarlier(t *testing.T) {
	if !*makeEarlier {
		t.Skip("only with -make-earlier")
	}
	if _, err := os.Stat(earlier); err == nil {
		t.Fatalf("%s is there: it was made by an earlier gavel, and is not to be made by a later one", earlier)
	}
	w := newWorld(t)
	all := servers(w)
	for _, run := range earlierRuns {
		w.must(append(append([]string{"run"}, strings.Fields(addresses(all, run.args))...), "--out", "runs/"+run.name)...)
	}
	w.breakOff(all["other"], 9, "runs/killed", 7, os.Kill, append(append([]string{"run"}, strings.Fields(addresses(all, killedArgs))...), "--out", "runs/killed")...)
	w.write("runs/killed/records.jsonl", w.read("runs/killed/records.jsonl")+`{"schema":1,"run":"`) // a line that was not finished
	w.breakOff(all["ollama"], 6, "runs/stopped", 5, os.Interrupt, append(append([]string{"run"}, strings.Fields(addresses(all, stoppedArgs))...), "--out", "runs/stopped")...)
	w.write("begun.yaml", addresses(all, begunSuite))
	w.breakOff(all["other"], 9, "runs/begun/tiny_reversed_sample_sop_limit-3", 1, os.Interrupt, "suite", "run", "begun.yaml")
	w.must("bundle", "export", "runs/asked", "runs/options", "runs/asked-judged", "--cache", "cache", "--out", "bundle.tar")
	t.Logf("%s\n%s", w.ids("runs"), w.must("cache", "stats", "--cache", "cache").stdout)

	var plain bytes.Buffer
	out := tar.NewWriter(&plain)
	for _, name := range w.files(".") {
		if strings.HasSuffix(name, "/LOCK") {
			continue
		}
		text := w.read(name)
		if err := out.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		io.WriteString(out, text)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(earlier, enc.EncodeAll(plain.Bytes(), nil), 0o644); err != nil {
		t.Fatal(err)
	}
}

// unsaid lists the metrics that need the final answer read from an agent's answer, which earlier records lack.
var unsaid = regexp.MustCompile(`\{\s+"metric": "own-(same|other|sided)[^}]*\},?\s+`)

// mirrored matches the position bias of a reversed run, which was 100 minus the present value before scoring 6.
var mirrored = regexp.MustCompile(`^first-position `)

// TestEarlier: today's gavel reads, scores, replays and continues what gavel of 38db738 wrote.
func TestEarlier(t *testing.T) {
	t.Parallel()
	if *makeEarlier {
		t.Skip("it is being made")
	}
	w := newWorld(t)
	b := open(t, "earlier")
	packed, err := os.ReadFile(earlier)
	if err != nil {
		t.Fatal(err)
	}
	if err := eachFile(packed, func(name, text string) error {
		if !fs.ValidPath(name) {
			return fmt.Errorf("a name %q", name)
		}
		w.write(name, text)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	all := servers(w)
	silent := func(when string) {
		t.Helper()
		for kind, s := range all {
			s.silence(t, w, when+", "+kind)
		}
	}
	b.add("ids", w.ids("runs"))
	for _, run := range earlierRuns {
		dir := "runs/" + run.name
		b.add(run.name+" · score --csv", w.must("score", "--csv", dir).stdout)
		r := w.gavel("replay", dir, "--out", "again/"+run.name, "--cache", "cache", "--csv")
		b.add(run.name+" · replay", fmt.Sprintf("exit status %d\n%s", r.code, r.remarks()))
		now := values(t, w.read("again/"+run.name+"/results.json")) // which may be more than there were
		for value := range strings.Lines(values(t, w.read(dir+"/results.json"))) {
			reversed := mirrored.MatchString(value) && strings.Contains(w.read(dir+"/run.json"), `"goal": "worse"`)
			if !strings.Contains("\n"+now, "\n"+value) && !reversed {
				t.Errorf("%s: replay does not give %s", run.name, value)
			}
		}
		// The same again: nothing is asked, nothing is another. In another folder: the cache has it all.
		before := w.read(dir + "/records.jsonl")
		args := append([]string{"run"}, strings.Fields(addresses(all, run.args))...)
		w.must(append(args, "--out", dir)...)
		if w.read(dir+"/records.jsonl") != before {
			t.Errorf("%s: the same command again has changed the records", run.name)
		}
		w.must(append(args, "--out", "fresh/"+run.name)...)
		silent(run.name + " again")
		for _, file := range []string{"results.json", "items.jsonl"} {
			fresh := unsaid.ReplaceAllString(w.read("fresh/"+run.name+"/"+file), "")
			if fresh != unsaid.ReplaceAllString(w.read(dir+"/"+file), "") {
				t.Errorf("%s: made again, with another %s", run.name, file)
			}
		}
		if got, want := pick(t, w.read("fresh/"+run.name+"/run.json"), "id"), pick(t, w.read(dir+"/run.json"), "id"); got != want {
			t.Errorf("%s: made again, with another %s, was %s", run.name, got, want)
		}
	}
	b.add("cache stats", pick(t, w.must("cache", "stats", "--cache", "cache", "--json").stdout, "entries", "models", "older", "damaged"))

	for _, c := range []struct{ name, kind, args string }{{"killed", "other", killedArgs}, {"stopped", "ollama", stoppedArgs}} {
		dir := "runs/" + c.name
		b.add(c.name+" · its records", w.sorted(clipLast(w.read(dir+"/records.jsonl"))))
		args := append([]string{"run"}, strings.Fields(addresses(all, c.args))...)
		plan := w.must(append(args, "--out", dir, "--dry-run", "--json")...)
		b.add(c.name+" · plan of going on", plan.stdout)
		w.must(append(args, "--out", dir)...)
		list, n := all[c.kind].take(w)
		b.add(fmt.Sprintf("%s · going on · %d requests", c.name, n), list)
		w.addRun(b, c.name+" · gone on with", dir)
		w.must(append(args, "--out", "fresh/"+c.name)...)
		all[c.kind].take(w)
		if w.read(dir+"/results.json") != w.read("fresh/"+c.name+"/results.json") {
			t.Errorf("%s: gone on with, it has other results than undisturbed", c.name)
		}
		silent(c.name)
	}

	w.write("begun.yaml", addresses(all, begunSuite))
	b.add("begun · suite plan --json", w.slow(w.must("suite", "plan", "begun.yaml", "--json").stdout))
	b.add("begun · suite status --csv", stableColumns(w.must("suite", "status", "begun.yaml", "--csv").stdout))
	b.add("begun · suite run", w.must("suite", "run", "begun.yaml").stdout)
	list, n := all["other"].take(w)
	b.add(fmt.Sprintf("begun · going on · %d requests", n), list)
	b.add("begun · ids", w.ids("runs/begun"))
	b.add("begun · suite results --json", w.must("suite", "results", "begun.yaml", "--json").stdout)
	silent("the suite")

	r := w.must("bundle", "import", "bundle.tar", "--runs", "taken")
	b.add("bundle import", r.stdout+r.stderr)
	for _, run := range []string{"asked", "options", "asked-judged"} {
		r := w.gavel("replay", "taken/"+run, "--out", "taken-again/"+run, "--csv")
		b.add("bundle · replay of "+run, fmt.Sprintf("exit status %d\n%s", r.code, r.remarks()))
	}
	w.must("cache", "rebuild", "taken", "--cache", "taken-cache")
	b.add("bundle · cache stats", pick(t, w.must("cache", "stats", "--cache", "taken-cache", "--json").stdout, "entries", "models", "older", "damaged"))
	b.add("bundle · keys", w.replies("taken/asked", "taken/asked-judged"))

	w.env = append(w.env, "OPENAI_BASE_URL="+all["other"].URL)
	s := w.serve("--read-only")
	s.add(b, "/api/v1/runs?sort=name", "")
	for deadline := time.Now().Add(commandLimit); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if _, text := s.ask("/api/v1/suites", ""); strings.Contains(text, `"says"`) { // scored beside the page
			break
		}
	}
	s.add(b, "/api/v1/suites", "")
	s.add(b, "/api/v1/runs/asked/items?per=2", "")
	s.add(b, "/api/v1/runs/judged", "")
	s.add(b, "/api/v1/start", `{"protocol":"pairwise","endpoint":"sim","model":"coin","dataset":"sample"}`)
}

// clipLast removes an unfinished last line.
func clipLast(text string) string { return text[:strings.LastIndex(text, "\n")+1] }

// stableColumns removes the columns of a CSV table that change with time.
func stableColumns(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	names := strings.Split(lines[0], ",")
	var out strings.Builder
	for _, line := range lines {
		var cells []string
		for i, cell := range strings.Split(line, ",") {
			if i < len(names) && slices.Contains([]string{"run", "status", "judgments", "answered", "failed"}, names[i]) {
				cells = append(cells, cell)
			}
		}
		out.WriteString(strings.Join(cells, ",") + "\n")
	}
	return out.String()
}

// values returns the content of a results.json without intervals and remarks, which later versions compute differently.
func values(t *testing.T, text string) string {
	t.Helper()
	var all struct {
		Results []struct {
			Metric, Group, Mode string
			Value               *float64
			N                   int
		}
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil || len(all.Results) == 0 {
		t.Fatalf("%v: no results in %s", err, clip(text, 300))
	}
	var out strings.Builder
	for _, r := range all.Results {
		value := "none"
		if r.Value != nil {
			value = fmt.Sprintf("%.4f", *r.Value)
		}
		fmt.Fprintln(&out, r.Metric, r.Group, r.Mode, value, r.N)
	}
	return out.String()
}
