package judging

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/backends"
	"gavel/datasets"
	"gavel/datasets/rows"
	"gavel/internal/codec"
	"gavel/internal/disk"
)

// Reply is one turn of a judge.
type Reply struct {
	Text     string          `json:"text"`               // without thinking
	Thinking string          `json:"thinking,omitempty"` // kept apart, never read
	Finish   backends.Finish `json:"finish"`             // `stop`, `length`, `prompt-too-long` or `refused`
	// the server's words for the last two; or gavel's, where the prompt was not asked or was cut, or the server ended a
	// reply that repeats itself
	Detail string `json:"detail,omitempty"`
	// of this turn, where known
	PromptTokens int `json:"prompt_tokens,omitempty"`
	// of them from the server's prompt cache; left out where it does not tell
	CachedTokens *int `json:"cached_tokens,omitempty"`
	// of this turn, where known
	ReplyTokens int `json:"reply_tokens,omitempty"`
	// of them thinking; left out where the server does not tell
	ThinkTokens int `json:"think_tokens,omitempty"`
	// milliseconds until the answer was there; of a cached reply, then
	Milliseconds float64 `json:"ms,omitempty"`
	// it was in the cache
	Cached bool `json:"cached,omitempty"`
	// the bundle that a cached reply was taken in from: file name and SHA-256
	Origin   string `json:"origin,omitempty"`
	Endpoint string `json:"endpoint,omitempty"` // `url` of the server that answered, where the run has several
	Model    string `json:"model,omitempty"`    // that the reply names, where it is not the one asked for
	// that the reply came with: it stands for the software and the setup of its server
	SystemFingerprint string `json:"system_fingerprint,omitempty"`
	// the server's own for it and when it was made, of a run that asks more than once: a copy has the same
	ID string `json:"id,omitempty"`
	// the server was asked to hold it to the labels on offer; where the last reply is, it alone is read
	Constrained bool `json:"constrained,omitempty"`
}

// Unasked tells whether the prompt was never sent, since it was known not to fit.
func (r Reply) Unasked() bool { return strings.HasPrefix(r.Detail, notAsked) }

// Probability is how probable a label was, beside the others on offer.
type Probability struct {
	Label string `json:"label"` // as the prompt asks for it
	// natural logarithm of its probability before any constraint; null where it was not told
	Logprob *float64 `json:"logprob"`
	// its share of the labels on offer, 0 to 1; 0 where `logprob` is null
	P float64 `json:"p"`
}

// Imported is what a record taken from another harness's file brings along.
type Imported struct {
	Prompt   string          `json:"prompt,omitempty"`  // the file's own
	Scores   json.RawMessage `json:"scores,omitempty"`  // of a reward model, first shown first
	Decision *string         `json:"decision"`          // as the file has it, in the positions shown
	Missing  bool            `json:"missing,omitempty"` // the file has null for this judgment
	Single   bool            `json:"single,omitempty"`  // by the scores of the other order, of a file that has one order
	// the decision is the verdict, because there is no text that gavel reads
	Stored bool `json:"stored,omitempty"`
}

