package reading

import (
	"cmp"
	"strings"
)

const (
	longestKey  = 64
	mostObjects = 8
)

const quotedText = `"(?:[^"\\]|\\(?s:.))*"?`

// inBrackets is an expression of a list or an object that may have more of what it holds.
func inBrackets(inside string) string {
	if inside != "" {
		inside = "|" + inside
	}
	return `[\[{](?:` + quotedText + `|[^"\[\]{}]` + inside + `)*[\]}]?`
}

var (
	objectBegins = compile(`^\{\s*\\?["'][^"'\n]{1,40}["']\s*:`)
	fieldBegins  = compile(`^[\s,]*\\?["']([^"'\n]{1,40}?)\\?["']\s*:\s*`)
	// fieldValue is a text, what is in brackets, or what goes up to a comma.
	fieldValue = compile(`^(?:` + quotedText + `|\\"[^"\\]*\\"
		|` + inBrackets(inBrackets(inBrackets(``))) + `|[^",}\n\[{])*`)
	// verdictKey is a key whose value is the answer, unless it is otherKey, betterKey or worseKey.
	verdictKey = compile(`(?i)verdict|solution|label|winner|answer|decision|judge?ment|choice|chosen|select|option|result
		|final|overall|pick|prefer|correct|conclusion|output|response|evaluation
		|urteil|veredi[ct]t?o|verdetto|antwort|auswahl|réponse|choix|respuesta|risposta|resposta|вердикт|ответ
		|答案|选择|结论|判断|判定|回答|정답|답|선택`)
	otherKey = compile(`(?i)altern|runner|second|segund|zweit|other|consider|not_|confiden|reason|expla
		|initial|first|previous|if_|_if|score|grade|why|text|count|number_of|\breference|_reference|student|ration
		|analysis|options|answers|comment|assistant_[ab]|_[ab]$|^[ab]_
		|` + aspect + `_(?:winner|better|best|verdict|choice|pick)|(?:winner|better|best)_(?:(?:in|on|by|for)_)?` + aspect)
	betterKey = compile(`(?i)better|best|strong|superior`)
	worseKey  = compile(`(?i)worse|worst|weak|inferior|poorer|(?:^|_)lose|reject`)
	// sideStated is a key with a value that name the better together: b_is_better=true, ranking=["B", "A"]. 1 is the side,
	// 2 says whether it is the better or the worse, 3 is the first of a ranking, 4 a tie.
	sideStated = compile(`(?i)^(?:
		(?:is_)?(?:(?:assistant|response|answer)_)?([ab])_(?:is_|was_)?(?:the_)?
			(better|best|worse|worst|wins?|preferred|loses?|loser)=true
		|(?:(?:final_|overall_)?rank(?:ing|ed|s)?(?:_best_(?:first|to_worst))?|best_to_worst)=\[\s*"(
			(?:(?:assistant|response) )?[ab])"
		|(?:is_)?(?:a_)?(tie|draw)=true)`)
	// scored matches a key whose number is the score of one response: "assistant_a_score"=7.
	scored = compile(`(?i)^(?:score_)?(?:(?:assistant|response|model|answer)_)?([ab])(?:_(?:score|rating|total))?
		="?([\d.]+)"?$`)
	isList = compile(`^\[[^\[]`)
	// callKey is a key under which a call of a tool has what it is called with.
	callKey = compile(`^\\?(?:arguments|parameters|args|kwargs|input|(?:tool|action)_input
		|function(?:_call)?|tool_calls?|(?:overall_)?(?:score|rating)s?)\\?$`)
	// keyed ends with the key of a list of keys and values, as in YAML.
	keyed = compile(`(?:^|\n)[ \t"'-]*[\pL\d]+(?:_[\pL\d]+)*["']?:[\s"'(-]*$`)
)

// object takes over a JSON object: the values of keys that name a verdict, a line each. Other keys say nothing.
func (d *dresser) object(i int) int {
	d.objects++
	defer func() { d.objects-- }()
	for i++; i < len(d.reply); {
		m := fieldBegins.find(d.reply[i:min(len(d.reply), i+2*longestKey)])
		if m == nil {
			break
		}
		at := i + m[1]
		end := at + fieldValue.find(d.reply[at:])[1]
		d.field(d.reply[i+m[2]:i+m[3]], at, end)
		i = end
	}
	rest := strings.TrimPrefix(strings.TrimLeft(d.reply[i:], " \t\r\n"), "}")
	i = len(d.reply) - len(rest)
	d.put(i-1, "\n")
	return i
}

// field takes over the value of a key, at bytes i to end, as what the key announces; nothing where that is no verdict.
func (d *dresser) field(key string, i, end int) {
	value := d.reply[i:end]
	word := announcement(key)
	side := sideStated.findString(key + "=" + value)
	switch {
	case side != nil:
		d.put(i, cmp.Or(announcement(side[2]), "\nbetter answer: ")+side[1]+side[3]+side[4]+"\n")
		return
	case scored.MatchString(key + "=" + value):
		m := scored.findString(key + "=" + value)
		d.put(i, "\nassistant "+strings.ToUpper(m[1])+" scores "+m[2]+".\n")
		return
	case callKey.MatchString(key):
		word = "\n"
	case word == "", isList.MatchString(value), worseKey.MatchString(key) && strings.ContainsAny(value, "[<>="):
		return
	}
	d.put(i, word)
	d.dress(i, end)
	d.put(i, "\n")
}

// announcement returns the words for a key that announces a verdict, or nothing.
func announcement(key string) string {
	switch {
	case otherKey.MatchString(key):
		return ""
	case worseKey.MatchString(key):
		return "\nworse: "
	case betterKey.MatchString(key):
		return "\nbetter answer: "
	case verdictKey.MatchString(key):
		return "\nanswer: "
	}
	return ""
}

// isOther tells whether what comes next has a key that names no verdict.
func isOther(left string) bool {
	m := keyed.find(left)
	return m != nil && (matches(left[m[0]:], otherKey, worseKey) ||
		strings.Contains(left[m[0]:], "_") && !verdictKey.MatchString(left[m[0]:]))
}
