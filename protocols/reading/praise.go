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

// saying is the meaning of a word said of a label, and its firmness.
type saying struct {
	judgment
	rank
	isVerb  bool // it needs no "is" before it
	isPlace bool // it is one of the place where somebody puts it
}

var (
	// sayings has the words that say something of the label before them.
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
	put(better, called, false, append(cuesOf("better"), "winner", "preferred")...)
	put(worse, called, false, cuesOf("worse")...)
	for said, kind := range map[judgment]string{better: "placed-better", worse: "placed-worse"} {
		for _, word := range cuesOf(kind) {
			of[word] = saying{judgment: said, rank: called, isPlace: true}
		}
	}
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

// other replaces each byte of other labels in the text after a label.
const other = "\x00"

// masked returns the rest of the statement after a label, with the names of other labels replaced.
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

// said returns what a statement says of the label before it, and where the words that say it end, counted from the
// label.
func (p place) said() (s saying, end int) {
	right := p.masked()
	if outdone.MatchString(right) {
		return s, 0
	}
	for _, m := range sayingWords.in(right) {
		gap, tail := right[:m[0]], right[m[1]:]
		word := right[m[0]:m[1]]
		s := sayings[word]
		isEnd := clauseEnds.MatchString(tail)
		link := links.find(gap)
		if link == nil {
			link = continues.find(gap)
		}
		switch {
		case s.rank == declared && !wouldDo.MatchString(gap), s.rank == plain && !notAs.MatchString(gap),
			s.isPlace && !strings.HasPrefix(tail, " "+other) && !(isEnd && rating.MatchString(p.left)),
			strings.HasSuffix(strings.TrimRight(right, "\n \"')"), "?"):
			continue
		case s.rank == declared, s.rank == plain:
			s.rank = called
		case s.isVerb && isLetter(word[len(word)-1]) && !isEnd && !verbEnds.MatchString(tail),
			denied(gap), deniedLate.MatchString(tail), isAsked.MatchString(p.left),
			strings.Contains(gap, ",") && ofNext.MatchString(tail):
			continue
		case link != nil && (s.isVerb || !isLetter(word[0]) || link[2] >= 0 ||
			isEnd && (link[4] >= 0 || rating.MatchString(p.left))),
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

// contrasted returns what is said of the other response when the statement denies or only supposes it of this one: "A
// isn't better. B is."
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
	said := sayings[gap[m[0]:m[1]]]
	if said.rank != called || !clauseTurns.MatchString(gap[m[1]:]) {
		return s
	}
	return said
}

const (
	// copula matches the verb between a label and what is said of it.
	copula = `(?:⟨is was would\sbe must\sbe has\sto\sbe seems appears looks proves\sto\sbe turns\sout\sto\sbe turns\sout
		ends\sup\sbeing ends\sup comes\sout comes\sacross\sas strikes\sme\sas stands\sout\sas emerges\sas remains feels
		counts\sas ranks\sas deserves\sto\sbe
		ist bleibt erscheint wirkt est reste semble es resulta parece è risulta sembra é foi fica blijft lijkt jest
		является qui\sest que\ses che\sè que\sé die\sist der\sist⟩(?:\s(?:to be|being))?)`
	// owner matches what belongs to a label: its answer.
	owner = `^["')\]*]*(?:'s?(?:\s[\w-]+){0,2}?\s⟨work⟩)?`
	// measure matches words that may go before a word that says something.
	measure = `(?:[\s,]*(?:⟨adverb⟩|⟨the a le la les il el lo o die der das de den het single overall only one clear
		respuesta réponse risposta resposta yanıtı cevabı both\sthe of\sthe\stwo⟩\b,?|[^\x00-\x7f\s]+(?:\s|$)))*`
)

var (
	// links matches between a label and a word said of it. Group 1 is the verb that joins them, group 2 a mark.
	links = compile(`^["')\]*]*(?:'s?(?:\s[\w-]+){0,2}?\s⟨work⟩|'s)?["')\]*]*
		(?:\s(?:also|itself|still|just|simply|once again))?
		(?:,[^,;:.\x00]{1,80},|\s\([^()\x00]{1,80}\)|\s[–—-]\s[^.\x00]{1,80}\s[–—-])?
		(?:\s*(?:的(?:回答|答案|回复)|の(?:回答|方|ほう|答え)*|의\s?(?:답변|응답)))*
		(?:比\x00+(?:的回答)?|[はがも](?:[^,.;]{1,24}より(?:も|の方が)?)?|이|가|은|는)?
		(?:,?(?:\s[^\x00-\x7f\s,.]+){0,2}\s*\x00+(?:'?(?:dan|den|tan|ten)|\sसे|보다|より))?
		(\s*(?:[,(]\s*)?(?:(?:that|who|which|qui|que|che|die|der)\s)?(?:` + copula + `|as|für|to be|being|the|\())?
		(\s*(?::|\s[–—-]))?
		` + measure + `\s*$`)
	// continues matches further words about the label, up to the word that goes on to say something of it.
	continues = compile(`^[^;:.?\x00]{0,160}?
		(?:,\s⟨which who and\swho and\swhich⟩\s|[\s,](?:⟨and but so hence thus therefore und et y e en i и⟩[\s,]+)+)
		(?:(?:it|this|he|she|er|sie|elle|il)\b|(?:(?:i|we)\s(?:\w+\s)?)?⟨rate⟩\s(?:it|this)\b)?
		(\s?(?:` + copula + `|as|to be|the))?()` + measure + `\s*$`)
	// outdone matches after a label that another one is compared with.
	outdone = compile(`^(?:'?(?:dan|den|tan|ten)\b|\s?से\s|보다|より)`)
	isAsked = compile(`\b(?:whether|if either)\b[^.;,]{0,40}$`)
	// doesSo matches after a label that does something better: "better follows the instructions".
	doesSo = compile(owner + `\s(?:better|best)\s[a-z]+s\s(?:the|all|every|its|this|what|user)\b`)
	// tried matches words by which a better manner is only claimed, attempted or denied.
	tried = compile(`\b⟨to says said claims claimed argues thinks fails if or no not never was gets seems looks sounds
		feels hardly scarcely anything but which why how⟩\b`)
	// wouldDo matches between a label and what somebody would do with it: "is the one I would keep".
	wouldDo = compile(owner + `\s⟨is was⟩\s(?:clearly\s)?(?:the\s(?:only\s)?⟨work⟩(?:\s⟨that which⟩)?|what)\s
		(?:to|(?:i|we)(?:'d|'ll|\swould|\swill)?(?:\s⟨rather most gladly happily personally⟩)?)\s$`)
	// notAs matches between a label and "as good as" that is denied.
	notAs = compile(owner + `\s⟨is was⟩(?:n't|\snot|\snowhere\snear)
		(?:\s⟨nearly quite anywhere\snear remotely half even\sclose\sto⟩)?\s$`)
	// ofNext matches up to a later label that the word is said of.
	ofNext = compile(`^[^.;\x00]{0,40}(?:⟨is ist est es è é jest⟩|:)\s["'(]*\x00`)
	// gives matches between a label and the words about what it gives; given matches where these begin.
	gives = compile(owner + `\s(?:⟨adverb⟩\s)?
		⟨provides provide provided gives give gave has offers offer offered wrote
		writes did does delivers delivered produces produced makes made presents presented⟩\s(?:us\s|the\suser\s)?
		(?:the|an?|by far the)` + measure + `\s*$`)
	given = compile(`^(?:\s(?:and|,)(?:\s\w+){1,2})?\s(?:job|⟨work⟩)
		(?:[.,;:!\n]|$|\s⟨overall because since of at to for here by than and⟩\b)`)
	// verbEnds matches after a verb whose whole object is the comparison: "wins this round", but not "wins points".
	verbEnds = compile(`^\s*(?:\x00|⟨adverb⟩
		|⟨this the our⟩\s(?:⟨one comparison round match contest duel pairing battle competition vote day
			quality\sof level\sof standard\sof⟩)\b
		|⟨here hands outright easily narrowly clearly comfortably overall in for by
		because than at every most on out it each decisively ab als que dan chez em à da di para con per ihm ihr⟩\b
		|niż\s|[^\x00-\x7f])`)
	// manner matches a verb with a word for how well: "serves the user better".
	manner = compile(owner + `\s(?:
		(?:is\sthe\sone\s(?:that|who|which)\s)?(?:⟨adverb⟩\s)?[a-z]{2,}(?:s|ed)\s(?:[\w']+\s){0,6}?
			(?:better|best|worse|worst|(?:more|less)\s\w+ly)
		|(?:[^\s,.;:\x00]+\s){1,4}?⟨besser schlechter mieux moins\sbien mejor peor meglio peggio melhor pior beter slechter
			lepiej gorzej⟩)$`)
	// standsFor matches after a label of which the same is said as of the other one.
	standsFor     = compile(`^["')\]*]*(?:\s(?:is|was|does|did))?["')\]*]*(?:$|[.,;!\n]|\s(?:because|since)\b)`)
	deniedBetween = compile(`n't\b|\b⟨not never nicht pas no\ses non não would\sbe would\shave⟩\b|wäre|не\s|不`)
	clauseTurns   = compile(`[.,;:–—]|\bbut\b`)
	unsure        = compile(`\b⟨or maybe perhaps possibly might could
		oder vielleicht ou peut-être quizás forse talvez⟩\b`)
	// deniedLate matches a denial after the words that it denies, in languages that put it there.
	deniedLate = compile(`^\s*(?:değil|नहीं
		|では?な|じゃな|くな|ない|지 않|않|(?:이|가)?\s?아니)`)
	// rating matches before a word that says something of the next label: "I find A better".
	rating = compile(`(?:⟨rate⟩|\bwith|\b⟨ist est es è é jest⟩)\s+$`)
	// partial matches after praise that is about one aspect only, or depends on a condition.
	partial = compile(`^(?:\s+(?:choice|option|answer|output|response|one|assistant|of \w+))?
		(?:\s+than(?:\sthe)?\s\x00+(?:'s?(?:\s\w+){0,2})?
			|\s+(?:than )?(?:(?:assistant|response|output|option|answer)s?\s+)?\S{1,3})?,?\s+
		(?:(?:
			but\s+(?:worse|weaker|less)
			|in (?:terms|some|this respect|(?:the |its )?` + aspect + `)
			|at|on|or so|\w+ed|written|known|placed|read|told|built|made|off|format\w*|structured|organi[sz]ed
				|if|only|when|up|than nothing|suited|answer (?:to|would)
			|than (?:i|we|it|usual|expected|average|most|before|no)
			|for (?:those|people|beginners|someone|anyone|users|a|an)
			|part|(?:is|was|would be) (?:false|wrong|untrue|not (?:true|so|right|the case))
		)\b)`)
	inPart = compile(`^\W*(?:in terms of|regarding|with regard to|as for|for|on|in)\s+[^,]{1,40},\s*$`)
	// forPart matches all that goes before a choice that is made for one purpose only.
	forPart = compile(`^\W*(?:for|on|in terms of|as to)\s+\w+(?:\s\w+)?,?\s*$`)
	inFull  = compile(`^\W*(?:in (?:conclusion|sum|summary|brief|essence|the end|short|my|all|this case|general|total)
		|for (?:me\b|my\b|(?:this|these|that|the)? ?reasons?|this|the user)|on the whole|on balance|on reflection)`)
)
