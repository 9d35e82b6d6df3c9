package reading

import (
	"fmt"
	"regexp/syntax"
	"slices"
	"sync"
	"unicode/utf8"
)

// automaton matches texts against an expression with one look at each character, where regexp has one for each way to
// go on: a state is made when a text first needs it.
type automaton struct {
	program    *syntax.Prog
	isAnywhere bool // whether a match may begin anywhere, and not only where the text does
	isBackward bool // whether the program is for the text written backwards
	lock       sync.Mutex
	states     map[string]*state
	first      *state
}

// state is where a program may be after a character.
type state struct {
	at      []uint32
	before  rune // one like that character: −1 for none
	isMatch bool // whether a match ended before that character
	ascii   [utf8.RuneSelf]*state
	others  map[rune]*state
}

// mostStates bounds the memory of an automaton.
const mostStates = 500

func newAutomaton(tree *syntax.Regexp) *automaton {
	a := &automaton{}
	isAtStart := anchored(tree, syntax.OpBeginText)
	a.isBackward = !isAtStart && anchored(tree, syntax.OpEndText)
	a.isAnywhere = !isAtStart && !a.isBackward
	if a.isBackward {
		mirror(tree)
	}
	a.program, _ = syntax.Compile(tree.Simplify()) // which never fails
	return a
}

// match is where a match ends in a text, or where the longest begins if an automaton goes backwards; −1 without one.
func (a *automaton) match(text string) int {
	a.lock.Lock()
	defer a.lock.Unlock()
	if len(a.states) == 0 || len(a.states) > mostStates {
		a.states = map[string]*state{}
		a.first = a.state([]uint32{uint32(a.program.Start)}, -1, false)
	}
	i := 0
	end := len(text)
	found := -1
	for s := a.first; ; {
		at := i
		r := rune(-1)
		size := 0
		switch {
		case i < end && a.isBackward:
			r, size = utf8.DecodeLastRuneInString(text[i:end])
			at = end
			end -= size
		case i < end:
			r, size = utf8.DecodeRuneInString(text[i:])
			i += size
		case a.isBackward:
			at = end
		}
		s = a.next(s, r)
		if s.isMatch {
			found = at
			if !a.isBackward {
				return found
			}
		}
		if len(s.at) == 0 || size == 0 {
			return found
		}
	}
}

// next is the state after a character, −1 for the end.
func (a *automaton) next(s *state, r rune) *state {
	if r >= 0 && r < utf8.RuneSelf {
		if s.ascii[r] == nil {
			s.ascii[r] = a.after(s, r)
		}
		return s.ascii[r]
	}
	to, ok := s.others[r]
	if !ok {
		to = a.after(s, r)
		if s.others == nil || len(s.others) > mostStates {
			s.others = map[rune]*state{}
		}
		s.others[r] = to
	}
	return to
}

// after runs the program.
func (a *automaton) after(s *state, r rune) *state {
	flags := syntax.EmptyOpContext(s.before, r)
	seen := make([]bool, len(a.program.Inst))
	var to []uint32
	isMatch := false
	for stack := slices.Clone(s.at); len(stack) > 0; {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch inst := &a.program.Inst[pc]; inst.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			stack = append(stack, inst.Out, inst.Arg)
		case syntax.InstCapture, syntax.InstNop:
			stack = append(stack, inst.Out)
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg)&^flags == 0 {
				stack = append(stack, inst.Out)
			}
		case syntax.InstMatch:
			isMatch = true
		case syntax.InstFail:
		default:
			if r >= 0 && inst.MatchRune(r) {
				to = append(to, inst.Out)
			}
		}
	}
	if a.isAnywhere {
		to = append(to, uint32(a.program.Start))
	}
	slices.Sort(to)
	before := ' '
	switch {
	case r == '\n':
		before = r
	case syntax.IsWordChar(r):
		before = 'a'
	}
	return a.state(slices.Compact(to), before, isMatch)
}

// state is the one that is so, made if there is none.
func (a *automaton) state(at []uint32, before rune, isMatch bool) *state {
	key := fmt.Append(nil, at, before, isMatch)
	s := a.states[string(key)]
	if s == nil {
		s = &state{at: at, before: before, isMatch: isMatch}
		a.states[string(key)] = s
	}
	return s
}

// anchored tells whether all that an expression matches is at the beginning, or the end, of the text.
func anchored(tree *syntax.Regexp, at syntax.Op) bool {
	switch tree.Op {
	case syntax.OpAlternate:
		return !slices.ContainsFunc(tree.Sub, func(sub *syntax.Regexp) bool { return !anchored(sub, at) })
	case syntax.OpConcat:
		if at == syntax.OpBeginText {
			return anchored(tree.Sub[0], at)
		}
		return anchored(tree.Sub[len(tree.Sub)-1], at)
	case syntax.OpCapture:
		return anchored(tree.Sub[0], at)
	}
	return tree.Op == at
}

// mirror makes an expression match the same texts written backwards.
func mirror(tree *syntax.Regexp) {
	switch tree.Op {
	case syntax.OpLiteral:
		slices.Reverse(tree.Rune)
	case syntax.OpConcat:
		slices.Reverse(tree.Sub)
	case syntax.OpBeginText:
		tree.Op = syntax.OpEndText
	case syntax.OpEndText:
		tree.Op = syntax.OpBeginText
	}
	for _, sub := range tree.Sub {
		mirror(sub)
	}
}
