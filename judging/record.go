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

// Reply holds one turn of a judge.
type Reply struct {
	Text     string          `json:"text"`               // text of the reply, without thinking
	Thinking string          `json:"thinking,omitempty"` // stored only, never read for the verdict
	Finish   backends.Finish `json:"finish"`             // how it ended: `stop`, `length`, `prompt-too-long` or `refused`
	// the server's message if `finish` is `prompt-too-long` or `refused`; or gavel's, if the prompt was not sent or was
	// truncated, or the server ended a reply that repeats itself
	Detail string `json:"detail,omitempty"`
	// tokens of this turn's prompt, where known
	PromptTokens int `json:"prompt_tokens,omitempty"`
	// prompt tokens from the server's prompt cache; left out if the server does not report them
	CachedTokens *int `json:"cached_tokens,omitempty"`
	// tokens of this turn's reply, where known
	ReplyTokens int `json:"reply_tokens,omitempty"`
	// reply tokens used for thinking; left out if the server does not report them
	ThinkTokens int `json:"think_tokens,omitempty"`
	// milliseconds until the reply arrived; for a cached reply, when a server first gave it
	Milliseconds float64 `json:"ms,omitempty"`
	// the reply comes from the cache
	Cached bool `json:"cached,omitempty"`
	// the bundle from which a cached reply was imported: file name and SHA-256
	ImportBundle string `json:"origin,omitempty"`
	Endpoint     string `json:"endpoint,omitempty"` // `url` of the server that answered, if the run has several
	Model        string `json:"model,omitempty"`    // the model named in the reply, if not the requested one
	// the reply's fingerprint of the server's software and setup
	SystemFingerprint string `json:"system_fingerprint,omitempty"`
	// in a run with repetitions: the server's id of the reply and its time; a reply that the server only copied has the
	// same as another
	ID string `json:"id,omitempty"`
	// the server was asked to constrain the reply to the labels on offer; if this is the last reply, the verdict is
	// read from this one alone
	Constrained bool `json:"constrained,omitempty"`
}

// LastReply returns the last of a record's replies; the zero value if there is none.
func (r *Record) LastReply() (last Reply) {
	if n := len(r.Replies); n > 0 {
		last = r.Replies[n-1]
	}
	return last
}

// NotSent reports whether gavel did not send the prompt because its tokens, as counted, do not fit.
func (r Reply) NotSent() bool { return strings.HasPrefix(r.Detail, notSentPrefix) }

// Probability holds the probability of one of the labels that a prompt offers.
type Probability struct {
	Label string `json:"label"` // as the prompt asks for it
	// natural logarithm of the label's probability before any constraint; null if the server did not return it
	Logprob *float64 `json:"logprob"`
	// the label's share of the summed probabilities of all labels on offer, 0 to 1; 0 if `logprob` is null
	P float64 `json:"p"`
}

// ImportedFields holds the data of a record that comes from another harness's file.
type ImportedFields struct {
	Prompt          string          `json:"prompt,omitempty"`  // the prompt in the file
	Scores          json.RawMessage `json:"scores,omitempty"`  // of a reward model: one a candidate, as shown
	Decision        *string         `json:"decision"`          // the verdict in the file, by the positions shown
	JudgmentMissing bool            `json:"missing,omitempty"` // the file has null for this judgment
	// the judgment is derived from the scores of the other order, since the file has one order only
	SingleOrder bool `json:"single,omitempty"`
	// `decision` is the verdict, because the file has no text to read
	DecisionIsVerdict bool `json:"stored,omitempty"`
}

