package scoring

import (
	"fmt"
	"strings"

	"gavel/judging"
)

// Cautions returns the warnings of a run, except that its judge is simulated, which every list shows by itself.
func (r Report) Cautions() (all []string) {
	for _, w := range r.Warnings {
		if !strings.HasPrefix(w, simulatedJudge) {
			all = append(all, w)
		}
	}
	return all
}

// Caveats returns the number of cautions.
func (r Report) Caveats() int { return len(r.Cautions()) }

// itemWarnings warns of items that are missing from the scores, or from some of them.
func (run *Run) itemWarnings(w *cautions) {
	if s := run.Manifest.Shard; s != nil {
		w.add("shard %s: a part of the items; gavel merge combines the shards", s)
	}
	words := run.words()
	n := run.Items
	all := run.Manifest.Spec.Dataset.Items
	w.addCount(all-n, "incomplete: %d of %d %s in the records and are left out", all, words.Lacking)
	w.addCount(run.unlabelled(), "%d of %d %ss have no label: "+
		"they count for consistency and position, and are left out of metrics that need a label", n, words.Unit)
}

// cutWarnings warns of replies truncated at the end of the context or at the token limit.
func (run *Run) cutWarnings(w *cautions, judgments int) {
	w.addCount(run.Repeating, "%d of %d replies repeat themselves until they are truncated and %s: %s",
		judgments, run.missingPhrase(), run.endLoops)
	maxTokens := run.Manifest.Spec.Parameters.MaxTokens
	w.addCount(run.Short, "%d of %d replies were truncated at the end of the context, before --max-tokens (%d), and "+
		"%s: serve more context", judgments, maxTokens, run.missingPhrase())
	n := run.Outcomes[judging.Cut] - run.Repeating - run.unheldCut - run.Short
	w.addCount(n, "%d of %d replies were truncated at the token limit and %s: raise --max-tokens (%d)",
		judgments, run.missingPhrase(), maxTokens)
	if n > 0 {
		w.addCount(run.Thought, "%d of them thought until the limit and gave no answer: "+
			"raise --max-tokens, try --think low or off, or --finish-thinking")
	}
}

// AlteredWarning states that files of a run changed after the run wrote them.
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
		w.add(simulatedWarning)
	}
	if m.LabelsStay {
		w.add("%s", labelsStayed)
	}
	for _, c := range m.Changes {
		w.add("%s", c)
	}
	for _, o := range run.Origins() {
		w.add("%s", o)
	}
	if len(run.altered) > 0 {
		w.add("%s", AlteredWarning(run.altered))
	}
	w = append(w, run.systems.Warnings(m)...)
	run.itemWarnings(&w)
	if text := run.earlyNote(); text != "" {
		w.add("%s", text)
	}
	if n := run.Items; n > 0 && n < FewItems {
		w.add("few items: n = %d", n)
	}
	run.readingWarnings(&w, judgments)
	run.cutWarnings(&w, judgments)
	record := run.words().Record
	w.addCount(run.Finished, "%d of %d %ss thought to the token limit, and were asked for their verdict after it "+
		"(--finish-thinking)", judgments, record)
	if n := run.Outcomes[judging.TooLong]; n > 0 {
		advice := "serve more context"
		if m.SetsContext() {
			advice = "raise --num-ctx, up to what the model was trained for"
		}
		w.add("%d of %d prompts did not fit the context and %s: %s", n, judgments, run.missingPhrase(), advice)
		w.addCount(run.Shrunk, "the server silently truncated %d of them and answered: those replies were discarded; "+
			"\"gavel doctor\" has details")
	}
	w.addCount(run.Even, "%d of %d replies give the likeliest options exactly the same probability: no verdict",
		judgments)
	w.addCount(run.Unheld, "%d replies are not one of the labels: the server ignores --constrain, so leave it out")
	w.addCount(run.forecasts.unlikely, "%d of %d decided %ss name a label that was not the likeliest as a whole: "+
		"the server wrote it token by token", run.Outcomes[judging.Decided], record)
	w.addCount(run.Outcomes[judging.Refused], "%d of %d replies were refused and %s", judgments, run.missingPhrase())
	w.addCount(run.copiedReplies(), "%d replies are copies of earlier ones, by their id and time: "+
		"a proxy in front of the server remembers replies. Self-agreement is not measured: "+
		"turn that cache off and use --ask-again")
	if m.Spec.Parameters.Repetitions() > 1 {
		w.addCount(m.Judgments-run.Answered, "%d of %d repeated judgments failed or are missing; "+
			"the same run command asks for them", m.Judgments)
	}
	if m.Spec.Parameters.Logprobs && len(run.forecasts.all) == 0 && run.Outcomes[judging.Decided] > 0 {
		w.add("the server returned no label probabilities: there is no calibration")
	}
	if p, ok := run.forecasts.constant(); ok {
		w.add("the confidence never varies (%.4f in all %d decided %ss with one): it cannot separate right from wrong",
			p, len(run.forecasts.all), record)
	}
	if m.Referenced != nil {
		w = append(w, m.Referenced.Warnings...)
	}
	w.addCount(m.Dataset.Skipped, "%d lines of the dataset file could not be read and are left out")
	return w
}

// readingWarnings warns of verdicts that differ from the recorded ones, of failed calls, and of many replies without a
// verdict.
func (run *Run) readingWarnings(w *cautions, judgments int) {
	policy := ""
	if p := run.policy(); p != "" {
		policy = fmt.Sprintf("policy %q, ", p)
	}
	w.addCount(run.Reread, "%d of %d verdicts differ from the recorded ones (%struncated replies accepted: %t)",
		run.Records, policy, run.Reading.AcceptCut)
	why := ""
	if run.failure != "" {
		why = ", one with: " + run.failure
	}
	record := run.words().Record
	w.addCount(run.Outcomes[judging.Failed], "%d of %d %ss failed and %s%s; the same run command asks for them again",
		judgments, record, run.missingPhrase(), why)
	unread := run.Outcomes[judging.NoVerdict] + run.Outcomes[judging.Conflict] - run.Even
	if float64(unread) > ManyNoVerdicts*float64(judgments) {
		w.add("%d of %d %ss have no verdict or conflicting labels: "+
			"fix the prompt format first", unread, judgments, record)
	}
}
