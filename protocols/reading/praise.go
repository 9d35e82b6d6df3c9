package reading

const (
	adverb = `(?:(?:clearly|therefore|thus|overall|by far|definitely|also|then|slightly|much|far|significantly
		|marginally|actually|still|indeed|likely|probably|obviously|simply|in fact),?\s+)*`
	isSaid   = `(?:is|was|would be|must be|seems(?: to be)?|appears to be|remains|ist|est|es|è|é)`
	mostGood = `most (?:accurate|helpful|appropriate|suitable|relevant|complete|comprehensive|precise|faithful|concise
		|reasonable|logical|useful|effective|detailed|honest|convincing|correct)`
	article = `(?:the |a |le |la |il |el |o |die |der |das )?`
)

var (
	// praise is what follows a label: 1 and 4 of the better, 2 of the worse, 3 of a good one.
	praise = compile(`^["')\].:*]*(?:'s (?:\w+ ){0,2}?(?:answer|response|output|solution|reply))?["')\].:]*(?:\s+` +
		isSaid + `\s+` + adverb + article + adverb + `(?:single |overall |only |one )?(?:` +
		`(best|better|strongest|stronger|winner|superior|preferred|preferable|top\b|besser|beste|meilleure?|mejor
		|migliore
		|melhor)|` +
		`(worst|worse|least|weakest|weaker|poorest|poorer|inferior|schlechter|pire|moins bonne?|peor|peggiore
		|pior)|` +
		`(correct|right|true|answer|closest|` + mostGood + `))|` +
		`(\s+(?:wins\b|(?:` + anyOf(`provides? provided gives? gave has offers? offered wrote`) + `) the ` + adverb +
		`(?:better|best|stronger|superior) (?:answer|response|solution|output|one|reply)(?:[.,;:!\n]|$|\s(?:overall
		|because|since)\b)|лучше|побеждает|(?:should be|is|was) (?:selected|chosen|my (?:selection|choice|pick|answer
		|verdict)))` +
		`|\s*(?:的(?:回答|答案))?\s*(?:更好|更优|更佳|胜出|较好)|\s*(?:の(?:回答|方|ほう)?)*が?(?:優れ|良い|勝)|\s*(?:의 답변)?(?:이
		|가)?\s*더\s*(?:낫|좋|우수
		|뛰어)|\s*(?:を選|(?:를|을) (?:선택|고르))))`)
	// partial ends praise that is of one side of it, or hangs on a condition.
	partial = compile(`^(?:\s+(?:choice|option|answer|output|response|one|assistant
		|of \w+))?(?:\s+than (?:(?:assistant
		|response|output|option|answer)s?\s+)?\S{1,3})?,?\s+` +
		`(?:(?:but\s+(?:worse|weaker|less)|in (?:terms|style|detail|tone|format\w*|depth|clarity|grammar|substance
		|accuracy|some|this respect)|` +
		`at|on|\w+ed|written|format\w*|structured|organi[sz]ed|if|only|when|up|than nothing|suited|answer (?:to|would)
		|part|(?:is|was|would be) (?:false|wrong|untrue|not (?:true|so|right|the case)))\b)`)
	inPart = compile(`^\W*(?:in terms of|regarding|with regard to|as for|for|on|in)\s+[^,]{1,40},\s*$`)
	inFull = compile(`^\W*(?:in (?:conclusion|summary|the end|short|my|all|this case|general|total)|for (?:this|these
		|that|the)? ?reasons?|on the whole|on balance|on reflection)`)

	ranked = compile(`\b(?:best|better|worst|worse|least(?: \w+)?|weakest|poorest)\s+(?:\w+\s*)?$|\b(?:worst|worse)$`)
	worst  = compile(`\b(?:worst|worse|least|weakest|poorest)\b[^.]{0,24}$`)
)

// judgment is what is said of a label.
type judgment int

const (
	unjudged judgment = iota
	better
	worse
	good
	partly // better in one respect, or on a condition
)

// judged tells what is said of the label that stands between two parts of a statement.
func judged(left, right string) judgment {
	m := praise.find(right)
	if m == nil {
		return unjudged
	}
	isPart := inPart.MatchString(left) && !inFull.MatchString(left) || partial.MatchString(right[m[1]:])
	switch isBetter := m[2] >= 0 || m[8] >= 0; {
	case isBetter && isPart:
		return partly
	case isPart:
		return unjudged
	case isBetter:
		return better
	case m[4] >= 0:
		return worse
	}
	return good
}
