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
	"gavel/datasets"
	"gavel/internal/codec"
	"gavel/internal/disk"
)

// Spec holds everything that determines a run's results. Two runs with the same spec are the same run.
type Spec struct {
	// `pairwise`, `reversed`, `answer`, `self-reference`, `multi-option`
	Protocol string   `json:"protocol"`
	Goal     string   `json:"goal"`   // `better`, `worse`, `answer`, `correct`, `best` or `worst`
	Prompt   Template `json:"prompt"` // with the labels by which stored replies are read
	// the protocol's options that are not the default, as text: `mode`, `self-reference`, `goal`, `orders`, `vary`,
	// `marker`
	Options Settings    `json:"options,omitempty"`
	Dataset DatasetSpec `json:"dataset"` // the items judged
	Model   ModelSpec   `json:"model"`   // the judge
	// of every request; left out of an imported run, where they are unknown
	Parameters Parameters `json:"parameters"`
}

// wholeSpec is a Spec that marshals with all of its keys. A run's id is its hash.
type wholeSpec Spec

// MarshalJSON leaves out what is unknown of an imported run, and 0 or empty in its spec: the parameters and the prompt.
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
	return codec.Marshal(v) // without HTML escapes, which the caller may add
}

// DatasetSpec identifies the items judged by hashes of their file and ids, and holds the options that change them. The
// run id depends on it.
type DatasetSpec struct {
	// of the dataset's file, or of the lines that gavel made (judgments from stages, fewer options)
	SHA256     string `json:"sha256"`
	Items      int    `json:"items"`                 // used
	IDs        string `json:"items_sha256"`          // of their ids, one per line
	Turns      string `json:"turns,omitempty"`       // `all`, if requested
	Lang       string `json:"lang,omitempty"`        // language of the conversations, if not the default
	Unrelated  bool   `json:"unrelated,omitempty"`   // an option of another item comes first
	MaxOptions int    `json:"max_options,omitempty"` // items have at most so many options

	// `--field`, if the file's columns were mapped, in the order of its parts; `sha256` covers the file and the mapping
	Field       string `json:"field,omitempty"`
	LabelValues string `json:"label_values,omitempty"` // `--label-values`, likewise
}

// ModelSpec identifies the judge.
type ModelSpec struct {
	Name string `json:"name"` // on the server
	// kind of backend and digest or fingerprint: the model's part of the cache key
	Identity string `json:"identity"`
}

// Parameters holds the parameters of every request of a run.
type Parameters struct {
	Temperature float64 `json:"temperature"` // always 0
	TopP        float64 `json:"top_p"`       // always 1
	Seed        int     `json:"seed"`        // sent with every request
	MaxTokens   int     `json:"max_tokens"`  // of one reply, including thinking
	NumCtx      int     `json:"num_ctx"`     // requested context in tokens; 0 leaves it to the server
	// most turns of a conversation without a verdict; 1 except for pairs
	Attempts int `json:"attempts"`
	// `system` or `user`: the role that carries the system text
	SystemRole string `json:"system_role"`
	// a verdict counts if the reply was truncated after it
	AcceptCut bool `json:"accept_cut" label:"-" about:"cut replies count"`

	// The following fields are left out by default, so that a plain run keeps its id.

	// `on`, `off`, `low`, `medium`, `high`; left out for `auto`
	Think backends.Think `json:"think,omitempty" about:"thinking"`
	// limit for thinking, in tokens; left out if there is none
	ThinkBudget int `json:"think_budget,omitempty" about:"tokens of thinking at most"`
	// after a reply that reached the token limit while thinking, one turn asks for the verdict alone
	FinishThinking bool `json:"finish_thinking,omitempty" about:"verdict forced after thinking that was cut"`
	// the verdict is constrained to the labels on offer
	Constrain bool `json:"constrain,omitempty" label:"-" about:"verdict held to the labels"`
	// each label's probability is requested; also set by `--constrain` if the server is known to return them
	Logprobs bool `json:"logprobs,omitempty"`
	// how often every prompt is asked, 2 to 1000; left out for 1
	NumRepetitions int `json:"repeats,omitempty" field:"repeat"`
	// one request at a time, no prompt cache
	StrictDeterminism bool `json:"strict_determinism,omitempty" about:"strict determinism"`
	backends.ExtraParameters
}

// Setting describes a parameter that differs from its default.
type Setting struct {
	Label string // in a list of settings; "-" to leave it out there
	About string // before its value
	Value string
}

