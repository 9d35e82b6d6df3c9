package judging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"gavel/backends"
	"gavel/datasets"
)

// Job is a run to be made.
type Job struct {
	Manifest *Manifest
	Protocol Protocol
	Set      *datasets.Set
	Rows     []int // items of Set to judge
	Client   backends.Client
	Context  int // context the server is known to serve; 0 where it does not tell
	// Concurrency is how many items are judged at once. The showings of one
	// item follow each other, so that the server's prefix cache still holds
	// the question.
	Concurrency int
	Standing    Standing // judgments that need not be asked for
	// Write stores a record; a failure ends the run.
	Write func(*Record) error
	// Progress is told of every record written. May be nil. It is called from
	// many goroutines.
	Progress func(*Record)
	// Stop, when closed, ends the run once what is in flight is done.
	Stop <-chan struct{}
	// GiveUp is how many calls in a row may fail before the run ends; default
	// 10, or twice the concurrency where that is more.
	GiveUp int
	Now    func() time.Time
}

// ErrStopped says that the run was told to stop.
var ErrStopped = errors.New("stopped")

// GaveUpError says that the endpoint stopped answering.
type GaveUpError struct {
	Calls int
	Last  string
}

func (e *GaveUpError) Error() string {
	return fmt.Sprintf("%d calls in a row failed, the last with: %s", e.Calls, e.Last)
}

// Run asks for every judgment that is missing. A call that fails is a record,
// and the run goes on; it ends early when told to stop, when the context ends,
// when a record cannot be written, or when too many calls in a row fail.
func (j *Job) Run(ctx context.Context) error {
	if j.Now == nil {
		j.Now = time.Now
	}
	giveUp := int64(j.GiveUp)
	if giveUp == 0 {
		giveUp = int64(max(10, 2*j.Concurrency))
	}
	whole := ctx
	g, ctx := errgroup.WithContext(ctx)
	workers := max(1, j.Concurrency)
	var failures atomic.Int64 // in a row
	var gaveUp atomic.Pointer[GaveUpError]
	ended := func() bool { return ctx.Err() != nil || j.stopped() || gaveUp.Load() != nil }
	count := func(rec *Record) {
		if rec.Outcome != Failed {
			failures.Store(0)
		} else if n := failures.Add(1); n >= giveUp {
			gaveUp.CompareAndSwap(nil, &GaveUpError{int(n), rec.Error})
		}
	}
	rows := make(chan int)
	// Workers that live as long as the run, not one for each item: their stacks
	// have grown to what a call needs.
	for range workers {
		g.Go(func() error {
			for row := range rows {
				if err := j.item(ctx, row, ended, count); err != nil {
					return err
				}
			}
			return nil
		})
	}
	g.Go(func() error {
		defer close(rows)
		for _, row := range j.Rows {
			if j.Standing.Complete(j.Set.ID(row)) {
				continue
			}
			select {
			case rows <- row:
			case <-ctx.Done():
				return nil
			}
			if ended() {
				return nil
			}
		}
		return nil
	})
	err := g.Wait()
	switch {
	case err != nil:
		return err
	case gaveUp.Load() != nil:
		return gaveUp.Load()
	case j.stopped():
		return ErrStopped
	}
	return context.Cause(whole) // nil, or it ended while no call was in flight
}

// item asks for the judgments of one item that are missing, one after the other.
func (j *Job) item(ctx context.Context, row int, ended func() bool, count func(*Record)) error {
	item, err := j.Set.Item(row)
	if err != nil {
		return err
	}
	showings := j.Protocol.Showings(item)
	for _, s := range showings {
		if j.Standing.Has(item.ID, s.Index) {
			continue
		}
		if ended() {
			return nil
		}
		rec, err := j.judge(ctx, item, s)
		if err != nil {
			return err
		}
		rec.Showings = len(showings)
		if err := j.Write(rec); err != nil {
			return err
		}
		if j.Progress != nil {
			j.Progress(rec)
		}
		count(rec)
	}
	return nil
}

func (j *Job) stopped() bool {
	select {
	case <-j.Stop:
		return true
	default:
		return false
	}
}

// Standing is which judgments of a run stand already. The nil map is none.
type Standing map[string][]bool

// Add notes a record.
func (s Standing) Add(r *Record) {
	if s[r.Item] == nil {
		s[r.Item] = make([]bool, r.Showings)
	}
	if r.Showing < len(s[r.Item]) {
		s[r.Item][r.Showing] = true
	}
}

// Has tells whether one judgment stands.
func (s Standing) Has(item string, showing int) bool {
	have := s[item]
	return showing < len(have) && have[showing]
}

// Count is how many judgments stand.
func (s Standing) Count() int {
	n := 0
	for _, have := range s {
		for _, h := range have {
			if h {
				n++
			}
		}
	}
	return n
}

