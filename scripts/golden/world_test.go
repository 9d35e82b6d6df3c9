package golden

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"gavel/cache"
)

// world is a user's environment: a working folder, a home, and the texts to replace before comparing.
type world struct {
	t     *testing.T
	dir   string
	env   []string
	names []string // texts that differ from run to run and their replacements, alternating
	shell *shell   // runs its commands; nil until the first
}

func newWorld(t *testing.T) *world {
	t.Helper()
	root := t.TempDir()
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	w := &world{t: t, dir: filepath.Join(root, "work")}
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(root, "home")
	w.env = []string{
		"HOME=" + home, "USERPROFILE=" + home,
		"XDG_CACHE_HOME=" + filepath.Join(home, "cache"), "XDG_DATA_HOME=" + filepath.Join(home, "data"),
		"TZ=UTC",
		"GOGC=400", // short processes with little in them: collected less often they take a tenth less
	}
	for _, name := range []string{"TMPDIR", "TEMP", "TMP"} {
		w.env = append(w.env, name+"="+root)
	}
	for _, name := range []string{"PATH", "SYSTEMROOT"} {
		if v, ok := os.LookupEnv(name); ok {
			w.env = append(w.env, name+"="+v)
		}
	}
	w.rename(version, "<version>")
	w.rename(w.dir, "<work>")
	w.rename(root, "<root>")
	return w
}

// rename sets the replacement of a text for comparisons.
func (w *world) rename(text, name string) { w.names = append(w.names, text, name) }

var (
	moment        = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`)
	dated         = regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC`)
	millis        = regexp.MustCompile(`,?"ms": ?[0-9.e+-]+`)
	estimated     = regexp.MustCompile(`\babout [\d.e-]+ (s|min|h), by `)
	lasting       = regexp.MustCompile(`\bin \d+(ms|s|m\d+s)\b`)
	maker         = regexp.MustCompile(`"gavel": ?"[^"]*"`)
	sums          = regexp.MustCompile(`,\s*"files_sha256": ?\{[^}]*\}`)
	otherRequests = regexp.MustCompile(`"requests_beside": ?\{\s*"/[^}]*\},?\s*`)
	planned       = regexp.MustCompile(`gavel-plan-\d+`)
	costs         = regexp.MustCompile(`(?m)^cost \(in brackets.*\n(?:.+\n)*\n?`)
	ledger        = regexp.MustCompile(`,\s*"ledgers?": (?:\[[^\]]*\]|\{[^{}]*(?:\{[^{}]*\})?[^{}]*\})`)
	ruled         = regexp.MustCompile(`(?m)^─+$`)
	salt          = regexp.MustCompile(`"cache_salt":"[^"]*"`)
	sheet         = regexp.MustCompile(`(?s)<style>/\* The hand of every page.*?</style>`)
	sheetSum      = regexp.MustCompile(`style-src &#39;sha256-.*?=&#39;`)
)

// plain removes what differs from run to run, and the style sheet of reports.
func (w *world) plain(text string) string {
	text = strings.NewReplacer(w.names...).Replace(text)
	text = dated.ReplaceAllString(text, "<time>")
	text = moment.ReplaceAllString(text, "<time>")
	text = millis.ReplaceAllString(text, "")
	if estimated.MatchString(text) {
		text = ruled.ReplaceAllString(text, "───") // as wide as the time
	}
	text = estimated.ReplaceAllString(text, "about <time>, by ")
	text = lasting.ReplaceAllString(text, "in <time>")
	text = sums.ReplaceAllString(text, "")
	text = otherRequests.ReplaceAllString(text, "")
	text = maker.ReplaceAllString(text, `"gavel":"<version>"`)
	text = withoutCost(costs.ReplaceAllString(text, ""))
	text = planned.ReplaceAllString(text, "gavel-plan-<number>")
	text = sheet.ReplaceAllString(text, "<style>…</style>")
	text = sheetSum.ReplaceAllString(text, "style-src &#39;sha256-…&#39;")
	return salt.ReplaceAllString(text, `"cache_salt":"<salt>"`)
}

