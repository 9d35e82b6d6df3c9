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
var catalogue string

// rewrites are a catalogue, in its order.
type rewrites []rewrite

// today are the rewrites of this gavel.
var today = sync.OnceValue(func() rewrites {
	all, err := read(catalogue)
	if err != nil {
		panic("rewrites.yaml: " + err.Error()) // it is part of the program
	}
	return all
})

// read reads a catalogue.
func read(text string) (all rewrites, err error) {
	d := yaml.NewDecoder(strings.NewReader(text))
	d.KnownFields(true)
	err = d.Decode(&all)
	if err == nil && len(all) < perPair {
		err = fmt.Errorf("%d rewrites, at least %d are needed", len(all), perPair)
	}
	return all, err
}

// Texts of a run's template: its system message, and the catalogue that it was made with.
const (
	systemText   = "system"
	rewritesText = "rewrites"
)

// withCatalogue is a template with the rewrites of this gavel, so that a run stays what it is when they change.
func withCatalogue(t judging.Template, _ judging.Settings) judging.Template {
	whole := judging.NewTexts(t.Name, t.Origin, map[string]string{
		systemText: t.System, rewritesText: catalogue,
	}, called)
	whole.System = t.System
	whole.Labels = t.Labels
	return whole
}

// of are the rewrites of a template: those that it has, else those of this gavel.
func of(t judging.Template) rewrites {
	text := t.Texts[rewritesText]
	if text == "" || text == catalogue {
		return today()
	}
	all, err := read(text)
	if err != nil {
		return today()
	}
	return all
}

// named finds a rewrite; the zero value is that of a pair as it is.
func (all rewrites) named(mode string) rewrite {
	if i := slices.IndexFunc(all, func(w rewrite) bool { return w.Name == mode }); i >= 0 {
		return all[i]
	}
	return rewrite{}
}

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

// calling is what the two assistants are called, each by one byte.
type calling struct{ first, second string }

var (
	plainCalling = calling{first: "A", second: "B"}
	byLetters    = calling{first: "X", second: "Y"}
	byDigits     = calling{first: "1", second: "2"}
)

// calling of the assistants under the rewrite: half of the items, by a hash of their ids, go by digits.
func (w rewrite) calling(item string) calling {
	sum := sha256.Sum256([]byte(item))
	switch {
	case w.How == "letters" || w.How == "names" && sum[0]%2 == 0:
		return byLetters
	case w.How == "names":
		return byDigits
	}
	return plainCalling
}

// swapped has the plain letters and these change places.
func (c calling) swapped(text string) string {
	return strings.NewReplacer("A", c.first, "B", c.second, c.first, "A", c.second, "B").Replace(text)
}

// called finds what instructions call the assistants.
var called = regexp.MustCompile(`(\[\[[AB<>=]+\]\]|\b(?i:assistant|answer|response|output) [AB]\b)`)

// standing finds names that stand by themselves.
var standing = regexp.MustCompile(`\b[ABXY12]\b`)

// renamed is a text of instructions by other names.
func (c calling) renamed(text string) string {
	return called.ReplaceAllStringFunc(text, func(name string) string {
		return name[:len(name)-len(lettered(name))] + c.swapped(lettered(name))
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
func (w rewrite) plainAgain(reply string) string {
	c := byLetters
	if w.How == "names" && digitLabel.MatchString(reply) {
		c = byDigits
	}
	return standing.ReplaceAllStringFunc(reply, c.swapped)
}

// digitLabel is a label of those who are called by digits.
var digitLabel = regexp.MustCompile(`\[\[[12]`)

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
func (w rewrite) instructions(p *judging.Prompt, item string) {
	switch w.How {
	case "typos":
		p.System = mistyped(p.System)
	case "letters", "names":
		c := w.calling(item)
		p.System = c.renamed(p.System)
		p.Oracle.Tie = c.renamed(p.Oracle.Tie)
		for _, labels := range [][]string{p.Labels, p.Oracle.Choices} {
			for i := range labels {
				labels[i] = c.renamed(labels[i])
			}
		}
	}
	p.Challenge = w.Challenge
}
