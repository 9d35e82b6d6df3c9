package cli

import (
	"strings"

	"gavel/internal/eval"
)

// next says which command one would give now, where there is an obvious one. It is a remark: standard output stays as
// it is.
func (e *env) next(words ...string) {
	for i, w := range words {
		words[i] = eval.Quoted(w)
	}
	e.say("next: %s", strings.Join(words, " "))
}
