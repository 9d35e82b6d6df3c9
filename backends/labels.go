package backends

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// topTokens is how many alternatives are asked for beside each token: the most that Ollama and vLLM give.
const topTokens = 20

// topBeside is how many llama.cpp is asked for, which lists as many as it is asked for. Beside a reply that it holds to
// labels from its first token on, these are nearly always those of the labels that the reply does not say; else each
// would take a request of its own.
const topBeside = 400

// token is one token of a reply, or an alternative to one.
type token struct {
	text    string
	logprob float64
	top     []token // the alternatives; the token itself among them, or not
}

// tokenSaid is a token as both formats write it.
type tokenSaid struct {
	Token   string      `json:"token"`
	Logprob *float64    `json:"logprob"`
	Bytes   []int       `json:"bytes"`
	Top     []tokenSaid `json:"top_logprobs"`
}

// tokensOf reads the tokens of a reply; one without a probability spoils all.
func tokensOf(said []tokenSaid) []token {
	out := make([]token, 0, len(said))
	for _, s := range said {
		if s.Logprob == nil {
			return nil
		}
		told := slices.DeleteFunc(s.Top, func(a tokenSaid) bool { return a.Logprob == nil })
		out = append(out, token{text: spell(s.Token, s.Bytes), logprob: *s.Logprob, top: tokensOf(told)})
	}
	return out
}

// spell prefers the bytes of a token: half a character has no text.
func spell(text string, bytes []int) string {
	if len(bytes) == 0 {
		return text
	}
	b := make([]byte, len(bytes))
	for i, n := range bytes {
		b[i] = byte(n)
	}
	return string(b)
}

// labelLogprobs finds the last label in a reply's tokens and tells how probable each label was there, along the way
// that the reply took: the product of the token probabilities up to the token that sets the label apart. Different
// tokens that lead to the same label alone are added up; what leads to several labels that the reply did not take is
// shared out evenly among them. A label that no listed token leads to is left out.
func labelLogprobs(tokens []token, labels []string) []Label {
	var reply strings.Builder
	ends := make([]int, len(tokens)) // where each token ends in the reply
	for i, t := range tokens {
		reply.WriteString(t.text)
		ends[i] = reply.Len()
	}
	text := reply.String()
	at := -1
	chosen := ""
	for _, l := range labels {
		if i := strings.LastIndex(text, l); l != "" && i >= 0 && (i > at || i == at && len(l) > len(chosen)) {
			at, chosen = i, l
		}
	}
	if at < 0 {
		return nil
	}
	if !believable(tokens) {
		return nil
	}
	first := slices.IndexFunc(ends, func(end int) bool { return end > at })
	begin := ends[first] - len(tokens[first].text)
	alive := map[string]string{} // what the reply would say from the first token on, by label
	for _, l := range labels {
		alive[l] = text[begin:at] + l
	}
	found := map[string]float64{}
	said, logprob := "", 0.0
	for _, t := range tokens[first:] {
		if len(alive) < 2 || len(said) >= len(alive[chosen]) {
			break
		}
		stays, leaves := map[string]string{}, map[string]string{}
		for l, target := range alive {
			if leads(said+t.text, target) {
				stays[l] = target
			} else {
				leaves[l] = target
			}
		}
		if len(leaves) > 0 {
			onward, mass := t.shared(said, stays, leaves)
			for l, p := range mass {
				found[l] = logprob + math.Log(p)
			}
			logprob += math.Log(onward)
		} else {
			logprob += t.logprob
		}
		said += t.text
		alive = stays
	}
	if len(alive) == 1 {
		found[chosen] = logprob
	}
	var out []Label
	for _, l := range labels {
		if p, ok := found[l]; ok && !math.IsInf(p, 0) && !math.IsNaN(p) {
			out = append(out, Label{l, p})
		}
	}
	return out
}

// believable tells whether tokens and their alternatives have logarithms of probabilities: none
// above 0 but for rounding.
func believable(tokens []token) bool {
	return !slices.ContainsFunc(tokens, func(t token) bool { return !(t.logprob <= 1e-6) || !believable(t.top) })
}

// shared adds up a token and the alternatives to it after what was said: what
// leads on to labels that stay, and what to each label that is left alone.
func (t token) shared(said string, stays, leaves map[string]string) (onward float64, mass map[string]float64) {
	onward, mass = math.Exp(t.logprob), map[string]float64{}
	itself := false
	for _, a := range t.top {
		if !itself && a.text == t.text && a.logprob == t.logprob {
			itself = true
			continue
		}
		on, off := leading(said+a.text, stays), leading(said+a.text, leaves)
		switch {
		case len(on) > 0 && len(off) > 0: // another way to what they share
		case len(on) > 0:
			onward += math.Exp(a.logprob)
		default:
			for _, l := range off {
				if p := math.Exp(a.logprob) / float64(len(off)); p > 0 {
					mass[l] += p
				}
			}
		}
	}
	return onward, mass
}

// leads tells whether a reply that says s so far may become, or has passed, target.
func leads(s, target string) bool {
	return strings.HasPrefix(target, s) || strings.HasPrefix(s, target)
}

func leading(s string, targets map[string]string) []string {
	var out []string
	for l, t := range targets {
		if s != "" && leads(s, t) {
			out = append(out, l)
		}
	}
	return out
}

// choiceSchema is the JSON schema of a reply that is one of the texts.
func choiceSchema(texts []string) json.RawMessage {
	return mustJSON(map[string]any{"type": "string", "enum": texts})
}

// choiceGrammar is the same in llama.cpp's GBNF, without JSON's quotes.
func choiceGrammar(texts []string) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = strconv.Quote(t)
	}
	return "root ::= " + strings.Join(parts, " | ")
}

// unquoted takes JSON's quotes off a reply that a schema held to one of the
// texts. Whatever else a server answered is left as it is.
func unquoted(reply string, texts []string) string {
	var s string
	if json.Unmarshal([]byte(reply), &s) == nil && slices.Contains(texts, s) {
		return s
	}
	return reply
}
