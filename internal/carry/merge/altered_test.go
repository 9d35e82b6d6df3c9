package merge_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gotest.tools/v3/assert"

	"gavel/judging"
	"gavel/scoring"
)

// removeSums turns a run's folder into one of an earlier gavel, without the SHA-256 of its files.
func removeSums(t *testing.T, dir string) {
	t.Helper()
	m, err := judging.ReadManifest(dir)
	check(t, err)
	if len(m.Files) != 2 {
		t.Errorf("%s says of %d files what they are", dir, len(m.Files))
	}
	m.Files = nil
	check(t, judging.WriteJSON(filepath.Join(dir, judging.ManifestFile), m))
}

// edit changes keys of a line of records.
func edit(t *testing.T, line string, changes map[string]any) string {
	t.Helper()
	var record map[string]any
	check(t, json.Unmarshal([]byte(line), &record))
	for key, value := range changes {
		if record[key] == nil {
			t.Errorf("a record has no %s", key)
		}
		record[key] = value
	}
	out, err := json.Marshal(record)
	check(t, err)
	return string(out) + "\n"
}

// swapReplies returns two records with their replies and verdicts exchanged.
func swapReplies(t *testing.T, a, b string) (string, string) {
	t.Helper()
	keys := []string{"replies", "outcome", "label", "choice"}
	take := func(from string) map[string]any {
		var all map[string]any
		check(t, json.Unmarshal([]byte(from), &all))
		fields := map[string]any{}
		for _, key := range keys {
			fields[key] = all[key]
		}
		return fields
	}
	return edit(t, a, take(b)), edit(t, b, take(a))
}

// TestRecordsOfNoJudgmentOfTheShard: a record that stands in the place of one of the shard's judgments, or beside them,
// and is of none of them, is refused where it stands: also in a folder that an earlier gavel made.
func TestRecordsOfNoJudgmentOfTheShard(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _ := maker()
	_, parts := shards(t, 2)
	for _, dir := range parts {
		removeSums(t, dir)
	}
	all := lines(t, parts[1])
	m, err := judging.ReadManifest(parts[1])
	check(t, err)
	var foreign map[string]any
	check(t, json.Unmarshal([]byte(lines(t, parts[0])[0]), &foreign))
	path := filepath.Join(parts[1], judging.RecordsFile)
	for name, text := range map[string]string{
		"an item of another shard": edit(t, all[2], map[string]any{"item": foreign["item"]}),
		"one too many":             all[2] + edit(t, all[2], map[string]any{"item": "nobody knows it"}),
		"of another run":           edit(t, all[2], map[string]any{"run": strings.Repeat("0", 64)}),
	} {
		changed := slices.Clone(all)
		changed[2] = text
		write(t, path, []byte(strings.Join(changed, "")))
		err := join(e, "out", parts)
		assert.ErrorContains(t, err, "is of another run", name)
		assert.Assert(t, regexp.MustCompile(regexp.QuoteMeta(path)+`:[34]: `).MatchString(err.Error()), "%s: %v", name, err)
		if _, err := os.Stat("out"); err == nil {
			t.Fatalf("%s: it was merged", name)
		}
	}
	write(t, path, []byte(strings.Join(all, "")))
	check(t, join(e, "out", parts))
	if got, err := judging.ReadManifest("out"); err != nil || got.Judgments != 2*m.Judgments && len(got.Files) != 2 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFilesThatSomebodyChanged: merge refuses shards whose texts, labels or replies are not those that the run wrote,
// and score says so in one line; folders of an earlier gavel are read without a word.
func TestFilesThatSomebodyChanged(t *testing.T) {
	t.Chdir(t.TempDir())
	e, notes := maker()
	_, parts := shards(t, 2)
	changeWarnings := func(dir string) (warnings []string) {
		t.Helper()
		run, err := scoring.Load(dir, scoring.DefaultOptions.Reading)
		check(t, err)
		for _, w := range run.Score(scoring.DefaultOptions.Bootstrap).Warnings {
			if strings.Contains(w, "changed after the run wrote it") {
				warnings = append(warnings, w)
			}
		}
		return warnings
	}
	items, records := read(t, parts[1], judging.ItemsFile), read(t, parts[1], judging.RecordsFile)
	manifest := read(t, parts[1], judging.ManifestFile)
	all := lines(t, parts[1])
	other := slices.IndexFunc(all, func(line string) bool {
		return !strings.Contains(line, regexp.MustCompile(`"choice":"."`).FindString(all[0]))
	})
	a, b := swapReplies(t, all[0], all[other])
	replies := slices.Clone(all)
	replies[0], replies[other] = a, b
	for name, c := range map[string]struct{ file, text string }{
		"a text":      {judging.ItemsFile, regexp.MustCompile(`("question": ?")`).ReplaceAllString(string(items), `${1}Not: `)},
		"a label":     {judging.ItemsFile, strings.NewReplacer(`A>B`, `B>A`, `B>A`, `A>B`).Replace(string(items))},
		"two replies": {judging.RecordsFile, strings.Join(replies, "")},
	} {
		path := filepath.Join(parts[1], c.file)
		if c.text == string(read(t, path)) {
			t.Fatalf("%s: nothing is changed", name)
		}
		write(t, path, []byte(c.text))
		if w := changeWarnings(parts[1]); len(w) != 1 || !strings.HasPrefix(w[0], c.file) {
			t.Errorf("%s: score says %q", name, w)
		}
		err := join(e, "out", parts)
		assert.ErrorContains(t, err, path, name)
		if name != "a label" {
			assert.ErrorContains(t, err, "it was changed after the run wrote it", name)
		}
		removeSums(t, parts[1])
		if w := changeWarnings(parts[1]); len(w) != 0 {
			t.Errorf("%s, of an earlier gavel: score says %q", name, w)
		}
		write(t, filepath.Join(parts[1], judging.ItemsFile), items)
		write(t, filepath.Join(parts[1], judging.RecordsFile), records)
		write(t, filepath.Join(parts[1], judging.ManifestFile), manifest)
	}

	write(t, filepath.Join(parts[1], judging.RecordsFile), []byte(strings.Join(replies, ""))) // meant so, since:
	notes.texts = nil
	if second := run(t, e, "pairwise", "shard=2/2"); second != parts[1] || !strings.Contains(notes.String(), "records.jsonl was changed after the run wrote it; its present content is used") {
		t.Errorf("%s: %s", second, notes)
	}
	if w := changeWarnings(parts[1]); len(w) != 1 || !strings.HasPrefix(w[0], "records.jsonl changed") {
		t.Errorf("taken as it is now: score says %q", w)
	}
	if m, err := judging.ReadManifest(parts[1]); err != nil || !slices.Equal(m.Altered, []string{judging.RecordsFile}) {
		t.Errorf("taken as it is now: run.json says that %q were altered, %v", m.Altered, err)
	}
	check(t, join(e, "out", parts))
	if w := changeWarnings("out"); len(w) != 1 {
		t.Errorf("of the merged run score says %q", w)
	}
	if m, err := judging.ReadManifest("out"); err != nil || len(m.Files) != 2 {
		t.Errorf("%+v, %v", m.Files, err)
	}
}