// Record holds one judgment: one line of records.jsonl, complete in itself except for the item's texts, which
// items.jsonl has once.
type Record struct {
	Schema   int    `json:"schema"`   // version of the record's format
	Run      string `json:"run"`      // id of the run
	Gavel    string `json:"gavel"`    // version of gavel that wrote the record
	Protocol string `json:"protocol"` // name of the protocol
	Prompt   string `json:"prompt"`   // name of the prompt
	// SHA-256 of the first turn's messages, a JSON array of `role` and `content` without spaces; not of an imported
	// record
	PromptID          string `json:"prompt_sha256,omitempty"`
	Model             string `json:"model"`                 // the judge's name on its server
	Identity          string `json:"identity"`              // the judge's `spec.model.identity` in the run's `run.json`
	Item              string `json:"item"`                  // id of the item
	Source            string `json:"source"`                // origin of the item, as the dataset names it
	Group             string `json:"group"`                 // the category by which the item is reported
	Presentation      int    `json:"showing"`               // number of the presentation judged, from 0
	Presentations     int    `json:"showings"`              // number of the item's presentations
	FirstPresentation int    `json:"asked_first,omitempty"` // the item's presentation that was asked first; left out for 0
	Repetition        int    `json:"repeat,omitempty"`      // number of the repetition, from 0
	// ids of the candidates in the order shown; empty if the answer is a number
	Order []string `json:"order"`
	// id of the labelled candidate, or the labelled number; empty without a label
	Gold string `json:"gold"`
	// shape of the item: `choice`, `number`, `preference`, `judgment`, `options`, `open`, `response`; left out for a pair
	Shape datasets.Shape `json:"shape,omitempty"`
	// the way of asking: `cot` or `self` of self-reference, `synthesis` of LLMBar's Swap, the axis of `--vary`
	Mode string `json:"mode,omitempty"`
	// of a judgment: id of the question; of a response with people's scores: digest of the question; records of one
	// question are resampled together
	QuestionID string           `json:"question,omitempty"`
	Agent      string           `json:"agent,omitempty"` // of a judgment: the model that answered
	Own        *datasets.Answer `json:"own,omitempty"`   // the judge's own answer, if known
	// of a response: people's scores
	People *datasets.PeopleScores `json:"people,omitempty"`
	// of a judgment with `own`: the final answer read from the agent's answer; empty if none
	AgentFinalAnswer *string `json:"said,omitempty"`
	// of options: id of the option from another item, always `00`
	UnrelatedID  string         `json:"unrelated,omitempty"`
	Ranks        map[string]int `json:"ranks,omitempty"` // of options: rank by id, 0 the best, if known
	EqualOptions [][]string     `json:"equal,omitempty"` // of options: groups of ids with the same text
	Replies      []Reply        `json:"replies"`         // the judge's reply in every turn
	// replies to extra requests, for the probability of a label that no turn returned
	ExtraReplies []Reply `json:"asides,omitempty"`
	// the judge reached the token limit while thinking; the last reply is the verdict that gavel asked for after that
	// (`--finish-thinking`)
	VerdictAfterThinkLimit bool `json:"finished_thinking,omitempty"`
	// the judge gave a verdict and was asked whether it is sure; the verdict is read from the last reply alone
	Challenged bool    `json:"challenged,omitempty"`
	Outcome    Outcome `json:"outcome"`          // one of the eight of [PROTOCOLS.md](PROTOCOLS.md) §4
	Label      string  `json:"label,omitempty"`  // the verdict's label as the judge wrote it, without brackets
	Choice     string  `json:"choice,omitempty"` // id of the chosen candidate, if `outcome` is `decided`
	Answer     string  `json:"answer,omitempty"` // the number read, if the answer is a number
	// the rule that found the verdict, if the protocol has several: `answer-is`, `answer-colon`, `last-letter`,
	// `last-number`, `marker`; for options `selection`, `anywhere`
	Rule  string `json:"rule,omitempty"`
	Error string `json:"error,omitempty"` // why there is no reply, if `outcome` is `failed`
	// probabilities of the labels on offer, in the order of the prompt, if the outcome is `decided` or `tie` and the
	// server returns them; of a decision model also without a verdict
	Probabilities []Probability   `json:"probabilities,omitempty"`
	At            time.Time       `json:"at,omitzero"`        // when the judgment began
	Imported      *ImportedFields `json:"imported,omitempty"` // of an imported record: the file's data
	// after the replies, the server could not be asked whether it still serves the same model
	Unverified bool `json:"unverified,omitempty"`

	failure error // why a new judgment failed; not stored
	// checks of the server's model for which a new judgment waits; not stored
	pendingIdentityChecks []*backends.IdentityCheck
}

