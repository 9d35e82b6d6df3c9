package doc

import (
	"cmp"
	"fmt"

	"gavel/internal/phrases"
	"gavel/internal/report/table"
	"gavel/scoring"
)

// Note holds a sentence below a table: the code of a phrase in the catalogue internal/phrases, and its arguments.
type Note struct {
	Code string // "" for a sentence outside the catalogue, which is then the only argument
	Args []any
}

// WarningCode is the code of notes that are warnings; the text is the only argument.
const WarningCode = "warning"

// PhraseNote returns a note with the phrase of this code; args fill it as [fmt.Sprintf] does.
func PhraseNote(code string, args ...any) Note { return Note{Code: code, Args: args} }

// WarningNotes returns a note with the code Warning for each text.
func WarningNotes(warnings []string) (notes []Note) {
	for _, w := range warnings {
		notes = append(notes, PhraseNote(WarningCode, w))
	}
	return notes
}

// Remark adds a note to the block: the phrase with this code, filled with args.
func (b *Block) Remark(code string, args ...any) {
	b.Notes = append(b.Notes, PhraseNote(code, args...))
}

// Warn adds a note with the code Warning for each text to the block.
func (b *Block) Warn(warnings []string) { b.Notes = append(b.Notes, WarningNotes(warnings)...) }

// AddPlainNotes adds notes to the block that are not in the catalogue of phrases, such as lines of a file.
func (b *Block) AddPlainNotes(lines ...string) {
	for _, words := range lines {
		b.Notes = append(b.Notes, PlainNote(words))
	}
}

// PlainNote returns a note that is not in the catalogue of phrases, such as a line of a file.
func PlainNote(words string) Note { return Note{Args: []any{words}} }

// String returns the note's sentence.
func (n Note) String() string {
	if n.Code == "" || n.Code == WarningCode {
		return fmt.Sprint(n.Args...)
	}
	return phrases.Sentence(n.Code, n.Args...)
}

// PValueWithTest returns the p-value of a difference with its test: "p = 0.06 (exact McNemar)". If only the value
// corrected for several comparisons (Holm) is not significant, it adds that.
func PValueWithTest(d scoring.Difference) string {
	if d.P == nil {
		return "no test"
	}
	p := pWords(d.P) + " (" + cmp.Or(d.Test, "exact McNemar") + ")"
	const alpha = 0.05
	if *d.P < alpha && d.Holm != nil && *d.Holm >= alpha {
		p += phrases.Sentence("compare.holm", table.PValue(d.Holm))
	}
	return p
}

// pWords returns a p-value as sentences show it: "p = 0.20", "p < 0.001".
func pWords(p *float64) string {
	switch {
	case *p < 0.001:
		return "p < 0.001"
	case *p < 0.1:
		return fmt.Sprintf("p = %.3f", *p)
	}
	return fmt.Sprintf("p = %.2f", *p)
}
