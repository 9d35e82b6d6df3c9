package reading

import (
	"slices"
	"strings"
)

// announced returns the word that says that a label is the answer, whether that is of the better or of the worse, and
// where it begins in what stands before the label: −1 where the word is of another answer.
func (g grammar) announced(p place, praise rank) (word string, side judgment, at int) {
	if p.says == called {
		return "", unjudged, 0
	}
	words := sidedWords
	if g.asked == unjudged {
		words = answerWords
	}
	found := words.in(p.left)
	slices.Reverse(found)
	for _, m := range found[:min(len(found), 3)] {
		lead, word := p.left[:m[0]], p.left[m[0]:m[1]]
		gap := p.left[m[1]:]
		side := sideOf(p.left[:m[1]], m[0])
		switch {
		case p.names(m[0], side):
			continue
		case another.MatchString(lead):
			return "", unjudged, -1
		case notIt.MatchString(lead),
			thing.MatchString(word) && !adjective.MatchString(lead) && sideOf(lead, len(lead)) == unjudged,
			p.name != "" && side == unjudged && p.in < p.start+2 && ownAnswer.MatchString(p.left[max(0, m[0]-8):]),
			g.notCue != nil && g.notCue(p.label, word, gap), !p.follows(lead, word, praise):
			continue
		case g.opposes(side), aspectBefore.MatchString(lead), aspectAfter.MatchString(gap):
			return "", unjudged, -1
		}
		return word, side, m[0]
	}
	if clauseEnds.MatchString(p.right) {
		if m := chooses.find(p.left); m != nil {
			switch {
			case m[6] >= 0:
				side = worse
			case m[4] >= 0, m[8] >= 0, ranked.MatchString(p.right):
				side = better
			case m[2] >= 0:
				side = g.asked
			}
			isPart := aspectAfter.MatchString(p.right) ||
				forPart.MatchString(p.left[:m[0]]) && !inFull.MatchString(p.left)
			if isPart || g.opposes(side) {
				return "", unjudged, -1
			}
			return p.left[m[0]:], side, m[0]
		}
	}
	return "", unjudged, 0
}

// opposes reports whether a word about a label says the opposite of what was asked for, so that it names another label.
func (g grammar) opposes(side judgment) bool {
	return g.sides == nil && side != unjudged && (side == worse) != (g.asked == worse)
}

// names tells whether a place in what stands before a label belongs to another label; of a word for the better or the
// worse also whether it is a part of what is said of one: "A is worse: B".
func (p place) names(at int, side judgment) bool {
	at += p.start - len(p.left)
	for i := max(0, p.i-8); i < p.i; i++ {
		end := p.all[i].end
		if side != unjudged && end <= at && at < end+before {
			_, said := newPlace(p.view, p.all, i).said()
			end += said
		}
		if p.all[i].start <= at && at < end {
			return true
		}
	}
	return false
}

// follows tells whether a label is what the word says that stands after the lead.
func (p place) follows(lead, word string, praise rank) bool {
	gap := p.left[len(lead)+len(word):]
	isEnd := clauseEnds.MatchString(p.right)
	if p.form == bare && praise == nothing && !isEnd || strings.HasSuffix(word, "s") && strings.Contains(gap, "\n") {
		return false
	}
	hasOther := slices.ContainsFunc(p.all[max(0, p.i-8):p.i], func(l label) bool {
		return l.form > bare && l.start >= p.start-len(gap)
	})
	if is := isWords.find(gap); is != nil {
		before, after := gap[:is[0]], gap[is[0]:]
		if ownWords.MatchString(before) || !hasOther && verb.MatchString(after) && relative.MatchString(before) {
			return true
		}
	}
	return isEnd && (afterBut.MatchString(gap) || directly.MatchString(gap) &&
		(noLead.MatchString(lead) || strings.HasSuffix(word, " for") || strings.HasSuffix(word, " to"))) ||
		p.form > bare && !hasOther && announces.MatchString(gap) && clauseStops.MatchString(p.right)
}

// aspect is a respect in which two responses may be compared.
const aspect = `\b(?:\w+(?:ness|ity)|accuracy|style|tone|depth|details?|format(?:ting)?|relevance|concision|coverage
	|structure|organi[sz]ation|grammar|length|logic|reasoning|coherence|fluency|presentation|engagement|efficiency
	|instruction[- ]following|content|substance|spelling|punctuation|wording|phrasing|humou?r|rhythm|imagery|plot
	|pacing|layout|safety|empathy|brevity|examples|evidence|sources|facts|language|vocabulary)`

