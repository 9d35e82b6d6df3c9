package reading

import (
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
	objectBegins = compile(`^\{\s*["'][^"'\n]{1,40}["']\s*:`)
	fieldBegins  = compile(`^[\s,]*["']([^"'\n]{1,40})["']\s*:\s*`)
	// fieldValue is a text, what is in brackets, or what goes up to a comma.
	fieldValue = compile(`^(?:` + quotedText + `|` + inBrackets(inBrackets(inBrackets(``))) + `|[^",}\n\[{])*`)
	// verdictKey is a key whose value is the answer, unless it is otherKey.
	verdictKey = compile(`(?i)verdict|solution|label|winner|answer|decision|judge?ment|choice|select|option|result
		|final|pick|better|best|prefer|correct|conclusion|output|response|evaluation|worst|urteil|veredi[ct]t?o
		|verdetto|antwort|auswahl
		|réponse
		|choix|respuesta|risposta|resposta|вердикт|ответ|答案|选择|结论|判断|判定|回答|정답|답|선택`)
	otherKey = compile(`(?i)altern|runner|second|segund|zweit|other|reject|consider|not_|confiden|reason|expla
		|initial|first|previous
		|worse
		|if_|_if|score|grade|why|text|count|number_of|reference|student|ration|analysis|options|answers|comment
		|assistant_[ab]|_[ab]$|^[ab]_`)
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
		key := d.reply[i+m[2] : i+m[3]]
		at := i + m[1]
		end := at + fieldValue.find(d.reply[at:])[1]
		isList := strings.HasPrefix(d.reply[at:end], "[") && !strings.HasPrefix(d.reply[at:end], "[[")
		if verdictKey.MatchString(key) && !otherKey.MatchString(key) && !isList {
			word := "\nanswer: "
			if strings.Contains(strings.ToLower(key), "worst") {
				word = "\nworst option: "
			}
			d.put(at, word)
			d.dress(at, end)
			d.put(at, "\n")
		}
		i = end
	}
	rest := strings.TrimPrefix(strings.TrimLeft(d.reply[i:], " \t\r\n"), "}")
	i = len(d.reply) - len(rest)
	d.put(i-1, "\n")
	return i
}

// isOther tells whether what comes next has a key that names no verdict.
func isOther(left string) bool {
	m := keyed.find(left)
	return m != nil && (otherKey.MatchString(left[m[0]:]) ||
		strings.Contains(left[m[0]:], "_") && !verdictKey.MatchString(left[m[0]:]))
}
