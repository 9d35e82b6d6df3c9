package judging

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"gavel/backends"
	"gavel/datasets"
)

// Job is a run to be made.
type Job struct {
	Manifest *Manifest
	Asker    Asker
	Set      *datasets.Set
	Rows     []int // items of Set to judge
	Order    []int // those to be asked about now, in that order; nil: Rows
	Client   backends.Client
	// Limit is the most tokens a prompt may have, 0 where that is unknown. A
	// prompt that may have more is counted, and not asked if it has.
	Limit int
	Count func(context.Context, backends.Request) (int, error) // see [backends.Counter]; may be nil
	// Concurrency is how many judgments are asked for at once. Those of one item follow each other, so that the server's
	// prefix cache still holds the question, but for the last items of a run (see queue).
	Concurrency int
	// Together asks for the judgments of one item at the same time: for servers whose running requests share a prefix.
	// There a queue does not push the question out of the cache before the item's second judgment has its turn.
	Together bool
	// AtOnce, where it is not nil, is Concurrency while the run goes on: it is asked again after every judgment.
	AtOnce    func() int
	Completed Completed // judgments that need not be asked for
	// Write stores a record; a failure ends the run.
	Write func(*Record) error
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

// Run asks for every judgment that is missing. A call that fails is a record, and the run goes on; it ends early when
// told to stop, when the context ends, when a record cannot be written, when too many calls in a row fail, or when the
// server turns out to serve another model: *backends.ModelChangedError.
func (j *Job) Run(ctx context.Context) error {
	if j.Now == nil {
		j.Now = time.Now
	}
	q := newQueue(j)
	whole := ctx
	g, ctx := errgroup.WithContext(ctx)
	var hire func()
	// A worker lives for many items, not for one: its stack has grown to the size that a call needs.
	worker := func() (err error) {
		defer Caught(&err)
		var w *work
		for {
			var next judgment
			w, next, err = q.next(ctx, w)
			if w == nil || err != nil {
				return err
			}
			if err := j.judgment(ctx, w, next, q); err != nil {
				return err
			}
			hire()
		}
	}
	hire = func() {
		for range q.vacancies() {
			g.Go(worker)
		}
	}
	hire()
	err := g.Wait()
	switch {
	case err != nil:
		return err
	case q.end != nil:
		return q.end
	case j.stopped():
		return ErrStopped
	}
	return context.Cause(whole) // nil, or it ended while no call was in flight
}

// Caught, deferred, makes an error of a panic: a server that makes several runs goes on with the others.
func Caught(err *error) {
	p := recover()
	if p == nil {
		return
	}
	at, file, line, ok := runtime.Caller(1)
	for skip := 2; ok && strings.HasPrefix(runtime.FuncForPC(at).Name(), "runtime."); skip++ {
		at, file, line, ok = runtime.Caller(skip)
	}
	*err = fmt.Errorf("gavel itself went wrong, please report it: %v (%s:%d)", p, path.Base(file), line)
}

// atOnce is how many judgments are asked for at once, now.
func (j *Job) atOnce() int {
	if j.AtOnce != nil {
		return max(1, j.AtOnce())
	}
	return max(1, j.Concurrency)
}

// judgment asks for one judgment and writes it.
func (j *Job) judgment(ctx context.Context, w *work, g judgment, q *queue) error {
	rec, err := j.judge(ctx, w.item, g.Presentation, g.repetition)
	if errors.Is(err, ErrStopped) {
		return nil // it is missing, and no failure
	}
	if err != nil {
		return err
	}
	rec.Presentations, rec.First = w.presentations, w.first
	if err := j.Write(rec); err != nil {
		return err
	}
	q.count(rec)
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

// Repeat asks j.Client for a stored judgment again. It returns nil if the prompt differs from the one that was asked.
func (j *Job) Repeat(ctx context.Context, r *Record) (*Record, error) {
	row, ok := j.Set.Find(r.Item)
	if !ok {
		return nil, nil
	}
	item, err := j.Set.Item(row)
	if err != nil {
		return nil, err
	}
	_, same, err := r.Asked(j.Asker, item, j.Manifest.Spec.Parameters.SystemRole)
	if err != nil || !same {
		return nil, err
	}
	again, err := j.judge(ctx, item, r.Shown(), r.Repetition)
	if err == nil {
		again.Presentations, again.First = r.Presentations, r.First
	}
	return again, err
}

// judge asks until there is a verdict or the attempts are used up. Its error is that of the context, or ErrStopped
// where a call failed after the run was told to stop; every other failure is in the record.
func (j *Job) judge(ctx context.Context, item datasets.Item, s Presentation, repetition int) (*Record, error) {
	m := j.Manifest
	params := m.Spec.Parameters
	prompt := j.prompt(item, s)
	rec := NewRecord(m, item, s)
	rec.Repetition, rec.At = repetition, j.Now().UTC().Truncate(time.Millisecond)
	req := j.request(FirstTurn(prompt, params.SystemRole), &prompt.Oracle, params.asking(prompt, repetition))
	rec.PromptID = hashMessages(req.Messages)
	if said := j.measure(ctx, &req); said != "" {
		rec.Outcome = TooLong
		rec.Replies = append(rec.Replies, Reply{Finish: backends.TooLong, Detail: said, PromptTokens: req.PromptTokens})
		return rec, nil
	}
	v, err := j.converse(ctx, rec, prompt, req)
	call := new(callError)
	switch {
	case err == nil:
		rec.Take(v)
		return rec, nil
	case !errors.As(err, &call):
		return nil, err
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case j.stopped() && errors.As(call.err, new(*backends.Error)):
		return nil, ErrStopped
	}
	rec.Outcome = Failed
	rec.Error = err.Error()
	rec.failure = call.err
	return rec, nil
}

// converse has a conversation with the judge about a prompt, and returns what it says in the end. The replies go into
// the record.
func (j *Job) converse(ctx context.Context, rec *Record, prompt Prompt, req backends.Request) (v Verdict, err error) {
	params := j.Manifest.Spec.Parameters
	how := params.asPublished()
	for attempt := 1; ; attempt++ {
		constrained := params.hold(&req, prompt, attempt)
		resp, err := j.ask(ctx, rec, req)
		if err != nil {
			return v, err
		}
		rec.Replies = append(rec.Replies, reply(resp, constrained))
		if params.Repetitions() > 1 {
			rec.Replies[attempt-1].ID = resp.ID
		}
		if params.FinishThinking && thoughtOut(resp) {
			return j.finishThinking(ctx, rec, prompt, req, resp)
		}
		v, err = rec.Read(j.Asker, how)
		if err != nil {
			return v, err
		}
		next := params.NextTurn(prompt)
		if params.holds(prompt) && !constrained { // whatever the free text says, the label is asked for
			if unfinished(resp.Finish, how) != "" {
				break
			}
		} else if v.Outcome != NoVerdict || constrained || next == "" || attempt >= params.Attempts {
			rec.Probabilities, rec.Asides, err = j.probabilities(ctx, rec, req, resp, v)
			if err != nil {
				return v, err
			}
			break
		}
		req = followed(req, resp.Text, next)
	}
	if prompt.Challenge == "" || !v.Outcome.Verdict() {
		return v, nil
	}
	req = followed(req, rec.Replies[len(rec.Replies)-1].Text, prompt.Challenge)
	resp, err := j.ask(ctx, rec, req)
	if err != nil {
		return v, err
	}
	rec.Replies = append(rec.Replies, reply(resp, len(req.Constrain) > 0))
	rec.Challenged = true
	rec.Probabilities = nil
	return rec.Read(j.Asker, how)
}

// callError is the error of a call: the judgment is then a record of a failure.
type callError struct{ err error }

func (e *callError) Error() string { return e.err.Error() }

// ask asks for a reply of a judgment, whose record waits for what the reply waits for.
func (j *Job) ask(ctx context.Context, rec *Record, req backends.Request) (backends.Response, error) {
	resp, err := j.Client.Ask(ctx, req)
	if resp.Check != nil {
		rec.Await(resp.Check)
	}
	if err != nil {
		err = &callError{err}
	}
	return resp, err
}

// followed is a request for the next turn of a conversation.
func followed(req backends.Request, said, next string) backends.Request {
	req.PromptTokens = 0 // of the first turn
	req.Messages = append(slices.Clip(req.Messages),
		backends.Message{Role: backends.Assistant, Content: said},
		backends.Message{Role: backends.User, Content: next})
	return req
}

// asPublished returns how it is decided whether there is another turn, and how the record says what was read: neither
// changes with our own readers.
func (p Parameters) asPublished() Reading {
	return Reading{Name: Paper, Policy: Unique, AcceptCut: p.AcceptCut}
}

// asking is which time a prompt is asked: one that is asked anew comes after all others.
func (p Parameters) asking(prompt Prompt, repetition int) int {
	if prompt.Again {
		return p.Repetitions() + repetition
	}
	return repetition
}

// prompt is what the judge is asked about a presentation. One that writes nothing gives its verdict at once.
func (j *Job) prompt(item datasets.Item, s Presentation) Prompt {
	p := j.Asker.Prompt(item, s)
	if j.Manifest.Server.Can(backends.Decide) {
		p.LabelTurn = ""
		p.FollowUp = ""
		p.Challenge = ""
	}
	return p
}

// holds tells whether the verdict is held to labels: not where there are none to hold it to, as with a number.
func (p Parameters) holds(prompt Prompt) bool { return p.Constrain && len(prompt.Labels) > 0 }

// hold sets what a turn of a conversation is held to and asked for beside the
// reply, and tells whether it is held to the labels on offer.
func (p Parameters) hold(req *backends.Request, prompt Prompt, attempt int) (constrained bool) {
	constrained = p.holds(prompt) && (prompt.LabelTurn == "" || attempt > 1)
	if constrained {
		req.Constrain = prompt.Labels
		for _, l := range prompt.Labels { // no tokenizer makes more than one token of a byte; one more ends it
			req.MaxTokens = max(req.MaxTokens, len(l)+1)
		}
	}
	if p.Logprobs && constrained == p.holds(prompt) {
		req.Labels = prompt.Labels
	}
	return constrained
}

// notAsked begins the detail of a prompt that was counted, found too long and never sent.
const notAsked = "not asked: "

// measure counts the tokens of a first turn that may not fit, and says so where
// it does not. Where there is nobody to count, the server is asked and decides.
func (j *Job) measure(ctx context.Context, req *backends.Request) (said string) {
	if j.Limit <= 0 || j.Count == nil || backends.MostTokens(req.Messages) <= j.Limit {
		return ""
	}
	n, err := j.Count(ctx, *req)
	if err != nil {
		return ""
	}
	req.PromptTokens = n
	if n <= j.Limit {
		return ""
	}
	return fmt.Sprintf(notAsked+"the prompt has %d tokens, counted by the server, which takes at most %d", n, j.Limit)
}

// probabilities returns the probability of each label on offer at the verdict. A server lists only the likeliest tokens
// before its constraint, so a constrained reply may lack some labels: the judge is asked once more for each of them,
// limited to that label alone. asides are the replies to those requests. The map is empty if the server gives no
// probabilities. A decision model has probabilities without a verdict, too, since several options may be equally
// likely.
func (j *Job) probabilities(
	ctx context.Context, rec *Record, req backends.Request, resp backends.Response, v Verdict,
) (_ []Probability, asides []Reply, _ error) {
	if decides := j.Manifest.Server.Can(backends.Decide); len(resp.Labels) == 0 || !decides && !v.Outcome.Verdict() {
		return nil, nil, nil
	}
	told := map[string]float64{}
	for _, l := range resp.Labels {
		told[l.Text] = l.Logprob
	}
	for _, text := range req.Constrain {
		if _, ok := told[text]; ok {
			continue
		}
		forced := req
		forced.Constrain = []string{text}
		again, err := j.ask(ctx, rec, forced)
		if err != nil {
			return nil, asides, err
		}
		asides = append(asides, reply(again, true))
		for _, l := range again.Labels {
			if l.Text == text {
				told[text] = l.Logprob
			}
		}
	}
	return normalised(req.Labels, told), asides, nil
}

// normalised divides the probabilities of the labels by their sum, rounded to six places.
func normalised(labels []string, logprobs map[string]float64) []Probability {
	most := math.Inf(-1)
	for _, lp := range logprobs {
		most = max(most, lp)
	}
	sum := 0.0
	for _, l := range labels {
		if lp, ok := logprobs[l]; ok {
			sum += math.Exp(lp - most)
		}
	}
	out := make([]Probability, len(labels))
	for i, l := range labels {
		out[i].Label = l
		if lp, ok := logprobs[l]; ok {
			out[i].Logprob = &lp
			out[i].P = math.Round(1e6*math.Exp(lp-most)/sum) / 1e6
		}
	}
	return out
}

func reply(r backends.Response, constrained bool) Reply {
	return Reply{
		Text:              r.Text,
		Thinking:          r.Thinking,
		Finish:            r.Finish,
		Detail:            r.Detail,
		PromptTokens:      r.PromptTokens,
		CachedTokens:      r.CachedTokens,
		ReplyTokens:       r.ReplyTokens,
		ThinkTokens:       r.ThinkTokens,
		Milliseconds:      float64(r.Took.Microseconds()) / 1000,
		Cached:            r.Cached,
		Origin:            r.Origin,
		Constrained:       constrained,
		Endpoint:          r.Endpoint,
		Model:             r.Model,
		SystemFingerprint: r.SystemFingerprint,
	}
}

// Response returns the response that the reply was made of, without the label probabilities.
func (r Reply) Response() backends.Response {
	return backends.Response{
		Text:              r.Text,
		Thinking:          r.Thinking,
		Finish:            r.Finish,
		Detail:            r.Detail,
		PromptTokens:      r.PromptTokens,
		CachedTokens:      r.CachedTokens,
		ReplyTokens:       r.ReplyTokens,
		ThinkTokens:       r.ThinkTokens,
		Took:              time.Duration(math.Round(r.Milliseconds*1000)) * time.Microsecond,
		Endpoint:          r.Endpoint,
		Model:             r.Model,
		SystemFingerprint: r.SystemFingerprint,
		Cached:            true,
		Origin:            r.Origin,
	}
}

func orderIDs(item datasets.Item, s Presentation) []string {
	ids := make([]string, len(s.Order))
	for position, c := range s.Order {
		ids[position] = item.Candidates[c].ID
	}
	return ids
}

func (j *Job) request(messages []backends.Message, oracle *backends.Oracle, repetition int) backends.Request {
	model := j.Manifest.Spec.Model
	p := j.Manifest.Spec.Parameters
	served := max(j.Manifest.Model.Context, p.NumCtx) // 0 where the server does not tell
	return backends.Request{
		Identity: model.Identity, Model: model.Name, Messages: messages,
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed,
		MaxTokens: p.MaxTokens, NumCtx: p.NumCtx,
		Think: p.Think, ThinkBudget: p.ThinkBudget, NoPromptCache: p.StrictDeterminism,
		Extras: p.Extras, Context: served, Oracle: oracle, Repetition: repetition,
	}
}

// FirstTurn is the conversation a judge is asked with. With the system role "user" the system text stands before the
// user's, for models whose template refuses a system role. A prompt without a system text is the user's message alone,
// since an empty one turns off what some templates say by default.
func FirstTurn(p Prompt, systemRole string) []backends.Message {
	user := backends.Message{Role: backends.User, Content: p.User}
	if p.System == "" {
		return []backends.Message{user}
	}
	if systemRole == backends.User {
		user.Content = p.System + "\n\n" + p.User
		return []backends.Message{user}
	}
	return []backends.Message{{Role: backends.System, Content: p.System}, user}
}

// hashMessages is the SHA-256 of a conversation's JSON.
func hashMessages(messages []backends.Message) string {
	sum := sha256.Sum256(backends.EncodeMessages(messages))
	return hex.EncodeToString(sum[:])
}
