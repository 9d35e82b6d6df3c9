package judging

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"gavel/backends"
	"gavel/internal/codec"
	"gavel/internal/disk"
)

// Spec is everything that makes a run's numbers what they are. Two runs with the same spec are the same run.
type Spec struct {
	// `pairwise`, `reversed`, `answer`, `self-reference`, `multi-option`
	Protocol string   `json:"protocol"`
	Goal     string   `json:"goal"`   // `better`, `worse`, `answer`, `correct`, `best` or `worst`
	Prompt   Template `json:"prompt"` // stored replies are read by its labels
	// of the protocol, those that are not the default, as text: `mode`, `self-reference`, `goal`, `orders`, `marker`
	Options Settings    `json:"options,omitempty"`
	Dataset DatasetSpec `json:"dataset"` // which items were judged
	Model   ModelSpec   `json:"model"`   // which judge
	// of every request; left out of an imported run, of which nobody knows
	Parameters Parameters `json:"parameters"`
}

// wholeSpec is a spec with all of its keys: what a run's id is made of.
type wholeSpec Spec

// MarshalJSON leaves out what nobody knows of an imported run, which is 0 or empty
// in a spec: how the model was asked, and by which prompt.
func (s Spec) MarshalJSON() ([]byte, error) {
	type prompt struct {
		Template
		System string `json:"system,omitempty"`
		SHA256 string `json:"sha256,omitempty"`
	}
	var v any = wholeSpec(s)
	if s.Parameters.Unknown() {
		v = struct {
			wholeSpec
			Prompt     prompt     `json:"prompt"`
			Parameters Parameters `json:"parameters,omitzero"`
		}{
			wholeSpec:  wholeSpec(s),
			Prompt:     prompt{Template: s.Prompt, System: s.Prompt.System, SHA256: s.Prompt.SHA256},
			Parameters: s.Parameters,
		}
	}
	return codec.Marshal(v) // whoever asked for this escapes as he wants to
}

// DatasetSpec names the items judged.
type DatasetSpec struct {
	// of the dataset's file; of lines that gavel made (judgments from stages, options cut down), of those
	SHA256     string `json:"sha256"`
	Items      int    `json:"items"`                 // used
	IDs        string `json:"items_sha256"`          // of their ids, one a line
	Turns      string `json:"turns,omitempty"`       // `all`, where that was asked for
	Lang       string `json:"lang,omitempty"`        // of the conversations taken, where it is not the default
	Unrelated  bool   `json:"unrelated,omitempty"`   // an option of another item was put first
	MaxOptions int    `json:"max_options,omitempty"` // items were cut to so many

	// of a file whose columns were mapped: `--field`, in the order of its parts; sha256 is of the file's and the mapping
	Field       string `json:"field,omitempty"`
	LabelValues string `json:"label_values,omitempty"` // and `--label-values`
}

// ModelSpec names the judge.
type ModelSpec struct {
	Name string `json:"name"` // as the server knows it
	// kind of backend and digest or fingerprint: the part of the cache key that stands for the model
	Identity string `json:"identity"`
}

// Parameters of every request of a run.
type Parameters struct {
	Temperature float64 `json:"temperature"` // 0, the only one there is
	TopP        float64 `json:"top_p"`       // 1, the only one there is
	Seed        int     `json:"seed"`        // sent with every request
	MaxTokens   int     `json:"max_tokens"`  // of one reply, thinking included
	NumCtx      int     `json:"num_ctx"`     // context asked for, in tokens; 0 leaves it to the server
	// turns of a conversation until there is a verdict; 1 but for pairs
	Attempts int `json:"attempts"`
	// `system` or `user`: the role that carries the system text
	SystemRole string `json:"system_role"`
	// a verdict given before the token limit counts
	AcceptCut bool `json:"accept_cut" label:"-" about:"cut replies count"`

	// What follows is left out where it is not asked for, so that a plain run keeps its id.

	// `on`, `off`, `low`, `medium`, `high`; left out for `auto`
	Think backends.Think `json:"think,omitempty" about:"thinking"`
	// at most so many tokens of thinking; left out where nobody bounds them
	ThinkBudget int `json:"think_budget,omitempty" about:"tokens of thinking at most"`
	// a reply that thought to the token limit is followed by a turn that asks for the verdict alone
	FinishThinking bool `json:"finish_thinking,omitempty" about:"verdict forced after thinking that was cut"`
	// the verdict is held to the labels on offer
	Constrain bool `json:"constrain,omitempty" label:"-" about:"verdict held to the labels"`
	// the probability of each label is asked for; also set by `--constrain` where the server is known to tell
	Logprobs bool `json:"logprobs,omitempty"`
	// how often every prompt is asked, 2 to 1000; left out for once
	NumRepetitions int `json:"repeats,omitempty"`
	// one request at a time, no prompt cache
	StrictDeterminism bool `json:"strict_determinism,omitempty" about:"strict determinism"`
	backends.Extras
}

