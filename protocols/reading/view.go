package reading

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// normalizedReply is a reply in normalized form (see normalize), with the place in the reply of each of its bytes.
type normalizedReply struct {
	reply   string  // the reply up to the end of the model's answer
	text    string  // the normalized reply
	lower   string  // text in lower case, with the same offsets
	offsets []int32 // position in the reply of the character that each byte of text comes from
	starts  []int   // beginnings of the statements; nil until they are needed
	// usesDecimalComma reports whether the reply has words of a language with decimal commas: 1.250,5.
	usesDecimalComma func() bool
}

// normalize removes Markdown's and LaTeX's markup from a reply and unifies look-alike characters. It keeps boxes,
// fractions and thousands separators, which the number reader needs.
func normalize(reply string) *normalizedReply {
	from, to := answerSpan(reply)
	d := normalizer{normalizedReply: normalizedReply{reply: reply[:to]}, out: make([]byte, 0, to-from)}
	d.offsets = make([]int32, 0, to-from)
	d.process(from, to)
	d.text = string(d.out)
	lower(d.out)
	d.lower = string(d.out)
	d.usesDecimalComma = sync.OnceValue(d.hasDecimalComma)
	return &d.normalizedReply
}

// lower converts text to lower case where that does not change the number of bytes.
func lower(text []byte) {
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c >= 'A' && c <= 'Z':
			text[i] = c + 'a' - 'A'
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			if small := unicode.ToLower(r); small != r && utf8.RuneLen(small) == size {
				utf8.EncodeRune(text[i:], small)
			}
			i += size - 1
		}
	}
}

// process appends bytes i to end of the reply to the view in normalized form.
func (d *normalizer) process(i, end int) {
	for i < end {
		plain := i
		for i < end && !specialBytes[d.reply[i]] {
			i++
		}
		d.copyBytes(plain, i)
		if i < end {
			i = d.normalizeAt(i)
		}
	}
}

// span returns the position in the reply of bytes i to j of the view.
func (v *normalizedReply) span(i, j int) (start, end int) {
	last := int(v.offsets[j-1])
	_, size := utf8.DecodeRuneInString(v.reply[last:])
	return int(v.offsets[i]), last + size
}

// normalizer builds a view from a reply.
type normalizer struct {
	normalizedReply
	out          []byte // the normalized text so far
	bracesToDrop []bool // for each open brace: it belongs to a removed LaTeX command such as \textbf
	depth        int    // number of open JSON objects
}

// put appends s to the view in place of the reply's character at byte i.
func (d *normalizer) put(i int, s string) {
	d.out = append(d.out, s...)
	for range len(s) {
		d.offsets = append(d.offsets, int32(i))
	}
}

// copyBytes appends bytes i to j of the reply to the view unchanged.
func (d *normalizer) copyBytes(i, j int) {
	d.out = append(d.out, d.reply[i:j]...)
	for ; i < j; i++ {
		d.offsets = append(d.offsets, int32(i))
	}
}

// specialBytes marks the bytes that normalizer.normalizeAt handles; all others are copied.
var specialBytes = func() (table [256]bool) {
	for _, c := range []byte("\\*_`~{}\r&<#>") {
		table[c] = true
	}
	for c := utf8.RuneSelf; c < len(table); c++ {
		table[c] = true
	}
	return table
}()

// normalizeAt normalizes the special byte at i of the reply, with the markup that it begins, and returns
// the position to continue at.
func (d *normalizer) normalizeAt(i int) int {
	switch c := d.reply[i]; {
	case c == '\\':
		return d.command(i)
	case strings.IndexByte("*_`~", c) >= 0:
		return d.emphasis(i)
	case c == '{' && d.depth < maxObjectDepth && matchesRule(textAfter(d.reply, i, maxKeyBytes), "object-begins"):
		return d.object(i)
	case c == '{':
		d.bracesToDrop = append(d.bracesToDrop, false)
	case c == '}':
		if n := len(d.bracesToDrop) - 1; n >= 0 {
			isWrapper := d.bracesToDrop[n]
			d.bracesToDrop = d.bracesToDrop[:n]
			if isWrapper {
				return i + 1
			}
		}
	case c == '\r':
		return i + 1
	case c == '&' || c == '<':
		if m := matchRule(textAfter(d.reply, i, maxKeyBytes), "markup"); m != nil {
			d.put(i, plainMarkup(m))
			return i + len(m[0])
		}
	case (c == '#' || c == '>') && d.atLineStart():
		return d.heading(i)
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(d.reply[i:])
		d.rune(i, r, d.reply[i:i+size])
		return i + size
	}
	d.copyBytes(i, i+1)
	return i + 1
}