var (
	noLead      = compile(`^\s*(?:es |该|此|这个|[^\x00-\x7f]{1,4}的)?$|(?:,|\s(?:è|é|es|est))\s$`)
	clauseStops = compile(`^["')\]}*$.!]*\s*(?:$|[.,;:!?(\n]|because\b|since\b)`)
	// thing is a word for any of the labels, adjective goes before it where it is the answer.
	thing     = compile(`^(?:option|choice|letter|label|output|response|overall|best)$`)
	adjective = compile(`^[^\pL]*$
		|\b(?:correct|best|better|right|\w*appropriate|final|closest|suitable|accurate|precise|likely|helpful|only|valid|true
			|nearest|top|favou?rite|choosing|chosen|selected|intended|my|our|the|multiple[- ]choice|worst|worse|least \w+)\s+$`)
	// aspectBefore ends with a respect in which two are compared, aspectAfter begins with one.
	aspectBefore = compile(aspect + `[\s_-]+$`)
	aspectAfter  = compile(`^\s*(?:\(\s*|(?:on|for|in|by|regarding) (?:the )?)` + aspect + `\b`)
	// ownAnswer announces the answer to the question that two responses are about: "The correct option is B".
	ownAnswer = compile(`^\W*(?:(?:\w+\s+)?(?:own|correct|right|true|valid)\s\w+
		|(?:\w*\s+)*(?:answer|option|letter|solution)\b[^:\n]*$)`)
	// ranked follows a label that is chosen before another.
	ranked = compile(`^["')\]*]*(?:'s?(?:\s⟨work⟩)?)?\s⟨over above ahead\sof⟩\s`)
	// afterBut ends with what sets the next label against one that is denied.
	afterBut = compile(`\b(?:but|sondern|sino|mais plutôt|ma)(?: rather)?[\s"'(]*$`)
	// ownWords may stand between a word and the colon after it, relative between it and a verb.
	ownWords = compile(`^["']?(?:\s*\([^)\n]{0,40}\)?)?
		(?:[\s_]+(?:label|answer|choice|option|key|letter|here|number|then|so
			|assistant|response|output|reply|model|⟨work⟩|of (?:the (?:two|pair)(?: \w+)?|them)))?["'\s]*$`)
	relative = compile(`^[^:(\[]{0,80}(?:\([^)]{0,20}\)?[^:(\[]{0,40})?$`)
	verb     = compile(`^[\s,"')\]]*(?:is|are|was|be|it's|ist|lautet|est|es|è|é|está)[\s:]
		|^[^\x00-\x7f]{0,8}(?:是|为|は|은|는|является|это)`)
	announces = compile(`^["']?(?:\s*\([^)\n]{0,40}\))?\s*(?:` + isWord + `)`)
)

// alone tells how firmly a label stands that is all there is on a line, or in a statement.
func (p place) alone() rank {
	v := p.view
	from := strings.LastIndexByte(v.lower[:p.start], '\n') + 1
	line, _, _ := strings.Cut(v.lower[p.end:], "\n")
	to := p.end + len(line)
	isLast := to >= len(strings.TrimRight(v.text, " \t\n-=\"'`|.)]}$"))
	isWord := p.out-p.in > 1
	concludes := isLast && p.form < demanded && concluded.MatchString(p.left) && !conditional(p.left)
	corrects := p.from > from && (correcting.MatchString(p.left) || isLast && isWord && loneLead.MatchString(p.left))
	if (concludes || corrects) && endsAll.MatchString(p.right) {
		return declared
	}
	if p.start-from > before || !loneLead.MatchString(v.lower[from:p.start]) {
		return nothing
	}
	if !loneEnd.MatchString(line[:min(len(line), before)]) {
		isWhole := from == 0 && len(v.text) < 200 && strings.TrimSpace(v.text[to:]) == ""
		if isWhole && (opens.MatchString(line) || v.text[p.start] == '(' && !otherVerb.MatchString(line)) {
			return declared
		}
		return nothing
	}
	switch {
	case p.form < demanded && strings.Contains(line, ":"):
		return nothing
	case p.form == demanded || isLast:
		return declared
	case p.form == named || strings.TrimSpace(v.text[:from]) == "":
		return called
	}
	return nothing
}

var (
	loneLead = compile(`^[^\pL\d]*(?:(?:
		so|therefore|thus|hence|clearly|final|finally|the|my|it is|it's|it must be|definitely
		|no|wait|sorry|actually|correction|rather|or|make that|it should be|hmm
		|c'est une|es un|è un|é um|das ist ein|es ist ein
	)[\s,:.…!]+)*[^\pL\d]*$`)
	// concluded matches what goes before a bare name that is the conclusion; loneTail matches all that may follow such
	// a name.
	concluded = compile(`(?:^|[\s,;:–—-])(?:
			⟨so but hence thus therefore ergo donc daher deshalb quindi portanto por\stanto hands\sdown probably definitely
			clearly likely narrowly overall easily marginally slightly obviously⟩|by\sa\s\w+)[,:]?\s+
		(?:(?:it's|it is|i say|i'd say)\s)?(?:the\s)?$`)
	loneTail = compile(`^["')\]*]*,?\s*(?:⟨adverb⟩|by\san?\s[\w\s]{1,16}
		|⟨it\sis for\sme hands\sdown no\scontest all\sthe\sway of\scourse without\squestion
		i'd\ssay i\sthink for\ssure⟩)?\s*(?:$|[.!;\n])`)
	// correcting is all that goes before a label that takes the place of another.
	correcting = compile(`^[^\pL\d]*(?:(?:
		no|wait|sorry|actually|correction|rather|or|make that|it should be|hmm|oops
		|nein|non|não|нет|perdón|pardon|desculpe|scusa|entschuldigung|verzeihung|perdona|oh
	)[\s,:.…!]+)+["'(\[*]*$`)
	loneEnd = compile(`^[^\pL\d?]*(?:です|だ)?[^\pL\d?]*$`)
	opens   = compile(`^["')\]*]*\s*(?:[.),(–—-]|:[^:]*$
		|⟨because since by over for\sme hands\sdown all\sthe\sway it\sis⟩\b)`)
)