// Setting is a parameter that is not as usual, for people.
type Setting struct {
	Label string // among others, in a line; "-" where it is not among them
	About string // with its value beside it
	Value string
}

// Settings are the parameters whose fields have words for people, the tag about, and that are not as usual. Their label
// is the tag label, where there is one, else their JSON key in words.
func (p Parameters) Settings() (settings []Setting) {
	all := reflect.ValueOf(p)
	for _, f := range reflect.VisibleFields(all.Type()) {
		about, has := f.Tag.Lookup("about")
		value := all.FieldByIndex(f.Index)
		if !has || value.IsZero() {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := Setting{
			Label: cmp.Or(f.Tag.Get("label"), strings.ReplaceAll(key, "_", " ")),
			About: about,
			Value: fmt.Sprint(value),
		}
		if value.Kind() == reflect.Bool {
			s.Value = "yes"
		} else {
			s.Label += " " + s.Value
		}
		settings = append(settings, s)
	}
	return settings
}

// Labels name the options and parameters that are not as usual.
func (s Spec) Labels() (labels []string) {
	for _, name := range slices.Sorted(maps.Keys(s.Options)) {
		labels = append(labels, name+" "+s.Options[name])
	}
	if s.Parameters.Constrain { // before the others
		labels = append(labels, "constrained")
	}
	for _, setting := range s.Parameters.Settings() {
		if setting.Label != "-" {
			labels = append(labels, setting.Label)
		}
	}
	return labels
}

// Unknown tells whether nobody knows how the requests were made: of a run that was imported.
func (p Parameters) Unknown() bool { return p == Parameters{} }

// MaxRepetitions is the most often that a prompt may be asked.
const MaxRepetitions = 1000

// MaxAttempts is the most often that a judge may be asked again in one conversation, all of which it is sent each time.
const MaxAttempts = 1000

// MaxConcurrency is the most that may be asked at once: each is a goroutine.
const MaxConcurrency = 10_000

// Repetitions is how often every prompt is asked.
func (p Parameters) Repetitions() int { return max(1, p.NumRepetitions) }

// DefaultParameters are those of PROTOCOLS.md: temperature 0, top_p 1, a fixed
// seed, JudgeBench's two attempts and its 4,096 tokens.
var DefaultParameters = Parameters{TopP: 1, Seed: 1, MaxTokens: 4096, Attempts: 2, SystemRole: backends.System}

// Manifest is run.json.
type Manifest struct {
	Schema int `json:"schema"` // of this file; a higher one than gavel knows is an error
	// SHA-256 of the JSON of `spec` without `prompt.origin`; runs of one `id` are the same run
	ID        string `json:"id"`
	Gavel     string `json:"gavel"`     // version that made it
	Simulated bool   `json:"simulated"` // no model was asked
	Spec      Spec   `json:"spec"`      // everything that makes the numbers what they are

	Dataset DatasetInfo     `json:"dataset"` // where the items came from
	Model   backends.Model  `json:"model"`   // what the server tells of the judge
	Server  backends.Server `json:"server"`  // that was asked
	// all of them, in the order given, where there are several; `server` is the first
	Servers []backends.Server `json:"servers,omitempty"`
	// the longest first turn of the items used; not of simulated and imported runs
	Longest   Length `json:"longest_prompt,omitzero"`
	Judgments int    `json:"judgments"` // items × presentations × repetitions
	// judgments at once, of the last try; where that was found out, on average
	Concurrency int       `json:"concurrency"`
	Timeout     string    `json:"timeout,omitempty"`   // of one call, of the last try; not of simulated and imported runs
	RetryFor    string    `json:"retry_for,omitempty"` // how long a call was tried, as `timeout`
	Started     time.Time `json:"started,omitzero"`    // of the first try
	Ended       time.Time `json:"ended,omitzero"`      // of the last try
	// requests beside those for judgments and those that found the server, by page: which model is served, how long a
	// prompt is
	Beside map[string]int `json:"requests_beside,omitempty"`
	// `running`, `complete`, `incomplete` (judgments missing or failed), `interrupted`, `stopped` (by a rule)
	Status     string      `json:"status"`
	Imported   string      `json:"imported,omitempty"`   // the file that it was imported from
	Stages     []StageOf   `json:"stages,omitempty"`     // the runs that its items were made of
	Staged     *Staged     `json:"staged,omitempty"`     // what became of their questions
	Referenced *Referenced `json:"referenced,omitempty"` // what became of the pairs, with `--self-reference`
	// of a model without a digest: the likeliest tokens after one fixed beginning, and the natural logarithms of their
	// probabilities
	Sample backends.Sample `json:"sample,omitempty"`
	// where a server was seen to serve another model while the run was made
	Changes []ModelChange `json:"model_changes,omitempty"`
	// of an imported run: the file's own name for the judge (JudgeBench), or the strategy (LLMBar)
	JudgeName string `json:"judge_name,omitempty"`
	// of the judge, as the suite's file calls it
	Name string `json:"name,omitempty"`
	// of an imported run: the labels stayed with the responses when the order was reversed, so that a judge that always
	// gives one label looks consistent
	LabelsStay bool `json:"labels_stay,omitempty"`
	// of each item a hash of its id says which of its two presentations is asked first; left out, it is the first
	Alternates bool `json:"alternates,omitempty"`
	// of a run that is not at its end: the seed of the order in which its items are asked about;
	// left out, that of the file
	DrawnBy *int64   `json:"drawn_by_seed,omitempty"`
	Stopped *Stopped `json:"stopped,omitempty"` // which rule ended the run before its last item
	Shard   *Shard   `json:"shard,omitempty"`   // which part of another run's items it has, with `--shard`
	// SHA-256 of `items.jsonl` and `records.jsonl` when the last try ended; left out while it runs
	Files map[string]string `json:"files_sha256,omitempty"`
	// of these files, those that somebody changed after a try of the run wrote them: what the run says rests on the change
	Altered []string `json:"altered,omitempty"`
}

// Stopped says by which rule a run was ended before its last item.
type Stopped struct {
	Rule  string  `json:"rule"`  // `until …` or `race`
	Alpha float64 `json:"alpha"` // bounds the probability that the rule errs
	Looks int     `json:"looks"` // how often it was asked whether that is enough
	Items int     `json:"items"` // that it rests on, the first so many in the order drawn
}

// StageOf is a run that another stands on.
type StageOf struct {
	Role  string `json:"role"`  // `judge`, `agent` or, of a jury, `juror`
	Run   string `json:"run"`   // its folder, as it was given
	ID    string `json:"id"`    // of that run
	Model string `json:"model"` // of that run
	// of a juror: how many of its judgments the verdicts took, in a cascade not all
	Calls int `json:"calls,omitempty"`
}

// Length of a prompt, in tokens.
type Length struct {
	Tokens int `json:"tokens"` // of the prompt
	// `counted by the server`; `of the N longest in bytes, counted by the server` where the others fit by their bytes or
	// are too many; or `at most: its bytes`: one token a byte and 256 for the chat template
	By string `json:"by"`
}

// How a Length is come by.
const (
	CountedByServer = "counted by the server"
	CountedByBytes  = "at most: its bytes"
)

// DatasetInfo says where the items came from and how they were picked.
type DatasetInfo struct {
	Name    string   `json:"name"`                  // of the dataset
	Format  string   `json:"format"`                // of its file
	Rows    int      `json:"rows"`                  // usable lines of the file, or of the groups asked for
	Skipped int      `json:"skipped"`               // lines that could not be read
	Bad     []string `json:"bad,omitempty"`         // the first of those, with the reason
	Sample  int      `json:"sample,omitempty"`      // how many were drawn
	Each    int      `json:"sample_each,omitempty"` // how many were drawn of every group
	Groups  []string `json:"groups,omitempty"`      // only these
	Seed    int64    `json:"seed,omitempty"`        // of the draw
	Limit   int      `json:"limit,omitempty"`       // only so many
	IDs     string   `json:"ids,omitempty"`         // the file that named them
}

// ModelChange is a time at which a server of the run was seen to serve another model than the run's, under the same
// name. What it had said since the check before does not count.
type ModelChange struct {
	At  time.Time `json:"at"`  // when it was seen
	URL string    `json:"url"` // of the server
	Was string    `json:"was"` // the model before
	Is  string    `json:"is"`  // the model then; what it said since it was last asked does not count
}

func (c ModelChange) String() string {
	const text = "the server at %s changed to %s some time before %s: replies since the last check do not count " +
		"(model before: %s; now: %s)"
	return fmt.Sprintf(text, c.URL, backends.AnotherThan(c.Was), c.At.Format(time.RFC3339), c.Was, c.Is)
}

// Status of a run.
const (
	Running     = "running"
	Complete    = "complete"
	Incomplete  = "incomplete" // judgments are missing or failed
	Interrupted = "interrupted"
	ByRule      = "stopped" // by a rule, before the last item
)

const manifestSchema = 1

// NewManifest names the run of a spec.
func NewManifest(gavel string, spec Spec) *Manifest {
	named := spec
	named.Prompt.Origin = "" // a remark: it changes no number
	raw, err := json.Marshal(wholeSpec(named))
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	sum := sha256.Sum256(raw)
	return &Manifest{Schema: manifestSchema, ID: hex.EncodeToString(sum[:]), Gavel: gavel, Spec: spec, Status: Running}
}

// HashIDs is the hash of n ids.
func HashIDs(n int, id func(i int) string) string {
	h := sha256.New()
	for i := range n {
		io.WriteString(h, id(i)+"\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AllServers returns the servers that were asked, in the order given.
func (m *Manifest) AllServers() []backends.Server {
	if len(m.Servers) > 0 {
		return m.Servers
	}
	return []backends.Server{m.Server}
}

// SetsContext tells whether the run told its server how much context to serve.
func (m *Manifest) SetsContext() bool { return m.Server.Can(backends.SetContext) }

// ReadManifest reads run.json of a run directory.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	f, _, err := disk.Open(nil, path)
	if err != nil {
		if _, gone := os.Stat(dir); errors.Is(gone, fs.ErrNotExist) {
			return nil, fmt.Errorf("no run at %s: %w", dir, gone)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%s: is not a run directory (no %s in it): %w", dir, ManifestFile, err)
		}
		return nil, err
	}
	defer f.Close()
	return DecodeManifest(path, bufio.NewReader(f))
}

// DecodeManifest reads run.json; path is what errors call it.
func DecodeManifest(path string, r io.Reader) (*Manifest, error) {
	m := new(Manifest)
	if err := json.NewDecoder(r).Decode(m); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", path, err)
	}
	if m.Schema > manifestSchema {
		return nil, fmt.Errorf("%s: written by a newer gavel (schema %d; this version reads up to %d)",
			path, m.Schema, manifestSchema)
	}
	if m.Schema < 1 || m.ID == "" {
		return nil, fmt.Errorf("%s: not a manifest of gavel", path)
	}
	return m, nil
}

// AskerOf rebuilds the protocol a run was made with, from its manifest
// alone: its prompt may have been a file, or may have changed since.
func AskerOf(m *Manifest) (Asker, error) {
	protocol, err := ProtocolNamed(m.Spec.Protocol)
	if err != nil {
		return nil, err
	}
	return protocol.New(m.Spec.Prompt, m.Spec.Options), nil
}