// Settings returns the parameters that differ from their defaults and have a description, the tag about. Their label is
// the tag label, or else their JSON key with spaces.
func (p Parameters) Settings() (settings []Setting) {
	all := reflect.ValueOf(p)
	for _, f := range reflect.VisibleFields(all.Type()) {
		description, has := f.Tag.Lookup("about")
		value := all.FieldByIndex(f.Index)
		if !has || value.IsZero() {
			continue
		}
		key, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		s := Setting{
			Label: cmp.Or(f.Tag.Get("label"), strings.ReplaceAll(key, "_", " ")),
			About: description,
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

// Labels lists the options and parameters that differ from their defaults.
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

// Unknown reports whether the parameters are unknown, as those of an imported run.
func (p Parameters) Unknown() bool { return p == Parameters{} }

// MaxRepetitions limits how often a prompt may be asked.
const MaxRepetitions = 1000

// MaxAttempts limits the turns of a conversation: each turn sends all earlier ones again.
const MaxAttempts = 1000

// MaxConcurrency limits the judgments in flight: each takes a goroutine.
const MaxConcurrency = 10_000

// Repetitions returns how often every prompt is asked.
func (p Parameters) Repetitions() int { return max(1, p.NumRepetitions) }

// DefaultParameters holds the defaults of PROTOCOLS.md: temperature 0, top_p 1, a fixed seed, and JudgeBench's two
// attempts and 4,096 tokens.
var DefaultParameters = Parameters{TopP: 1, Seed: 1, MaxTokens: 4096, Attempts: 2, SystemRole: backends.System}

// Manifest holds the content of run.json.
type Manifest struct {
	Schema int `json:"schema"` // version of this file's format; a newer one is an error
	// SHA-256 of the JSON of `spec` without `prompt.origin`; runs of one `id` are the same run
	ID        string `json:"id"`
	Gavel     string `json:"gavel"`     // version of gavel that made it
	Simulated bool   `json:"simulated"` // no model was asked
	Spec      Spec   `json:"spec"`      // everything that determines the results

	Dataset DatasetInfo         `json:"dataset"` // where the items came from
	Model   backends.Model      `json:"model"`   // the judge, as the server describes it
	Server  backends.ServerInfo `json:"server"`  // the server of the judge
	// all servers in the order given, if there are several; `server` is the first
	Servers []backends.ServerInfo `json:"servers,omitempty"`
	// length of the longest first turn; not of simulated and imported runs
	Longest   Length `json:"longest_prompt,omitzero"`
	Judgments int    `json:"judgments"` // items × presentations × repetitions
	// judgments in flight during the last try; the average if gavel chose it
	Concurrency int       `json:"concurrency"`
	Timeout     string    `json:"timeout,omitempty"`   // of one call, of the last try; not of simulated and imported runs
	RetryFor    string    `json:"retry_for,omitempty"` // how long a call was tried, as `timeout`
	Started     time.Time `json:"started,omitzero"`    // of the first try
	Ended       time.Time `json:"ended,omitzero"`      // of the last try
	// requests other than those for judgments and for finding the server, by path: which model is served, how long a
	// prompt is
	OtherRequests map[string]int `json:"requests_beside,omitempty"`
	// `running`, `complete`, `incomplete` (judgments missing or failed), `interrupted`, `stopped` (by a rule)
	Status     string           `json:"status"`
	Imported   string           `json:"imported,omitempty"`   // the imported file
	Stages     []StageRun       `json:"stages,omitempty"`     // the runs whose answers its items contain
	Staged     *StageCounts     `json:"staged,omitempty"`     // counts of their questions
	Referenced *ReferenceCounts `json:"referenced,omitempty"` // counts of the pairs, with `--self-reference`
	// of a model without a digest: the most likely tokens after a fixed text, and the natural logarithms of their
	// probabilities
	Sample backends.TokenSample `json:"sample,omitempty"`
	// when a server was found to serve another model during the run
	Changes []ModelChange `json:"model_changes,omitempty"`
	// of an imported run: the file's own name for the judge (JudgeBench), or the strategy (LLMBar)
	JudgeName string `json:"judge_name,omitempty"`
	// the judge's name in the suite's file
	Name string `json:"name,omitempty"`
	// of an imported run: the labels stay with the responses when the order is reversed, so that a judge that always
	// gives one label looks consistent
	LabelsStay bool `json:"labels_stay,omitempty"`
	// a hash of each item's id decides which of its two presentations is asked first; left out, always the first
	Alternates bool `json:"alternates,omitempty"`
	// of an unfinished run: the seed of the order in which it judges its items;
	// left out, the order of the file
	DrawnBy *int64    `json:"drawn_by_seed,omitempty"`
	Stopped *StopRule `json:"stopped,omitempty"` // the rule that ended the run before its last item
	Shard   *Shard    `json:"shard,omitempty"`   // the part of another run's items that it has, with `--shard`
	// SHA-256 of `items.jsonl` and `records.jsonl` when the last try ended; left out while it runs
	Files map[string]string `json:"files_sha256,omitempty"`
	// of these files, those changed by others after a try of the run wrote them: the results include the change
	Altered []string `json:"altered,omitempty"`
}

// StopRule describes the rule that ended a run before its last item.
type StopRule struct {
	Rule  string  `json:"rule"`  // `until …` or `race`
	Alpha float64 `json:"alpha"` // bounds the probability that the rule errs
	Looks int     `json:"looks"` // how often the rule was checked
	Items int     `json:"items"` // items that it uses: the first so many in the order drawn
}

// StageRun names a run whose answers or verdicts another run uses.
type StageRun struct {
	Role  string `json:"role"`  // `judge`, `agent` or, of a jury, `juror`
	Run   string `json:"run"`   // its folder, as given
	ID    string `json:"id"`    // of that run
	Model string `json:"model"` // of that run
	// of a juror: how many of its judgments the verdicts use; in a cascade not all
	Calls int `json:"calls,omitempty"`
}

// Length holds the length of a prompt in tokens.
type Length struct {
	Tokens int `json:"tokens"` // of the prompt
	// `counted by the server`; `of the N longest in bytes, counted by the server` if the others fit by their bytes or
	// are too many; or `at most: its bytes`: one token a byte and 256 for the chat template
	By string `json:"by"`
}

// Sources of a Length.
const (
	CountedByServer = "counted by the server"
	CountedByBytes  = "at most: its bytes"
)

// DatasetInfo describes the dataset and how the items were chosen from it.
type DatasetInfo struct {
	Name    string   `json:"name"`                  // of the dataset
	Format  string   `json:"format"`                // of its file
	Rows    int      `json:"rows"`                  // usable lines of the file, or of the chosen groups
	Skipped int      `json:"skipped"`               // lines that could not be read
	Bad     []string `json:"bad,omitempty"`         // the first of these lines, with the reason
	Sample  int      `json:"sample,omitempty"`      // how many were drawn
	Each    int      `json:"sample_each,omitempty"` // how many were drawn from each group
	Groups  []string `json:"groups,omitempty"`      // only these
	Seed    int64    `json:"seed,omitempty"`        // of the draw
	Limit   int      `json:"limit,omitempty"`       // only the first so many
	IDs     string   `json:"ids,omitempty"`         // the file that named them
}

// ModelChange records that a server of the run was found to serve another model under the same name. Its replies since
// the previous check do not count.
type ModelChange struct {
	At  time.Time `json:"at"`  // when it was found
	URL string    `json:"url"` // of the server
	Was string    `json:"was"` // the model before
	Is  string    `json:"is"`  // the model then; replies since the previous check do not count
}

func (c ModelChange) String() string {
	const text = "the server at %s changed to %s some time before %s: replies since the last check do not count " +
		"(model before: %s; now: %s)"
	return fmt.Sprintf(text, c.URL, backends.DescribeChange(c.Was), c.At.Format(time.RFC3339), c.Was, c.Is)
}

// Status of a run.
const (
	Running       = "running"
	Complete      = "complete"
	Incomplete    = "incomplete" // judgments are missing or failed
	Interrupted   = "interrupted"
	StoppedByRule = "stopped" // by a rule, before the last item
)

const manifestSchema = 1

// NewManifest returns the manifest of a new run with its id, the hash of its spec.
func NewManifest(gavel string, spec Spec) *Manifest {
	canonical := spec
	canonical.Prompt.Origin = "" // does not affect results
	raw, err := json.Marshal(wholeSpec(canonical))
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	return &Manifest{Schema: manifestSchema, ID: datasets.HexSum(raw), Gavel: gavel, Spec: spec, Status: Running}
}

// HashIDs returns the SHA-256 of n ids, in hex.
func HashIDs(n int, id func(i int) string) string {
	h := sha256.New()
	for i := range n {
		io.WriteString(h, id(i)+"\n")
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AllServers returns the servers of the run in the order given.
func (m *Manifest) AllServers() []backends.ServerInfo {
	if len(m.Servers) > 0 {
		return m.Servers
	}
	return []backends.ServerInfo{m.Server}
}

// SetsContext reports whether the run sets the context of its server.
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

// DecodeManifest reads run.json. Errors name it by path.
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

// AskerOf rebuilds the protocol of a run from its manifest alone: the prompt may come from a file, or may have changed
// since.
func AskerOf(m *Manifest) (Asker, error) {
	protocol, err := ProtocolNamed(m.Spec.Protocol)
	if err != nil {
		return nil, err
	}
	return protocol.New(m.Spec.Prompt, m.Spec.Options), nil
}