// withoutCost removes the cost of a run, since no two runs take the same time.
func withoutCost(text string) string { return ledger.ReplaceAllString(text, "") }

// result holds the outcome of a command.
type result struct {
	stdout, stderr string // plain
	code           int
}

var progress = regexp.MustCompile(`(?m)^\d+/\d+ judgments.*\n`)

// remarks returns standard error without progress, whose frequency depends on the clock.
func (r result) remarks() string { return progress.ReplaceAllString(r.stderr, "") }

// commandLimit limits the time of a command, so that no test waits for ever.
const commandLimit = 2 * time.Minute

func (w *world) command(args ...string) *exec.Cmd {
	cmd := exec.Command(gavelBinary, args...)
	cmd.Dir, cmd.Env, cmd.WaitDelay = w.dir, w.env, 10*time.Second
	return cmd
}

// gavel runs a command and waits for it.
func (w *world) gavel(args ...string) result {
	w.t.Helper()
	run := w.alone
	if *tested == "" {
		if w.shell == nil {
			w.shell = w.newShell()
		}
		run = w.shell.run
	}
	out, err := run(args)
	if err != nil {
		w.t.Fatalf("gavel %s: %v", strings.Join(args, " "), err)
	}
	answer := tookTime.ReplaceAllString(w.plain(string(out.Stdout)), "$1")
	return result{answer, w.plain(string(out.Stderr)), out.Code}
}

// tookTime matches the time of a run in the line with its cost.
var tookTime = regexp.MustCompile(`(?m)^(cost .*) · \S+ (s|min)$`)

