package judging

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"gavel/backends"
)

// ReaderSet names one of the two sets of rules by which a verdict is read from replies.
type ReaderSet string

const (
	PaperReaders  ReaderSet = "paper"  // those of the protocol's publication
	RobustReaders ReaderSet = "robust" // gavel's own: the final statement in any wording
)

// Other returns Robust for Paper, and Paper for Robust.
func (n ReaderSet) Other() ReaderSet {
	if n == PaperReaders {
		return RobustReaders
	}
	return PaperReaders
}

// DefaultReaders returns the default readers of a run. Imported runs are compared with published scores, so they are
// read as published.
func DefaultReaders(imported bool) ReaderSet {
	if imported {
		return PaperReaders
	}
	return RobustReaders
}

// ReadingOptions holds options for reading stored replies.
type ReadingOptions struct {
	Readers         ReaderSet   // the readers to use; "": those of [DefaultReaders]
	LabelPolicy     LabelPolicy // with Paper: which of several labels counts
	AcceptTruncated bool        // a verdict counts if the reply was truncated after it
	Lenient         bool        // with Paper: also use the lenient rule for answers (see the answer protocol)
	// FirstAnswer says that of several answers the first counts: imported base models continue with a next question.
	FirstAnswer bool
	// of options: the weight of the choice score in the Grade score, where that of the LLM score is 1; 0: 1 too
	GradeWeight float64
}

// Text joins the replies as JudgeBench does, each after a newline. If the verdict was constrained to the labels, or
// challenged, the text is that reply alone.
func (r *Record) Text() string {
	replies := r.Replies
	if r.readsLastOnly() {
		replies = replies[len(replies)-1:]
	}
	return joinReplies(replies)
}

// joinReplies returns the texts of replies, each after a newline.
func joinReplies(replies []Reply) (text string) {
	for _, reply := range replies {
		text += "\n" + reply.Text
	}
	return text
}

// readsLastOnly reports whether the verdict is read from the last reply alone: that reply was constrained to labels, or
// answers the question whether the judge is sure.
func (r *Record) readsLastOnly() bool {
	return len(r.Replies) > 0 && (r.Challenged || r.LastReply().Constrained)
}

// TurnOfSpan returns the reply in which a span of the text begins, and the span's position in that reply; ok is false
// if there is none. A span that continues in the next reply ends with the first.
func (r *Record) TurnOfSpan(s Span) (turn int, in Span, ok bool) {
	if s.IsZero() {
		return 0, s, false
	}
	if r.readsLastOnly() {
		turn = len(r.Replies) - 1
	}
	for begin := 1; turn < len(r.Replies); turn++ { // each after a newline
		n := len(r.Replies[turn].Text)
		in = s.Shift(-begin)
		if in.Start < n {
			return turn, Span{max(0, in.Start), min(in.End, n)}, true
		}
		begin += n + 1
	}
	return 0, Span{}, false
}

// Read reads the stored replies again. It returns the verdict that a run with the parser of p and this reading would
// record.
func (r *Record) Read(p Asker, reading ReadingOptions) (Verdict, error) {
	v, _, err := r.VerdictsOfBothReaders(p, reading)
	return v, err
}

// VerdictsOfBothReaders reads the stored replies by both sets of readers. v is the verdict of the readers that
// reading.Name names, other the verdict of the other set. If both agree, they have the rule and label of Paper.
func (r *Record) VerdictsOfBothReaders(p Asker, reading ReadingOptions) (v, other Verdict, err error) {
	v, withoutParsing, err := r.verdictWithoutParsing(reading)
	if withoutParsing || err != nil {
		return v, v, err
	}
	reading.FirstAnswer = r.Imported != nil
	robust, paper := r.parse(p, RobustReaders, reading), r.parse(p, PaperReaders, reading)
	if robust.Same(paper) {
		robust = paper
	}
	if cmp.Or(reading.Readers, DefaultReaders(r.Imported != nil)) == PaperReaders {
		return paper, robust, nil
	}
	return robust, paper, nil
}