// Record is one judgment: one line of records.jsonl, complete in itself but for
// the item's texts, which stand once in items.jsonl.
type Record struct {
	Schema   int    `json:"schema"`   // of the record
	Run      string `json:"run"`      // id of the run
	Gavel    string `json:"gavel"`    // version that wrote the record
	Protocol string `json:"protocol"` // as in the manifest
	Prompt   string `json:"prompt"`   // as in the manifest
	// of the first turn's messages, as a JSON array of `role` and `content` without spaces; not of an imported record
	PromptID      string `json:"prompt_sha256,omitempty"`
	Model         string `json:"model"`                 // as in the manifest
	Identity      string `json:"identity"`              // as in the manifest
	Item          string `json:"item"`                  // its id
	Source        string `json:"source"`                // the dataset's own
	Group         string `json:"group"`                 // that it is reported under
	Presentation  int    `json:"showing"`               // which presentation, from 0
	Presentations int    `json:"showings"`              // how many the item has
	First         int    `json:"asked_first,omitempty"` // which presentation of the item was asked first; left out for 0
	Repetition    int    `json:"repeat,omitempty"`      // which time, from 0
	// ids of the candidates in the order shown; empty where a number is asked for
	Order []string `json:"order"`
	// id of the labelled candidate; of a number the number; empty where nobody said
	Gold string `json:"gold"`
	// of the item: `choice`, `number`, `preference`, `judgment`, `options`, `open`; left out for a pair
	Shape datasets.Shape `json:"shape,omitempty"`
	// which way of asking: `cot` or `self` of self-reference, `synthesis` of LLMBar's Swap
	Mode string `json:"mode,omitempty"`
	// of a judgment: id of the question; judgments of one question are resampled together
	Question string           `json:"question,omitempty"`
	Agent    string           `json:"agent,omitempty"` // of a judgment: who answered
	Own      *datasets.Answer `json:"own,omitempty"`   // the judge's self-generated answer, where it can be told
	// of a judgment, where there is `own`: what is read from the agent's answer; empty for nothing
	Said      *string        `json:"said,omitempty"`
	Unrelated string         `json:"unrelated,omitempty"` // of options: id of the option from another item, always `00`
	Ranks     map[string]int `json:"ranks,omitempty"`     // of options: rank by id, 0 the best, where known
	Equal     [][]string     `json:"equal,omitempty"`     // of options: ids whose texts are the same
	Replies   []Reply        `json:"replies"`             // every turn of the judge
	// replies to requests beside the turns, for the probability of a label that no turn tells of
	Asides []Reply `json:"asides,omitempty"`
	// it thought to the token limit, and the last reply is the verdict that was asked for after that (`--finish-thinking`)
	Finished bool `json:"finished_thinking,omitempty"`
	// it gave a verdict and was asked whether it is sure: the last reply alone is read
	Challenged bool    `json:"challenged,omitempty"`
	Outcome    Outcome `json:"outcome"`          // one of the eight of [PROTOCOLS.md](PROTOCOLS.md) §4
	Label      string  `json:"label,omitempty"`  // as the judge wrote it, without brackets
	Choice     string  `json:"choice,omitempty"` // id of the candidate named, where `decided`
	Answer     string  `json:"answer,omitempty"` // where a number is asked for: the number that was read
	// which of several rules found it: `answer-is`, `answer-colon`, `last-letter`, `last-number`, `marker`;
	// `selection`, `anywhere` of options
	Rule  string `json:"rule,omitempty"`
	Error string `json:"error,omitempty"` // why there is no answer, where `failed`
	// of the labels on offer, in the order of the prompt, where the outcome is `decided` or `tie` and the server tells; of
	// a decision model also without a verdict
	Probabilities []Probability `json:"probabilities,omitempty"`
	At            time.Time     `json:"at,omitzero"`        // when the judgment began
	Imported      *Imported     `json:"imported,omitempty"` // of an imported record: what the file says
	// the server could not be asked after the replies came whether it still serves the same model
	Unverified bool `json:"unverified,omitempty"`

	failure error                     // why it failed, of a judgment that was just made
	checks  []*backends.IdentityCheck // of its replies, likewise
}

// recordSchema is raised when a reader of older records would go wrong.
const recordSchema = 1

// NewRecord begins the record of one presentation of an item.
func NewRecord(m *Manifest, item datasets.Item, s Presentation) *Record {
	r := &Record{
		Schema: recordSchema, Item: item.ID, Source: item.Source, Group: item.Group, Gold: item.GoldID(),
		Presentation: s.Index, Mode: s.Mode, Order: orderIDs(item, s), Replies: []Reply{},
	}
	if item.Shape != datasets.Pair {
		r.Shape = item.Shape
	}
	r.Belong(m)
	if p, err := ProtocolNamed(r.Protocol); err == nil && p.Describe != nil {
		p.Describe(r, item, s)
	}
	return r
}

// Belong notes which run the record is of.
func (r *Record) Belong(m *Manifest) {
	r.Run = m.ID
	r.Gavel = m.Gavel
	r.Protocol = m.Spec.Protocol
	r.Prompt = m.Spec.Prompt.Name
	r.Model, r.Identity = m.Spec.Model.Name, m.Spec.Model.Identity
}

// Describe notes who answered what is judged, and what the judge itself answered.
func (r *Record) Describe(a *datasets.Answered) {
	if a != nil {
		r.Question = a.Question
		r.Agent = a.Agent
		r.Own = a.Own
	}
}

// Take notes a verdict.
func (r *Record) Take(v Verdict) {
	r.Outcome = v.Outcome
	r.Label = v.Label
	r.Choice = r.CandidateID(v.Choice)
	r.Answer = v.Answer
	r.Rule = v.Rule
}

