package reading

import (
	"slices"
	"strings"
)

var (
	// denials turn the next word into its opposite, or set it beside what is meant.
	denials = phrases(`not never cannot neither nor without isn't wasn't n't rather_than instead_of as_opposed_to
		other_than from over than comparing ahead_of beats unlike compared_to compared_with followed_by
		versus vs vs. against out_of considered considering
		eliminate eliminates eliminated eliminating eliminations exclude excludes excluded excluding
		reject rejects rejected rejecting discard discarded discarding
		rule_out rules_out ruled_out ruling_out cross_out crossed_out
		nicht kein keine keinen weder noch statt anstatt gegen als keinesfalls keineswegs gegenüber niemals
		contre pas non ni jamais plutôt_que au_lieu_de
		no en_vez_de en_lugar_de de_ninguna_manera en_absoluto
		contro invece_di piuttosto_che nem em_vez_de né não
		не вместо против
		ليس ليست لا لم nie niet geen
		不 没 没有 未 不会 不是 并非 並非 而非 绝非 不选 比`)
	// betweenDenials may stand between such a word and what it is said of.
	betweenDenials = phrases(`recommend choosing selecting picking between either both be been a an the to just simply
		really necessarily label answer option choice choose select say pick call find deem judge rate rank tie
		with it that is it's correct right best es est ist è é la le el il der die das den opción opção`)
	// deniedAfter does so after it.
	deniedAfter = compile(`^["')\]}.*]*\s*(?:
		⟨より (?:ではな|じゃな|ではありませ)\S* (?:[이가은는])?\s?아[니닙님]\S*⟩|
		(?:answer\s+|choice\s+|option\s+)?⟨is was would\sbe are seems⟩\s+(?:\w+\s+)?
		⟨not in-?correct wrong false out considered rejected discarded eliminated ruled invalid excluded
		a\sdistractor tempting unfair unjustified⟩\b|
		⟨cannot can't isn't wasn't would\s(?:be\sunfair|have|not|also|apply|may|require|be\sused) could might
		may\s⟩)`)
	// supposed ends with a condition of the next word, what is preferred to it, or what the judge was told to say.
	supposed = each(`$`,
		`\b(?:if|suppose|supposing|whether|assuming|assume|unless|imagine|had|wonder\w*\swhy|(?:ask|know|clear)\w*\swhy)\s+
			(?:that\s+|(?:i|we|one|you)\s[^,;:]{0,30})?
			(?:the\s+|this\s+|our\s+|my\s+|your\s+)?
			(?:final\s+|correct\s+|right\s+|best\s+|only\s+|true\s+)?["'(\[{$\s]*`,
		`\bprefer\s[^.;]{0,60}\bto`+open,
		toSay+`[^.;:,\n\]]{0,40}`)
	// forced matches a condition that is fulfilled: "if one has to be called worse, it is".
	forced = compile(`\bif\s(?:i|we|one|you)(?:'d)?\s(?:\w+ly\s)?
		⟨has have had must were was am⟩\s⟨to forced asked pressed⟩\b`)
	doubted = each(`[^.,;:]{0,24}$`,
		`(?:n't|\b(?:not|never|no|nothing|hardly|false|untrue|wrong|hard|difficult|disagree|deny))\b[^.;:,]{0,40}\bthat\b`,
		`\b(?:might|could|would|may|can|student|someone|people|one)\s+(?:\w+\s+)?
			(?:think|thinks|seem|believe|argue|guess|expect|say|says|conclude)\b`,
		`\b(?:students|people|others|many|some)\s+(?:\w+\s+)?(?:think|say|choose|pick|believe|argue|prefer)\b`,
		`\b(?:i |we )?(?:initially|originally|first|previously|earlier|before)\s+(?:i\s+)?
			(?:thought|said|wrote|had|picked|chose|believed|assumed|guessed|leaned\s+\w+)\b`,
		`(?:n't|\bnot|\bcannot|\bnever)\s+(?:think|believe|say|sure|mean|imply|conclude|certain|agree|know)\b`,
		`\bmore (?:information|details?|context)\b[^.;:,]{0,24}\bto\b`,
		`\b(?:doubt|unlikely|impossible|unclear
			|(?:wrong|incorrect|unfair|(?:mistake|error|trap)(?: is| would be?)?) to \w+
			|(?:could|might|may|can) be (?:argued|said|thought)
			|(?:book|key|textbook|author|student|reference|assistant|[ab])\s
				(?:says|said|claims|claimed|wrote|states|stated|believes|thinks|argues|insists|suggests|maintains)
			|tempting|(?:tempted|wanted|(?:was|were) (?:going|about)) to \w+)\b`,
	)
	// ours is said for oneself: "I would say", "we can conclude".
	ours = compile(`\b(?:i|we)\s+
		(?:(?:can|may)\s+(?:\w+\s+)?(?:say|conclude)|would\s+(?:\w+\s+)?\w+)\b[^.,;:]{0,24}$`)
	// certain matches words that deny something and still state the speaker's own view: "no doubt".
	certain = compile(`\b(?:no(?:body)?\s(?:\w+\s){0,2}?⟨question doubt denying deny dispute⟩
		|can(?:no|')t\s⟨deny dispute⟩
		|undeniabl\w+)\b[^.;:,]{0,24}$`)
	// mentioned ends with what something else is said of than that it is so.
	mentioned = compile(`(?:\b(?:
		consider(?:ed|ing)?|rule[ds]? out|lean(?:ed|ing)?|(?:could|might)(?: \w+){0,3} be|close to|bordering
		|contain(?:s|ed)?|includ(?:es?|ed|ing)|deserves?|to be|it'd be|case\s+\w+\s+\w+ made|is used|argued
		|would(?: also)? be|(?:tries|attempts|tempted) to|string|text|key|legend|scale|otherwise
	)\b)[^.;:]{0,40}$`)
	// unreal ends with what would have been, cited with what somebody else says.
	unreal = compile(`\b(?:would|could|might|may|hätte|aurait|habría|avrei|teria)(?: also|n't| not)? (?:have|ich)\b
			[^.;:]{0,40}$
		|\b(?:(?:contain(?:s|ed)?|includ(?:es?|ed|ing)|says?|said|wrote|writ(?:es|ing)|claim(?:s|ed)?|reads?
			|(?:ends?|starts?|begins?) with)\b[^"\n]{0,24}
			|(?:sentence|line|words|text|string|phrase|instruction|note|message)\s+)"[^"\n]*$`)
	// quoted ends with what announces a form or an example, right before the label.
	quoted = compile(examples + `[\s,:]*[^.;:,\n\]"]{0,40}` + open + `$
		|` + formOf + `(?:\s+(?:of|like|as|is|such as|shown|below|above))*[\s:]*` + open + `$`)
	// formWords are parts of what quoted matches: a text without one has none.
	formWords = strings.Fields("e.g. such instance example form template placeholder syntax")
	// quotedIn ends with a quotation that such words announce, or with one of what the judge was told to say.
	quotedIn = compile(`(?:` + examples + `|` + formOf + `|` + toSay + `)` + inQuotes + `$`)
	// retraction takes back what goes before it; retracted are the ways in which it does so after a verdict.
	retraction = compile(`⟨retraction⟩`)
	retracted  = each(``,
		`⟨undecided⟩`,
		`(?:^|[.!?\n。)\]–—-])\W*(?:(?:wait|actually|hmm+|oops|no|sorry|or rather|but|and)\W+|[^.!?\n,;:]{1,24},?\s)*
			⟨retraction⟩(?:$|\s*[^\s\w]
			|\s(?:(?:this|that|my|the)\s)?(?:and|so|verdict|answer|label|selection|choice|judge?ment|jugement|decision))`,
		`[.!?\n]\W*(?:wait|actually|hmm+|oops|no|sorry)\b[^.\n]{0,40}\b(?:
			(?:that|this|it)(?:'s| is| was)\s+(?:\w+\s+)?(?:wrong|incorrect|not (?:right|correct|true)|a mistake)
			|i (?:was wrong|made an? (?:mistake|error)|misread|take (?:that|this|it) back|withdraw|can(?:not|'t) decide))\b`,
		`[.!?\n]\W*(?:wait|actually|hmm+|oops|no|sorry|scratch that)\b\W+no\b`,
	)
	// ofOthers ends with what makes the next label that of another order, or one that a response asks for.
	ofOthers = compile(`⟨swapped⟩[^.;\n]{0,48}$|⟨induced⟩[^.,;:\n]{0,40}(?:"[^"\n]{0,40})?$`)
	// turns begin a clause that does not hang on what goes before.
	turns = compile(`\b(?:but|so|therefore|thus|hence|yet|however|since|because)\b|因此|所以|但`)
	// ifBefore begins what hangs on a condition, in the languages of words.go.
	ifBefore = compile(`^(?:[^.:,\n]{1,24}:)?[\s\-*•\d.)"'(]*(?:
		⟨if in\scase had when\s+(?:the|assistant|response|both|neither|a|b|it|they)
			wenn falls hätte wäre si s'il se caso⟩\b
		|⟨если 如果 若 もし 만약 만일⟩)`)
	circumstance = compile(`,\s+(?:then\s+|only\s+)?(?:the\s+)?(?:assistant\s+|response\s+)?[ab]\s+[^,]{3,}$
		|^\W*when it comes to\b`)
	ofOneself = compile(`^\W*(?:if|when)\s+(?:you\s+(?:ask|had|have|compare|weigh|consider|look|put
		|want(?:, \w+|\s+(?:me|my|to)))|i|we|one|all|everything|\w+(?:ing|ed))\b`)
	asking       = compile(`^[)\]}"'\s.$]*\?`)
	questionWord = compile(`^[\s"'(]*(?:(?:or|so|but|and|hmm|wait),?\s+)?
		(?:is|are|was|should|shall|would|could|do|does|did|can|which|what|why|whether|how)\b`)
)

