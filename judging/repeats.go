package judging

import (
	"cmp"

	"gavel/backends"
)

// Repeats tells whether a judgment's last reply was cut while it said the same over and over: a higher limit would have
// made it longer, not complete.
func (r *Record) Repeats() bool {
	if len(r.Replies) == 0 {
		return false
	}
	last := r.Replies[len(r.Replies)-1]
	return last.Finish == backends.Length && endsInLoop(cmp.Or(last.Text, last.Thinking))
}

// EndLoops is what to try against replies that repeat themselves like a judgment's last one.
func (r *Record) EndLoops() string {
	if r.Replies[len(r.Replies)-1].Detail != "" { // its server ends them already
		return "try a prompt that asks for less, or another model"
	}
	return "try a lower --max-tokens, a prompt that asks for less, or, on vLLM, --stop-repetition"
}

const (
	loopTail  = 8 << 10 // bytes of a reply's end that are looked at
	loopLeast = 128     // bytes that a loop covers at least
	loopTimes = 4       // how often it says the same at least
)

// endsInLoop tells whether a text ends in a loop. The shortest period of a text of n bytes is n less its longest
// border, a beginning that is also its end; the borders of all ends of a text take one pass over it, backwards (Knuth,
// Morris and Pratt).
func endsInLoop(text string) bool {
	tail := text[max(0, len(text)-loopTail):]
	at := func(i int) byte { return tail[len(tail)-1-i] }
	borders := make([]int, len(tail)) // of the last i+1 bytes
	for i := 1; i < len(tail); i++ {
		border := borders[i-1]
		for border > 0 && at(border) != at(i) {
			border = borders[border-1]
		}
		if at(border) == at(i) {
			border++
		}
		borders[i] = border
		if n := i + 1; n >= loopLeast && n >= loopTimes*(n-border) {
			return true
		}
	}
	return false
}
