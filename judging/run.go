package judging

import (
	"context"
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

// RunJob asks a judge for the judgments of a run.
type RunJob struct {
	Manifest *Manifest
	Asker    Asker
	Set      *datasets.Set
	Rows     []int // indexes in Set of the run's items
	Order    []int // indexes in Set of the items to judge now, in this order; nil: Rows
	Client   backends.Client
	// MaxPromptTokens is the most tokens that a prompt may have, or 0 if unknown. If a prompt may have more, the server
	// counts its tokens, and it is not sent if there are more.
	MaxPromptTokens int
	// CountTokens counts a prompt's tokens; nil if the server cannot.
	CountTokens func(context.Context, backends.Request) (int, error)
	// Concurrency limits the judgments in flight. Those of one item follow each other, so that the server's prefix
	// cache still holds the question, except for the last items of a run (see queue).
	Concurrency int
	// ParallelWithinItem asks for the judgments of one item at the same time, for servers whose running requests share a
	// prefix. Their queue would otherwise push the question out of the cache before the item's second judgment.
	ParallelWithinItem bool
	// CurrentConcurrency, if not nil, returns the limit in place of Concurrency; it is called after every judgment.
	CurrentConcurrency func() int
	Completed          Completed // judgments that the run has already
	// Write stores a record. An error ends the run.
	Write func(*Record) error
	// Stop, when closed, ends the run after the judgments in flight.
	Stop <-chan struct{}
	// MaxConsecutiveFailures is the number of consecutive failed calls that ends the run; by default 10, or twice the
	// concurrency if more.
	MaxConsecutiveFailures int
	Now                    func() time.Time // the clock; nil: time.Now
}

// ErrStopped is the error of a run that ended because Stop was closed.
var ErrStopped = errors.New("stopped")

// GaveUpError is the error of a run that ended because too many calls in a row failed.
type GaveUpError struct {
	Calls int    // number of failed calls in a row
	Last  string // error of the last of these calls
}

func (e *GaveUpError) Error() string {
	return fmt.Sprintf("%d calls in a row failed, the last with: %s", e.Calls, e.Last)
}

// Run asks for every missing judgment. A failed call becomes a record, and the run goes on. Run ends early when it is
// stopped, when the context ends, when a record cannot be written, when too many calls in a row fail, or with
// *backends.ModelChangedError when the server serves another model.
func (j *RunJob) Run(ctx context.Context) error {
	if j.Now == nil {
		j.Now = time.Now
	}
	q := newQueue(j)
	parent := ctx
	g, ctx := errgroup.WithContext(ctx)
	var hire func()
	// A worker handles many items: its stack has already grown to the size that a call needs.
	worker := func() (err error) {
		defer RecoverPanic(&err)
		var w *work
		for {
			var next pendingJudgment
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
	case q.endReason != nil:
		return q.endReason
	case j.stopped():
		return ErrStopped
	}
	return context.Cause(parent) // nil, or the cause if the context ended with no call in flight
}

// RecoverPanic, when deferred, turns a panic into an error, so that a server goes on with its other runs.
func RecoverPanic(err *error) {
	p := recover()
	if p == nil {
		return
	}
	pc, file, line, ok := runtime.Caller(1)
	for skip := 2; ok && strings.HasPrefix(runtime.FuncForPC(pc).Name(), "runtime."); skip++ {
		pc, file, line, ok = runtime.Caller(skip)
	}
	*err = fmt.Errorf("internal error, please report it: %v (%s:%d)", p, path.Base(file), line)
}

// concurrency returns the current limit of judgments in flight.
func (j *RunJob) concurrency() int {
	if j.CurrentConcurrency != nil {
		return max(1, j.CurrentConcurrency())
	}
	return max(1, j.Concurrency)
}

// judgment asks for the judgment g of the item in w, writes its record and counts it in q.
func (j *RunJob) judgment(ctx context.Context, w *work, g pendingJudgment, q *queue) error {
	rec, err := j.judge(ctx, w.item, g.Presentation, g.repetition)
	if errors.Is(err, ErrStopped) {
		return nil // the judgment stays missing; it did not fail
	}
	if err != nil {
		return err
	}
	rec.Presentations, rec.FirstPresentation = w.presentations, w.firstPresentation
	if err := j.Write(rec); err != nil {
		return err
	}
	q.countFailure(rec)
	return nil
}

func (j *RunJob) stopped() bool {
	select {
	case <-j.Stop:
		return true
	default:
		return false
	}
}

// Repeat asks j.Client for a stored judgment again and returns the new record. It returns nil if the item is unknown or
// its prompt differs from the one of the record r.
func (j *RunJob) Repeat(ctx context.Context, r *Record) (*Record, error) {
	row, ok := j.Set.Find(r.Item)
	if !ok {
		return nil, nil
	}
	item, err := j.Set.Item(row)
	if err != nil {
		return nil, err
	}
	_, same, err := r.RenderPrompt(j.Asker, item, j.Manifest.Spec.Parameters.SystemTextRole)
	if err != nil || !same {
		return nil, err
	}
	rec, err := j.judge(ctx, item, r.Shown(), r.Repetition)
	if err == nil {
		rec.Presentations, rec.FirstPresentation = r.Presentations, r.FirstPresentation
	}
	return rec, err
}

// judge asks for one judgment until there is a verdict or the attempts are used up, and returns its record. It returns
// the error of the context, or ErrStopped if a call failed after the run was stopped; every other failed call goes into
// the record.
func (j *RunJob) judge(ctx context.Context, item datasets.Item, s Presentation, repetition int) (*Record, error) {
	m := j.Manifest
	params := m.Spec.Parameters
	prompt := j.prompt(item, s)
	rec := NewRecord(m, item, s)
	rec.Repetition, rec.At = repetition, j.Now().UTC().Truncate(time.Millisecond)
	req := j.request(FirstTurnMessages(prompt, params.SystemTextRole),
		&prompt.Oracle, params.requestRepetition(prompt, repetition))
	rec.PromptID = hashMessages(req.Messages)
	if problem := j.checkPromptFits(ctx, &req); problem != "" {
		rec.Outcome = PromptTooLong
		rec.Replies = append(rec.Replies, Reply{
			Finish:       backends.FinishPromptTooLong,
			Detail:       problem,
			PromptTokens: req.CountedPromptTokens,
		})
		return rec, nil
	}
	v, err := j.converse(ctx, rec, prompt, req)
	call := new(callError)
	switch {
	case err == nil:
		rec.SetVerdict(v)
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

// converse holds a conversation with the judge about a prompt and returns its final verdict. The replies go into the
// record.
func (j *RunJob) converse(
	ctx context.Context, rec *Record, prompt Prompt, req backends.Request,
) (v Verdict, err error) {
	params := j.Manifest.Spec.Parameters
	reading := params.publishedReading()
	for attempt := 1; ; attempt++ {
		constrained := params.constrain(&req, prompt, attempt)
		resp, err := j.ask(ctx, rec, req)
		if err != nil {
			return v, err
		}
		rec.Replies = append(rec.Replies, reply(resp, constrained))
		if params.Repetitions() > 1 {
			rec.Replies[attempt-1].ID = resp.ID
		}
		if params.FinishThinking && thinkingTruncated(resp) {
			return j.finishThinking(ctx, rec, prompt, req, resp)
		}
		v, err = rec.Read(j.Asker, reading)
		if err != nil {
			return v, err
		}
		next := params.NextTurnText(prompt)
		if params.constrains(prompt) && !constrained { // ask for the label whatever the free text says
			if unfinishedReplyOutcome(resp.Finish, reading) != "" {
				break
			}
		} else if v.Outcome != NoVerdict || constrained || next == "" || attempt >= params.VerdictAttempts {
			if err := j.addProbabilities(ctx, rec, req, resp, v); err != nil {
				return v, err
			}
			break
		}
		req = nextRequest(req, resp.Text, next)
	}
	if prompt.Challenge == "" || !v.Outcome.IsVerdict() {
		return v, nil
	}
	req = nextRequest(req, rec.LastReply().Text, prompt.Challenge)
	resp, err := j.ask(ctx, rec, req)
	if err != nil {
		return v, err
	}
	rec.Replies = append(rec.Replies, reply(resp, len(req.AllowedReplies) > 0))
	rec.Challenged = true
	rec.Probabilities = nil
	return rec.Read(j.Asker, reading)
}

// callError marks the error of a call to the server, after which the judgment counts as failed.
type callError struct{ err error }

func (e *callError) Error() string { return e.err.Error() }

// ask asks for one reply of a judgment. If the reply waits for a check of the server's model, the record waits, too.
func (j *RunJob) ask(ctx context.Context, rec *Record, req backends.Request) (backends.Response, error) {
	resp, err := j.Client.Ask(ctx, req)
	if resp.IdentityCheck != nil {
		rec.AddIdentityCheck(resp.IdentityCheck)
	}
	if err != nil {
		err = &callError{err}
	}
	return resp, err
}

// nextRequest returns req with two more messages: the judge's reply text, and next, the user's next turn.
func nextRequest(req backends.Request, text, next string) backends.Request {
	req.CountedPromptTokens = 0 // known for the first turn only
	req.Messages = append(slices.Clip(req.Messages),
		backends.Message{Role: backends.RoleAssistant, Content: text},
		backends.Message{Role: backends.RoleUser, Content: next})
	return req
}

// publishedReading returns the reading that a run uses: it decides whether another turn is asked, and which verdict is
// stored. Neither depends on gavel's own readers.
func (p Parameters) publishedReading() ReadingOptions {
	return ReadingOptions{Readers: PaperReaders, LabelPolicy: PolicyUniqueLabel, AcceptTruncated: p.AcceptTruncated}
}

// requestRepetition returns the repetition number of a request, which is part of its key in the cache. A prompt that
// equals an earlier one of the same item gets a number above all repetitions, and so a reply of its own.
func (p Parameters) requestRepetition(prompt Prompt, repetition int) int {
	if prompt.EqualsOtherPrompt {
		return p.Repetitions() + repetition
	}
	return repetition
}

// prompt returns the prompt of a presentation, without later turns for a judge that writes no text: it gives its
// verdict in the first turn.
func (j *RunJob) prompt(item datasets.Item, s Presentation) Prompt {
	p := j.Asker.Prompt(item, s)
	if j.Manifest.Server.Can(backends.HasDecisionModels) {
		p.LabelRequest = ""
		p.FollowUp = ""
		p.Challenge = ""
	}
	return p
}

// constrains reports whether the verdict is constrained to labels. Prompts for a number have no labels.
func (p Parameters) constrains(prompt Prompt) bool { return p.Constrain && len(prompt.Labels) > 0 }

// constrain sets in req whether a turn, attempt (from 1), is constrained to the prompt's labels and whether their
// probabilities are requested. It reports whether the turn is constrained.
func (p Parameters) constrain(req *backends.Request, prompt Prompt, attempt int) (constrained bool) {
	constrained = p.constrains(prompt) && (prompt.LabelRequest == "" || attempt > 1)
	if constrained {
		req.AllowedReplies = prompt.Labels
		for _, l := range prompt.Labels { // a token has at least one byte; one more token ends the reply
			req.MaxTokens = max(req.MaxTokens, len(l)+1)
		}
	}
	if p.Logprobs && constrained == p.constrains(prompt) {
		req.Labels = prompt.Labels
	}
	return constrained
}

// notSentPrefix begins [Reply].Detail if the prompt was counted, found too long and not sent.
const notSentPrefix = "not asked: "

// checkPromptFits has the server count the tokens of a first turn that may not fit, and returns a message if it does
// not fit, or else "". If the server cannot count, the prompt is sent and the server decides.
func (j *RunJob) checkPromptFits(ctx context.Context, req *backends.Request) (problem string) {
	if j.MaxPromptTokens <= 0 || j.CountTokens == nil || backends.TokenUpperBound(req.Messages) <= j.MaxPromptTokens {
		return ""
	}
	n, err := j.CountTokens(ctx, *req)
	if err != nil {
		return ""
	}
	req.CountedPromptTokens = n
	if n <= j.MaxPromptTokens {
		return ""
	}
	return fmt.Sprintf(notSentPrefix+"the prompt has %d tokens, counted by the server, which takes at most %d",
		n, j.MaxPromptTokens)
}

// addProbabilities sets the probability of each label on offer at the verdict. A server lists only the likeliest tokens
// before its constraint, so a constrained reply may lack some labels: the judge is asked once more for each of them,
// constrained to that label alone. ExtraReplies holds the replies to those requests. Nothing is set if the server
// returns no probabilities. A decision model returns them without a verdict, too, since several options may be equally
// likely.
func (j *RunJob) addProbabilities(
	ctx context.Context, rec *Record, req backends.Request, resp backends.Response, v Verdict,
) error {
	decides := j.Manifest.Server.Can(backends.HasDecisionModels)
	if len(resp.LabelProbabilities) == 0 || !decides && !v.Outcome.IsVerdict() {
		return nil
	}
	logprobs := resp.LabelLogprobs()
	for _, text := range req.AllowedReplies {
		if _, ok := logprobs[text]; ok {
			continue
		}
		forced := req
		forced.AllowedReplies = []string{text}
		forcedResp, err := j.ask(ctx, rec, forced)
		if err != nil {
			return err
		}
		rec.ExtraReplies = append(rec.ExtraReplies, reply(forcedResp, true))
		if logprob, ok := forcedResp.LabelLogprobs()[text]; ok {
			logprobs[text] = logprob
		}
	}
	rec.Probabilities = labelProbabilities(req.Labels, logprobs)
	return nil
}

// labelProbabilities returns each label with its natural logarithm from logprobs, if it has one, and with its share of
// the labels' summed probabilities, rounded to six places.
func labelProbabilities(labels []string, logprobs map[string]float64) []Probability {
	maxLogprob := math.Inf(-1)
	for _, lp := range logprobs {
		maxLogprob = max(maxLogprob, lp)
	}
	sum := 0.0
	for _, l := range labels {
		if lp, ok := logprobs[l]; ok {
			sum += math.Exp(lp - maxLogprob)
		}
	}
	out := make([]Probability, len(labels))
	for i, l := range labels {
		out[i].Label = l
		if lp, ok := logprobs[l]; ok {
			out[i].Logprob = &lp
			out[i].P = math.Round(1e6*math.Exp(lp-maxLogprob)/sum) / 1e6
		}
	}
	return out
}

// reply returns a server's response as a record stores it.
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
		ImportBundle:      r.Bundle,
		Constrained:       constrained,
		Endpoint:          r.Endpoint,
		Model:             r.Model,
		SystemFingerprint: r.SystemFingerprint,
	}
}

// Response returns the response from which the reply was made, without the label probabilities.
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
		Bundle:            r.ImportBundle,
	}
}

