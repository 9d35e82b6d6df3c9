package reading

import "slices"

var (
	// praise matches what follows a label, with a group for each of sayings: "is the better", "wins", "provides the worse
	// answer", "as the better", "loses", "is my choice".
	praise = compile(`^["')\]*]*(?:'s(?: (?:\w+ ){0,2}?(?:answer|response|output|solution|reply))?)?["')\]*]*
		(?: as| that| who)?(?:
		\s+(?:is|was|would be|must be|seems(?: to be)?|appears to be|remains|ist|est|es|è|é)\s+(?:⟨adverb⟩,?\s+)*
			(?:the |a |le |la |il |el |o |die |der |das )?(?:⟨adverb⟩,?\s+)*(?:single |overall |only |one |clear )?(?:
			(winner|preferred|preferable|top\b|above\b|⟨better⟩)
			|(least ⟨quality⟩|⟨worse⟩)
			|(correct|right|true|answer|closest|most ⟨quality⟩))
		|\s*(?:的(?:回答|答案)|の(?:回答|方|ほう)?|의 답변)*
			(?:比[^,.;]{1,16}?|[はがも](?:[^,.;]{1,24}より(?:も|の方が)?)?|이|가)?\s*(?:明显|显然|明らかに)?
			(?:(⟨is-better⟩)|(⟨is-worse⟩))
		|\s+(?:provides?|provided|gives?|gave|has|offers?|offered|wrote|did|does) (?:the|an?)
			[ ](?:⟨adverb⟩,?\s+)*(?:(⟨better⟩)|(⟨worse⟩))
			[ ](?:answer|response|solution|output|one|reply|job)(?:[.,;:!\n]|$|\s(?:overall|because|since)\b)
		|(?: (?:as |to be )(?:the )?| the | \()
			(?:(higher|above|winner|preferred|⟨better⟩)|(lower|below|loser|⟨worse⟩))
		|\s+(?:(gewinnt|gagne|gana|vince|vence|ganha)|(loses|verliert|perd|pierde|perde))
			(?:\W*$|\s*[.,;:!\n]|\s(?:overall|because|since|to)\b)
		|(\s+(?:should be|is|was) (?:selected|chosen|preferred|my (?:selection|choice|pick|answer|verdict))
			|\s*(?:を選|(?:를|을) (?:선택|고르))))`)
	sayings = []judgment{better, worse, good, better, worse, better, worse, better, worse, better, worse, better}
	// rating ends with a verb that says what comes next of the label: "I find A better".
	rating = compile(`\b(?:find|found|consider|deem|judge|call|rate|rank|think|declare|place)\s+$`)
	// partial ends praise that is of one side of it, or hangs on a condition.
	partial = compile(`^(?:\s+(?:choice|option|answer|output|response|one|assistant|of \w+))?
		(?:\s+(?:than )?(?:(?:assistant|response|output|option|answer)s?\s+)?\S{1,3})?,?\s+
		(?:(?:
			but\s+(?:worse|weaker|less)
			|in (?:terms|style|detail|tone|format\w*|depth|clarity|grammar|substance|accuracy|some|this respect)
			|at|on|\w+ed|written|format\w*|structured|organi[sz]ed|if|only|when|up|than nothing|suited|answer (?:to|would)
			|part|(?:is|was|would be) (?:false|wrong|untrue|not (?:true|so|right|the case))
		)\b)`)
	inPart = compile(`^\W*(?:in terms of|regarding|with regard to|as for|for|on|in)\s+[^,]{1,40},\s*$`)
	inFull = compile(`^\W*(?:in (?:conclusion|summary|the end|short|my|all|this case|general|total)
		|for (?:this|these|that|the)? ?reasons?|on the whole|on balance|on reflection)`)
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
	if rating.MatchString(left) {
		right = " as" + right
	}
	m := praise.find(right[:min(len(right), before)])
	if m == nil {
		return unjudged
	}
	isPart := inPart.MatchString(left) && !inFull.MatchString(left) || partial.MatchString(right[m[1]:])
	isGroup := func(at int) bool { return at >= 0 }
	switch said := sayings[slices.IndexFunc(m[2:], isGroup)/2]; {
	case !isPart:
		return said
	case said == better:
		return partly
	}
	return unjudged
}
