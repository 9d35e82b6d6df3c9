package probe

import (
	"crypto/sha256"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"gavel/judging"
)

// rewrite is an entry of rewrites.yaml: a change of a pair or its prompt after which the better
// response is still the better.
type rewrite struct {
	Name      string   // mode of its judgments in records
	About     string   // what changes, in a few words
	Favours   string   // "worse": it changes the worse response and speaks for it; "": it favours neither
	Before    string   // put before the worse response
	After     string   // put after the worse response; {label} stands for the label that prefers it
	Repeat    bool     // the response's last paragraph is repeated at the end
	Instead   []string // one of these replaces the worse response; nil: it stays
	Against   string   // name of the rewrite that it is compared with; "": those of the form alone
	How       string   // what else changes in the prompt, such as "typos"; "" for nothing
	Challenge string   // message to the judge after its verdict; "" for none
	Source    string   // publication in which judges were moved by it
}

// catalogue is rewrites.yaml, whose beginning explains the fields of an entry.
//
//go:embed rewrites.yaml
var catalogue string

// rewrites is a catalogue of rewrites, in the order of its file.
type rewrites []rewrite

// currentRewrites returns the catalogue of this version of gavel.
var currentRewrites = sync.OnceValue(func() rewrites {
	all, err := ParseCatalogue(catalogue)
	if err != nil {
		panic("rewrites.yaml: " + err.Error()) // it is part of the program
	}
	return all
})

// ParseCatalogue parses the text of a catalogue of rewrites in YAML.
func ParseCatalogue(text string) (all rewrites, err error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	err = d.Decode(&all)
	if err == nil && all.countPerPair() == 0 {
		err = fmt.Errorf("%d rewrites, at least 3 are needed", len(all))
	}
	return all, err
}

// Names of texts in a run's template: the system message, and the catalogue of rewrites with which the run was made.
const (
	systemTextKey = "system"
	rewritesKey   = "rewrites"
)

// withCatalogue adds this version's catalogue of rewrites to a template. A run keeps it there, and does not
// change with later versions.
func withCatalogue(t judging.Template, _ judging.Settings) judging.Template {
	full := judging.NewTemplateOfTexts(t.Name, t.Origin, map[string]string{
		systemTextKey: t.System, rewritesKey: catalogue,
	}, assistantName)
	full.System = t.System
	full.Labels = t.Labels
	return full
}

// rewritesOf returns the rewrites of a run by its template: those of the catalogue in it, or else this version's.
func rewritesOf(t judging.Template) rewrites {
	if text := t.Texts[rewritesKey]; text != catalogue {
		if all, err := ParseCatalogue(text); err == nil {
			return all
		}
	}
	return currentRewrites()
}

// Find returns the rewrite of a mode (its name), or the zero value for an original pair.
func (all rewrites) Find(mode string) rewrite {
	if i := slices.IndexFunc(all, func(w rewrite) bool { return w.Name == mode }); i >= 0 {
		return all[i]
	}
	return rewrite{}
}

// countPerPair returns the number of rewrites with which each pair is asked: just fewer than half of the catalogue.
func (all rewrites) countPerPair() int { return (len(all) - 1) / 2 }

// Modes of the judgments of an original pair, and of the control; those of rewritten pairs have the rewrite's name.
const (
	modePlain     = "plain"     // asked as in protocol pairwise
	modeAgain     = "again"     // asked once more: changes are the judge's own noise
	modeIdentical = "identical" // both responses are the same text, so only the position can decide
)

// changesWorse reports whether the rewrite changes the worse response.
func (w rewrite) changesWorse() bool { return w.Favours == "worse" }

// ApplyToResponse returns the text of a response as the rewrite changes it. label is the label that prefers the
// response.
func (w rewrite) ApplyToResponse(text, label string) string {
	text = w.Before + text + strings.ReplaceAll(w.After, "{label}", label)
	if w.Repeat {
		text += lastParagraph(strings.TrimSuffix(text, w.After))
	}
	return text
}

// lastParagraph returns the text after the last empty line.
func lastParagraph(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	return paragraphs[len(paragraphs)-1]
}

// assistantNames holds the names of the two assistants, each one byte long.
type assistantNames struct{ first, second string }

var (
	originalNames = assistantNames{first: "A", second: "B"}
	letterNames   = assistantNames{first: "X", second: "Y"}
	digitNames    = assistantNames{first: "1", second: "2"}
)

// assistantNamesFor returns the names of the assistants under the rewrite for an item's id. With How "names", half of
// the items have digits, by a hash of the id.
func (w rewrite) assistantNamesFor(item string) assistantNames {
	sum := sha256.Sum256([]byte(item))
	switch {
	case w.How == "letters" || w.How == "names" && sum[0]%2 == 0:
		return letterNames
	case w.How == "names":
		return digitNames
	}
	return originalNames
}

// swapNamesInText exchanges A and B in a text with the names in c, in both directions.
func (c assistantNames) swapNamesInText(text string) string {
	return strings.NewReplacer("A", c.first, "B", c.second, c.first, "A", c.second, "B").Replace(text)
}

// assistantName matches labels and names of the assistants in instructions.
var assistantName = regexp.MustCompile(`(\[\[[AB<>=]+\]\]|\b(?i:assistant|answer|response|output) [AB]\b)`)

// standaloneName matches names of assistants that are words of their own.
var standaloneName = regexp.MustCompile(`\b[ABXY12]\b`)

// rename returns instructions in which the assistants A and B have the names in c.
func (c assistantNames) rename(text string) string {
	return assistantName.ReplaceAllStringFunc(text, func(name string) string {
		letter := name[len(name)-1:]
		if strings.HasPrefix(name, "[[") {
			letter = name
		}
		return strings.TrimSuffix(name, letter) + c.swapNamesInText(letter)
	})
}

// restoreNames returns a reply in which the assistants are called A and B again. Its length in bytes stays the same.
func (w rewrite) restoreNames(reply string) string {
	c := letterNames
	if w.How == "names" && digitLabel.MatchString(reply) {
		c = digitNames
	}
	return standaloneName.ReplaceAllStringFunc(reply, c.swapNamesInText)
}

// digitLabel matches a label of assistants named by digits.
var digitLabel = regexp.MustCompile(`\[\[[12]`)

// longWord matches a word of six or more small letters.
var longWord = regexp.MustCompile(`\b[a-z]{6,}\b`)

// addTypos exchanges two inner letters in every sixth long word and doubles empty lines. Labels stay the same.
func addTypos(text string) string {
	n := 0
	text = longWord.ReplaceAllStringFunc(text, func(word string) string {
		n++
		if n%6 != 1 {
			return word
		}
		return word[:2] + word[3:4] + word[2:3] + word[4:]
	})
	return strings.ReplaceAll(text, "\n\n", "\n\n\n")
}

// rewriteInstructions rewrites the system message and the labels of a prompt, and adds the question that follows the
// verdict, if the rewrite has one. item is the item's id.
func (w rewrite) rewriteInstructions(p *judging.Prompt, item string) {
	switch w.How {
	case "typos":
		p.System = addTypos(p.System)
	case "letters", "names":
		c := w.assistantNamesFor(item)
		p.System = c.rename(p.System)
		p.Oracle.TieLabel = c.rename(p.Oracle.TieLabel)
		for _, labels := range [][]string{p.Labels, p.Oracle.VerdictLabels} {
			for i := range labels {
				labels[i] = c.rename(labels[i])
			}
		}
	}
	p.Challenge = w.Challenge
}
