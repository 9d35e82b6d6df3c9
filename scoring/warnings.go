package scoring

import (
	"strings"

	"gavel/internal/phrases"
	"gavel/judging"
)

// Cautions returns the warnings of a run without the one that its judge is simulated, which every list shows by itself.
func (r Report) Cautions() (all []string) {
	for _, w := range r.Warnings {
		if w != phrases.Sentence(simulatedWarningCode) {
			all = append(all, w)
		}
	}
	return all
}

// itemWarnings adds warnings of items that are missing from all scores, or from those that need a label.
func (run *Run) itemWarnings(w *Cautions) {
	if s := run.Manifest.Shard; s != nil {
		w.Add("warning.shard", s)
	}
	words := run.terms()
	n := run.Items
	all := run.Manifest.Spec.Dataset.Items
	w.AddCount("warning.incomplete", all-n, all, words.IncompleteItemsPhrase)
	w.AddCount("warning.unlabelled", run.unlabelled(), n, words.Unit)
}

// truncationWarnings adds warnings of replies truncated in a loop, at the end of the context or at the token limit.
// judgments is the number of all judgments.
func (run *Run) truncationWarnings(w *Cautions, judgments int) {
	w.AddCount("warning.loops", run.Repeating, judgments, run.missingPhrase(), run.loopAdvice)
	maxTokens := run.Manifest.Spec.Parameters.MaxTokens
	w.AddCount("warning.context-end", run.ContextFull, judgments, maxTokens, run.missingPhrase())
	n := run.Outcomes[judging.Truncated] - run.Repeating - run.unconstrainedTruncated - run.ContextFull
	w.AddCount("warning.truncated", n, judgments, run.missingPhrase(), maxTokens)
	if n > 0 {
		w.AddCount("warning.truncated-thinking", run.TruncatedThinking)
	}
}

// warnings returns the warnings of the run that do not depend on the values of its metrics.
func (run *Run) warnings() []string {
	w := Cautions{}
	m := run.Manifest
	judgments := 0
	for _, n := range run.Outcomes {
		judgments += n
	}
	if m.Simulated {
		w.Add(simulatedWarningCode)
	}
	if m.LabelsFollowResponses {
		w.Add(labelsFollowPhraseCode)
	}
	for _, c := range m.Changes {
		w = append(w, c.String())
	}
	for _, o := range run.Origins() {
		w = append(w, o.String())
	}
	if len(run.alteredFiles) > 0 {
		w.Add("warning.altered", strings.Join(run.alteredFiles, " and "))
	}
	w = append(w, run.servedModels.Warnings(m)...)
	run.itemWarnings(&w)
	if text := run.unfinishedRunNote(); text != "" {
		w = append(w, text)
	}
	if n := run.Items; n > 0 && n < FewItems {
		w.Add("warning.few-items", n)
	}
	run.readingWarnings(&w, judgments)
	run.truncationWarnings(&w, judgments)
	record := run.terms().Record
	w.AddCount("warning.finished-thinking", run.AskedAfterTruncatedThinking, judgments, record)
	if n := run.Outcomes[judging.PromptTooLong]; n > 0 {
		code := "warning.too-long"
		if m.SetsContext() {
			code = "warning.too-long-set"
		}
		w.Add(code, n, judgments, run.missingPhrase())
		w.AddCount("warning.prompts-truncated", run.TruncatedPrompts)
	}
	w.AddCount("warning.even", run.ProbabilityTies, judgments)
	w.AddCount("warning.constraint-ignored", run.Unconstrained)
	w.AddCount("warning.unlikely", run.forecasts.unlikely, run.Outcomes[judging.Decided], record)
	w.AddCount("warning.refused", run.Outcomes[judging.Refused], judgments, run.missingPhrase())
	w.AddCount("warning.copied", run.copiedReplyCount())
	if m.Spec.Parameters.Repetitions() > 1 {
		w.AddCount("warning.repeats-missing", m.Judgments-run.Answered, m.Judgments)
	}
	if m.Spec.Parameters.Logprobs && len(run.forecasts.all) == 0 && run.Outcomes[judging.Decided] > 0 {
		w.Add("warning.no-probabilities")
	}
	if p, ok := run.forecasts.sharedConfidence(); ok {
		w.Add("warning.constant", p, len(run.forecasts.all), record)
	}
	if m.ReferenceCounts != nil {
		w = append(w, m.ReferenceCounts.Warnings...)
	}
	w.AddCount("warning.lines", m.Dataset.Skipped)
	return w
}

// readingWarnings adds warnings of verdicts that differ from the recorded ones, of failed calls, and of many replies
// without a readable verdict. judgments is the number of all judgments.
func (run *Run) readingWarnings(w *Cautions, judgments int) {
	policy := ""
	if p := run.readingPolicy(); p != "" {
		policy = phrases.Sentence("warning.policy", p) + ", "
	}
	w.AddCount("warning.reread", run.RereadDifferences, run.Records, policy, run.Reading.AcceptTruncated)
	why := ""
	if run.failure != "" {
		why = phrases.Sentence("warning.failed-with", run.failure)
	}
	record := run.terms().Record
	w.AddCount("warning.failed", run.Outcomes[judging.Failed], judgments, record, run.missingPhrase(), why)
	unread := run.Outcomes[judging.NoVerdict] + run.Outcomes[judging.Conflict] - run.ProbabilityTies
	if float64(unread) > NoVerdictWarningShare*float64(judgments) {
		w.Add("warning.unread", unread, judgments, record)
	}
}
