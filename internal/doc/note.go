package doc

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"
)

// Note is a sentence beneath a table: the code of a phrase and what the phrase is filled with.
type Note struct {
	Code string // "" is a note in words of its own, its only argument
	Args []any
}

// Warning is the code of notes that a reader should not pass over.
const Warning = "warning"

// Say returns the note of a phrase; args fill it as [fmt.Sprintf] does.
func Say(code string, args ...any) Note { return Note{Code: code, Args: args} }

// Warn returns a note for each warning.
func Warn(warnings []string) (notes []Note) {
	for _, w := range warnings {
		notes = append(notes, Say(Warning, w))
	}
	return notes
}

// Remark adds a note: the phrase with this code, filled with args.
func (b *Block) Remark(code string, args ...any) { b.Notes = append(b.Notes, Say(code, args...)) }

// Warn adds a note for each warning.
func (b *Block) Warn(warnings []string) { b.Notes = append(b.Notes, Warn(warnings)...) }

// Plain adds notes in words that are not phrases of gavel's, such as what a file says.
func (b *Block) Plain(lines ...string) {
	for _, words := range lines {
		b.Notes = append(b.Notes, Plain(words))
	}
}

// Plain returns a note in words that are not a phrase of gavel's, such as what a file says.
func Plain(words string) Note { return Note{Args: []any{words}} }

// String returns the sentence.
func (n Note) String() string {
	if n.Code == "" || n.Code == Warning {
		return fmt.Sprint(n.Args...)
	}
	return Phrase(n.Code, n.Args...)
}

//go:embed phrases.txt
var phraseLines string

// phrases are all sentences of gavel's results, by code.
var phrases = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for line := range strings.Lines(phraseLines) {
		code, words, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if ok && !strings.HasPrefix(code, "#") {
			all[code] = strings.TrimSpace(words)
		}
	}
	return all
})

// Phrase returns a sentence of the catalogue (phrases.txt), filled as [fmt.Sprintf] does. It panics on a code that the
// catalogue lacks, which a test rules out.
func Phrase(code string, args ...any) string {
	words, ok := phrases()[code]
	if !ok {
		panic("doc: no phrase " + code)
	}
	if len(args) == 0 {
		return strings.ReplaceAll(words, "%%", "%")
	}
	return fmt.Sprintf(words, args...)
}