// plainMarkup returns the text that replaces HTML markup, such as a heading for "<verdict>"; m is a
// match of the rule "markup".
func plainMarkup(m []string) string {
	switch {
	case m[1] != "":
		return symbols[strings.ToLower(m[1])]
	case m[2]+m[4] != "":
		return "\n"
	case m[3] != "":
		return strings.Replace(m[3], "_", " ", 1) + ": "
	case m[5]+m[6] != "":
		return cmp.Or(wordsForKey(m[5]+m[6]), "\n"+m[5]+m[6]+": ")
	}
	return ""
}

// keyValueMap returns a map from a text of alternating keys and values.
func keyValueMap(text string) map[string]string {
	table := map[string]string{}
	unescape := strings.NewReplacer("␣", " ", "∅", "")
	for pair := range slices.Chunk(strings.Fields(text), 2) {
		table[unescape.Replace(pair[0])] = unescape.Replace(pair[1])
	}
	return table
}

var (
	// latexWrappers lists LaTeX commands that normalize replaces by their argument.
	latexWrappers = strings.Fields(
		`textbf textit textrm textsf texttt text mathrm mathbf mathit mathsf mathbb operatorname mbox bf
		underline emph bold boldsymbol hbox`,
	)
	// symbols maps LaTeX commands, Markdown's escapes and HTML's entities to plain characters; ␣ is a blank, and ∅
	// nothing.
	symbols = keyValueMap(`amp & nbsp ␣ times × cdot × div ÷ gt > gg >> lt < ll << succ > prec <
		approx ≈ leq ≤ geq ≥
		lbrack [ rbrack ] equiv ≡
		rightarrow → Rightarrow → to → quad ␣ qquad ␣ newline ␣ left ∅ right ∅ big ∅ Big ∅
		bigl ∅ bigr ∅ displaystyle ∅
		[ [ ] ] ( ( ) ) { ∅ } ∅ _ _ * * # # $ $ % % & & | | < < > > = = - - . . " " ' ' / / ; ␣ : ␣ ␣ ␣ ` + "` `")
	// plainCharacters maps typographic characters to plain ones.
	plainCharacters = keyValueMap(`“ " ” " ‘ ' ’ ' ≫ >> ≪ << ≻ > 。 .␣
		【 [ 〖 [ 「 [ ⟦ [[ 】 ] 〗 ] 」 ] ⟧ ]]
		½ ␣1/2 ⅓ ␣1/3 ⅔ ␣2/3 ¼ ␣1/4 ¾ ␣3/4 ⅕ ␣1/5 ⅖ ␣2/5 ⅗ ␣3/5
		⅘ ␣4/5 ⅙ ␣1/6 ⅚ ␣5/6 ⅛ ␣1/8 ⅜ ␣3/8 ⅝ ␣5/8 ⅞ ␣7/8`)
	// cyrillic maps Cyrillic letters to the Latin ones that they look like. Only letters that stand alone, as labels do,
	// are replaced.
	cyrillic = keyValueMap(`А A В B С C Е E`)
)

// command normalizes the LaTeX command or escape that begins with the backslash at byte i, and returns its end.
func (d *normalizer) command(i int) int {
	rest := d.reply[i+1:]
	if d.depth > 0 && rest != "" && (rest[0] == 'n' || rest[0] == 't') {
		d.put(i, "\n")
		return i + 2
	}
	size := 0
	for size < min(len(rest), 16) && IsLetter(rest[size]) {
		size++
	}
	if size == 0 && !strings.HasPrefix(rest, "\n") {
		_, size = utf8.DecodeRuneInString(rest)
	}
	name := rest[:size]
	end := i + 1 + size
	symbol, isSymbol := symbols[name]
	switch {
	case slices.Contains(latexWrappers, name):
		inside, hasBrace := strings.CutPrefix(strings.TrimLeft(d.reply[end:], " "), "{")
		if hasBrace {
			d.bracesToDrop = append(d.bracesToDrop, true)
			return len(d.reply) - len(inside)
		}
	case isSymbol:
		d.put(i+1, symbol)
	default:
		d.copyBytes(i, end)
	}
	return end
}

