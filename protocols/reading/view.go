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

// view is a reply without its dressing, and where its bytes stand in the reply.
type view struct {
	reply  string
	text   string
	lower  string  // text in small letters, byte for byte
	at     []int32 // where in the reply stands what each byte of the text is of
	starts []int   // of its statements
	// isContinental tells whether the reply has words of a language that has commas for decimals: 1.250,5.
	isContinental func() bool
}

// undress takes Markdown's and LaTeX's marks off a reply, and writes characters that look alike in one way. Boxes,
// fractions and the ways of parting thousands stay, since numbers are read by them.
func undress(reply string) *view {
	from, to := spoken(reply)
	d := dresser{view: view{reply: reply[:to]}, out: make([]byte, 0, to-from)}
	d.at = make([]int32, 0, to-from)
	d.dress(from, to)
	d.text = string(d.out)
	lower(d.out)
	d.lower = string(d.out)
	d.isContinental = sync.OnceValue(d.hasContinental)
	return &d.view
}

// lower writes capital letters small where that takes as many bytes.
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

// dress takes over bytes i to end.
func (d *dresser) dress(i, end int) {
	for i < end {
		plain := i
		for i < end && !dressing[d.reply[i]] {
			i++
		}
		d.keep(plain, i)
		if i < end {
			i = d.next(i)
		}
	}
}

// span is where bytes i to j of the view stand in the reply.
func (v *view) span(i, j int) (start, end int) {
	last := int(v.at[j-1])
	_, size := utf8.DecodeRuneInString(v.reply[last:])
	return int(v.at[i]), last + size
}

// dresser makes a view.
type dresser struct {
	view
	out     []byte
	braces  []bool // of each open brace: was it taken off?
	objects int    // how many JSON objects are being taken over, one in the other
}

// put writes s for the character at i.
func (d *dresser) put(i int, s string) {
	d.out = append(d.out, s...)
	for range len(s) {
		d.at = append(d.at, int32(i))
	}
}

// keep takes over bytes i to j as they are.
func (d *dresser) keep(i, j int) {
	d.out = append(d.out, d.reply[i:j]...)
	for ; i < j; i++ {
		d.at = append(d.at, int32(i))
	}
}

// dressing are the bytes that next looks at: all others are taken over as they are.
var dressing = func() (of [256]bool) {
	for _, c := range []byte("\\*_`~{}\r&<#>") {
		of[c] = true
	}
	for c := utf8.RuneSelf; c < len(of); c++ {
		of[c] = true
	}
	return of
}()

// next takes over what stands at i, and says where to go on.
func (d *dresser) next(i int) int {
	switch c := d.reply[i]; {
	case c == '\\':
		return d.command(i)
	case c == '*' || c == '_' || c == '`' || c == '~':
		return d.emphasis(i)
	case c == '{' && d.objects < mostObjects && matches(d.reply[i:min(len(d.reply), i+longestKey)], "object-begins"):
		return d.object(i)
	case c == '{':
		d.braces = append(d.braces, false)
	case c == '}':
		if n := len(d.braces) - 1; n >= 0 {
			off := d.braces[n]
			d.braces = d.braces[:n]
			if off {
				return i + 1
			}
		}
	case c == '\r':
		return i + 1
	case c == '&' || c == '<':
		if m := groups(d.reply[i:min(len(d.reply), i+longestKey)], "markup"); m != nil {
			d.put(i, plainMarkup(m))
			return i + len(m[0])
		}
	case (c == '#' || c == '>') && d.lineStart():
		return d.heading(i)
	case c >= utf8.RuneSelf:
		r, size := utf8.DecodeRuneInString(d.reply[i:])
		d.rune(i, r, d.reply[i:i+size])
		return i + size
	}
	d.keep(i, i+1)
	return i + 1
}