// must runs a command that should succeed.
func (w *world) must(args ...string) result {
	w.t.Helper()
	r := w.gavel(args...)
	if r.code != 0 {
		w.t.Fatalf("gavel %s: exit status %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name, text string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) read(name string) string {
	w.t.Helper()
	text, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(text)
}

// sorted returns the sorted lines of a plain text, since records are in the order in which judgments end.
func (w *world) sorted(text string) string {
	lines := strings.SplitAfter(w.plain(text), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// addRun adds the content of a run's folder.
func (w *world) addRun(b *book, title, dir string) {
	w.t.Helper()
	b.add(title+" · run.json", w.plain(w.read(dir+"/run.json")))
	b.add(title+" · items.jsonl", w.plain(w.read(dir+"/items.jsonl")))
	records := w.read(dir + "/records.jsonl")
	b.add(title+" · records.jsonl, sorted", w.sorted(records))
	b.add(title+" · verdicts", verdicts(w.t, records))
	if _, err := os.Stat(w.path(dir + "/results.json")); err == nil {
		b.add(title+" · results.json", w.plain(w.read(dir+"/results.json")))
	}
}

// verdicts returns a line for each record: the item, its presentations and the verdict in each.
func verdicts(t *testing.T, records string) string {
	t.Helper()
	type key struct {
		item, agent, mode string
		repeat, showing   int
	}
	var keys []key
	verdictOf := map[key]string{}
	for line := range strings.Lines(records) {
		var r struct {
			Item, Agent, Mode, Outcome, Label, Choice, Answer string
			Repeat, Showing                                   int
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		k := key{r.Item, r.Agent, r.Mode, r.Repeat, r.Showing}
		keys = append(keys, k)
		verdictOf[k] = r.Outcome
		if got := r.Choice + r.Answer; got != "" {
			verdictOf[k] = got
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		if c := strings.Compare(a.item, b.item); c != 0 {
			return c
		}
		return (a.repeat-b.repeat)*100 + a.showing - b.showing
	})
	var out strings.Builder
	for i, k := range keys {
		if i == 0 || keys[i-1].item != k.item {
			if i > 0 {
				out.WriteByte('\n')
			}
			out.WriteString(k.item)
		}
		out.WriteString(" " + verdictOf[k])
	}
	return out.String() + "\n"
}

// files returns the names of the files in a folder, at any depth.
func (w *world) files(dir string) (names []string) {
	w.t.Helper()
	err := fs.WalkDir(os.DirFS(w.path(dir)), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != ".lock" && d.Name() != ".report.json" {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return names
}

// list returns the files, one per line.
func (w *world) list(dir string) string {
	w.t.Helper()
	return w.sorted(strings.Join(w.files(dir), "\n") + "\n")
}

// unbundle reads the files of a bundle, by name.
func (w *world) unbundle(name string) map[string]string {
	w.t.Helper()
	files := map[string]string{}
	r := tar.NewReader(strings.NewReader(w.read(name)))
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			w.t.Fatal(err)
		}
		data, err := io.ReadAll(r)
		if err != nil {
			w.t.Fatal(err)
		}
		plain, packed := strings.CutSuffix(h.Name, ".zst")
		if packed {
			d, err := zstd.NewReader(nil)
			if err != nil {
				w.t.Fatal(err)
			}
			if data, err = d.DecodeAll(data, nil); err != nil {
				w.t.Fatal(err)
			}
			d.Close()
		}
		files[plain] = string(data)
	}
}

// replies lists the replies in a cache rebuilt from runs: key, model, end, text.
func (w *world) replies(runs ...string) string {
	w.t.Helper()
	w.must(append([]string{"cache", "rebuild", "--cache", "rebuilt"}, runs...)...)
	store, err := cache.Open(w.path("rebuilt"), cache.Options{MinFree: 1})
	if err != nil {
		w.t.Fatal(err)
	}
	defer store.Close()
	var lines []string
	err = store.Visit(w.t.Context(), func(key []byte, e cache.Entry, err error) error {
		encoded, _ := json.Marshal(e.Response.Text)
		if !e.IsSample {
			lines = append(lines, fmt.Sprintf("%x %s %s %s\n", key, e.Model, e.Response.Finish, encoded))
		}
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return strings.Join(lines, "")
}

// pick returns some members of a JSON object, if present, in this order.
func pick(t *testing.T, text string, keys ...string) string {
	t.Helper()
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		t.Fatalf("%v in %s", err, clip(text, 300))
	}
	var out strings.Builder
	for _, k := range keys {
		if v, ok := all[k]; ok {
			var b bytes.Buffer
			if json.Compact(&b, v) == nil {
				out.WriteString(k + ": " + b.String() + "\n")
			}
		}
	}
	return out.String()
}

// ids lists the runs in a folder: their ids, contexts, judgments and status.
func (w *world) ids(dir string) string {
	w.t.Helper()
	var out strings.Builder
	for _, name := range w.files(dir) {
		run, ok := strings.CutSuffix(name, "/run.json")
		if !ok {
			continue
		}
		var m struct {
			ID, Status string
			Judgments  int
			Spec       struct {
				Parameters struct {
					Ctx int `json:"num_ctx"`
				}
			}
		}
		if err := json.Unmarshal([]byte(w.read(dir+"/"+run+"/run.json")), &m); err != nil {
			w.t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %s num_ctx %d, %d judgments, %s\n", run, m.ID, m.Spec.Parameters.Ctx, m.Judgments, m.Status)
	}
	return w.sorted(out.String())
}

var (
	speed    = regexp.MustCompile(`"(hours|seconds|reply_tokens_per_call|judgments_per_second|silent|since|eta|rate)[a-z_]*": ?(-?[0-9.e+-]+|null|"[^"]*")`)
	clockish = regexp.MustCompile(`(about |~|< ?)?\b\d+(\.\d+)? ?(ms|s|sec|seconds|min|minutes|h|hours|days)\b`)
	blanks   = regexp.MustCompile(`[ ─]{2,}`)
)

// slow removes what depends on the speed of the machine, and so the widths of columns.
func (w *world) slow(text string) string {
	text = untimed(text)
	text = clockish.ReplaceAllString(text, "<duration>")
	return blanks.ReplaceAllString(text, "  ")
}

// untimed is slow for JSON, where values have names.
func untimed(text string) string { return speed.ReplaceAllString(text, `"$1": <speed>`) }
