package judging

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"gavel/datasets"
)

// Self-reference for pairs goes beyond the papers, which name it as open: the
// judge answers the question in a call of its own, and has its answer before it
// as a reference when it compares the two responses. It is a stage like any
// other (see [Stage]):
//
//	pairs → run answer (the judge) → EachReference → pairs with own answers → run pairwise

// ReferenceOption has a comparison show the judge its own answer.
var ReferenceOption = Option{
	Name:    "self-reference",
	Usage:   "the judge answers the question first, in a call of its own, and compares with its answer as reference (gavel's own: no paper has it)",
	Default: "false",
}

// referenced is a comparison that shows the judge's own answer.
type referenced struct{ pairwise }

// referenceSentence is gavel's own, and all that it adds to a system message. It
// stands at the end of the first paragraph, which says what is shown; what the
// last ones say of the verdict stays last.
const referenceSentence = "You will also be given a reference answer: it is your own answer to the user prompt, given before you saw theirs, and it may be wrong."

// WithReference is a template of a comparison with the sentence in it; the same
// where it has it already.
func WithReference(t Template) Template {
	if strings.Contains(t.System, referenceSentence) {
		return t
	}
	first, rest, more := strings.Cut(t.System, "\n\n")
	system := first + " " + referenceSentence
	if more {
		system += "\n\n" + rest
	}
	return newTemplate(t.Name, t.Origin, system)
}

// Adapted is a template as it is under settings: what a run's manifest has.
func (k Protocol) Adapted(t Template, s Settings) Template {
	if k.comparesByReference() && s.Get(ReferenceOption) == "true" {
		return WithReference(t)
	}
	return t
}

func (k Protocol) comparesByReference() bool {
	return slices.ContainsFunc(k.Options, func(o Option) bool { return o.Name == ReferenceOption.Name })
}

// compareBy is the protocol of a comparison under settings.
func compareBy(p pairwise, s Settings) Asker {
	if s.Get(ReferenceOption) != "true" {
		return p
	}
	p.template = WithReference(p.template)
	return referenced{p}
}

// Check refuses a pair that the judge has not answered.
func (referenced) Check(item datasets.Item) error {
	if item.Answered == nil || item.Answered.Reference == "" {
		return fmt.Errorf("%s has no answer of the judge's own: with --%s the judge answers the questions first", item.ID, ReferenceOption.Name)
	}
	return nil
}

// Prompt puts the reference between the question and the first response. Where
// that is follows from the question's length: nothing is searched.
func (p referenced) Prompt(item datasets.Item, s Showing) Prompt {
	prompt := p.pairwise.Prompt(item, s)
	if item.Answered == nil {
		return prompt
	}
	at := len(userPrompt) + len(item.Question)
	prompt.User = prompt.User[:at] + "\n\n<|The Start of Reference Answer|>\n" + item.Answered.Reference + "\n<|The End of Reference Answer|>" + prompt.User[at:]
	if own := item.Answered.Own; own != nil {
		o := &prompt.Oracle
		if o.Reference = o.Choices[o.Right]; !own.Right {
			o.Reference = o.Choices[1-o.Right]
		}
	}
	return prompt
}

// Rules that find the final answer of a reply to an open question: as JudgeBench's
// sources ask for it (MMLU-Pro and AMC for the letter five times, LiveBench's
// mathematics for a box, its puzzles for bold type), and after the word itself. Of
// code there is none.
const (
	RuleFiveLetters = "five-letters"
	RuleAnswer      = "answer"
	RuleBoxed       = "boxed"
	RuleBold        = "bold"
)

// final is the final answer of a reply; the zero value is none.
type final struct{ value, rule string }

var (
	bold       = regexp.MustCompile(`\*\*([^*\n]{1,80})\*\*`)
	afterWord  = regexp.MustCompile(`(?im)\banswer(?: is:?|:)[ \t*]*(\S.{0,80})`)
	optionOnly = regexp.MustCompile(`^(?:\(([A-Z])\)|([A-Z])[.*)]*$)`)
)

// finalAnswer finds the last one by the first rule that finds any.
func finalAnswer(reply string) final {
	box := lastBox(reply)
	for _, f := range []final{
		{fiveLetters(box), RuleFiveLetters},
		{fiveLetters(reply), RuleFiveLetters},
		{plainFinal(box), RuleBoxed},
		{plainFinal(binding(afterWord, reply, false)), RuleAnswer},
		{plainFinal(binding(bold, reply, false)), RuleBold},
	} {
		if f.value != "" {
			return f
		}
	}
	return final{}
}

// fiveLetters is the last capital that stands five times in a row, as a word.
func fiveLetters(text string) string {
	for i := len(text); i > 0; {
		end := i
		for i > 0 && isLetter(text[i-1]) {
			i--
		}
		if word := text[i:end]; len(word) == 5 && word[0] <= 'Z' && word == strings.Repeat(word[:1], 5) {
			return strings.ToLower(word[:1])
		}
		if i == end {
			i--
		}
	}
	return ""
}

func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

// lastBox is what stands in the last \boxed{…}, braces inside it balanced.
func lastBox(text string) string {
	const begin = `\boxed{`
	i := strings.LastIndex(text, begin)
	if i < 0 {
		return ""
	}
	inside := text[i+len(begin):]
	depth := 1
	for at := range len(inside) {
		switch inside[at] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return inside[:at]
		}
	}
	return ""
}

// dressing is what two ways of writing one answer differ in.
var dressing = strings.NewReplacer(`\$`, "", " ", "", "\t", "", "$", "", `\left`, "", `\right`, "", `\,`, "", `\!`, "", `\ `, "", `\dfrac`, `\frac`, `\tfrac`, `\frac`)