// recordSchema is the version of the record's format. It must be raised when an older gavel would misread new records.
const recordSchema = 1

// NewRecord returns the record of one presentation of an item, without replies.
func NewRecord(m *Manifest, item datasets.Item, s Presentation) *Record {
	r := &Record{
		Schema: recordSchema, Item: item.ID, Source: item.Source, Group: item.Group, Gold: item.GoldID(),
		Presentation: s.Index, Mode: s.Mode, Order: make([]string, len(s.Order)), Replies: []Reply{},
	}
	for position, c := range s.Order {
		r.Order[position] = item.Candidates[c].ID
	}
	if item.Shape != datasets.ShapePair {
		r.Shape = item.Shape
	}
	r.SetRun(m)
	if p, _ := ProtocolNamed(r.Protocol); p.FillRecord != nil {
		p.FillRecord(r, item, s)
	}
	return r
}

// SetRun sets the fields that the record copies from its run's manifest.
func (r *Record) SetRun(m *Manifest) {
	r.Run = m.ID
	r.Gavel = m.Gavel
	r.Protocol = m.Spec.Protocol
	r.Prompt = m.Spec.Prompt.Name
	r.Model, r.Identity = m.Spec.Model.Name, m.Spec.Model.Identity
}

// SetAnsweredQuestion sets the question, the agent that answered it, and the judge's own answer, unless a is nil.
func (r *Record) SetAnsweredQuestion(a *datasets.AgentAnswer) {
	if a != nil {
		r.QuestionID = a.QuestionID
		r.Agent = a.Agent
		r.Own = a.Own
	}
}

// SetVerdict sets the fields that a verdict determines: outcome, label, choice, answer and rule.
func (r *Record) SetVerdict(v Verdict) {
	r.Outcome = v.Outcome
	r.Label = v.Label
	r.Choice = r.CandidateID(v.Choice)
	r.Answer = v.Answer
	r.Rule = v.Rule
}

// Shown returns the presentation that was judged.
func (r *Record) Shown() Presentation {
	return Presentation{Index: r.Presentation, Order: r.CandidateOrder(), Shape: r.Shape, Mode: r.Mode}
}

// ResamplingUnit returns the record's question id, or else its item id. Records that share it are resampled together.
func (r *Record) ResamplingUnit() string { return cmp.Or(r.QuestionID, r.Item) }

// CandidateOrder returns the order shown, as indexes of the item's candidates, whose ids in order are A, B and so on.
func (r *Record) CandidateOrder() []int {
	ids := sortedIDs(r.Order)
	out := make([]int, len(r.Order))
	for i, id := range r.Order {
		out[i] = slices.Index(ids, id)
	}
	return out
}

// sortedIDs returns the ids of an order in alphabetical order, which is the order of the item's candidates.
func sortedIDs(order []string) []string {
	ids := slices.Clone(order)
	slices.Sort(ids)
	return ids
}

// CandidateID returns the id of the candidate with the index choice, or "" if there is none.
func (r *Record) CandidateID(choice int) string {
	if choice < 0 || choice >= len(r.Order) {
		return ""
	}
	return sortedIDs(r.Order)[choice]
}

