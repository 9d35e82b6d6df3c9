package reading

import "regexp"

// lettered is an output by its letter: "Output (a)".
var lettered = regexp.MustCompile(`(?i)\boutputs?[\s*_(（"'\x60]{0,6}([ab])\b`)

// Output reads which of two outputs, called Output (a) and Output (b), a reply says is the better: the value is "a" or
// "b". They are read as options by number, which take the same room.
func Output(reply string) Found {
	numbered := []byte(reply)
	for _, m := range lettered.FindAllStringSubmatchIndex(reply, -1) {
		numbered[m[2]] = '1' + reply[m[2]]&0x1f - 1
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
