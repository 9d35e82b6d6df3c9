package probe

import (
	"bytes"
	_ "embed"
	"regexp"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"gavel/judging"
)

// rewrite is a change of a pair that leaves the better response the better: an entry of rewrites.yaml.
type rewrite struct {
	Name      string
	About     string
	Favours   string
	Before    string
	After     string
	Repeat    bool
	How       string
	Challenge string
	Source    string
}

//go:embed rewrites.yaml
var catalogue []byte

// rewrites are those of the catalogue, in its order.
var rewrites = sync.OnceValue(func() (all []rewrite) {
	d := yaml.NewDecoder(bytes.NewReader(catalogue))
	d.KnownFields(true)
	if err := d.Decode(&all); err != nil {
		panic("rewrites.yaml: " + err.Error())
	}
	return all
})

// Names of what is asked of a pair beside the rewrites.
const (
	plainly = "plain" // as pairwise asks it
	again   = "again" // the same, asked anew: what changes then is the judge's own noise
)

// worse tells whether it is done to the worse response.
func (w rewrite) worse() bool { return w.Favours == "worse" }

// of is the text of the response that it is done to; label names that response.
func (w rewrite) of(text, label string) string {
	text = w.Before + text + strings.ReplaceAll(w.After, "{label}", label)
	if w.Repeat {
		text += lastParagraph(strings.TrimSuffix(text, w.After))
	}
	return text
}

// lastParagraph is what follows the last empty line.
func lastParagraph(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	return paragraphs[len(paragraphs)-1]
}

// letters are what the two assistants are called, plainly and where they are renamed.
var letters = [2][2]string{{"A", "B"}, {"X", "Y"}}

// called finds what instructions call the assistants.
var called = regexp.MustCompile(`\[\[[AB<>=]+\]\]|\b(?i:assistant|answer|response|output) [AB]\b`)

// standing finds letters that stand by themselves.
var standing = regexp.MustCompile(`\b[ABXY]\b`)

// swapped are texts in which the plain letters and the others change places, each of a byte.
var swapped = strings.NewReplacer("A", "X", "B", "Y", "X", "A", "Y", "B")

// renamed is a text of instructions by the other letters.
func renamed(text string) string {
	return called.ReplaceAllStringFunc(text, func(name string) string {
		return name[:len(name)-len(lettered(name))] + swapped.Replace(lettered(name))
	})
}

// lettered is the end of what an assistant is called that has its letter, or the whole label.
func lettered(name string) string {
	if strings.HasPrefix(name, "[[") {
		return name
	}
	return name[len(name)-1:]
}

// plainAgain is a reply by the plain letters. It has as many bytes.
func plainAgain(reply string) string { return standing.ReplaceAllStringFunc(reply, swapped.Replace) }

// longWord is one of six small letters or more.
var longWord = regexp.MustCompile(`\b[a-z]{6,}\b`)

// mistyped has two inner letters of every sixth long word change places, and empty lines doubled. Labels stay.
func mistyped(text string) string {
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

// instructions changes those of a prompt.
func (w rewrite) instructions(p *judging.Prompt) {
	switch w.How {
	case "typos":
		p.System = mistyped(p.System)
	case "letters":
		p.System = renamed(p.System)
		p.Oracle.Tie = renamed(p.Oracle.Tie)
		for _, labels := range [][]string{p.Labels, p.Oracle.Choices} {
			for i := range labels {
				labels[i] = renamed(labels[i])
			}
		}
	}
	p.Challenge = w.Challenge
}
