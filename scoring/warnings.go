package scoring

import (
	"fmt"
	"strings"
	"time"

	"gavel/judging"
)

// simulatedWarning begins as [Report.Caveats] knows it.
const simulatedWarning = simulatedJudge + ": not results of a model"

const simulatedJudge = "simulated judge"

// Cautions are the warnings of a run but that its judge is simulated, which every list says by itself.
func (r Report) Cautions() (all []string) {
	for _, w := range r.Warnings {
		if !strings.HasPrefix(w, simulatedJudge) {
			all = append(all, w)
		}
	}
	return all
}

// NoInterval begins warnings of numbers that have none.
const NoInterval = "no interval of "

// Caveats is how many of these there are.
func (r Report) Caveats() int { return len(r.Cautions()) }

// Limits past which a table says that a number should not be trusted as it is.
const (
	FewItems       = 30
	ManyNoVerdicts = 0.05
)

// absent says which items are no part of the scores, or of some, and which judgments should not be.
func (run *Run) absent() (w []string) {
	if at := run.Manifest.Suspect; !at.IsZero() {
		w = append(w, fmt.Sprintf("the server answered a canary out of another conversation: judgments from %s on "+
			"may be of other prompts, and the same run command asks for them again", at.Format(time.RFC3339)))
	}
	if s := run.Manifest.Shard; s != nil {
		w = append(w, fmt.Sprintf("shard %s: a part of the items; gavel merge makes the whole", s))
	}
	words := run.words()
	n := run.Items
	all := run.Manifest.Spec.Dataset.Items
	if all > n {
		w = append(w, fmt.Sprintf("incomplete: %d of %d %s in the records and are left out", all-n, all, words.Lacking))
	}
	if k := run.unlabelled(); k > 0 {
		w = append(w, fmt.Sprintf("%d of %d %ss have no label: they are judged, "+
			"count for consistency and position, and are left out of what needs a label", k, n, words.Unit))
	}
	return w
}

// cutReplies warns of replies that were cut: at the end of the context, or at the token limit.
func (run *Run) cutReplies(judgments int) (w []string) {
	if run.Repeating > 0 {
		const text = "%d of %d replies repeat themselves until they are cut and %s: %s"
		w = append(w, fmt.Sprintf(text, run.Repeating, judgments, run.lost(), run.endLoops))
	}
	most := run.Manifest.Spec.Parameters.MaxTokens
	n := run.Outcomes[judging.Cut] - run.Repeating - run.unheldCut
	if run.Short > 0 {
		const text = "%d of %d replies were cut at the end of the context, before --max-tokens (%d), and %s: " +
			"serve more context"
		w = append(w, fmt.Sprintf(text, run.Short, judgments, most, run.lost()))
	}
	n -= run.Short
	if n <= 0 {
		return w
	}
	const text = "%d of %d replies were cut at the token limit and %s: raise --max-tokens (%d)"
	w = append(w, fmt.Sprintf(text, n, judgments, run.lost(), most))
	if run.Thought > 0 {
		const text = "%d of them thought until the limit and gave no answer: " +
			"raise --max-tokens, try --think low or off, or --finish-thinking"
		w = append(w, fmt.Sprintf(text, run.Thought))
	}
	return w
}

// AlteredWarning says that files of a run are not as it wrote them.
func AlteredWarning(files []string) string {
	return strings.Join(files, " and ") +
		" changed after the run wrote it: texts, labels or replies may not be those of the run"
}

