package reading

import (
	"cmp"
	"strings"
)

const (
	longestKey  = 64
	mostObjects = 8
)

// object takes over a JSON object: the values of keys that name a verdict, a line each. Other keys say nothing.
func (d *dresser) object(i int) int {
	d.objects++
	defer func() { d.objects-- }()
	for i++; i < len(d.reply); {
		m := find(d.reply[i:min(len(d.reply), i+2*longestKey)], "field-begins")
		if m == nil {
			break
		}
		at := i + m[1]
		end := at + find(d.reply[at:], "field-value")[1]
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
	side := groups(key+"="+value, "side-stated")
	switch {
	case side != nil:
		d.put(i, cmp.Or(announcement(side[2]), "\nbetter answer: ")+side[1]+side[3]+side[4]+"\n")
		return
	case matches(key+"="+value, "scored"):
		m := groups(key+"="+value, "scored")
		d.put(i, "\nassistant "+strings.ToUpper(m[1])+" scores "+m[2]+".\n")
		return
	case matches(key, "call-key"):
		word = "\n"
	case word == "", matches(value, "is-list"):
		return
	}
	d.put(i, word)
	d.dress(i, end)
	d.put(i, "\n")
}

// announcement returns the words for a key that announces a verdict, or nothing.
func announcement(key string) string {
	switch {
	case matches(key, "other-key"):
		return ""
	case matches(key, "worse-key"):
		return "\nworse: "
	case matches(key, "better-key"):
		return "\nbetter answer: "
	case matches(key, "verdict-key"):
		return "\nanswer: "
	}
	return ""
}

// isOther tells whether what comes next has a key that names no verdict.
func isOther(left string) bool {
	m := find(left, "keyed")
	return m != nil && matches(left[m[0]:], "other-key", "worse-key")
}