// check returns an error for a record that no run could have written.
func (r *Record) check() error {
	switch {
	case r.Schema > recordSchema:
		return fmt.Errorf("written by a newer gavel (record schema %d, this one reads up to %d)", r.Schema, recordSchema)
	case r.Schema < 1 || r.Item == "":
		return errors.New("not a record of gavel")
	case !slices.Contains(Outcomes, r.Outcome):
		return fmt.Errorf("unknown outcome %q", r.Outcome)
	case r.Presentation < 0 || max(r.Presentation, r.FirstPresentation) >= r.Presentations || r.FirstPresentation < 0:
		return errors.New("a record without an order shown")
	case len(r.Order) < r.Shape.Info().MinCandidates:
		return fmt.Errorf("a record without an order shown: it has %d of at least %d candidates",
			len(r.Order), r.Shape.Info().MinCandidates)
	case r.Repetition < 0 || r.Repetition >= MaxRepetitions:
		return fmt.Errorf("repeat %d: it is from 0 to %d", r.Repetition, MaxRepetitions-1)
	case !slices.Contains(r.Order, r.Gold) && r.Shape.Info().MinCandidates > 0 &&
		(r.Gold != "" || r.Shape == datasets.ShapeChoice || r.Shape == datasets.ShapeJudgment):
		return fmt.Errorf("gold %q was not shown", r.Gold)
	case r.Choice != "" && !slices.Contains(r.Order, r.Choice):
		return fmt.Errorf("choice %q was not shown", r.Choice)
	case r.Outcome == Decided && r.Choice == "" && r.Answer == "":
		return errors.New("decided, but for nobody")
	case len(r.ExtraReplies) > 0 && len(r.Replies) == 0:
		return errors.New("asides without a reply")
	case r.Outcome != Decided && r.Choice+r.Answer != "":
		return fmt.Errorf("outcome %s, but choice %q", r.Outcome, r.Choice+r.Answer)
	}
	ids := sortedIDs(r.Order)
	if len(slices.Compact(ids)) != len(r.Order) {
		return errors.New("a candidate shown twice")
	}
	if p, _ := ProtocolNamed(r.Protocol); p.CheckRecord != nil {
		return p.CheckRecord(r)
	}
	return nil
}

// ClusterKeyFunc returns a function from an item's id to a key that related items of the record's source share, and a
// noun for the key, such as "question"; nil if items are independent. See [datasets.ClusterFunc].
func (r *Record) ClusterKeyFunc() (key func(id string) string, noun string) {
	return datasets.ClusterFunc(r.Source)
}

// IsRightVerdict reports whether a verdict on the record's item is correct.
func IsRightVerdict(r *Record, v Verdict) bool {
	if p, _ := ProtocolNamed(r.Protocol); p.Right != nil {
		return p.Right(r, v)
	}
	choice := r.CandidateID(v.Choice)
	return choice != "" && choice == r.Gold
}

// CorrectCandidateIDs lists the ids of the record's correct candidates by the labels and the run's options, if known.
func (m *Manifest) CorrectCandidateIDs(r *Record) []string {
	if p, _ := ProtocolNamed(m.Spec.Protocol); p.CorrectIDs != nil {
		return p.CorrectIDs(r, m.Spec.ProtocolOptions)
	}
	if r.Gold == "" {
		return nil
	}
	return []string{r.Gold}
}

// Right reports whether a verdict on a record of the run is correct; ok is false if unknown, as for a score alone.
func (m *Manifest) Right(r *Record, v Verdict) (right, ok bool) {
	p, _ := ProtocolNamed(m.Spec.Protocol)
	switch {
	case p.ScoresCandidates:
		return false, false
	case p.CorrectIDs == nil:
		return IsRightVerdict(r, v), r.Gold != ""
	}
	ids := m.CorrectCandidateIDs(r)
	return slices.Contains(ids, r.CandidateID(v.Choice)), len(ids) > 0
}

// IsPreference reports whether the record's label is a preference between two responses, or a tie.
func (r *Record) IsPreference() bool { return r.Shape == datasets.ShapePreference }

// ReadRecords calls f for every record of a file, in the order written. It skips empty lines and an unfinished last
// line, which a killed run leaves. For any other unreadable line it returns an error with the line's number.
func ReadRecords(path string, f func(*Record) error) error {
	return ReadRecordsWithValues(path, readNoValue, func(r *Record, _ struct{}) error { return f(r) })
}

// readNoValue is the read function of callers that need no value beside the record.
func readNoValue(*Record) (none struct{}, err error) { return none, nil }

