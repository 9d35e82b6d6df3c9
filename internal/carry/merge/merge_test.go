package merge_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gotest.tools/v3/assert"

	"gavel/cache"
	"gavel/internal/carry/merge"
	"gavel/internal/eval"
	"gavel/internal/suite"
	"gavel/internal/trials"
	"gavel/judging"
	"gavel/scoring"
)

// TestMain makes intervals from few resamples: hardly a test reads them.
func TestMain(m *testing.M) {
	scoring.DefaultOptions.Bootstrap.Rounds = 200
	debug.SetGCPercent(400)
	trials.UseMemoryFiles()
	os.Exit(m.Run())
}

// noteList is an Observer that stores notes.
type noteList struct {
	eval.SilentObserver
	texts []string
}

func (n *noteList) Note(text string) { n.texts = append(n.texts, text) }
func (n *noteList) String() string   { return strings.Join(n.texts, "\n") }

// maker returns a Maker with these environment variables, NAME=VALUE.
func maker(env ...string) (*eval.Maker, *noteList) {
	notes := new(noteList)
	return &eval.Maker{
		HTTP: http.DefaultClient, Now: time.Now, Version: "test", Observer: notes,
		Getenv: func(name string) string {
			_, value, _ := strings.Cut("\n"+strings.Join(env, "\n"), "\n"+name+"=")
			value, _, _ = strings.Cut(value, "\n")
			return value
		},
		OpenCache: func(dir string) (*cache.Store, error) { return cache.Open(dir, cache.Options{MinFree: 1}) },
	}, notes
}

// join merges whole shards.
func join(e *eval.Maker, out string, shards []string) error {
	return merge.Merge(context.Background(), e, merge.Inputs{Out: out, Shards: shards})
}

func check(t *testing.T, err error) {
	t.Helper()
	assert.NilError(t, err)
}

func read(t *testing.T, path ...string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(path...))
	check(t, err)
	return raw
}

func write(t *testing.T, path string, raw []byte) {
	t.Helper()
	check(t, os.MkdirAll(filepath.Dir(path), 0o755))
	check(t, os.WriteFile(path, raw, 0o644))
}

// run makes a run of simulated judges and returns its folder.
func run(t *testing.T, e *eval.Maker, protocol string, fields ...string) string {
	t.Helper()
	p, err := judging.ProtocolNamed(protocol)
	check(t, err)
	values := map[string][]string{"backend": {"sim"}, "dataset": {"sample"}, "model": {"accuracy=0.8,first=0.1"}}
	for _, f := range fields {
		name, value, _ := strings.Cut(f, "=")
		if slices.Contains([]string{"dataset", "model"}, name) {
			values[name] = nil
		}
		values[name] = append(values[name], value)
	}
	r, err := eval.ParseRequest(p, values)
	check(t, err)
	reports, err := e.Run(context.Background(), r)
	check(t, err)
	if len(reports) == 0 {
		return ""
	}
	return reports[len(reports)-1].Run
}

// sameRun holds a merged run to the unsharded one.
func sameRun(t *testing.T, whole, merged string) {
	t.Helper()
	for _, file := range []string{judging.ResultsFile, judging.ItemsFile} {
		if _, err := os.Stat(filepath.Join(whole, file)); err != nil {
			continue // of answers that were imported
		}
		if !bytes.Equal(read(t, whole, file), read(t, merged, file)) {
			t.Errorf("%s: %s is not that of the unsharded run", merged, file)
		}
	}
	a, err := judging.ReadManifest(whole)
	check(t, err)
	b, err := judging.ReadManifest(merged)
	check(t, err)
	if a.ID != b.ID || a.Judgments != b.Judgments || a.Status != b.Status || a.Dataset.Rows != b.Dataset.Rows ||
		b.Shard != nil {
		t.Errorf("%s: the manifest is of run %s, %d judgments, %s, %d rows", merged, b.ID, b.Judgments, b.Status, b.Dataset.Rows)
	}
	for i, s := range a.Stages {
		if o := b.Stages[i]; o.ID != s.ID || filepath.Base(o.Run) != filepath.Base(s.Run) {
			t.Errorf("%s: it stands on %+v, want %+v", merged, o, s)
		}
	}
	if fmt.Sprint(a.StageCounts, a.ReferenceCounts) != fmt.Sprint(b.StageCounts, b.ReferenceCounts) && (a.StageCounts == nil) != (b.StageCounts == nil) {
		t.Errorf("%s: %v, want %v", merged, b.StageCounts, a.StageCounts)
	}
	verdicts := func(dir string) map[string]string {
		byJudgment := map[string]string{}
		check(t, judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
			key := fmt.Sprint(r.Item, r.Presentation, r.Repetition)
			byJudgment[key] = fmt.Sprint(r.Run, r.Outcome, r.Choice, r.Answer, r.FirstPresentation)
			return nil
		}))
		return byJudgment
	}
	if x, y := verdicts(whole), verdicts(merged); fmt.Sprint(x) != fmt.Sprint(y) {
		t.Errorf("%s: the records are not those of the unsharded run", merged)
	}
}