// Shown returns the presentation that the record is of.
func (r *Record) Shown() Presentation {
	return Presentation{Index: r.Presentation, Order: r.Positions(), Shape: r.Shape, Mode: r.Mode}
}

// Unit returns the id of what the record is resampled by: its question.
func (r *Record) Unit() string { return cmp.Or(r.Question, r.Item) }

// Positions returns the order shown, as indexes of the item's candidates, whose ids are in order by themselves: A, B
// and so on.
func (r *Record) Positions() []int {
	ids := sortedIDs(r.Order)
	out := make([]int, len(r.Order))
	for i, id := range r.Order {
		out[i] = slices.Index(ids, id)
	}
	return out
}

func sortedIDs(order []string) []string {
	ids := slices.Clone(order)
	slices.Sort(ids)
	return ids
}

// CandidateID names the candidate a verdict chose; "" for nobody.
func (r *Record) CandidateID(choice int) string {
	if choice < 0 || choice >= len(r.Order) {
		return ""
	}
	return sortedIDs(r.Order)[choice]
}

// check refuses a record that no run could have written.
func (r *Record) check() error {
	switch {
	case r.Schema > recordSchema:
		return fmt.Errorf("written by a newer gavel (record schema %d, this one reads up to %d)", r.Schema, recordSchema)
	case r.Schema < 1 || r.Item == "":
		return errors.New("not a record of gavel")
	case !slices.Contains(Outcomes, r.Outcome):
		return fmt.Errorf("unknown outcome %q", r.Outcome)
	case r.Presentation < 0 || max(r.Presentation, r.First) >= r.Presentations || r.First < 0:
		return errors.New("a record without an order shown")
	case len(r.Order) < r.Shape.Info().Least:
		return fmt.Errorf("a record without an order shown: it has %d of at least %d candidates",
			len(r.Order), r.Shape.Info().Least)
	case r.Repetition < 0 || r.Repetition >= MaxRepetitions:
		return fmt.Errorf("repeat %d: it is from 0 to %d", r.Repetition, MaxRepetitions-1)
	case !slices.Contains(r.Order, r.Gold) && r.Shape.Info().Least > 0 &&
		(r.Gold != "" || r.Shape == datasets.Choice || r.Shape == datasets.Judgment):
		return fmt.Errorf("gold %q was not shown", r.Gold)
	case r.Choice != "" && !slices.Contains(r.Order, r.Choice):
		return fmt.Errorf("choice %q was not shown", r.Choice)
	case r.Outcome == Decided && r.Choice == "" && r.Answer == "":
		return errors.New("decided, but for nobody")
	case len(r.Asides) > 0 && len(r.Replies) == 0:
		return errors.New("asides without a reply")
	case r.Outcome != Decided && r.Choice+r.Answer != "":
		return fmt.Errorf("outcome %s, but choice %q", r.Outcome, r.Choice+r.Answer)
	}
	ids := sortedIDs(r.Order)
	if len(slices.Compact(ids)) != len(r.Order) {
		return errors.New("a candidate shown twice")
	}
	if p, err := ProtocolNamed(r.Protocol); err == nil && p.Check != nil {
		return p.Check(r)
	}
	return nil
}

// Cluster tells items of the record's source that belong together, and what that is in words; see [datasets.ClusterOf].
func (r *Record) Cluster() (of func(id string) string, what string) {
	return datasets.ClusterOf(r.Source)
}

// RightVerdict tells whether a verdict on the record's item is the dataset's.
func RightVerdict(r *Record, v Verdict) bool {
	if p, err := ProtocolNamed(r.Protocol); err == nil && p.Right != nil {
		return p.Right(r, v)
	}
	choice := r.CandidateID(v.Choice)
	return choice != "" && choice == r.Gold
}

// ToName lists the candidates that it is right to name in a run, by id; none where nobody can say.
func (m *Manifest) ToName(r *Record) []string {
	if p, err := ProtocolNamed(m.Spec.Protocol); err == nil && p.ToName != nil {
		return p.ToName(r, m.Spec.Options)
	}
	if r.Gold == "" {
		return nil
	}
	return []string{r.Gold}
}

// Right tells whether a verdict of a run is right; known is false where nobody can say.
func (m *Manifest) Right(r *Record, v Verdict) (right, known bool) {
	if p, err := ProtocolNamed(m.Spec.Protocol); err != nil || p.ToName == nil {
		return RightVerdict(r, v), r.Gold != ""
	}
	ids := m.ToName(r)
	return slices.Contains(ids, r.CandidateID(v.Choice)), len(ids) > 0
}

