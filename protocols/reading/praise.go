package reading

import (
	"maps"
	"slices"
	"strings"
)

// judgment is what is said of a label.
type judgment int

const (
	unjudged judgment = iota
	better
	worse
	good
	chosen // which of the two was asked for
	partly // better in one respect, or on a condition
)

// saying is what a word says of a label, and how firmly.
type saying struct {
	judgment
	rank
	isVerb bool // it needs no "is" before it
}

var (
	// sayings are the words that say something of the label before them.
	sayings     = sayingsOf()
	sayingWords = newLexicon(slices.Collect(maps.Keys(sayings)))
)

func sayingsOf() map[string]saying {
	of := map[string]saying{}
	put := func(said judgment, firm rank, isVerb bool, words ...string) {
		for _, word := range words {
			of[word] = saying{judgment: said, rank: firm, isVerb: isVerb}
		}
	}
	put(good, called, false, "correct", "right", "true", "answer", "closest")
	put(better, called, false, cuesOf("better", "placed-better")...)
	put(worse, called, false, cuesOf("worse", "placed-worse")...)
	put(better, called, true, cuesOf("is-better")...)
	put(worse, called, true, cuesOf("is-worse")...)
	put(chosen, called, true, cuesOf("is-chosen")...)
	put(chosen, declared, false, cuesOf("choose")...)
	put(better, declared, false, cuesOf("prefer")...)
	put(worse, declared, false, cuesOf("drop")...)
	put(worse, plain, false, "as good as")
	put(better, praised, false, cuesOf("rather-better")...)
	put(worse, praised, false, cuesOf("rather-worse")...)
	for _, quality := range cuesOf("quality") {
		put(worse, plain, false, "as "+quality+" as")
		put(good, called, false, "most "+quality)
		put(worse, called, false, "least "+quality)
		put(better, praised, false, "more "+quality)
		put(worse, praised, false, "less "+quality)
	}
	maps.DeleteFunc(of, func(word string, s saying) bool { // "better response" is "better" and more
		first, _, isPhrase := strings.Cut(word, " ")
		return isPhrase && of[first].judgment == s.judgment && of[first].isVerb == s.isVerb
	})
	return of
}

// other stands for each byte of another label where a statement is read.
const other = "\x00"

// masked is what a statement has after a label, without the names of other labels.
func (p place) masked() string {
	from := p.end
	to := from + len(p.right)
	text := p.right
	for _, l := range p.all[p.i+1 : min(len(p.all), p.i+4)] {
		if l.start < from || l.end > to {
			break
		}
		if l.says > nothing { // words as any
			continue
		}
		text = text[:l.start-p.end] + strings.Repeat(other, l.end-l.start) + text[l.end-p.end:]
	}
	return text
}

// said returns what a statement says of a label after it, and where the words end that say it, counted from the label.
func (p place) said() (s saying, end int) {
	right := p.masked()
	if outdone.MatchString(right) {
		return s, 0
	}
	for _, m := range sayingWords.in(right) {
		gap, word, tail := right[:m[0]], right[m[0]:m[1]], right[m[1]:]
		s := sayings[word]
		isEnd := clauseEnds.MatchString(tail)
		link := links.find(gap)
		if link == nil {
			link = continues.find(gap)
		}
		switch {
		case s.rank == declared && !wouldDo.MatchString(gap), s.rank == plain && !notAs.MatchString(gap):
			continue
		case s.rank == declared, s.rank == plain:
			s.rank = called
		case s.isVerb && isLetter(word[len(word)-1]) && !isEnd && !verbEnds.MatchString(tail),
			denied(gap), deniedLate.MatchString(tail), isAsked.MatchString(p.left),
			strings.Contains(gap, ",") && ofNext.MatchString(tail):
			continue
		case link != nil && (s.isVerb || !isLetter(word[0]) || link[2] >= 0 || isEnd && (link[4] >= 0 || rating.MatchString(p.left))),
			gives.MatchString(gap) && given.MatchString(tail):
		case isEnd && manner.MatchString(gap+word) && !tried.MatchString(gap), doesSo.MatchString(gap + word + tail):
			s.rank = praised
		default:
			continue
		}
		isPart := inPart.MatchString(p.left) && !inFull.MatchString(p.left) || partial.MatchString(tail)
		switch {
		case isPart && s.judgment == better:
			s.judgment = partly
		case isPart:
			s.judgment = unjudged
		}
		return s, m[1]
	}
	return p.contrasted(), 0
}