const suiteFile = `
name: s
judges:
  - {name: careful, backend: sim, model: "accuracy=0.9,silent=0.1,seed=4"}
  - {name: hasty, backend: sim, model: "accuracy=0.6,first=0.3"}
conditions:
  - {protocol: [pairwise, reversed], dataset: sample, repeat: 2, limit: 20}
  - {protocol: pairwise, dataset: sample, limit: 12, self-reference: true, name: referenced}
  - {protocol: answer, dataset: sample-choice, sample: 3}
  - {protocol: multi-option, dataset: sample-options, unrelated: true, limit: 9}
  - {protocol: self-reference, name: self, dataset: sample-number, agents: [agent.jsonl, "sim:accuracy=0.8,seed=3"]}
`

// TestMergedSuiteIsTheUnsharded: every run of it, stages included, also where shards are so many that most of them have
// no item of a run.
func TestMergedSuiteIsTheUnsharded(t *testing.T) {
	for _, of := range []int{3, 24} {
		t.Run(fmt.Sprint(of), func(t *testing.T) {
			if of > 3 {
				trials.SkipUnlessSlowTests(t)
			}
			t.Chdir(t.TempDir())
			write(t, "s.yaml", []byte(suiteFile))
			agentFile(t)
			e, notes := maker()
			whole, err := suite.Open("s.yaml")
			check(t, err)
			check(t, whole.Run(context.Background(), e, false))
			var shards []string
			for i := range of {
				s, err := suite.Open("s.yaml")
				check(t, err)
				check(t, s.SelectShard(eval.Shard{Index: i + 1, Count: of}))
				check(t, s.Run(context.Background(), e, false))
				shards = append(shards, s.Out)
			}
			ended, end := context.WithCancel(context.Background())
			end()
			if err := merge.Merge(ended, e, merge.Inputs{Out: "merged", Shards: shards}); !errors.Is(err, context.Canceled) {
				t.Errorf("after Ctrl-C: %v", err)
			}
			killRun(t, filepath.Join(shards[0], "agent_answer_imported"))
			check(t, join(e, "merged", shards))
			runs, err := judging.FindRuns([]string{"runs/s"}, 1, nil)
			check(t, err)
			if len(runs) < 12 {
				t.Errorf("the suite has %d runs", len(runs))
			}
			for _, dir := range runs {
				sameRun(t, dir, filepath.Join("merged", filepath.Base(dir)))
			}
			if !bytes.Equal(read(t, "runs/s/suite.json"), read(t, "merged/suite.json")) {
				t.Error("suite.json is another")
			}
			notes.texts = nil
			err = join(e, "other", shards[1:])
			if !errors.Is(err, eval.ErrIncomplete) || !strings.Contains(notes.String(), fmt.Sprintf("gavel suite run s.yaml --shard 1/%d", of)) {
				t.Errorf("without the first shard: %v, %s", err, notes)
			}
			missing, err := filepath.Glob(filepath.Join(shards[0], "*", judging.ManifestFile))
			check(t, err)
			gone := strings.TrimSuffix(filepath.Base(filepath.Dir(missing[len(missing)-1])), fmt.Sprint("_shard-1-of-", of))
			check(t, os.Rename(filepath.Dir(missing[len(missing)-1]), "away"))
			notes.texts = nil
			err = join(e, "other", shards)
			check(t, os.Rename("away", filepath.Dir(missing[len(missing)-1])))
			if want := fmt.Sprintf("shard 1 of %d: %s is missing", of, gone); !errors.Is(err, eval.ErrIncomplete) || notes.texts[0] != want {
				t.Errorf("without one run of a shard: %v, %s, want %s", err, notes, want)
			}
			wantFiles(t, ".", "agent.jsonl", "merged", "runs", "s.yaml")
		})
	}
}

