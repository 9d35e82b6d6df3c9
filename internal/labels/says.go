package labels

import (
	"strings"

	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// textWithInterval returns a percentage with its interval in words: "84 % [79, 88]".
func (n Statistic) textWithInterval() string {
	if n.Low == nil || n.High == nil {
		return scoring.Percentage(*n.Value)
	}
	return scoring.Evidence{Value: *n.Value, Low: *n.Low, High: *n.High}.String()
}

// answer returns the sentence on which judge agrees best with the labels, and whether its lead is significant.
func (a *Agreement) answer() string {
	var judges []JudgeAgreement
	for _, j := range a.Judges {
		if j.rankingStatistic().Value != nil {
			judges = append(judges, j)
		}
	}
	if len(judges) == 0 {
		return phrases.Sentence("labels.no-run")
	}
	best := judges[0]
	say := func(code string) string {
		n := best.rankingStatistic()
		value := table.Interval(n.Value, n.Low, n.High, 2, 2)
		if !a.scored() {
			value = n.textWithInterval()
		}
		return phrases.Sentence(a.phraseCode(code),
			scoring.JudgeName(best.Model), value, phrases.CountWithNoun(best.N, "item"))
	}
	if len(judges) == 1 {
		return say("labels.agrees")
	}
	tied := 0
	for _, j := range judges[1:] {
		if strings.ContainsAny(j.Letters, best.Letters) {
			tied++
		}
	}
	switch {
	case tied == 0:
		return say("labels.agrees-best")
	case tied == len(judges)-1:
		return say("labels.agrees") + " " + phrases.Sentence("labels.all-tied")
	}
	return say("labels.agrees") + " " + phrases.Sentence("labels.some-tied", tied, len(judges)-1)
}

// answerSentence returns the sentence on the share of pairs in which the response is better.
func (e *ShareEstimate) answerSentence() string {
	if e.Share.Value == nil {
		return phrases.Sentence("estimate.unknown", e.Response)
	}
	text := phrases.Sentence("estimate.share",
		e.Response, e.Share.textWithInterval(), phrases.CountWithNoun(e.Judged, "pair"))
	if e.JudgeAlone.Value != nil {
		text += " " + phrases.Sentence("estimate.judge-alone", scoring.Percentage(*e.JudgeAlone.Value))
	}
	return text
}

// answer returns the sentence on how many verdicts of the cascade can be accepted.
func (s *CascadeResults) answer() string {
	if s.CoveredItems == 0 {
		return phrases.Sentence("select.none", phrases.CountWithNoun(s.Labelled, "labelled item"), s.Risk)
	}
	return phrases.Sentence("select.accepted", s.CoveredItems, phrases.CountWithNoun(s.Items, "item"),
		100*float64(s.CoveredItems)/float64(s.Items),
		s.Risk, 100-s.Delta)
}