// contrasted returns what is said of the other of two, of which it is denied or only supposed: "A isn't better. B is."
func (p place) contrasted() (s saying) {
	if p.i == 0 || p.name == "" || !standsFor.MatchString(p.right) {
		return s
	}
	before := newPlace(p.view, p.all, p.i-1)
	if before.value == p.value && before.name == p.name || before.end+len(before.right) < p.from-1 {
		return s
	}
	gap := p.view.lower[before.end:max(before.end, p.start)]
	words := sayingWords.in(gap)
	if len(words) == 0 || unsure.MatchString(gap) ||
		claimed(before.left) && !deniedBetween.MatchString(gap[:words[0][0]]) {
		return s
	}
	m := words[len(words)-1]
	if s = sayings[gap[m[0]:m[1]]]; s.rank != called || !clauseTurns.MatchString(gap[m[1]:]) {
		return saying{}
	}
	return s
}

const (
	// copula joins what is said to a label.
	copula = `(?:⟨is was would\sbe must\sbe has\sto\sbe seems appears looks proves\sto\sbe turns\sout\sto\sbe turns\sout
		ends\sup\sbeing ends\sup comes\sout comes\sacross\sas strikes\sme\sas stands\sout\sas emerges\sas remains feels
		counts\sas ranks\sas deserves\sto\sbe
		ist bleibt erscheint wirkt est reste semble es resulta parece è risulta sembra é foi fica blijft lijkt jest
		является qui\sest que\ses che\sè que\sé die\sist der\sist⟩(?:\s(?:to be|being))?)`
	// owner is what is of a label: its answer.
	owner = `^["')\]*]*(?:'s?(?:\s[\w-]+){0,2}?\s⟨work⟩)?`
	// measure may go before a word that says something.
	measure = `(?:[\s,]*(?:⟨adverb⟩|⟨the a le la les il el lo o die der das de den het single overall only one clear
		respuesta réponse risposta resposta yanıtı cevabı both\sthe of\sthe\stwo⟩\b,?|[^\x00-\x7f\s]+(?:\s|$)))*`
)