// agentFile writes answers to some of the questions with numbers, all of them 7.
func agentFile(t *testing.T) {
	e, _ := maker()
	set, err := e.Library.Open("sample-number")
	check(t, err)
	defer set.Close()
	var lines []byte
	for i := 0; i < set.Len(); i += 2 {
		lines = fmt.Appendf(lines, "{\"id\":%q,\"answer\":\"The answer is 7.\",\"model\":\"seven\"}\n", set.ItemID(i))
	}
	write(t, "agent.jsonl", lines)
}

// killRun turns a run into one whose process was killed.
func killRun(t *testing.T, dir string) {
	m, err := judging.ReadManifest(dir)
	check(t, err)
	m.Status, m.Files = judging.Running, nil
	check(t, judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m))
	write(t, filepath.Join(dir, judging.RecordsFile), nil)
}

// wantFiles checks the names of the files in a folder.
func wantFiles(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	check(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if strings.Join(names, " ") != strings.Join(want, " ") {
		t.Errorf("in %s there is %s", dir, names)
	}
}

// shards makes a run in shards, and undivided.
func shards(t *testing.T, count int, fields ...string) (whole string, parts []string) {
	e, _ := maker()
	for i := range count {
		parts = append(parts, run(t, e, "pairwise", append(fields, fmt.Sprintf("shard=%d/%d", i+1, count))...))
	}
	return run(t, e, "pairwise", fields...), parts
}

func TestSelectionComesBeforeTheShard(t *testing.T) {
	t.Chdir(t.TempDir())
	e, notes := maker()
	for i, fields := range [][]string{{"limit=9"}, {"sample=10"}, {"group=Math", "group=Coding"}, {"prompt=direct"}} {
		whole, parts := shards(t, 3, fields...)
		out := fmt.Sprint("merged", i)
		check(t, join(e, out, parts))
		sameRun(t, whole, out)
	}
	_, a := shards(t, 2, "limit=8")
	_, b := shards(t, 2, "limit=9")
	for _, c := range []struct {
		folders []string
		want    string
	}{
		{[]string{a[0], b[1]}, "are not shards of one run: dataset.items: 8, now 9; dataset.items_sha256"},
		{[]string{a[0], run(t, e, "pairwise", "limit=8", "model=coin", "shard=2/2")}, "model.identity"},
		{[]string{a[0], run(t, e, "pairwise", "limit=8", "prompt=direct", "shard=2/2")}, "prompt.name: sop, now direct"},
		{[]string{a[0], run(t, e, "pairwise", "limit=8", "dataset=sample", "shard=2/3")}, "shard 1/2, and shard 2/3"},
		{[]string{a[0], run(t, e, "pairwise", "limit=8")}, "is not a shard: it was made without --shard, or is merged already"},
		{[]string{a[0], "nothing"}, "no run at nothing"},
		{[]string{a[1]}, "of 2 shards, these are missing or incomplete: 1"},
	} {
		assert.ErrorContains(t, join(e, "out", c.folders), c.want)
	}
	if !strings.Contains(notes.String(), "shard 1 of 2: its folder is missing\n  the command of the shards, with --shard 1/2") {
		t.Errorf("the missing shard is not named:\n%s", notes)
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("a folder was made of what does not belong together")
	}
	assert.ErrorContains(t, join(e, a[0], a), "exists: name another folder")
}

// lines of a run's records.
func lines(t *testing.T, dir string) []string {
	return strings.SplitAfter(strings.TrimSpace(string(read(t, dir, judging.RecordsFile)))+"\n", "\n")
}

// TestTriesOfAShard: a task was started again while its first try still wrote. What both have is there once; what is in
// one of them alone counts.
func TestTriesOfAShard(t *testing.T) {
	t.Chdir(t.TempDir())
	e, notes := maker("SLURM_ARRAY_TASK_ID=2", "SLURM_ARRAY_TASK_MIN=1", "SLURM_ARRAY_TASK_COUNT=3", "SLURM_ARRAY_TASK_STEP=1", "SLURM_RESTART_COUNT=1")
	whole, parts := shards(t, 3)
	all := lines(t, parts[1])
	first := parts[1]
	cut := func(manifest string, n int) { // as a kill leaves it
		m := bytes.Replace(read(t, first, judging.ManifestFile), []byte(`"status": "complete"`), []byte(`"status": "`+manifest+`"`), 1)
		write(t, filepath.Join(first, judging.ManifestFile), m)
		write(t, filepath.Join(first, judging.RecordsFile), []byte(strings.Join(all[:n], "")+all[n][:20]))
	}
	cut("running", 9)
	second := run(t, e, "pairwise", "shard=auto")
	if second != first+"_try-2" || !strings.Contains(notes.String(), "shard 2/3, by SLURM_ARRAY_TASK_ID=2") {
		t.Fatalf("the second try is in %s: %s", second, notes)
	}
	if got := lines(t, second); strings.Join(got[:9], "") != strings.Join(all[:9], "") {
		t.Error("the second try asked again for what the first had")
	}
	merged := func(out string, folders ...string) {
		t.Helper()
		check(t, join(e, out, folders))
		sameRun(t, whole, out)
	}
	cut("running", 15) // it wrote on
	notes.texts = nil
	merged("a", parts[0], first, second, parts[2])
	merged("b", parts[2], second, first, parts[0], parts[0]+"/")
	if got := notes.String(); got != "a: 3 shards merged\nb: 3 shards merged" {
		t.Errorf("tries that agree: %s", got)
	}

	// Neither came to its end, but together they have all.
	for dir, of := range map[string][]string{first: all[5:], second: all[:8]} {
		killRun(t, dir)
		write(t, filepath.Join(dir, judging.RecordsFile), []byte(strings.Join(of, "")))
	}
	merged("d", append(parts, second)...)

	write(t, filepath.Join(first, judging.RecordsFile), []byte(strings.Join(all[6:], "")))
	write(t, filepath.Join(second, judging.RecordsFile), []byte(strings.Join(all[:5], "")))
	notes.texts = nil
	err := join(e, "e", append(parts, second))
	if !errors.Is(err, eval.ErrIncomplete) || !strings.Contains(notes.String(), "1 of 22 judgments failed or are missing") || !strings.Contains(notes.String(), "--shard 2/3") {
		t.Errorf("one judgment is nowhere: %v, %s", err, notes)
	}
	for _, dir := range []string{first, second} {
		m, err := judging.ReadManifest(dir)
		check(t, err)
		m.Status, m.OrderSeed = judging.Interrupted, new(int64(7))
		check(t, judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m))
	}
	check(t, merge.Merge(t.Context(), e, merge.Inputs{
		Out:             "e",
		Shards:          append(parts, second),
		AllowIncomplete: true,
	}))
	if m, err := judging.ReadManifest("e"); err != nil || m.Status != judging.Incomplete || m.OrderSeed == nil || *m.OrderSeed != 7 {
		t.Errorf("it is %+v, %v: the order of its items is that of the shards that have not ended", m, err)
	}
	if results := string(read(t, "e", judging.ResultsFile)); !strings.Contains(results, "valid at every look") {
		t.Errorf("intervals are those of one look:\n%s", results)
	}
}