// plainFinal is an answer without what does not count: an option by its letter, a
// number in its plain form and without its unit.
func plainFinal(text string) string {
	if m := optionOnly.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
		return strings.ToLower(m[1] + m[2])
	}
	text = strings.Trim(withoutUnit.ReplaceAllString(text, "$1"), ".:,;* ")
	text = plainDigits(strings.ToLower(strings.Trim(dressing.Replace(text), ".:,;*")))
	if n, ok := nextNumber(text, 0); ok && n.start == 0 && strings.Trim(text[n.end:], `\%°`) == "" {
		return plain(n.rational())
	}
	return text
}

// withoutUnit is a number and the words after it: in 2x, without a space, the x
// is none.
var withoutUnit = regexp.MustCompile(`^([^\s\pL]*\pN)(?:\s+\pL+)+[.*\s]*$`)

// Kinds of answers that are right or wrong as they stand, if both are of one
// kind; of formulas two that look different may be the same.
var plainKinds = []*regexp.Regexp{
	regexp.MustCompile(`^[a-z]$`),
	anyNumber,
	regexp.MustCompile(`^\pL[\pL,'-]+$`),
}

// anyNumber is what plain writes.
var anyNumber = regexp.MustCompile(`^-?\d+(\.\d+)?$|^-?\d+/\d+$`)

// plainlyOther tells whether two answers that look different cannot be the same.
func plainlyOther(a, b final) bool {
	return slices.ContainsFunc(plainKinds, func(kind *regexp.Regexp) bool {
		return kind.MatchString(a.value) && kind.MatchString(b.value)
	})
}

// ownTo is what the judge's own reply to a pair's question came to, nil where
// that cannot be told. Nobody has published what is right: all that is known is
// that the response labelled the better ends with it. So the judge is right
// where it ends as that one does and the worse one does not, wrong where it ends
// as the worse one, or plainly otherwise than the better one.
func ownTo(item datasets.Item, reply string) *datasets.Answer {
	if item.Gold < 0 || item.Gold > 1 {
		return nil
	}
	own, better, worse := finalAnswer(reply), finalAnswer(item.Candidates[item.Gold].Text), finalAnswer(item.Candidates[1-item.Gold].Text)
	switch {
	case own.value == "" || better.value == "" || better.value == worse.value:
		return nil
	case own.value == better.value:
		return &datasets.Answer{Value: own.value, Right: true}
	case own.value == worse.value, plainlyOther(own, better):
		return &datasets.Answer{Value: own.value}
	}
	return nil
}

// Referenced says what became of the pairs of a stage.
type Referenced struct {
	Pairs    int          `json:"pairs"`   // asked for
	NoOwn    map[Lack]int `json:"no_own"`  // left out, without an answer of the judge's own, by reason
	Right    int          `json:"right"`   // the judge's own answer is right
	Wrong    int          `json:"wrong"`   // it is wrong
	Unknown  int          `json:"unknown"` // nobody can tell
	Warnings []string     `json:"warnings"`
}

// Judged is how many lines the stage made.
func (r *Referenced) Judged() int { return r.Right + r.Wrong + r.Unknown }

// EachReference gives pairs the judge's own answers: each line as published, with
// the key "own_answer" added to its end. Pairs without one are left out and
// counted. The same pairs and answers give the same bytes.
func EachReference(pairs *datasets.Set, rows []int, own *Answers, write func(line []byte) error) (*Referenced, error) {
	out := &Referenced{Pairs: len(rows), NoOwn: map[Lack]int{}, Warnings: []string{}}
	if err := own.compare(pairs); err != nil {
		return nil, err
	}
	for _, row := range rows {
		item, err := pairs.Item(row)
		if err != nil {
			return nil, err
		}
		if item.Shape != datasets.Pair {
			return nil, fmt.Errorf("%s: is not a pair of responses (its shape is %s)", item.ID, item.Shape)
		}
		g, why := own.to(item)
		if why != lackNone {
			out.NoOwn[why]++
			continue
		}
		answer := ownTo(item, g.text)
		out.count(answer)
		line, err := withOwnAnswer(item, g.text, answer)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", item.ID, err)
		}
		if err := write(line); err != nil {
			return nil, err
		}
	}
	out.remark()
	return out, nil
}

func (r *Referenced) count(own *datasets.Answer) {
	switch {
	case own == nil:
		r.Unknown++
	case own.Right:
		r.Right++
	default:
		r.Wrong++
	}
}

func (r *Referenced) remark() {
	for _, why := range Lacks {
		if n := r.NoOwn[why]; n > 0 {
			r.Warnings = append(r.Warnings, fmt.Sprintf("left out %d of %d pairs, to whose question the judge has no answer of its own: %s", n, r.Pairs, inWords[why]))
		}
	}
	if r.Unknown > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("of %d of %d pairs nobody can tell whether the judge's own answer is right: no final answer could be read, or compared with those of the responses", r.Unknown, r.Judged()))
	}
}

// withOwnAnswer adds the key to a line; every byte that was published stays.
func withOwnAnswer(item datasets.Item, text string, own *datasets.Answer) ([]byte, error) {
	line, ok := bytes.CutSuffix(bytes.TrimRight(item.Raw, " \t\r"), []byte("}"))
	if !ok || item.Answered != nil {
		return nil, errors.New("has an answer of a judge already: use the file without them")
	}
	added := datasets.OwnAnswer{Text: &text}
	if own != nil {
		added.Value, added.Right = own.Value, &own.Right
	}
	var key bytes.Buffer
	enc := json.NewEncoder(&key)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(map[string]any{"own_answer": added}); err != nil {
		return nil, err
	}
	return slices.Concat(bytes.TrimRight(line, " \t"), []byte(","), bytes.TrimSpace(key.Bytes())[1:]), nil
}