// IsPreference tells whether the record is of two responses and what was preferred, a tie included.
func (r *Record) IsPreference() bool { return r.Shape == datasets.Preference }

// ReadRecords calls f for every record of a file, in the order written. It skips empty lines and an unfinished last
// line, as a killed run leaves it; for any other line that cannot be read it returns an error with the line's number.
func ReadRecords(path string, f func(*Record) error) error {
	return ReadRecordsBy(path, nothing, func(r *Record, _ struct{}) error { return f(r) })
}

func nothing(*Record) (none struct{}, err error) { return none, nil }

// ReadRecordsBy is ReadRecords for those who make something of each record alone before f takes it: read is called from
// many goroutines.
func ReadRecordsBy[T any](path string, read func(*Record) (T, error), f func(*Record, T) error) error {
	file, _, err := disk.Open(nil, path)
	if err != nil {
		return err
	}
	defer file.Close()
	return ScanRecords(path, file, read, f)
}

// ScanRecords is [ReadRecordsBy] of a stream; errors name it by path.
func ScanRecords[T any](path string, r io.Reader, read func(*Record) (T, error), f func(*Record, T) error) error {
	type stored struct {
		rec  *Record
		made T
		err  error // of read
	}
	decode := func(line []byte) (v stored, err error) {
		v.rec, err = DecodeRecord(line)
		if err == nil {
			v.made, v.err = read(v.rec)
		}
		return v, err
	}
	err := EachStored(r, decode, func(line StoredLine[stored]) error {
		if line.Err != nil {
			return fmt.Errorf("%s:%d: damaged record: %w; mend the line or delete it: "+
				"a judgment without a record is asked again by the same run command", path, line.Number, line.Err)
		}
		err := line.Value.err
		if err == nil {
			err = f(line.Value.rec, line.Value.made)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, line.Number, err)
		}
		return nil
	})
	var at *rows.LineError
	if errors.As(err, &at) {
		return fmt.Errorf("%s:%d: damaged record: %w", path, at.Line, at.Err)
	}
	return err
}

// recordWriter appends records to a file, each with one write, so that a kill
// leaves whole lines and at most one broken one at the end. A second after it was
// written at the latest a record is on disk: to wait for that with each takes
// longer than a small judge needs.
type recordWriter struct {
	path string
	mu   sync.Mutex
	file recordFile // nil before open
	size int64
	due  *time.Timer // of the next flush; nil where none is due
	lost error       // of an earlier flush

	flushing sync.Mutex
}

// recordFile is what of a file is needed.
type recordFile interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// flushEvery is how long a record may be elsewhere than on disk.
const flushEvery = time.Second

// open opens a file, which may not be a link, for writing after its last whole line.
func (w *recordWriter) open(path string) error {
	w.path = path
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return w.failed(err)
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.Base(path), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err == nil {
		w.file = file
		w.size, err = wholeLines(path)
		err = errors.Join(err, file.Truncate(w.size))
	}
	return w.failed(err)
}

// failed wraps a write error with the name of the file.
func (w *recordWriter) failed(err error) error {
	if err == nil {
		return nil
	}
	return kept(disk.Writing(w.path, err))
}

func (w *recordWriter) write(r *Record) error {
	line, err := codec.Marshal(r) // before the lock, so that several run in parallel
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost != nil {
		return w.failed(w.lost)
	}
	n, err := w.file.Write(append(line, '\n'))
	if err != nil {
		w.file.Truncate(w.size) // half a line helps nobody
		return w.failed(err)
	}
	w.size += int64(n)
	if w.due == nil {
		w.due = time.AfterFunc(flushEvery, func() { w.flush() })
	}
	return nil
}

// flush has on disk what was written before.
func (w *recordWriter) flush() error {
	w.flushing.Lock() // whoever comes second waits for what the first has under way
	defer w.flushing.Unlock()
	w.mu.Lock()
	due, lost := w.due, w.lost
	w.due = nil
	w.mu.Unlock()
	if due == nil || lost != nil {
		return w.failed(lost)
	}
	due.Stop()
	err := disk.Sync(w.file)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.lost = err
	return w.failed(err)
}

// close is the last flush.
func (w *recordWriter) close() error {
	if w.file == nil {
		return nil
	}
	return errors.Join(w.flush(), w.file.Close())
}