// request returns a request for the messages with the model and the parameters of the run.
func (j *RunJob) request(messages []backends.Message, oracle *backends.Oracle, repetition int) backends.Request {
	model := j.Manifest.Spec.Model
	p := j.Manifest.Spec.Parameters
	served := max(j.Manifest.Model.Context, p.NumCtx) // 0 if unknown
	return backends.Request{
		Identity: model.Identity, Model: model.Name, Messages: messages,
		Temperature: p.Temperature, TopP: p.TopP, Seed: p.Seed,
		MaxTokens: p.MaxTokens, NumCtx: p.NumCtx,
		Think: p.Think, ThinkBudget: p.ThinkBudget, NoPromptCache: p.StrictDeterminism,
		ExtraParameters: p.ExtraParameters, ReportedContextTokens: served, Oracle: oracle, Repetition: repetition,
	}
}

// FirstTurnMessages returns the messages with which a judgment begins. With the system role "user" the system text
// comes before the user's in one message, for models whose template refuses a system role. A prompt without a system
// text has the user's message alone, since an empty system message turns off the default text of some templates.
func FirstTurnMessages(p Prompt, systemRole string) []backends.Message {
	user := backends.Message{Role: backends.RoleUser, Content: p.User}
	if p.System == "" {
		return []backends.Message{user}
	}
	if systemRole == backends.RoleUser {
		user.Content = p.System + "\n\n" + p.User
		return []backends.Message{user}
	}
	return []backends.Message{{Role: backends.RoleSystem, Content: p.System}, user}
}

// hashMessages returns the SHA-256 of a conversation's JSON, in hex.
func hashMessages(messages []backends.Message) string {
	return datasets.HexSum(backends.EncodeMessages(messages))
}
