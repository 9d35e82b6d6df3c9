package reading

import "testing"

// What an automaton matches is what regexp does, from the same place on.
func TestAutomatonMatchesAsRegexp(t *testing.T) {
	all := []*expression{
		denied, deniedAfter, supposed, doubted, mentioned, unreal, quoted, quotedIn, told, turning, turns, concluding,
		isWords, chooses, directly, clauseEnds, praise, letterEnds, nameWord, optionNoun, between, beforehand, refusal,
		retracted, goesOn, clockAfter, compile(`(?i)\bwait\b`), compile(`a*$|^b`), compile(``),
	}
	var texts []string
	for _, name := range []string{"pair", "option", "number"} {
		for i, c := range table(t, name) {
			if i%4 == 0 {
				text := undress(c.reply).lower
				texts = append(texts, text, text[:len(text)/2], text[len(text)/2:], text[:len(text)/3])
			}
		}
	}
	texts = append(texts, "", "\xff", "é\x82", "не [", "\n\nnot ")
	for _, e := range all {
		matched := 0
		for _, text := range texts {
			want, got := e.regular().FindStringIndex(text), e.find(text)
			if (want == nil) != (got == nil) || want != nil && want[0] != got[0] {
				t.Errorf("%.60q finds %v in %q, regexp finds %v", e.regular(), got, text, want)
			}
			if got != nil {
				matched++
			}
		}
		if matched == 0 {
			t.Logf("%.60q matches none", e.regular())
		}
	}
}