// Complete tells whether all judgments of an item stand.
func (s Standing) Complete(item string) bool {
	have, ok := s[item]
	return ok && !slices.Contains(have, false)
}

// judge asks until there is a verdict or the attempts are used up. Its error is
// that of the context; every other failure is in the record.
func (j *Job) judge(ctx context.Context, item datasets.Item, s Showing) (*Record, error) {
	m := j.Manifest
	prompt := j.Protocol.Prompt(item, s)
	rec := &Record{
		Schema: recordSchema, Run: m.ID, Gavel: m.Gavel,
		Protocol: m.Spec.Protocol, Prompt: m.Spec.Prompt.Name,
		Model: m.Spec.Model.Name, Identity: m.Spec.Model.Identity,
		Item: item.ID, Source: item.Source, Group: item.Group,
		Showing: s.Index, Order: orderIDs(item, s), Gold: item.Candidates[item.Gold].ID,
		Replies: []Reply{},
		At:      j.Now().UTC().Truncate(time.Millisecond),
	}
	messages := FirstTurn(prompt, m.Spec.Parameters.SystemRole)
	encoded := backends.EncodeMessages(messages)
	rec.PromptID = hashEncoded(encoded)
	how := Reading{Policy: Unique, AcceptCut: m.Spec.Parameters.AcceptCut}
	var v Verdict
	for attempt := 1; ; attempt++ {
		resp, err := j.Client.Ask(ctx, j.request(messages, encoded, &prompt.Oracle))
		if err != nil {
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			rec.Outcome, rec.Error = Failed, err.Error()
			return rec, nil
		}
		rec.Replies = append(rec.Replies, reply(resp))
		if v, err = rec.Read(j.Protocol, how); err != nil {
			return nil, err
		}
		if v.Outcome != NoVerdict || prompt.FollowUp == "" || attempt >= m.Spec.Parameters.Attempts {
			break
		}
		messages = append(messages,
			backends.Message{Role: backends.Assistant, Content: resp.Text},
			backends.Message{Role: backends.User, Content: prompt.FollowUp})
		encoded = backends.EncodeMessages(messages)
	}
	rec.Outcome, rec.Label, rec.Choice = v.Outcome, v.Label, rec.CandidateID(v.Choice)
	return rec, nil
}

func reply(r backends.Response) Reply {
	return Reply{
		Text: r.Text, Thinking: r.Thinking, Finish: r.Finish, Detail: r.Detail,
		PromptTokens: r.PromptTokens, ReplyTokens: r.ReplyTokens,
		Milliseconds: float64(r.Took.Microseconds()) / 1000, Cached: r.Cached,
	}
}

func orderIDs(item datasets.Item, s Showing) []string {
	ids := make([]string, len(s.Order))
	for place, c := range s.Order {
		ids[place] = item.Candidates[c].ID
	}
	return ids
}

func (j *Job) request(messages []backends.Message, encoded []byte, oracle *backends.Oracle) backends.Request {
	r := j.Manifest.Spec.request(messages)
	r.Context, r.Oracle, r.Encoded = j.Context, oracle, encoded
	return r
}

func (s Spec) request(messages []backends.Message) backends.Request {
	p := s.Parameters
	return backends.Request{
		Identity: s.Model.Identity, Model: s.Model.Name, Messages: messages,
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed,
		MaxTokens: p.MaxTokens, NumCtx: p.NumCtx,
	}
}

// FirstTurn is the conversation a judge is asked with. With the system role
// "user" the system text stands before the user's, for models whose template
// refuses a system role.
func FirstTurn(p Prompt, systemRole string) []backends.Message {
	if systemRole == backends.User {
		return []backends.Message{{Role: backends.User, Content: p.System + "\n\n" + p.User}}
	}
	return []backends.Message{{Role: backends.System, Content: p.System}, {Role: backends.User, Content: p.User}}
}

// HashMessages is the SHA-256 of a conversation's JSON.
func HashMessages(messages []backends.Message) string {
	return hashEncoded(backends.EncodeMessages(messages))
}

func hashEncoded(messages []byte) string {
	sum := sha256.Sum256(messages)
	return hex.EncodeToString(sum[:])
}

// SizeContext is the context, in tokens, that a run needs on a server that must
// be told (Ollama): the longest prompt, and a reply of full length for every
// attempt. No tokenizer makes more than one token of a byte, so the prompt's
// bytes are an upper bound that needs none; 256 more are for the chat template.
// It is rounded up, so that small changes do not make the server load the model
// anew, and never more than the model was trained for (0 where unknown).
func SizeContext(promptBytes, maxTokens, attempts, trained int) int {
	n := promptBytes + 256 + attempts*(maxTokens+32)
	n = (n + 2047) / 2048 * 2048
	if trained > 0 {
		n = min(n, trained)
	}
	return n
}