const (
	openMarks = " \t\n\r\"'«„([{<$"
	open      = `[\s"'«„(\[{<$]*`
	inQuotes  = `[^"\n]{0,40}"[^"\n]{0,60}`
	examples  = `(?:\be\.g\.|\bsuch as|\bfor (?:example|instance)
		|^\W*(?:(?:an?|the)\s+)?examples?(?: \w+)?(?::| is| would be))`
	forms  = `(?:formats?|form|template|placeholder|syntax)`
	formOf = `(?:
		\b(?:in|with|using|use|of|to|has|have) 
			(?:(?:the|this|that|a|an|following|exact|same|output|given) ){1,3}` + forms + `
		|` + forms + `(?: \w+){0,2} (?:is|are|be|was|of)
		|\bformatted(?: \w+)? (?:as|like|in)
		|(?:^|[(\n])\s*(?:
			(?:the|required|requested|expected|output|answer|response|verdict|specified|final) ){0,3}` + forms + `:
		|\b(?:must|should|shall|please|your?|(?:asked|required|told|instructed) to)\b[^.;,\n]{0,60}\b` + forms + `
	)`
	toSay = `\b(?:
			(?:asked|required|supposed|told|instructed) to
			|you (?:must|should|have to|need to)
			|instructions? \w+(?: (?:me|us|you))?(?: to)?
			|please
			|(?:reply|response|output|judges) (?:must|should|needs to|has to)
		) (?:output|answer|write|say|respond|reply|end|finish|conclude|provide|give|state|use|choose|return|print|put)\b`
)

