package golden

import (
	"fmt"
	"strings"
	"testing"
)

const simSuite = `# Two judges under a few conditions.
name: golden
judges:
  - name: careful
    backend: sim
    model: accuracy=0.9
  - name: hasty
    backend: sim
    model: accuracy=0.7,first=0.4
defaults:
  concurrency: 2
conditions:
  - protocol: [pairwise, reversed]
    dataset: sample
    prompt: [sop, direct]
    sample: 8
  - protocol: multi-option
    dataset: sample-options
    goal: [best, worst]
    unrelated: [false, true]
    limit: 4
  - protocol: answer
    dataset: [sample-choice, sample-number]
  - name: self
    protocol: self-reference
    dataset: sample-number
    sample: 3
    agents: ["sim:accuracy=0.6,seed=2", "sim:accuracy=0.8,seed=3"]
    mode: [cot, self]
`

// TestSuite: a suite of simulated judges, and one of servers.
func TestSuite(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "suite")
	w.write("golden.yaml", simSuite)
	look := func(when string, commands ...string) {
		for _, command := range commands {
			r := w.gavel(append([]string{"suite"}, strings.Fields(command)...)...)
			output := fmt.Sprintf("exit status %d\n%s", r.code, w.slow(r.stdout))
			if r.code != 0 {
				output += r.stderr
			}
			b.add("gavel suite "+command+", "+when, output)
		}
	}
	look("before", "plan golden.yaml", "plan golden.yaml --json", "plan golden.yaml --csv", "status golden.yaml", "status golden.yaml --json", "results golden.yaml --json")
	b.add("gavel suite run", w.must("suite", "run", "golden.yaml").stdout)
	look("after", "plan golden.yaml", "plan golden.yaml --json", "status golden.yaml", "status golden.yaml --json", "status golden.yaml --csv", "results golden.yaml --csv", "results golden.yaml --markdown", "results golden.yaml --json")
	b.add("folders", w.list("runs"))
	b.add("suite.json", w.plain(w.read("runs/golden/suite.json")))
	b.add("ids", w.ids("runs/golden"))
	first := w.must("bundle", "export", "runs/golden", "--out", "suite.tar")
	b.add("gavel bundle export runs/golden", first.stdout+first.stderr)

	// An example of docs, without limits and with them.
	w.write("first.yaml", "name: limited\nlimits: {calls: 10}\njudges: [{model: tiny, base-url: SERVER}]\nconditions: [{protocol: pairwise, dataset: sample, limit: 6}]\n")
	s := newStub(w, "other")
	w.write("first.yaml", strings.ReplaceAll(w.read("first.yaml"), "SERVER", s.URL))
	r := w.gavel("suite", "run", "first.yaml")
	b.add("gavel suite run, above the limits", fmt.Sprintf("exit status %d\n%s%s", r.code, w.slow(r.stdout), w.slow(r.stderr)))
	s.silence(t, w, "above the limits")
	b.add("gavel suite run --yes", w.must("suite", "run", "first.yaml", "--yes").stdout)
}

// TestSuiteOfServers: judges on Ollama share one context; agents' and own answers are asked for once.
func TestSuiteOfServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := open(t, "suite-of-servers")
	all := servers(w)
	w.write("s.yaml", strings.NewReplacer("OLLAMA", all["ollama"].URL, "OTHER", all["other"].URL).Replace(`name: served
out: runs/here
judges:
  - model: tiny
    backend: ollama
    base-url: OLLAMA
  - name: second
    model: tiny
    base-url: [OTHER]
    max-tokens: 300
conditions:
  - protocol: pairwise
    dataset: sample
    prompt: [sop, direct]
    limit: 3
  - protocol: multi-option
    dataset: sample-options
    limit: 2
    prompt: [1, 2]
  - protocol: self-reference
    dataset: sample-number
    sample: 1
    agents: ["small:1b@OLLAMA"]
    mode: [both, self]
`))
	for _, when := range []string{"before", "after"} {
		b.add("gavel suite plan --json, "+when, w.slow(w.must("suite", "plan", "s.yaml", "--json").stdout))
		b.add("gavel suite plan, "+when, w.slow(w.must("suite", "plan", "s.yaml").stdout))
		for kind, s := range all {
			s.silence(t, w, "plan, "+kind)
		}
		if when == "before" {
			b.add("gavel suite run", w.must("suite", "run", "s.yaml").stdout)
			for _, kind := range []string{"ollama", "other"} {
				list, n := all[kind].take(w)
				b.add(fmt.Sprintf("%d requests to %s", n, kind), list)
			}
			b.add("gavel suite status --json", w.slow(w.must("suite", "status", "s.yaml", "--json").stdout))
		}
	}
	b.add("folders", w.list("runs"))
	b.add("suite.json", w.plain(w.read("runs/here/suite.json")))
	b.add("ids and contexts", w.ids("runs/here"))
	b.add("gavel suite results --json", w.must("suite", "results", "s.yaml", "--json").stdout)
	w.must("suite", "run", "s.yaml")
	for kind, s := range all {
		s.silence(t, w, "again, "+kind)
	}
	b.add("keys", w.replies("runs/here"))
}