// verdictWithoutParsing returns the verdict of a record whose replies need no parsing: an imported verdict, a failed
// call, or a reply that ended too early. The second result is false for other records.
func (r *Record) verdictWithoutParsing(reading ReadingOptions) (v Verdict, withoutParsing bool, err error) {
	switch {
	case r.Imported != nil && r.Imported.JudgmentMissing:
		return EmptyVerdict(Failed), true, nil
	case r.Imported != nil && r.Imported.DecisionIsVerdict:
		v, err = r.storedVerdict()
		return v, true, err
	case r.Outcome == Failed || len(r.Replies) == 0:
		return EmptyVerdict(Failed), true, nil
	}
	replies := r.Replies
	if r.VerdictAfterThinkLimit || r.Challenged {
		replies = replies[len(replies)-1:]
	}
	for _, reply := range replies {
		if o := unfinishedReplyOutcome(reply.Finish, reading); o != "" {
			return EmptyVerdict(o), true, nil
		}
	}
	return v, false, nil
}

// parse reads a verdict from the replies by one set of readers. Robust skips thinking that a server left in a reply.
func (r *Record) parse(p Asker, name ReaderSet, reading ReadingOptions) Verdict {
	reading.Readers = name
	text, whole := r.Text(), true
	if name == RobustReaders {
		answer, thinking := backends.SplitThinking(text)
		text, whole = answer, thinking == "" && answer == text
	}
	v := p.Parse(r.Shown(), text, reading)
	if !whole {
		v.Span = Span{}
	}
	// Runs that accept verdicts in truncated replies get here with one that has none.
	if v.Outcome == NoVerdict && r.LastReply().Finish == backends.FinishLength {
		return EmptyVerdict(Truncated)
	}
	return v
}

// storedVerdict returns the verdict that the record has, without reading its replies.
func (r *Record) storedVerdict() (Verdict, error) {
	v := Verdict{Outcome: r.Outcome, Label: r.Label, Choice: NoCandidate, Answer: r.Answer, Rule: r.Rule}
	if r.Choice != "" {
		v.Choice = slices.Index(sortedIDs(r.Order), r.Choice)
		if v.Choice < 0 {
			return v, fmt.Errorf("choice %q was not shown", r.Choice)
		}
	}
	return v, nil
}

// Confidence returns the sum of the probabilities, from 0 to 1, of the labels that name the verdict's candidate. ok is
// false if the record has no probabilities.
func (r *Record) Confidence(p Asker, v Verdict) (sum float64, ok bool) {
	s := r.Shown()
	for _, l := range r.Probabilities {
		w := p.Parse(s, l.Label, ReadingOptions{LabelPolicy: PolicyUniqueLabel})
		if w.Outcome == v.Outcome && w.Choice == v.Choice {
			sum, ok = sum+l.P, true
		}
	}
	return min(sum, 1), ok
}

// EachVerdict reads the run in a folder. For the first repetition of each judgment, it calls use with the record and
// the verdict that reading gives. A verdict in a truncated reply counts if it counted in the run.
func EachVerdict(dir string, reading ReadingOptions, use func(r *Record, p Asker, v Verdict) error) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	p, err := AskerOf(m)
	if err != nil {
		return m, fmt.Errorf("%s: %w", filepath.Join(dir, ManifestFile), err)
	}
	reading.AcceptTruncated = reading.AcceptTruncated || m.Spec.Parameters.AcceptTruncated
	var completed Completed
	return m, ReadRecords(filepath.Join(dir, RecordsFile), func(r *Record) error {
		if r.Repetition > 0 || !completed.Add(r) {
			return nil
		}
		v, err := r.Read(p, reading)
		if err != nil {
			return err
		}
		return use(r, p, v)
	})
}