// TestAKilledMergeLeavesNoRun: what it left is taken for no run, and goes with the next merge.
func TestAKilledMergeLeavesNoRun(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _ := maker()
	whole, parts := shards(t, 2)
	for _, file := range []string{judging.ManifestFile, judging.RecordsFile, judging.ItemsFile} {
		write(t, filepath.Join("done/.out-1.d", file), read(t, whole, file))
	}
	write(t, "done/.out-1", nil) // which nobody has locked any more
	if runs, err := judging.FindRuns([]string{"done"}, 0, func(string) {}); err != nil || len(runs) != 0 {
		t.Errorf("taken for runs: %v, %v", runs, err)
	}
	check(t, join(e, "done/out", parts))
	wantFiles(t, "done", "out")
	sameRun(t, whole, "done/out")
	wantFiles(t, "done/out", ".lock", judging.ItemsFile, judging.RecordsFile, judging.ResultsFile, judging.ManifestFile)
}

func TestDamagedShards(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _ := maker()
	_, parts := shards(t, 2)
	removeSums(t, parts[1])
	for want, c := range map[string]struct {
		file string
		bend func(text string) string
	}{
		"is not the place of an item": {judging.ManifestFile, func(text string) string {
			return regexp.MustCompile(`"places": "\d+`).ReplaceAllString(text, `"places": "77`)
		}},
		"do not make the run that they were split from": {judging.ManifestFile, func(text string) string {
			var a, b int
			fmt.Sscanf(text[strings.Index(text, `"places": "`):], `"places": "%d %d`, &a, &b)
			return strings.Replace(text, fmt.Sprintf(`"places": "%d %d `, a, b), fmt.Sprintf(`"places": "%d %d `, a+1, b-1), 1)
		}},
		"items, and its run.json says": {judging.ItemsFile, func(text string) string {
			return text[strings.Index(text, "\n")+1:]
		}},
		"is of another run": {judging.RecordsFile, func(string) string { return string(read(t, parts[0], judging.RecordsFile)) }},
		"in shard 0/2": {judging.ManifestFile, func(text string) string {
			return strings.Replace(text, `"index": 2`, `"index": 0`, 1)
		}},
		"written by a newer gavel": {judging.ManifestFile, func(text string) string {
			return strings.Replace(text, `"schema": 1`, `"schema": 2`, 1)
		}},
	} {
		path := filepath.Join(parts[1], c.file)
		whole := read(t, path)
		write(t, path, []byte(c.bend(string(whole))))
		assert.ErrorContains(t, join(e, "out", parts), want)
		write(t, path, whole)
	}
	check(t, join(e, "out", parts))
}

