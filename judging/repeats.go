package judging

import (
	"cmp"

	"gavel/backends"
)

// EndsInLoop reports whether a judgment's last reply was truncated while it repeated itself: a higher limit would have
// made it longer, not complete.
func (r *Record) EndsInLoop() bool {
	last := r.LastReply()
	return last.Finish == backends.FinishLength && endsInLoop(cmp.Or(last.Text, last.Thinking))
}

// LoopAdvice returns advice against replies that repeat themselves like a judgment's last one.
func (r *Record) LoopAdvice() string {
	if r.LastReply().Detail != "" { // its server ends them already
		return "try a prompt that asks for less, or another model"
	}
	return "try a lower --max-tokens, a prompt that asks for less, or, on vLLM, --stop-repetition"
}

const (
	loopTail     = 8 << 10 // bytes at the end of a reply in which endsInLoop searches
	loopMinBytes = 128     // least bytes of a loop, with all its repetitions
	loopMinTimes = 4       // least repetitions in a loop
)

// endsInLoop reports whether a text ends in a loop. The shortest period of a text of n bytes is n less its longest
// border, a beginning that is also its end; the borders of all ends of a text take one pass over it, backwards (Knuth,
// Morris and Pratt).
func endsInLoop(text string) bool {
	tail := text[max(0, len(text)-loopTail):]
	fromEnd := func(i int) byte { return tail[len(tail)-1-i] }
	borders := make([]int, len(tail)) // of the last i+1 bytes
	for i := 1; i < len(tail); i++ {
		border := borders[i-1]
		for border > 0 && fromEnd(border) != fromEnd(i) {
			border = borders[border-1]
		}
		if fromEnd(border) == fromEnd(i) {
			border++
		}
		borders[i] = border
		if n := i + 1; n >= loopMinBytes && n >= loopMinTimes*(n-border) {
			return true
		}
	}
	return false
}
