package reading

import "regexp"

// lettered is an output by its letter: "Output (a)".
var lettered = regexp.MustCompile(`(?i)\boutputs?[\s*_(（"'\x60]{0,6}([ab])\b`)

// letterOnly is one without the word: all of the reply, in a box or after "Answer:".
var letterOnly = regexp.MustCompile(`(?i)^\W*([ab])\W*$|\\boxed\{(?:\\text\{)?[\s(]*([ab])\b|(?m:^)\W*answer\W*:\W*([ab])\W*(?m:$)`)

// Output reads which of two outputs, called Output (a) and Output (b), a reply says is the better: the value is "a" or
// "b". They are read as options by number, which take the same room.
func Output(reply string) Found {
	numbered := []byte(reply)
	for _, form := range []*regexp.Regexp{lettered, letterOnly} {
		for _, m := range form.FindAllStringSubmatchIndex(reply, -1) {
			at := max(m[2], m[len(m)-2], m[max(2, len(m)-4)]) // of the group that matched
			numbered[at] = '1' + reply[at]&0x1f - 1
		}
	}
	f := Option(string(numbered), 2, false)
	switch f.Value {
	case "1":
		f.Value = "a"
	case "2":
		f.Value = "b"
	}
	return f
}