func (run *Run) warnings() []string {
	w := []string{}
	say := func(format string, args ...any) { w = append(w, fmt.Sprintf(format, args...)) }
	m := run.Manifest
	judgments := 0
	for _, n := range run.Outcomes {
		judgments += n
	}
	if m.Simulated {
		say(simulatedWarning)
	}
	if m.LabelsStay {
		say("%s", labelsStayed)
	}
	for _, c := range m.Changes {
		say("%s", c)
	}
	for _, o := range run.Origins() {
		say("%s", o)
	}
	if len(run.altered) > 0 {
		say("%s", AlteredWarning(run.altered))
	}
	w = append(w, run.systems.Warnings(m)...)
	words := run.words()
	n := run.Items
	w = append(w, run.absent()...)
	if text := run.looked(); text != "" {
		say("%s", text)
	}
	if n > 0 && n < FewItems {
		say("few items: n = %d", n)
	}
	if run.Reread > 0 {
		policy := ""
		if p := run.policy(); p != "" {
			policy = fmt.Sprintf("policy %q, ", p)
		}
		say("%d of %d verdicts differ from those read when they were recorded (%scut replies accepted: %t)", run.Reread,
			run.Records, policy, run.Reading.AcceptCut)
	}
	if n := run.Outcomes[judging.Failed]; n > 0 {
		why := ""
		if run.failure != "" {
			why = ", one with: " + run.failure
		}
		say("%d of %d %ss failed and %s%s; the same run command asks for them again",
			n, judgments, words.Record, run.lost(), why)
	}
	unread := run.Outcomes[judging.NoVerdict] + run.Outcomes[judging.Conflict] - run.Even
	if float64(unread) > ManyNoVerdicts*float64(judgments) {
		say("%d of %d %ss ended without a verdict or in a conflict of labels: "+
			"the scores say as much about the format as about the judgment", unread, judgments, words.Record)
	}
	w = append(w, run.cutReplies(judgments)...)
	if run.Finished > 0 {
		say("%d of %d %ss thought to the token limit, and were asked for their verdict after it (--finish-thinking)",
			run.Finished, judgments, words.Record)
	}
	if n := run.Outcomes[judging.TooLong]; n > 0 {
		do := "serve more context"
		if m.SetsContext() {
			do = "raise --num-ctx, up to what the model was trained for"
		}
		say("%d of %d prompts did not fit the context and %s: %s", n, judgments, run.lost(), do)
		if run.Shrunk > 0 {
			say("the server silently truncated %d of them and answered: those replies were discarded; "+
				"\"gavel doctor\" says more", run.Shrunk)
		}
	}
	if run.Even > 0 {
		say("%d of %d replies give the likeliest options exactly the same probability: no verdict", run.Even, judgments)
	}
	if run.Unheld > 0 {
		say("%d replies are not one of the labels: the server ignores --constrain, so leave it out", run.Unheld)
	}
	if run.sure.unlikely > 0 {
		say("%d of %d decided %ss name a label that was not the likeliest as a whole: "+
			"the server wrote it token by token", run.sure.unlikely, run.Outcomes[judging.Decided], words.Record)
	}
	if n := run.Outcomes[judging.Refused]; n > 0 {
		say("%d of %d replies were refused and %s", n, judgments, run.lost())
	}
	if n := run.copied(); n > 0 {
		say("%d replies are copies of earlier ones, by their id and time: a proxy in front of the server remembers replies. "+
			"How much the judge agrees with itself is not measured: turn that cache off, and ask again with --ask-again", n)
	}
	if n := m.Spec.Parameters.Repetitions(); n > 1 {
		if left := m.Judgments - run.Answered; left > 0 {
			say("%d of %d repeated judgments failed or are missing; the same run command asks for them", left, m.Judgments)
		}
	}
	if m.Spec.Parameters.Logprobs && len(run.sure.all) == 0 && run.Outcomes[judging.Decided] > 0 {
		say("the server returned no label probabilities: there is no calibration")
	}
	if p, ok := run.sure.constant(); ok {
		say("the confidence never varies: it is %.4f in all %d decided %ss with one, so it cannot tell right from wrong",
			p, len(run.sure.all), words.Record)
	}
	if m.Referenced != nil {
		w = append(w, m.Referenced.Warnings...)
	}
	if n := m.Dataset.Skipped; n > 0 {
		say("%d lines of the dataset file could not be read and are left out", n)
	}
	return w
}
