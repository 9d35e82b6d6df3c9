package judging

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"gavel/backends"
)

// Spec is everything that makes a run's numbers what they are. Two runs with the same spec are the same run.
type Spec struct {
	Protocol   string      `json:"protocol"`
	Goal       string      `json:"goal"`
	Prompt     Template    `json:"prompt"`
	Options    Settings    `json:"options,omitempty"` // of the protocol, those that are not the default
	Dataset    DatasetSpec `json:"dataset"`
	Model      ModelSpec   `json:"model"`
	Parameters Parameters  `json:"parameters"`
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
		}{wholeSpec(s), prompt{s.Prompt, s.Prompt.System, s.Prompt.SHA256}, s.Parameters}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // whoever asked for this escapes as he wants to
	err := enc.Encode(v)
	return b.Bytes(), err
}

// DatasetSpec names the items judged.
type DatasetSpec struct {
	SHA256 string `json:"sha256"`       // of the file
	Items  int    `json:"items"`        // used
	IDs    string `json:"items_sha256"` // of their ids, one a line
	// How the file's rows became items, where that is not the default.
	Turns      string `json:"turns,omitempty"`
	Lang       string `json:"lang,omitempty"`
	Unrelated  bool   `json:"unrelated,omitempty"`   // an option of another item was put first
	MaxOptions int    `json:"max_options,omitempty"` // items were cut to so many
}

// ModelSpec names the judge.
type ModelSpec struct {
	Name     string `json:"name"`
	Identity string `json:"identity"` // kind of backend and digest or fingerprint
}

// Parameters of every request of a run.
type Parameters struct {
	Temperature float64 `json:"temperature"`
	TopP        float64 `json:"top_p"`
	Seed        int     `json:"seed"`
	MaxTokens   int     `json:"max_tokens"`
	NumCtx      int     `json:"num_ctx"` // asked for; 0: the server's own
	Attempts    int     `json:"attempts"`
	SystemRole  string  `json:"system_role"`
	AcceptCut   bool    `json:"accept_cut"`

	// What follows is left out where it is not asked for, so that a plain run keeps its id.

	Think             backends.Think `json:"think,omitempty"`
	Constrain         bool           `json:"constrain,omitempty"`          // the verdict is held to the labels on offer
	Logprobs          bool           `json:"logprobs,omitempty"`           // the probability of each label is asked for
	NumRepetitions    int            `json:"repeats,omitempty"`            // how often every prompt is asked; 0 is once
	StrictDeterminism bool           `json:"strict_determinism,omitempty"` // one request at a time, no prompt cache
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
	Schema    int    `json:"schema"`
	ID        string `json:"id"` // SHA-256 of the spec's JSON, without the prompt's origin
	Gavel     string `json:"gavel"`
	Simulated bool   `json:"simulated"`
	Spec      Spec   `json:"spec"`

	Dataset     DatasetInfo       `json:"dataset"`
	Model       backends.Model    `json:"model"`
	Server      backends.Server   `json:"server"`
	Servers     []backends.Server `json:"servers,omitempty"` // all of them, where there are several; Server is the first
	Longest     Length            `json:"longest_prompt,omitzero"`
	Judgments   int               `json:"judgments"` // items × presentations × repetitions
	Concurrency int               `json:"concurrency"`
	Timeout     string            `json:"timeout,omitempty"`   // of one call
	RetryFor    string            `json:"retry_for,omitempty"` // how long a call was tried
	Started     time.Time         `json:"started,omitzero"`
	Ended       time.Time         `json:"ended,omitzero"`
	Status      string            `json:"status"`                  // see the Status constants
	Imported    string            `json:"imported,omitempty"`      // the file it was imported from
	Stages      []StageOf         `json:"stages,omitempty"`        // the runs that its items were made of
	Staged      *Staged           `json:"staged,omitempty"`        // what became of their questions
	Referenced  *Referenced       `json:"referenced,omitempty"`    // or of the pairs
	Sample      backends.Sample   `json:"sample,omitempty"`        // of the model, where it has no digest
	Changes     []ModelChange     `json:"model_changes,omitempty"` // seen while the run was made
	JudgeName   string            `json:"judge_name,omitempty"`

	// Of a run that has not come to its end:

	// DrawnBy is the seed of the order in which its items are asked about; nil: that of the file.
	DrawnBy *int64   `json:"drawn_by_seed,omitempty"`
	Stopped *Stopped `json:"stopped,omitempty"` // where a rule ended it
}

// Stopped says by which rule a run was ended before its last item.
type Stopped struct {
	Rule  string  `json:"rule"`
	Alpha float64 `json:"alpha"` // bounds the probability that the rule errs
	Looks int     `json:"looks"` // how often it was asked whether that is enough
	Items int     `json:"items"` // that it rests on, the first so many in the order drawn
}

// StageOf is a run that another stands on.
type StageOf struct {
	Role  string `json:"role"` // "judge" or "agent"
	Run   string `json:"run"`  // its folder, as it was given
	ID    string `json:"id"`
	Model string `json:"model"`
}

// Length of a prompt, in tokens.
type Length struct {
	Tokens int    `json:"tokens"`
	By     string `json:"by"` // how it was come by
}

// How a Length is come by.
const (
	CountedByServer = "counted by the server"
	CountedByBytes  = "at most: its bytes"
)

// DatasetInfo says where the items came from and how they were picked.
type DatasetInfo struct {
	Name    string   `json:"name"`
	Format  string   `json:"format"`
	Rows    int      `json:"rows"`    // usable lines of the file
	Skipped int      `json:"skipped"` // lines that could not be read
	Bad     []string `json:"bad,omitempty"`
	Sample  int      `json:"sample,omitempty"`
	Each    int      `json:"sample_each,omitempty"` // of every group
	Groups  []string `json:"groups,omitempty"`      // only these
	Seed    int64    `json:"seed,omitempty"`
	Limit   int      `json:"limit,omitempty"`
	IDs     string   `json:"ids,omitempty"` // file that named them
}

// ModelChange is a time at which a server of the run was seen to serve another model than the run's, under the same
// name. What it had said since it was asked before was dropped.
type ModelChange struct {
	At  time.Time `json:"at"`
	URL string    `json:"url"`
	Was string    `json:"was"`
	Is  string    `json:"is"`
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

// HashIDs is the hash of a list of ids.
func HashIDs(ids func(yield func(string) bool)) (sum string, n int) {
	h := sha256.New()
	for id := range ids {
		io.WriteString(h, id)
		h.Write([]byte{'\n'})
		n++
	}
	return hex.EncodeToString(h.Sum(nil)), n
}

// ReadManifest reads run.json of a run directory.
func ReadManifest(dir string) (*Manifest, error) {
	path := filepath.Join(dir, ManifestFile)
	f, err := os.Open(path)
	if err != nil {
		if info, serr := os.Stat(dir); serr == nil && info.IsDir() && errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: is not a run directory (no %s in it): %w", dir, ManifestFile, err)
		} else if errors.Is(serr, fs.ErrNotExist) {
			return nil, fmt.Errorf("no run at %s: %w", dir, serr)
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
		return nil, fmt.Errorf("%s: written by a newer gavel (schema %d, this one reads up to %d)", path, m.Schema, manifestSchema)
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