// TestShardsImportAtOnce: the answers that all shards of a run judge are imported by each of them at the same time.
func TestShardsImportAtOnce(t *testing.T) {
	t.Chdir(t.TempDir())
	agentFile(t)
	p, err := judging.ProtocolNamed("self-reference")
	check(t, err)
	const count = 6
	errs := make([]error, count)
	var all sync.WaitGroup
	for i := range count {
		all.Go(func() {
			e, _ := maker()
			r, err := eval.ParseRequest(p, map[string][]string{"backend": {"sim"}, "model": {"accuracy=0.8"}, "dataset": {"sample-number"}, "agents": {"agent.jsonl"}, "shard": {fmt.Sprintf("%d/%d", i+1, count)}})
			if err == nil {
				_, err = e.Run(context.Background(), r)
			}
			errs[i] = err
		})
	}
	all.Wait()
	check(t, errors.Join(errs...))
	m, err := judging.ReadManifest("runs/agent_answer_imported")
	check(t, err)
	if n := bytes.Count(read(t, "runs/agent_answer_imported", judging.RecordsFile), []byte("\n")); m.Status == judging.Running || n != m.Judgments {
		t.Errorf("%s, %d of %d answers", m.Status, n, m.Judgments)
	}
	hidden, err := filepath.Glob("runs/.*")
	check(t, err)
	if len(hidden) > 0 {
		t.Errorf("left: %v", hidden)
	}
}

// TestRepliesOfSeveralServersNameTheirs: the replies of a shard say which server gave them where another shard had
// another.
func TestRepliesOfSeveralServersNameTheirs(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _ := maker()
	_, parts := shards(t, 2, "limit=4")
	from := map[string]string{} // by item
	for i, dir := range parts {
		m, err := judging.ReadManifest(dir)
		check(t, err)
		m.Server.WireFormat = "openai"
		m.Server.URL = fmt.Sprintf("http://127.0.0.1:%d/v1", 9000+i)
		check(t, judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m))
		check(t, judging.ReadRecords(filepath.Join(dir, judging.RecordsFile), func(r *judging.Record) error {
			from[r.Item] = m.Server.URL
			return nil
		}))
	}
	check(t, join(e, "merged", parts))
	n := 0
	check(t, judging.ReadRecords(filepath.Join("merged", judging.RecordsFile), func(r *judging.Record) error {
		n++
		for _, reply := range r.Replies {
			if reply.Endpoint != from[r.Item] {
				t.Errorf("%s: by %q, want %q", r.Item, reply.Endpoint, from[r.Item])
			}
		}
		return nil
	}))
	if n != 8 {
		t.Errorf("%d records, want 8", n)
	}
}
