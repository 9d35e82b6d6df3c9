package reading

import (
	"cmp"
	"strings"
)

const (
	// Limits for JSON in a reply: bytes of an object's key, and objects within each other.
	maxKeyBytes    = 64
	maxObjectDepth = 8
)

// object writes the JSON object at byte i of the reply as text and returns the object's end: a line for each value
// whose key names a verdict, without the other keys.
func (d *normalizer) object(i int) int {
	d.depth++
	defer func() { d.depth-- }()
	for i++; i < len(d.reply); {
		m := findRuleMatch(textAfter(d.reply, i, 2*maxKeyBytes), "field-begins")
		if m == nil {
			break
		}
		start := i + m[1]
		end := start + findRuleMatch(d.reply[start:], "field-value")[1]
		d.field(d.reply[i+m[2]:i+m[3]], start, end)
		i = end
	}
	rest := strings.TrimPrefix(strings.TrimLeft(d.reply[i:], " \t\r\n"), "}")
	i = len(d.reply) - len(rest)
	d.put(i-1, "\n")
	return i
}

// field writes the value of a JSON key, at bytes i to end of the reply, after words that announce it ("answer: "). It
// writes nothing for keys that name no verdict.
func (d *normalizer) field(key string, i, end int) {
	value := d.reply[i:end]
	word := wordsForKey(key)
	side := matchRule(key+"="+value, "side-stated")
	scored := matchRule(key+"="+value, "scored")
	switch {
	case side != nil:
		d.put(i, cmp.Or(wordsForKey(side[2]), "\nbetter answer: ")+side[1]+side[3]+side[4]+"\n")
		return
	case scored != nil:
		d.put(i, "\nassistant "+strings.ToUpper(scored[1])+" scores "+scored[2]+".\n")
		return
	case matchesRule(key, "call-key"):
		word = "\n"
	case word == "", matchesRule(value, "is-list"):
		return
	}
	d.put(i, word)
	d.process(i, end)
	d.put(i, "\n")
}

// wordsForKey returns the words that replace a JSON key or tag that names a verdict; "" for other keys.
func wordsForKey(key string) string {
	switch {
	case matchesRule(key, "other-key"):
		return ""
	case matchesRule(key, "worse-key"):
		return "\nworse: "
	case matchesRule(key, "better-key"):
		return "\nbetter answer: "
	case matchesRule(key, "verdict-key"):
		return "\nanswer: "
	}
	return ""
}

// isOtherKey reports whether the text before a label ends with a JSON key that does not name the verdict asked for.
func isOtherKey(prefix string) bool {
	m := findRuleMatch(prefix, "keyed")
	return m != nil && matchesRule(prefix[m[0]:], "other-key", "worse-key")
}