// plainMarkup writes what markup matched: "<verdict>" as a heading.
func plainMarkup(m []string) string {
	switch {
	case m[1] != "":
		return symbols[strings.ToLower(m[1])]
	case m[2]+m[4] != "":
		return "\n"
	case m[3] != "":
		return strings.Replace(m[3], "_", " ", 1) + ": "
	case m[5]+m[6] != "":
		return cmp.Or(announcement(m[5]+m[6]), "\n"+m[5]+m[6]+": ")
	}
	return ""
}

// pairs is a map of the words of a text, every other one of which is what the one before stands for.
func pairs(text string) map[string]string {
	of := map[string]string{}
	unwritten := strings.NewReplacer("␣", " ", "∅", "")
	for pair := range slices.Chunk(strings.Fields(text), 2) {
		of[unwritten.Replace(pair[0])] = unwritten.Replace(pair[1])
	}
	return of
}

var (
	// wrappers are commands of LaTeX of which only what they hold counts.
	wrappers = strings.Fields(
		`textbf textit textrm textsf texttt text mathrm mathbf mathit mathsf mathbb operatorname mbox bf
		underline emph bold boldsymbol hbox`,
	)
	// symbols are commands of LaTeX, Markdown's escapes and HTML's entities, with what they stand for; ␣ is a blank,
	// and ∅ nothing.
	symbols = pairs(`amp & nbsp ␣ times × cdot × div ÷ gt > gg >> lt < ll << succ > prec < approx ≈ leq ≤ geq ≥
		lbrack [ rbrack ] equiv ≡
		rightarrow → Rightarrow → to → quad ␣ qquad ␣ newline ␣ left ∅ right ∅ big ∅ Big ∅
		bigl ∅ bigr ∅ displaystyle ∅
		[ [ ] ] ( ( ) ) { ∅ } ∅ _ _ * * # # $ $ % % & & | | < < > > = = - - . . " " ' ' / / ; ␣ : ␣ ␣ ␣ ` + "` `")
	// characters are written otherwise.
	characters = pairs(`“ " ” " ‘ ' ’ ' ≫ >> ≪ << ≻ > 。 .␣
		【 [ 〖 [ 「 [ ⟦ [[ 】 ] 〗 ] 」 ] ⟧ ]]
		½ ␣1/2 ⅓ ␣1/3 ⅔ ␣2/3 ¼ ␣1/4 ¾ ␣3/4 ⅕ ␣1/5 ⅖ ␣2/5 ⅗ ␣3/5
		⅘ ␣4/5 ⅙ ␣1/6 ⅚ ␣5/6 ⅛ ␣1/8 ⅜ ␣3/8 ⅝ ␣5/8 ⅞ ␣7/8`)
	// cyrillic letters look like Latin ones: as labels they end what is said, as words they do not.
	cyrillic = pairs(`А A В B С C Е E`)
)

// command reads what a backslash begins.
func (d *dresser) command(i int) int {
	rest := d.reply[i+1:]
	if d.objects > 0 && rest != "" && (rest[0] == 'n' || rest[0] == 't') {
		d.put(i, "\n")
		return i + 2
	}
	size := 0
	for size < min(len(rest), 16) && isLetter(rest[size]) {
		size++
	}
	if size == 0 && !strings.HasPrefix(rest, "\n") {
		_, size = utf8.DecodeRuneInString(rest)
	}
	name := rest[:size]
	end := i + 1 + size
	symbol, isSymbol := symbols[name]
	switch {
	case slices.Contains(wrappers, name):
		inside, isHeld := strings.CutPrefix(strings.TrimLeft(d.reply[end:], " "), "{")
		if isHeld {
			d.braces = append(d.braces, true)
			return len(d.reply) - len(inside)
		}
	case isSymbol:
		d.put(i+1, symbol)
	default:
		d.keep(i, end)
	}
	return end
}

