package reading

import (
	"slices"
	"strings"
	"unicode"
)

// How much of a statement is looked at before and after a label.
const (
	before = 160
	after  = 300
)

// statements are where the statements of a view begin: sentences, of which a new line begins another unless it goes on
// what a heading or a colon announces.
func (v *view) statements() []int {
	starts := []int{0}
	line, gap := 0, 0
	for i := 0; i < len(v.lower); i++ {
		switch v.lower[i] {
		case '\n':
			gap++
			said := strings.TrimSpace(v.lower[line:max(line, i)])
			if said != "" {
				gap = 0
			}
			if !(gap < 3 && (said == "" || v.announces(said))) || said == "" && starts[len(starts)-1] == line {
				starts = append(starts, i+1)
			}
			line = i + 1
		case '.', '!', '?', ';':
			if v.ends(i) {
				starts = append(starts, i+1)
			}
		}
	}
	return starts
}

// ends tells whether the mark at i ends a sentence.
func (v *view) ends(i int) bool {
	next := strings.TrimLeft(v.lower[i+1:min(len(v.lower), i+4)], `"')`)
	switch {
	case next == "" || next[0] == '\n':
		return true
	case next[0] != ' ' || v.lower[i] == '!' && strings.HasPrefix(next, " ="):
		return false
	}
	return v.lower[i] != '.' || !abbreviated(v.lower[max(0, i-8):i])
}

// leads may go before the last word of a heading of an answer.
var leads = strings.Fields("my the final correct overall best")

// announces tells whether a line is a heading of an answer, or goes on in the next line.
func (v *view) announces(line string) bool {
	line = line[max(0, len(line)-60):]
	bare := strings.TrimRight(line, " \t\"'$[(")
	if strings.HasSuffix(bare, ":") || strings.HasSuffix(bare, "=") || lastWord(bare, []string{"is", "are"}) >= 0 {
		return true
	}
	end := answerWords.at(line, headingWord(line))
	return end > 0 && matches(line[end:], "heading-ends")
}

// headingWord is where the last word of a heading begins, if a line is one.
func headingWord(line string) int {
	at := max(0, strings.IndexFunc(line, unicode.IsLetter))
	for {
		lead := slices.IndexFunc(leads, func(lead string) bool { return strings.HasPrefix(line[at:], lead+" ") })
		if lead < 0 {
			return at
		}
		at = len(line) - len(strings.TrimLeft(line[at+len(leads[lead]):], " "))
	}
}

// abbreviations end with a full stop that ends no sentence.
var abbreviations = strings.Fields("approx e.g i.e rs no nr vs mr mrs dr eq fig st resp ca z.b ans")

func abbreviated(s string) bool { return lastWord(s, abbreviations) >= 0 }

// statement is the one that byte i of the view is in.
func (v *view) statement(i int) (from, to int) {
	if v.starts == nil {
		v.starts = v.statements()
	}
	n, exact := slices.BinarySearch(v.starts, i)
	if !exact {
		n--
	}
	to = len(v.text)
	if n+1 < len(v.starts) {
		to = v.starts[n+1]
	}
	return v.starts[n], to
}

// upTo is what stands before i in its statement, in small letters.
func (v *view) upTo(i int) string {
	from, _ := v.statement(i)
	return v.lower[max(from, i-before):i]
}

// rest is what stands from i on in its statement.
func (v *view) rest(i int) string {
	_, to := v.statement(i)
	return v.text[i:min(to, i+after)]
}
