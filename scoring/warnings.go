package scoring

import (
	"fmt"
	"strings"

	"gavel/judging"
)

// Cautions are the warnings of a run but that its judge is simulated, which every list says by itself.
func (r Report) Cautions() (all []string) {
	for _, w := range r.Warnings {
		if !strings.HasPrefix(w, simulatedJudge) {
			all = append(all, w)
		}
	}
	return all
}

// Caveats is how many of these there are.
func (r Report) Caveats() int { return len(r.Cautions()) }

// absent says which items are no part of the scores, or of some, and which judgments should not be.
func (run *Run) absent(w *cautions) {
	if s := run.Manifest.Shard; s != nil {
		w.say("shard %s: a part of the items; gavel merge makes the whole", s)
	}
	words := run.words()
	n := run.Items
	all := run.Manifest.Spec.Dataset.Items
	w.count(all-n, "incomplete: %d of %d %s in the records and are left out", all, words.Lacking)
	w.count(run.unlabelled(), "%d of %d %ss have no label: they are judged, "+
		"count for consistency and position, and are left out of what needs a label", n, words.Unit)
}

// cutReplies warns of replies that were cut: at the end of the context, or at the token limit.
func (run *Run) cutReplies(w *cautions, judgments int) {
	w.count(run.Repeating, "%d of %d replies repeat themselves until they are cut and %s: %s",
		judgments, run.lost(), run.endLoops)
	most := run.Manifest.Spec.Parameters.MaxTokens
	w.count(run.Short, "%d of %d replies were cut at the end of the context, before --max-tokens (%d), and %s: "+
		"serve more context", judgments, most, run.lost())
	n := run.Outcomes[judging.Cut] - run.Repeating - run.unheldCut - run.Short
	w.count(n, "%d of %d replies were cut at the token limit and %s: raise --max-tokens (%d)",
		judgments, run.lost(), most)
	if n > 0 {
		w.count(run.Thought, "%d of them thought until the limit and gave no answer: "+
			"raise --max-tokens, try --think low or off, or --finish-thinking")
	}
}

// AlteredWarning says that files of a run are not as it wrote them.
func AlteredWarning(files []string) string {
	return strings.Join(files, " and ") +
		" changed after the run wrote it: texts, labels or replies may not be those of the run"
}

func (run *Run) warnings() []string {
	w := cautions{}
	m := run.Manifest
	judgments := 0
	for _, n := range run.Outcomes {
		judgments += n
	}
	if m.Simulated {
		w.say(simulatedWarning)
	}
	if m.LabelsStay {
		w.say("%s", labelsStayed)
	}
	for _, c := range m.Changes {
		w.say("%s", c)
	}
	for _, o := range run.Origins() {
		w.say("%s", o)
	}
	if len(run.altered) > 0 {
		w.say("%s", AlteredWarning(run.altered))
	}
	w = append(w, run.systems.Warnings(m)...)
	run.absent(&w)
	if text := run.earlyNote(); text != "" {
		w.say("%s", text)
	}
	if n := run.Items; n > 0 && n < FewItems {
		w.say("few items: n = %d", n)
	}
	run.unreadReplies(&w, judgments)
	run.cutReplies(&w, judgments)
	record := run.words().Record
	w.count(run.Finished, "%d of %d %ss thought to the token limit, and were asked for their verdict after it "+
		"(--finish-thinking)", judgments, record)
	if n := run.Outcomes[judging.TooLong]; n > 0 {
		do := "serve more context"
		if m.SetsContext() {
			do = "raise --num-ctx, up to what the model was trained for"
		}
		w.say("%d of %d prompts did not fit the context and %s: %s", n, judgments, run.lost(), do)
		w.count(run.Shrunk, "the server silently truncated %d of them and answered: those replies were discarded; "+
			"\"gavel doctor\" says more")
	}
	w.count(run.Even, "%d of %d replies give the likeliest options exactly the same probability: no verdict", judgments)
	w.count(run.Unheld, "%d replies are not one of the labels: the server ignores --constrain, so leave it out")
	w.count(run.sure.unlikely, "%d of %d decided %ss name a label that was not the likeliest as a whole: "+
		"the server wrote it token by token", run.Outcomes[judging.Decided], record)
	w.count(run.Outcomes[judging.Refused], "%d of %d replies were refused and %s", judgments, run.lost())
	w.count(run.copied(), "%d replies are copies of earlier ones, by their id and time: a proxy in front of the server "+
		"remembers replies. How much the judge agrees with itself is not measured: turn that cache off, and ask again "+
		"with --ask-again")
	if m.Spec.Parameters.Repetitions() > 1 {
		w.count(m.Judgments-run.Answered, "%d of %d repeated judgments failed or are missing; "+
			"the same run command asks for them", m.Judgments)
	}
	if m.Spec.Parameters.Logprobs && len(run.sure.all) == 0 && run.Outcomes[judging.Decided] > 0 {
		w.say("the server returned no label probabilities: there is no calibration")
	}
	if p, ok := run.sure.constant(); ok {
		w.say("the confidence never varies: it is %.4f in all %d decided %ss with one, so it cannot tell right from wrong",
			p, len(run.sure.all), record)
	}
	if m.Referenced != nil {
		w = append(w, m.Referenced.Warnings...)
	}
	w.count(m.Dataset.Skipped, "%d lines of the dataset file could not be read and are left out")
	return w
}

// unreadReplies warns of verdicts that were read differently before, of failed calls, and of many replies without a
// verdict.
func (run *Run) unreadReplies(w *cautions, judgments int) {
	policy := ""
	if p := run.policy(); p != "" {
		policy = fmt.Sprintf("policy %q, ", p)
	}
	w.count(run.Reread, "%d of %d verdicts differ from those read when they were recorded (%scut replies accepted: %t)",
		run.Records, policy, run.Reading.AcceptCut)
	why := ""
	if run.failure != "" {
		why = ", one with: " + run.failure
	}
	record := run.words().Record
	w.count(run.Outcomes[judging.Failed], "%d of %d %ss failed and %s%s; the same run command asks for them again",
		judgments, record, run.lost(), why)
	unread := run.Outcomes[judging.NoVerdict] + run.Outcomes[judging.Conflict] - run.Even
	if float64(unread) > ManyNoVerdicts*float64(judgments) {
		w.say("%d of %d %ss ended without a verdict or in a conflict of labels: "+
			"the scores say as much about the format as about the judgment", unread, judgments, record)
	}
}