// claims tells whether what stands at i is said by the reply itself, and not denied, doubted, quoted or what it was
// told to say.
func (v *view) claims(i int) bool { return claimed(v.upTo(i)) }

func claimed(left string) bool {
	clause := left[strings.LastIndexAny(left, ",;:")+1:]
	isSupposed := matches(clause, supposed...) && !forced.MatchString(clause)
	return !denied(clause) && !isSupposed && !doubts(clause) && !cited(left)
}

// denied tells whether what comes next is turned into its opposite: "not", "rather than the".
func denied(left string) bool {
	for left = strings.TrimRight(left, openMarks); lastWord(left, denials) < 0; {
		at := lastWord(left, betweenDenials)
		if at <= 0 {
			return false
		}
		left = strings.TrimRight(left[:at], openMarks)
	}
	return true
}

// cited tells whether what comes next is a form or an example.
func cited(left string) bool {
	mayHave := func(word string) bool { return strings.Contains(left, word) }
	return slices.ContainsFunc(formWords, mayHave) && quoted.MatchString(left) ||
		strings.Count(left, `"`)%2 == 1 && quotedIn.MatchString(left)
}

func doubts(s string) bool {
	if !matches(s, doubted...) {
		return false
	}
	if all := turns.regular().FindAllStringIndex(s, -1); len(all) > 0 {
		s = s[all[len(all)-1][1]:]
	}
	return matches(s, doubted...) && !matches(s, ours, certain)
}

// conditional tells whether what stands before a label is a condition of it, and no circumstance of a statement: "When
// it comes to accuracy, A wins", "If I had to choose".
func conditional(left string) bool {
	return ifBefore.MatchString(left) && !matches(left, turns, circumstance, ofOneself)
}

// inQuestion tells whether bytes i to j are part of a question.
func (v *view) inQuestion(i, j int) bool {
	isQuestion := strings.HasSuffix(strings.TrimRight(v.rest(j), " \n\"')"), "?")
	return asking.MatchString(v.text[j:min(len(v.text), j+12)]) || isQuestion && questionWord.MatchString(v.upTo(i))
}

// refusal says that there is no answer, in the languages of words.go.
var refusal = compile(`
	\b(?:cannot|can't|can not|unable to|could not|impossible to|not possible to|not able to)\s+(?:\w+\s+){0,2}?
		(?:answer|determine|solve|calculate|tell|say|compute|find|know|be (?:determined|calculated|answered|found|known))
	|\b(?:is|are) (?:unknown|undetermined|unclear|not (?:known|given|specified|enough))
	|\b(?:not enough|insufficient) information
	|\b(?:do not|don't|does not|doesn't) (?:know|say)\b
	|lässt sich nicht|kann (?:\w+ ){0,2}nicht|keine lösung
	|ne peu[tx] pas|impossible de|pas assez
	|no (?:se )?puede|no tiene soluci|no es posible
	|non (?:si )?può|non è possibile
	|não (?:é possível|se pode|posso)
	|невозможно|нельзя|неизвест|не могу|недостаточно
	|无法|不能确定|不知道|无解|できません|わかりません|不明|알 수 없|불가능`)