var (
	// links stands between a label and a word that is said of it; 1 is what joins them, 2 a mark.
	links = compile(`^["')\]*]*(?:'s?(?:\s[\w-]+){0,2}?\s⟨work⟩|'s)?["')\]*]*
		(?:\s(?:also|itself|still|just|simply|once again))?
		(?:,[^,;:.\x00]{1,80},|\s\([^()\x00]{1,80}\)|\s[–—-]\s[^.\x00]{1,80}\s[–—-])?
		(?:\s*(?:的(?:回答|答案|回复)|の(?:回答|方|ほう|答え)*|의\s?(?:답변|응답)))*
		(?:比\x00+(?:的回答)?|[はがも](?:[^,.;]{1,24}より(?:も|の方が)?)?|이|가|은|는)?
		(?:,?(?:\s[^\x00-\x7f\s,.]+){0,2}\s*\x00+(?:'?(?:dan|den|tan|ten)|\sसे|보다|より))?
		(\s*(?:[,(]\s*)?(?:(?:that|who|which|qui|que|che|die|der)\s)?(?:` + copula + `|as|für|to be|being|the|\())?
		(\s*(?::|\s[–—-]))?
		` + measure + `\s*$`)
	// continues is what else is said of the label, up to what goes on about it.
	continues = compile(`^[^;:.?\x00]{0,160}?
		(?:,\s⟨which who and\swho and\swhich⟩\s|[\s,](?:⟨and but so hence thus therefore und et y e en i и⟩[\s,]+)+)
		(?:(?:it|this|he|she|er|sie|elle|il)\b|(?:(?:i|we)\s(?:\w+\s)?)?⟨rate⟩\s(?:it|this)\b)?
		(\s?(?:` + copula + `|as|to be|the))?()` + measure + `\s*$`)
	// outdone follows a label that another is compared with.
	outdone = compile(`^(?:'?(?:dan|den|tan|ten)\b|\s?से\s|보다|より)`)
	isAsked = compile(`\b(?:whether|if either)\b[^.;,]{0,40}$`)
	// doesSo is a label that does something better: "better follows the instructions".
	doesSo = compile(owner + `\s(?:better|best)\s[a-z]+s\s(?:the|all|every|its|this|what|user)\b`)
	// tried is what makes a manner one that is not shown.
	tried = compile(`\b⟨to says said claims claimed argues thinks fails if or no not never⟩\b`)
	// wouldDo stands between a label and what somebody would do with it: "is the one I would keep".
	wouldDo = compile(owner + `\s⟨is was⟩\s(?:clearly\s)?(?:the\s(?:only\s)?⟨work⟩(?:\s⟨that which⟩)?|what)\s
		(?:to|(?:i|we)(?:'d|'ll|\swould|\swill)?(?:\s⟨rather most gladly happily personally⟩)?)\s$`)
	// notAs stands between a label and "as good as".
	notAs = compile(owner + `\s⟨is was⟩(?:n't|\snot|\snowhere\snear)
		(?:\s⟨nearly quite anywhere\snear remotely half even\sclose\sto⟩)?\s$`)
	// ofNext goes on to the label that the word is said of.
	ofNext = compile(`^[^.;\x00]{0,40}(?:⟨is ist est es è é jest⟩|:)\s["'(]*\x00`)
	// gives stands between a label and what is said of what it gives, which given begins.
	gives = compile(owner + `\s(?:⟨adverb⟩\s)?
		⟨provides provide provided gives give gave has offers offer offered wrote
		writes did does delivers delivered produces produced makes made presents presented⟩\s(?:us\s|the\suser\s)?
		(?:the|an?|by far the)` + measure + `\s*$`)
	given = compile(`^(?:\s(?:and|,)(?:\s\w+){1,2})?\s(?:job|⟨work⟩)
		(?:[.,;:!\n]|$|\s⟨overall because since of at to for here by than and⟩\b)`)
	// verbEnds follows a verb, if all of it is said of the label: "wins this round", but not "wins points".
	verbEnds = compile(`^\s*(?:\x00|⟨adverb⟩
		|⟨this the here hands outright easily narrowly clearly comfortably overall in for by
		because than at every most on out it each decisively ab als que dan chez em à da di para con per ihm ihr⟩\b
		|niż\s|[^\x00-\x7f])`)
	// manner is how somebody does it: "serves the user better".
	manner = compile(owner + `\s(?:
		(?:⟨adverb⟩\s)?[a-z]+(?:s|ed)\s(?:[\w']+\s){0,6}?(?:better|best|worse|worst|(?:more|less)\s\w+ly)
		|(?:[^\s,.;:\x00]+\s){1,4}?⟨besser schlechter mieux moins\sbien mejor peor meglio peggio melhor pior beter slechter
			lepiej gorzej⟩)$`)
	// standsFor follows a label of which the same is said as of the other.
	standsFor     = compile(`^["')\]*]*(?:\s(?:is|was|does|did))?["')\]*]*(?:$|[.,;!\n]|\s(?:because|since)\b)`)
	deniedBetween = compile(`n't\b|\b⟨not never nicht pas no\ses non não would\sbe would\shave⟩\b|wäre|не\s|不`)
	clauseTurns   = compile(`[.,;:–—]|\bbut\b`)
	unsure        = compile(`\b⟨or maybe perhaps possibly might could
		oder vielleicht ou peut-être quizás forse talvez⟩\b`)
	// deniedLate follows what is denied, in languages that deny it late.
	deniedLate = compile(`^\s*(?:değil|नहीं
		|では?な|じゃな|くな|ない|지 않|않|(?:이|가)?\s?아니)`)
	// rating ends with a verb that says what comes next of the label: "I find A better".
	rating = compile(`(?:⟨rate⟩|\bwith|\b⟨ist est es è é jest⟩)\s+$`)
	// partial ends praise that is of one side of it, or hangs on a condition.
	partial = compile(`^(?:\s+(?:choice|option|answer|output|response|one|assistant|of \w+))?
		(?:\s+than(?:\sthe)?\s\x00+(?:'s?(?:\s\w+){0,2})?
			|\s+(?:than )?(?:(?:assistant|response|output|option|answer)s?\s+)?\S{1,3})?,?\s+
		(?:(?:
			but\s+(?:worse|weaker|less)
			|in (?:terms|some|this respect|(?:the |its )?` + aspect + `)
			|at|on|\w+ed|written|format\w*|structured|organi[sz]ed|if|only|when|up|than nothing|suited|answer (?:to|would)
			|than (?:i|we|it|usual|expected|average|most|before|no)
			|for (?:those|people|beginners|someone|anyone|users|a|an)
			|part|(?:is|was|would be) (?:false|wrong|untrue|not (?:true|so|right|the case))
		)\b)`)
	inPart = compile(`^\W*(?:in terms of|regarding|with regard to|as for|for|on|in)\s+[^,]{1,40},\s*$`)
	// forPart is all that goes before a choice that is for one purpose.
	forPart = compile(`^\W*(?:for|on|in terms of|as to)\s+\w+(?:\s\w+)?,?\s*$`)
	inFull  = compile(`^\W*(?:in (?:conclusion|sum|summary|brief|essence|the end|short|my|all|this case|general|total)
		|for (?:me\b|my\b|(?:this|these|that|the)? ?reasons?|this|the user)|on the whole|on balance|on reflection)`)
)
