package judging

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"gavel/backends"
)

// Readers are one of two sets of rules by which replies are read.
type Readers string

const (
	Paper  Readers = "paper"  // as the protocol was published
	Robust Readers = "robust" // gavel's own: the final statement, however it is written
)

// Other is the other one.
func (n Readers) Other() Readers {
	if n == Paper {
		return Robust
	}
	return Paper
}

// ReadersOf are those that a run is read by where nobody chose: what was published is held against what was published.
func ReadersOf(imported bool) Readers {
	if imported {
		return Paper
	}
	return Robust
}

// Reading says how stored replies are read.
type Reading struct {
	Name      Readers // "": see [ReadersOf]
	Policy    Policy  // of Paper
	AcceptCut bool    // a verdict given before the token limit counts
	Lenient   bool    // of Paper: an answer may also be found by the lenient rule (see the answer protocol)
	// First: of several answers the first binds. It is set where a record was
	// imported: base models run on into a next question.
	First bool
}

// Text joins the replies the way JudgeBench does: each after a newline. Where the verdict was held to the labels on
// offer, or challenged, that reply alone is the text.
func (r *Record) Text() string {
	replies := r.Replies
	if r.lastAlone() {
		replies = replies[len(replies)-1:]
	}
	var b strings.Builder
	for _, reply := range replies {
		b.WriteString("\n")
		b.WriteString(reply.Text)
	}
	return b.String()
}

// lastAlone tells whether the last reply alone is read.
func (r *Record) lastAlone() bool {
	last := len(r.Replies) - 1
	return last >= 0 && (r.Challenged || r.Replies[last].Constrained)
}

// Turn is the reply in which a span of the text begins, and the span in it; false
// for nowhere. What runs on into the next reply ends with the first.
func (r *Record) Turn(s Span) (turn int, in Span, ok bool) {
	if s.Nowhere() {
		return 0, s, false
	}
	if r.lastAlone() {
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

// Read reads the stored replies again. It gives what a run with this parser and this reading would have recorded.
func (r *Record) Read(p Asker, how Reading) (Verdict, error) {
	v, _, err := r.ReadBoth(p, how)
	return v, err
}

// ReadBoth returns what Read does, and the verdict by the other readers. Where both find the same, it is called what
// the paper's rule calls it.
func (r *Record) ReadBoth(p Asker, how Reading) (v, other Verdict, err error) {
	v, settled, err := r.settled(how)
	if settled || err != nil {
		return v, v, err
	}
	how.First = r.Imported != nil
	robust, paper := r.parse(p, Robust, how), r.parse(p, Paper, how)
	if robust.Same(paper) {
		robust = paper
	}
	if cmp.Or(how.Name, ReadersOf(r.Imported != nil)) == Paper {
		return paper, robust, nil
	}
	return robust, paper, nil
}

// settled is the verdict of a record in which there is nothing to read.
func (r *Record) settled(how Reading) (v Verdict, settled bool, err error) {
	switch {
	case r.Imported != nil && r.Imported.Missing:
		return Silent(Failed), true, nil
	case r.Imported != nil && r.Imported.Stored:
		v, err = r.stored()
		return v, true, err
	case r.Outcome == Failed || len(r.Replies) == 0:
		return Silent(Failed), true, nil
	}
	replies := r.Replies
	if r.Finished || r.Challenged {
		replies = replies[len(replies)-1:]
	}
	for _, reply := range replies {
		if o := unfinished(reply.Finish, how); o != "" {
			return Silent(o), true, nil
		}
	}
	return v, false, nil
}

// parse reads the replies by one of the readers. The robust ones know the thinking that a server left in a reply.
func (r *Record) parse(p Asker, name Readers, how Reading) Verdict {
	how.Name = name
	text, whole := r.Text(), true
	if name == Robust {
		said, thinking := backends.SplitThinking(text)
		text, whole = said, thinking == "" && said == text
	}
	v := p.Parse(r.Shown(), text, how)
	if !whole {
		v.Span = Span{}
	}
	if cutBeforeVerdict(v, r.Replies[len(r.Replies)-1]) {
		return Silent(Cut)
	}
	return v
}

// stored is the verdict as the record has it.
func (r *Record) stored() (Verdict, error) {
	v := Verdict{Outcome: r.Outcome, Label: r.Label, Choice: Nobody, Answer: r.Answer, Rule: r.Rule}
	if r.Choice != "" {
		v.Choice = slices.Index(sortedIDs(r.Order), r.Choice)
		if v.Choice < 0 {
			return v, fmt.Errorf("choice %q was not shown", r.Choice)
		}
	}
	return v, nil
}

// Confidence is what the labels on offer that name the verdict's candidate come to together, from 0 to 1; ok is false
// where the record tells no probabilities.
func (r *Record) Confidence(p Asker, v Verdict) (sum float64, ok bool) {
	s := r.Shown()
	for _, l := range r.Probabilities {
		if w := p.Parse(s, l.Label, Reading{Policy: Unique}); w.Outcome == v.Outcome && w.Choice == v.Choice {
			sum, ok = sum+l.P, true
		}
	}
	return min(sum, 1), ok
}

// EachVerdict reads a run: of each judgment, the first time that it was asked for, the record with what it says by this
// reading. Cut replies are accepted where the run itself did.
func EachVerdict(dir string, how Reading, use func(r *Record, p Asker, v Verdict) error) (*Manifest, error) {
	m, err := ReadManifest(dir)
	if err != nil {
		return nil, err
	}
	p, err := AskerOf(m)
	if err != nil {
		return m, fmt.Errorf("%s: %w", filepath.Join(dir, ManifestFile), err)
	}
	how.AcceptCut = how.AcceptCut || m.Spec.Parameters.AcceptCut
	var seen Completed
	return m, ReadRecords(filepath.Join(dir, RecordsFile), func(r *Record) error {
		if r.Repetition > 0 || seen.Has(r.Item, r.Presentation, 0) {
			return nil
		}
		seen.Add(r)
		v, err := r.Read(p, how)
		if err != nil {
			return err
		}
		return use(r, p, v)
	})
}
