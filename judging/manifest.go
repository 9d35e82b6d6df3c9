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
	// name of the protocol: `pairwise`, `reversed`, `answer`, `self-reference`, `multi-option`
	Protocol string   `json:"protocol"`
	Goal     string   `json:"goal"`   // what a verdict names: `better`, `worse`, `answer`, `correct`, `best` or `worst`
	Prompt   Template `json:"prompt"` // the prompt's text around the items, and the labels by which replies are read
	// the protocol's options that are not the default, as text: `mode`, `self-reference`, `one-order`, `goal`,
	// `orders`, `vary`, `marker`
	ProtocolOptions Settings    `json:"options,omitempty"`
	Dataset         DatasetSpec `json:"dataset"` // the items judged
	Model           ModelSpec   `json:"model"`   // the judge
	// parameters of every request; left out of an imported run, where they are unknown
	Parameters Parameters `json:"parameters"`
}

// wholeSpec is a Spec that marshals with all of its keys. A run's id is the hash of the JSON.
type wholeSpec Spec

// MarshalJSON leaves out the parameters of an imported run, which are unknown, and its prompt's text and hash if empty.
func (s Spec) MarshalJSON() ([]byte, error) {
	type prompt struct {
		Template
		System string `json:"system,omitempty"`
		SHA256 string `json:"sha256,omitempty"`
	}
	var v any = wholeSpec(s)
	if s.Parameters.AreUnknown() {
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
	// of the dataset's file, or of the lines that gavel made of it (judgments of answers, fewer options)
	SHA256        string `json:"sha256"`
	Items         int    `json:"items"`                 // number of items that the run uses
	IDsHash       string `json:"items_sha256"`          // SHA-256 of the ids of these items, one per line
	IncludedTurns string `json:"turns,omitempty"`       // `all`, if conversations of several turns are included
	Lang          string `json:"lang,omitempty"`        // language of the conversations, if not the default
	Unrelated     bool   `json:"unrelated,omitempty"`   // each item has an option of another item, as its first
	MaxOptions    int    `json:"max_options,omitempty"` // number of options to which larger items were reduced

	// the value of `--field` in its normal form, if the file's columns were mapped; `sha256` covers the file and the
	// mapping
	FieldMapping string `json:"field,omitempty"`
	LabelValues  string `json:"label_values,omitempty"` // the value of `--label-values`, if the file's labels were mapped
}

// ModelSpec identifies the judge.
type ModelSpec struct {
	Name string `json:"name"` // the model's name on its server
	// kind of backend and digest or fingerprint: the model's part of the cache key
	Identity string `json:"identity"`
}

// Parameters holds the parameters of every request of a run.
type Parameters struct {
	Temperature float64 `json:"temperature"` // sampling temperature; always 0
	TopP        float64 `json:"top_p"`       // share of probability from which tokens are sampled; always 1
	Seed        int     `json:"seed"`        // seed of the server's sampling, sent with every request
	MaxTokens   int     `json:"max_tokens"`  // limit of one reply, in tokens, including thinking
	NumCtx      int     `json:"num_ctx"`     // requested context in tokens; 0 leaves it to the server
	// largest number of times that a judge is asked until it gives a verdict; 1 except for pairs
	VerdictAttempts int `json:"attempts"`
	// `system` or `user`: the role that carries the system text
	SystemTextRole string `json:"system_role"`
	// a verdict counts if the reply was truncated after it
	AcceptTruncated bool `json:"accept_cut" label:"-" about:"cut replies count"`

	// The following fields are left out by default, so that a plain run keeps its id.

	// `on`, `off`, `low`, `medium`, `high`; left out for `auto`
	Think backends.Think `json:"think,omitempty" about:"thinking"`
	// limit for thinking, in tokens; left out if there is none
	ThinkBudget int `json:"think_budget,omitempty" about:"tokens of thinking at most"`
	// after a reply that reached the token limit while thinking, one turn asks for the verdict alone
	FinishThinking bool `json:"finish_thinking,omitempty" about:"verdict forced after thinking that was cut"`
	// the server constrains the verdict to the labels that the prompt offers
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
	Label string // short form with the value, such as "think low"; "-": left out of [Spec.SettingLabels]
	About string // the parameter in words, shown before Value
	Value string // as text; "yes" for a switch
}

// Settings returns the parameters that are not zero and have a description, the tag about. A label begins with the tag
// label or else the JSON key with spaces, and ends with the value unless the parameter is a switch.
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

// SettingLabels lists the options and parameters that differ from their defaults, in short form, such as "constrained".
func (s Spec) SettingLabels() (labels []string) {
	for _, name := range slices.Sorted(maps.Keys(s.ProtocolOptions)) {
		labels = append(labels, name+" "+s.ProtocolOptions[name])
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

// AreUnknown reports whether the parameters are unknown, as an imported run's are: then all are zero.
func (p Parameters) AreUnknown() bool { return p == Parameters{} }

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
var DefaultParameters = Parameters{
	TopP: 1, Seed: 1, MaxTokens: 4096, VerdictAttempts: 2, SystemTextRole: backends.RoleSystem,
}

// Manifest holds the content of run.json.
type Manifest struct {
	Schema int `json:"schema"` // version of this file's format; a newer one is an error
	// SHA-256 of the JSON of `spec` without `prompt.origin`; runs of one `id` are the same run
	ID        string `json:"id"`
	Gavel     string `json:"gavel"`     // version of gavel that made the run
	Simulated bool   `json:"simulated"` // no model was asked
	Spec      Spec   `json:"spec"`      // everything that determines the results

	Dataset DatasetInfo         `json:"dataset"` // where the items came from
	Model   backends.Model      `json:"model"`   // the judge, as the server describes it
	Server  backends.ServerInfo `json:"server"`  // the server that serves the judge
	// all servers in the order given, if there are several; `server` is the first
	Servers []backends.ServerInfo `json:"servers,omitempty"`
	// length of the longest prompt that begins a judgment; left out of simulated and imported runs
	LongestPrompt PromptLength `json:"longest_prompt,omitzero"`
	Judgments     int          `json:"judgments"` // number of all judgments: items × presentations × repetitions
	// judgments in flight during the last try; the average if gavel chose it
	Concurrency int `json:"concurrency"`
	// time limit of one call in the last try, such as `10m0s`; left out of simulated and imported runs
	Timeout  string    `json:"timeout,omitempty"`
	RetryFor string    `json:"retry_for,omitempty"` // how long a failing call was tried again, like `timeout`
	Started  time.Time `json:"started,omitzero"`    // when the first try began
	Ended    time.Time `json:"ended,omitzero"`      // when the last try ended
	// number of requests by path, without those for judgments and for finding the server; they ask which model is
	// served, or how long a prompt is
	AuxiliaryRequestCounts map[string]int `json:"requests_beside,omitempty"`
	// `running`, `complete`, `incomplete` (judgments missing or failed), `interrupted`, `stopped` (by a rule)
	Status   string     `json:"status"`
	Imported string     `json:"imported,omitempty"` // name of the imported file
	Stages   []StageRun `json:"stages,omitempty"`   // the runs whose answers or verdicts this run uses
	// counts of the questions whose answers the items contain, and of those left out
	StageCounts *StageCounts `json:"staged,omitempty"`
	// counts of the pairs judged with the judge's own answer as reference, and of those left out
	ReferenceCounts *ReferenceCounts `json:"referenced,omitempty"`
	// of a model without a digest: the most likely tokens after a fixed text, and the natural logarithms of their
	// probabilities
	TokenSample backends.TokenSample `json:"sample,omitempty"`
	// each change of a server to another model that gavel found during the run
	Changes []ModelChange `json:"model_changes,omitempty"`
	// of an imported run: the file's own name for the judge (JudgeBench), or the strategy (LLMBar)
	JudgeName string `json:"judge_name,omitempty"`
	// the judge's name in the suite's file
	Name string `json:"name,omitempty"`
	// of an imported run: the labels stay with the responses when the order is reversed, so that a judge that always
	// gives one label looks consistent
	LabelsFollowResponses bool `json:"labels_stay,omitempty"`
	// a hash of each item's id decides which of its two presentations is asked first; left out, always the first
	AlternatesOrder bool `json:"alternates,omitempty"`
	// of an unfinished run: the items that come last in the order drawn
	HeldOut *datasets.HeldOut `json:"held_out,omitempty"`
	// of an unfinished run: the seed of the order in which it judges its items;
	// left out, the order of the file
	OrderSeed *int64    `json:"drawn_by_seed,omitempty"`
	Stopped   *StopRule `json:"stopped,omitempty"` // the rule that ended the run before its last item
	Shard     *Shard    `json:"shard,omitempty"`   // the part of a larger run's items that this run has, with `--shard`
	// SHA-256 of `items.jsonl` and `records.jsonl` when the last try ended; left out while the run is in progress
	Files map[string]string `json:"files_sha256,omitempty"`
	// names of the files of `files_sha256` that another program changed after a try of the run had written them: the
	// results include the change
	Altered []string `json:"altered,omitempty"`
	// [ReadingOptions].GradeWeight of the scores; no part of the run
	GradeWeight float64 `json:"-"`
}

// StopRule describes the rule that ended a run before its last item.
type StopRule struct {
	Rule      string  `json:"rule"`  // name of the rule: `until …`, `race` or `tune`
	Alpha     float64 `json:"alpha"` // bounds the probability that the rule errs
	Looks     int     `json:"looks"` // how often the rule was checked
	ItemCount int     `json:"items"` // number of items that the rule uses, the first ones in the order drawn
}

// StageRun names a run whose answers or verdicts another run uses.
type StageRun struct {
	Role  string `json:"role"`  // `judge`, `agent` or, of a jury, `juror`
	Run   string `json:"run"`   // the run's folder, as given
	ID    string `json:"id"`    // the run's id
	Model string `json:"model"` // the model that the run asked
	// of a juror: how many of its judgments the verdicts use; in a cascade not all
	UsedJudgments int `json:"calls,omitempty"`
}

// PromptLength holds the length of a prompt in tokens.
type PromptLength struct {
	Tokens int `json:"tokens"` // number of tokens in the prompt
	// how the length is known: `counted by the server`; `of the N longest in bytes, counted by the server` if all other
	// prompts fit by their bytes or are too many; or `at most: its bytes`: one token a byte and 256 for the chat template
	CountMethod string `json:"by"`
}

// Values of [PromptLength].By.
const (
	CountedByServer = "counted by the server"
	CountedByBytes  = "at most: its bytes"
)

// DatasetInfo describes the dataset and how the items were chosen from it.
type DatasetInfo struct {
	Name          string   `json:"name"`                  // name of the dataset
	Format        string   `json:"format"`                // format of the dataset's file
	Rows          int      `json:"rows"`                  // number of usable lines of the file, or of the chosen groups
	Skipped       int      `json:"skipped"`               // number of lines that could not be read
	BadLines      []string `json:"bad,omitempty"`         // the first lines that could not be read, with the reason
	Sample        int      `json:"sample,omitempty"`      // number of items drawn at random
	ItemsPerGroup int      `json:"sample_each,omitempty"` // number of items drawn at random from each group
	Groups        []string `json:"groups,omitempty"`      // the groups to which the items were limited
	Seed          int64    `json:"seed,omitempty"`        // seed of the random draw
	Limit         int      `json:"limit,omitempty"`       // number of items used from the start of the file
	IDsFile       string   `json:"ids,omitempty"`         // the file that lists the ids of the items to use
}

// ModelChange records that a server of the run was found to serve another model under the same name. The server's
// replies since the previous check do not count.
type ModelChange struct {
	At  time.Time `json:"at"`  // when a check found the change
	URL string    `json:"url"` // address of the server
	Was string    `json:"was"` // the model that the server named at the previous check
	Is  string    `json:"is"`  // the model that the server named at this check; replies between the two do not count
}

func (c ModelChange) String() string {
	return fmt.Sprintf("the server at %s changed to %s some time before %s: replies since the last check do not count "+
		"(model before: %s; now: %s)", c.URL, backends.DescribeNewModel(c.Was), c.At.Format(time.RFC3339), c.Was, c.Is)
}

// Values of [Manifest].Status: how the run's last try ended.
const (
	Running       = "running"     // in progress, or killed
	Complete      = "complete"    // all judgments are there
	Incomplete    = "incomplete"  // judgments are missing or failed
	Interrupted   = "interrupted" // by a person or a signal
	StoppedByRule = "stopped"     // by a rule, before the last item
)

// manifestSchema is the version of run.json's format that this gavel writes, and the newest that it reads.
const manifestSchema = 1

// NewManifest returns the manifest of a new run with its id, the hash of its spec. gavel is the program's version.
func NewManifest(gavel string, spec Spec) *Manifest {
	canonical := spec
	canonical.Prompt.Origin = "" // does not affect results
	raw, err := json.Marshal(wholeSpec(canonical))
	if err != nil {
		panic(err) // strings and numbers alone: cannot happen
	}
	return &Manifest{Schema: manifestSchema, ID: datasets.HexSum(raw), Gavel: gavel, Spec: spec, Status: Running}
}

// HashIDs returns the SHA-256, in hex, of the ids id(0) to id(n-1), each on a line.
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

// SetsContext reports whether the run tells its server the length of the context to load the model with, as on Ollama.
func (m *Manifest) SetsContext() bool { return m.Server.Can(backends.SetsContext) }

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

// DecodeManifest reads the content of run.json from r. path names the file in errors.
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

// AskerOf returns the Asker of a run, made from the run's manifest alone: its prompt may come from a user's file, or
// may have changed in the protocol since.
func AskerOf(m *Manifest) (Asker, error) {
	protocol, err := ProtocolNamed(m.Spec.Protocol)
	if err != nil {
		return nil, err
	}
	return protocol.NewAsker(m.Spec.Prompt, m.Spec.ProtocolOptions), nil
}