// ReadRecordsWithValues works like ReadRecords. It also calls read for each record, from several goroutines, and passes
// the value to f.
func ReadRecordsWithValues[T any](path string, read func(*Record) (T, error), f func(*Record, T) error) error {
	file, _, err := disk.Open(nil, path)
	if err != nil {
		return err
	}
	defer file.Close()
	return ScanRecords(path, file, read, f)
}

// ScanRecords works like [ReadRecordsWithValues] on a stream. path names the stream in errors.
func ScanRecords[T any](path string, r io.Reader, read func(*Record) (T, error), f func(*Record, T) error) error {
	type stored struct {
		rec   *Record
		value T
		err   error // from read
	}
	decode := func(line []byte) (v stored, err error) {
		v.rec, err = DecodeRecord(line)
		if err == nil {
			v.value, v.err = read(v.rec)
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
			err = f(line.Value.rec, line.Value.value)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, line.Number, err)
		}
		return nil
	})
	var lineErr *rows.LineError
	if errors.As(err, &lineErr) {
		return fmt.Errorf("%s:%d: damaged record: %w", path, lineErr.Line, lineErr.Err)
	}
	return err
}

// recordWriter appends records to a file, each with one write, so that a kill leaves whole lines and at most one broken
// line at the end. A record is on disk at most a second after it was written: waiting for the disk after each record
// would take longer than a small judge.
type recordWriter struct {
	path       string
	mu         sync.Mutex
	file       recordFile  // nil before open
	size       int64       // bytes of whole lines in the file
	flushTimer *time.Timer // fires the next flush; nil if none is due
	flushErr   error       // error of an earlier flush, after which nothing more is written

	flushLock sync.Mutex // held during a flush
}

// recordFile has the methods of a file that recordWriter uses.
type recordFile interface {
	io.WriteCloser
	Sync() error
	Truncate(size int64) error
}

// flushEvery limits the time until a record is on disk.
const flushEvery = time.Second

// open opens a file, which may not be a link, to append after its last whole line.
func (w *recordWriter) open(path string) error {
	w.path = path
	root, err := os.OpenRoot(filepath.Dir(path))
	if err != nil {
		return w.wrap(err)
	}
	defer root.Close()
	file, err := root.OpenFile(filepath.Base(path), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err == nil {
		w.file = file
		w.size, err = completeLength(path)
		err = errors.Join(err, file.Truncate(w.size))
	}
	return w.wrap(err)
}

// wrap adds the name of the file to a write error.
func (w *recordWriter) wrap(err error) error {
	if err == nil {
		return nil
	}
	return withFullDiskNote(disk.WriteError(w.path, err))
}

// write appends a record as one line, and arranges for a flush.
func (w *recordWriter) write(r *Record) error {
	line, err := codec.Marshal(r) // before the lock, so that several records are encoded in parallel
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.flushErr != nil {
		return w.wrap(w.flushErr)
	}
	n, err := w.file.Write(append(line, '\n'))
	if err != nil {
		w.file.Truncate(w.size) // leaves no half line
		return w.wrap(err)
	}
	w.size += int64(n)
	if w.flushTimer == nil {
		w.flushTimer = time.AfterFunc(flushEvery, func() { w.flush() })
	}
	return nil
}

// flush syncs the records written so far to disk.
func (w *recordWriter) flush() error {
	w.flushLock.Lock() // a second caller waits for the sync of the first
	defer w.flushLock.Unlock()
	w.mu.Lock()
	due, flushErr := w.flushTimer, w.flushErr
	w.flushTimer = nil
	w.mu.Unlock()
	if due == nil || flushErr != nil {
		return w.wrap(flushErr)
	}
	due.Stop()
	err := disk.Sync(w.file)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.flushErr = err
	return w.wrap(err)
}

// close flushes and closes the file.
func (w *recordWriter) close() error {
	if w.file == nil {
		return nil
	}
	return errors.Join(w.flush(), w.file.Close())
}