// emphasis removes the run of Markdown's marks (*, _, ` or ~) at byte i and returns its end. It keeps marks that may be
// an operator or part of a word: "3 * 4", "2**10", "x_1".
func (d *normalizer) emphasis(i int) int {
	c := d.reply[i]
	end := d.runEnd(i)
	if c == '~' && end-i == 2 {
		if m := findRuleMatch(textAfter(d.reply, end, rightWindow), "struck-out"); m != nil {
			return end + m[1]
		}
	}
	before, _ := utf8.DecodeLastRuneInString(d.reply[:i])
	after, _ := utf8.DecodeRuneInString(d.reply[end:])
	first, last := i == 0 || before == '\n', end == len(d.reply) || after == '\n'
	var keep bool
	switch c {
	case '*':
		isOperator := before == ' ' && after == ' ' && !d.atLineStart() && end-i == 1
		isBetween := (unicode.IsDigit(before) || before == ')') && (unicode.IsDigit(after) || after == '(')
		keep = isOperator || end-i <= 2 && isBetween
	case '_':
		keep = !first && !last && wordRune(before) && wordRune(after) && end-i == 1
	case '~':
		keep = end-i == 1 && unicode.IsDigit(after)
	}
	if keep {
		d.copyBytes(i, end)
	} else if c == '~' && end-i == 1 {
		d.put(i, " ") // a space in LaTeX
	}
	return end
}

// atLineStart reports whether the current line of the normalized text has only blanks so far.
func (d *normalizer) atLineStart() bool {
	before := bytes.TrimRight(d.out[max(0, len(d.out)-64):], " \t")
	return len(before) == 0 || before[len(before)-1] == '\n'
}

// runEnd returns the end of the run of equal bytes at i.
func (d *normalizer) runEnd(i int) int {
	return len(d.reply) - len(strings.TrimLeft(d.reply[i:], d.reply[i:i+1]))
}

// heading removes the marks (# or >) of a heading or a quotation at byte i and returns their end. It keeps "####",
// which precedes answers in GSM8K.
func (d *normalizer) heading(i int) int {
	c := d.reply[i]
	end := d.runEnd(i)
	if c == '#' && end-i == 4 || c == '>' && end-i > 1 {
		d.copyBytes(i, end)
	}
	return end
}

// rune normalizes r, a character outside ASCII: s at byte i of the reply.
func (d *normalizer) rune(i int, r rune, s string) {
	switch {
	case r >= 0xff01 && r <= 0xff5e: // full width
		s = string(r - 0xfee0)
	case strings.ContainsRune("\u00a0\u202f\u2009", r) && i > 0 && isDigit(d.reply, i-1) && isDigit(d.reply, i+len(s)):
		d.copyBytes(i, i+len(s)) // separates thousands
		return
	case strings.ContainsRune("\u00a0\u202f\u2009\u3000\u2002\u2003", r):
		s = " "
	case r >= 0x200b && r <= 0x200d || strings.ContainsRune("\ufeff\u2060\u00ad", r):
		return
	case plainCharacters[s] != "":
		s = plainCharacters[s]
	case cyrillic[s] != "" && !hasWordBefore(d.reply, i) &&
		matchesRule(textAfter(d.reply, i+len(s), 8-len(s)), "lonely"):
		s = cyrillic[s]
	case unicode.Is(unicode.Nd, r):
		s = string(toASCIIDigit(r))
	default:
		d.copyBytes(i, i+len(s))
		return
	}
	d.put(i, s)
}

// IsLetter reports whether b is a letter of ASCII.
func IsLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

// wordRune reports whether a character forms a word with an adjacent Latin letter. Characters of scripts without
// spaces between words do not.
func wordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r)) && !isUnspaced(r)
}

// isUnspaced reports whether r belongs to a script that does not separate words by spaces.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul)
}

// hasWordBefore reports whether a letter or a digit of a word stands right before byte i.
func hasWordBefore(s string, i int) bool { return wordRune(lastRune(s, i)) }

// lastRune returns the character before byte i.
func lastRune(s string, i int) rune {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return r
}

// isWordCharAt reports whether a letter or a digit of a word stands at byte i.
func isWordCharAt(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return wordRune(r)
}