// emphasis reads a run of marks: it stays where it may be an operator or a part of a word, "3 * 4", "2**10", "x_1".
func (d *dresser) emphasis(i int) int {
	c := d.reply[i]
	end := d.endOfRun(i)
	if c == '~' && end-i == 2 {
		if m := find(d.reply[end:min(len(d.reply), end+after)], "struck-out"); m != nil {
			return end + m[1]
		}
	}
	before, _ := utf8.DecodeLastRuneInString(d.reply[:i])
	after, _ := utf8.DecodeRuneInString(d.reply[end:])
	first, last := i == 0 || before == '\n', end == len(d.reply) || after == '\n'
	var stays bool
	switch c {
	case '*':
		isOperator := before == ' ' && after == ' ' && !d.lineStart() && end-i == 1
		isBetween := (unicode.IsDigit(before) || before == ')') && (unicode.IsDigit(after) || after == '(')
		stays = isOperator || end-i <= 2 && isBetween
	case '_':
		stays = !first && !last && wordRune(before) && wordRune(after) && end-i == 1
	case '~':
		stays = end-i == 1 && unicode.IsDigit(after)
	}
	if stays {
		d.keep(i, end)
	} else if c == '~' && end-i == 1 {
		d.put(i, " ") // LaTeX's space
	}
	return end
}

// lineStart tells whether nothing but blanks and marks has been taken over of the line.
func (d *dresser) lineStart() bool {
	before := bytes.TrimRight(d.out[max(0, len(d.out)-64):], " \t")
	return len(before) == 0 || before[len(before)-1] == '\n'
}

// endOfRun is where the marks end that are as the one at i.
func (d *dresser) endOfRun(i int) int {
	return len(d.reply) - len(strings.TrimLeft(d.reply[i:], d.reply[i:i+1]))
}

// heading takes the marks of a heading or a quotation off; "####" stays, since GSM8K's answers stand after it.
func (d *dresser) heading(i int) int {
	c := d.reply[i]
	end := d.endOfRun(i)
	if c == '#' && end-i == 4 || c == '>' && end-i > 1 {
		d.keep(i, end)
	}
	return end
}

// rune takes over a character that is no ASCII.
func (d *dresser) rune(i int, r rune, s string) {
	switch {
	case r >= 0xff01 && r <= 0xff5e: // full width
		s = string(r - 0xfee0)
	case r == 0xa0 || r == 0x202f || r == 0x2009:
		if digitBeside(d.reply, i, i+len(s)) {
			d.keep(i, i+len(s))
			return
		}
		s = " "
	case r == 0x3000 || r == 0x2002 || r == 0x2003:
		s = " "
	case r >= 0x200b && r <= 0x200d || r == 0xfeff || r == 0x2060 || r == 0xad:
		return
	case characters[s] != "":
		s = characters[s]
	case cyrillic[s] != "" && !wordBefore(d.reply, i) && matches(d.reply[i+len(s):min(len(d.reply), i+8)], "lonely"):
		s = cyrillic[s]
	case unicode.Is(unicode.Nd, r):
		s = string(plainDigit(r))
	default:
		d.keep(i, i+len(s))
		return
	}
	d.put(i, s)
}

func isLetter(b byte) bool { return b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' }

// wordRune tells whether a character makes one word with a Latin letter beside it. Scripts without spaces do not.
func wordRune(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsNumber(r)) && !isUnspaced(r)
}

func isUnspaced(r rune) bool { return unicode.In(r, unspaced...) }

// unspaced are scripts in which words are not set apart by spaces, and numbers are not either.
var unspaced = []*unicode.RangeTable{unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul}

// wordBefore and wordAfter tell whether a letter or a digit stands right before or at i.
func wordBefore(s string, i int) bool { return wordRune(lastRune(s, i)) }

func lastRune(s string, i int) rune {
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return r
}

func wordAfter(s string, i int) bool {
	r, _ := utf8.DecodeRuneInString(s[min(i, len(s)):])
	return wordRune(r)
}

// digitBeside tells whether digits stand on both sides of a space that does not break: it parts thousands.
func digitBeside(s string, i, j int) bool {
	return i > 0 && isDigit(s, i-1) && isDigit(s, j)
}
