package server

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"

	"gavel/judging"
	"gavel/protocols/answer"
)

// Words of models and datasets are hostile. Here they become text that does
// nothing: html/template escapes what this makes visible.

// Marks that stand around a verdict on its way through Markdown. Nobody else's
// text has them: visible takes them out.
const (
	markBegin = '\uE000'
	markEnd   = '\uE001'
)

// visible makes text safe to show: control characters, escape sequences and
// marks that turn the direction of writing are shown as what they are, and do
// nothing. Lines and tabs stay.
func visible(s string) string {
	if strings.IndexFunc(s, acting) < 0 {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		switch {
		case !acting(r):
			b.WriteRune(r)
		case r < 0x20:
			b.WriteRune(0x2400 + r) // its picture: ␛
		case r == 0x7f:
			b.WriteRune(0x2421)
		default:
			fmt.Fprintf(&b, "⟨U+%04X⟩", r)
		}
	}
	return b.String()
}

// acting tells whether a character does something other than stand there.
func acting(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r == markBegin || r == markEnd, r == '\u2028' || r == '\u2029', r == '\uFEFF':
		return true
	case r >= 0xE0000 && r <= 0xE007F: // tags: letters that nobody sees
		return true
	}
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

// Segment is a piece of text; of a verdict, where it stands.
type Segment struct {
	Text    string `json:"text"`
	Verdict bool   `json:"verdict,omitempty"`
}

// segments parts a text at the places of its verdict.
func segments(text string, spans [][2]int) []Segment {
	var out []Segment
	at := 0
	for _, s := range spans {
		if s[0] > at {
			out = append(out, Segment{Text: text[at:s[0]]})
		}
		out = append(out, Segment{text[s[0]:s[1]], true})
		at = s[1]
	}
	if at < len(text) || len(out) == 0 {
		out = append(out, Segment{Text: text[at:]})
	}
	return out
}

// marked puts marks around the places of a verdict.
func marked(text string, spans [][2]int) string {
	var b strings.Builder
	for _, s := range segments(text, spans) {
		if s.Verdict {
			b.WriteString(string(markBegin) + s.Text + string(markEnd))
		} else {
			b.WriteString(s.Text)
		}
	}
	return b.String()
}

// anyLabel is what contradicting labels look like.
var anyLabel = regexp.MustCompile(`\[\[[^\[\]\n]{1,24}\]\]`)

// verdictPlaces finds where a verdict stands in a reply: what the reader took it
// from. It is for people to look at; nothing is counted by it.
func verdictPlaces(reply string, v judging.Verdict) [][2]int {
	if v.Outcome == judging.Conflict {
		return pairs(anyLabel.FindAllStringIndex(reply, -1))
	}
	if v.Label == "" {
		return nil
	}
	if label := "[[" + v.Label + "]]"; strings.Contains(reply, label) {
		return pairs(regexp.MustCompile(regexp.QuoteMeta(label)).FindAllStringIndex(reply, -1))
	}
	begin := 0
	switch v.Rule {
	case "selection": // the first option after the word
		begin = max(0, strings.Index(reply, "Selection"))
		fallthrough
	case "anywhere":
		if i := strings.Index(reply[begin:], v.Label); i >= 0 {
			return [][2]int{{begin + i, begin + i + len(v.Label)}}
		}
		return nil
	case answer.RuleAnswerIs:
		return after(reply, answerIs, v.Label)
	case answer.RuleAnswerColon:
		return after(reply, answerColon, v.Label)
	}
	return lastAlone(reply, v.Label)
}

var (
	answerIs    = regexp.MustCompile(`(?i)answer is`)
	answerColon = regexp.MustCompile(`[aA]nswer:`)
)

// after is the label behind the last phrase that has it.
func after(reply string, phrase *regexp.Regexp, label string) [][2]int {
	all := phrase.FindAllStringIndex(reply, -1)
	for k := len(all) - 1; k >= 0; k-- {
		if i := strings.Index(reply[all[k][1]:], label); i >= 0 {
			begin := all[k][1] + i
			return [][2]int{{begin, begin + len(label)}}
		}
	}
	return lastAlone(reply, label)
}

// lastAlone is the last place of a label that is no part of a longer word.
func lastAlone(reply, label string) [][2]int {
	word := func(i int) bool {
		return i >= 0 && i < len(reply) && (reply[i] == '_' || reply[i] >= '0' && reply[i] <= '9' || unicode.IsLetter(rune(reply[i])))
	}
	for end := len(reply); ; {
		i := strings.LastIndex(reply[:end], label)
		if i < 0 {
			return nil
		}
		if !word(i-1) && !word(i+len(label)) {
			return [][2]int{{i, i + len(label)}}
		}
		end = i + len(label) - 1
	}
}

func pairs(at [][]int) [][2]int {
	out := make([][2]int, len(at))
	for i, p := range at {
		out[i] = [2]int{p[0], p[1]}
	}
	return out
}

// shortened is the beginning of a text on one line.
func shortened(text string, most int) string {
	cut := false
	if len(text) > 8*most {
		text, cut = text[:8*most], true // characters have at most four bytes
	}
	words := strings.Join(strings.Fields(strings.ToValidUTF8(text, "")), " ")
	if runes := []rune(words); len(runes) > most {
		words, cut = string(runes[:most]), true
	}
	if cut {
		words += "…"
	}
	return visible(words)
}
