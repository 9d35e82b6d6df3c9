package backends

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// topTokens is the number of alternatives requested for each token: the maximum of Ollama and vLLM.
const topTokens = 20

// topTokensConstrained is the number of alternatives requested for each token from llama.cpp, which has no maximum,
// when it restricts a reply to labels from the first token on. The alternatives then nearly always include all labels
// that the reply does not name; otherwise each of these labels would take a request of its own.
const topTokensConstrained = 400

// token is one token of a reply, or an alternative to one.
type token struct {
	text    string
	logprob float64 // natural logarithm of the token's probability
	top     []token // the likeliest tokens at this place; may include the token itself
}

// wireToken is a token as the formats of Ollama and OpenAI write it.
type wireToken struct {
	Token   string      `json:"token"`
	Logprob *float64    `json:"logprob"`
	Bytes   []int       `json:"bytes"`
	Top     []wireToken `json:"top_logprobs"`
}

// tokensOf converts the tokens of a reply; it returns nil if one has no probability.
func tokensOf(raw []wireToken) []token {
	out := make([]token, 0, len(raw))
	for _, s := range raw {
		if s.Logprob == nil {
			return nil
		}
		alternatives := slices.DeleteFunc(s.Top, func(a wireToken) bool { return a.Logprob == nil })
		out = append(out, token{text: tokenText(s.Token, s.Bytes), logprob: *s.Logprob, top: tokensOf(alternatives)})
	}
	return out
}

// tokenText returns a token's text, from its bytes if there are any: half a character has no text.
func tokenText(text string, bytes []int) string {
	if len(bytes) == 0 {
		return text
	}
	b := make([]byte, len(bytes))
	for i, n := range bytes {
		b[i] = byte(n)
	}
	return string(b)
}

// labelLogprobs finds the last label in a reply's tokens and returns the probability of each label there: the product
// of the token probabilities along the reply, up to the token that distinguishes the label. Alternative tokens that
// lead to the same label are added up. The mass of one that leads to several labels which the reply did not take is
// shared evenly among them. A label that no listed token leads to is left out.
func labelLogprobs(tokens []token, labels []string) []LabelProbability {
	var reply strings.Builder
	ends := make([]int, len(tokens)) // end of each token in the reply
	for i, t := range tokens {
		reply.WriteString(t.text)
		ends[i] = reply.Len()
	}
	text := reply.String()
	position := -1
	lastLabel := ""
	for _, l := range labels {
		if i := strings.LastIndex(text, l); l != "" && i >= 0 && (i > position || i == position && len(l) > len(lastLabel)) {
			position, lastLabel = i, l
		}
	}
	if position < 0 || !validLogprobs(tokens) {
		return nil
	}
	first := slices.IndexFunc(ends, func(end int) bool { return end > position })
	begin := ends[first] - len(tokens[first].text)
	alive := map[string]string{} // text from the first token on, by label
	for _, l := range labels {
		alive[l] = text[begin:position] + l
	}
	logprobs := map[string]float64{}
	prefix, logprob := "", 0.0
	for _, t := range tokens[first:] {
		if len(alive) < 2 || len(prefix) >= len(alive[lastLabel]) {
			break
		}
		stays, leaves := map[string]string{}, map[string]string{}
		for l, target := range alive {
			if canBecomeTarget(prefix+t.text, target) {
				stays[l] = target
			} else {
				leaves[l] = target
			}
		}
		if len(leaves) > 0 {
			onward, mass := t.sumContinuations(prefix, stays, leaves)
			for l, p := range mass {
				logprobs[l] = logprob + math.Log(p)
			}
			logprob += math.Log(onward)
		} else {
			logprob += t.logprob
		}
		prefix += t.text
		alive = stays
	}
	if len(alive) == 1 {
		logprobs[lastLabel] = logprob
	}
	var out []LabelProbability
	for _, l := range labels {
		if p, ok := logprobs[l]; ok && !math.IsInf(p, 0) && !math.IsNaN(p) {
			out = append(out, LabelProbability{l, p})
		}
	}
	return out
}

// validLogprobs reports whether no logarithm of tokens and their alternatives is above 0, except for rounding.
func validLogprobs(tokens []token) bool {
	return !slices.ContainsFunc(tokens, func(t token) bool { return !(t.logprob <= 1e-6) || !validLogprobs(t.top) })
}

// sumContinuations sums the probabilities of a token and its alternatives, as the continuation of prefix: onward is the
// sum of those that lead to labels in stays, mass[label] the sum of those that lead to a label in leaves. Both map a
// label to the text of a reply that ends with it.
func (t token) sumContinuations(
	prefix string, stays, leaves map[string]string,
) (onward float64, mass map[string]float64) {
	onward, mass = math.Exp(t.logprob), map[string]float64{}
	itself := false
	for _, a := range t.top {
		if !itself && a.text == t.text && a.logprob == t.logprob {
			itself = true
			continue
		}
		on, off := reachableLabels(prefix+a.text, stays), reachableLabels(prefix+a.text, leaves)
		switch {
		case len(on) > 0 && len(off) > 0: // another tokenization of what they share
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

// canBecomeTarget reports whether a reply that reads s so far may become target, or begins with it.
func canBecomeTarget(s, target string) bool {
	return strings.HasPrefix(target, s) || strings.HasPrefix(s, target)
}

// reachableLabels returns the labels that a reply which reads s so far leads to. targets maps labels to texts.
func reachableLabels(s string, targets map[string]string) []string {
	var out []string
	for l, t := range targets {
		if s != "" && canBecomeTarget(s, t) {
			out = append(out, l)
		}
	}
	return out
}

// choiceSchema returns the JSON schema of a reply that is one of the texts.
func choiceSchema(texts []string) json.RawMessage {
	return mustJSON(map[string]any{"type": "string", "enum": texts})
}

// choiceGrammar returns a grammar in llama.cpp's GBNF for a reply that is one of the texts, without JSON's quotes.
func choiceGrammar(texts []string) string {
	parts := make([]string, len(texts))
	for i, t := range texts {
		parts[i] = strconv.Quote(t)
	}
	return "root ::= " + strings.Join(parts, " | ")
}

// unquoted removes JSON's quotes from a reply that a schema restricted to one of the texts. Other replies are returned
// unchanged.
func unquoted(reply string, texts []string) string {
	var s string
	if json.Unmarshal([]byte(reply), &s) == nil && slices.Contains(texts, s) {
		return s
	}
	return reply
}
