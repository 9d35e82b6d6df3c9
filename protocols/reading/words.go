package reading

import "strings"

// anyOf is an expression of one of the words.
func anyOf(words ...string) string {
	return `(?:` + strings.Join(strings.Fields(strings.Join(words, " ")), "|") + `)`
}

// phrases are the words of a text, in which _ is a blank.
func phrases(text string) []string {
	all := strings.Fields(text)
	for i, phrase := range all {
		all[i] = strings.ReplaceAll(phrase, "_", " ")
	}
	return all
}

// lastWord is where the word begins that a text ends with, if it is one of some words; else −1.
func lastWord(text string, words []string) int {
	n := len(text)
	for _, word := range words {
		if n == 0 || text[n-1] != word[len(word)-1] { // most words
			continue
		}
		rest, ok := strings.CutSuffix(text, word)
		if ok && (!wordBefore(text, len(rest)) || word == "n't" || word == "比") {
			return len(rest)
		}
	}
	return -1
}

var (
	// isWord joins an answer to what it is.
	isWord = `(?:["'\])]*(?:
			[:=|→➡⇒–—\n]+|->|=>|\s-\s|>\s
			|(?:^|[\s,])⟨is are was be goes\sto belongs\sto comes\sfrom
				it's i\.e\.,? namely ist lautet lauten est sont es son è sono é são
				wäre está fällt\sauf jest blijft هو هي olan справился ответил⟩(?:[\s:]|$)
			|⟨является это 是 (?:^|[^因])为 為 は が 이 은 는 가 를 을⟩
		)\s*)`

	// filler stands between that and a label, and says nothing else.
	filler = `(?:⟨clearly most\slikely likely probably definitely therefore thus hence then simply indeed
		actually obviously surely certainly still also only just now in\sfact again that\sof that the to
		as\sfollows assistant: olan
		given\sby best closest correct right final response\sis answer\sis label\sis letter number overall a an
		die der das den het one\sthat answer reply response\sthat assistant that\swas that\swere which\swas
		also most either both between better plausible my be by with
		antwort réponse respuesta risposta resposta daher also somit donc bien que la le el il o l'
		lettre lettera letra alternativa celle\sde celui\sde la\sdel el\sdel a\sdo o\sdo quella quello dell' die\svon der\svon
		lui quindi dunque allora pues entonces por\stanto portanto logo поэтому
		应该 应当 应 就 选 選 最终 是 为⟩(?:[\s:,\-–—]+|$|\b)[✅✔❌✗☑️🏆\s]*)*`

	opening = `[\s"'«„(\[{<$#\\✅✔❌✗☑️🏆➡→|:]*`

	// choosing matches right before the response that somebody chooses. Groups 1 and 4 are there if it is what was
	// asked for, 2 and 5 if it is the better one, 3 if it is the worse one.
	choosing = `(?:
		(?:
			\b(?:i|we|i'll|we'll|i'd|we'd|i've|i'm|let me|let's|must|have to|need to|therefore|thus|so|to|can|hence)\b
				[^.,;:]{0,24}
			|^[^\pL(]*|,\s*
		)\b(?:⟨choose⟩|(⟨say⟩)|(⟨prefer⟩)|(⟨drop⟩))
			(?:\s+(?:one|the|is|with|for|to))?
		|\b(?:chang|switch|revis|updat)\w*\s(?:(?:my|this|that|it|the)\b[^.,;:]{0,32}\b)?to(?:\s+be)?
		|\b(?:it's|it is|it must be|it should be|it has to be|that's|i meant?|corresponds to|closest to)
			(?:\s+(?:in fact|actually|indeed|therefore|thus))?
		|\bif\s(?:i|we|you|one)\s(?:could|can|had|have|has|must|(?:was|were)\s(?:forced|asked|allowed))\b[^.]{0,40}?,?
			\s(?:it|that)(?:\swould|'d|\swill)\sbe
		|⟨i-choose⟩|(⟨i-prefer⟩)
		|⟨选择 選擇 (?:^|[我故应应该就,.\s])[选選] 答⟩
	)`
)

var (
	isWords  = compile(isWord + `+` + opening + filler + opening + `$`)
	chooses  = compile(choosing + `[\s:]*` + opening + filler + opening + `$`)
	directly = compile(`^[\s"':.]*` + filler + opening + `$`)
	// another is an answer that is not the last: "a common wrong answer", "my initial answer".
	another = compile(`\b⟨wrong incorrect initial preliminary previous first earlier original your students?'?s?
		second(?:[-\s]best|ary)? next[-\s]best runner[-\s]?up alternative other another
		tempting common trap reference possible candidate available judge's⟩['"]?s?\s+(?:\w+\s+)?$`)

	// notIt goes before a word that announces nothing: "the reason for the selection".
	notIt = compile(`\b(?:behind|of|for|not)\s+(?:\w+\s+)?$`)

	// concluding begins what decides between things that were said before.
	concluding = compile(`\b⟨therefore thus so hence overall conclusion summary finally conclude
		consequently⟩\b`)
	// turning begins what takes the place of what was said before.
	turning = compile(`\b⟨but however wait actually overall still rather no instead finally oops sorry mistake
			hmm+ correction on\sreflection in\sthe\send on\ssecond\sthought scratch\sthat i\smeant? make\sthat
			reconsider\w* re-?check\w* re-?read\w* re-?evaluat\w* revis\w* chang\w* updat\w*
			aber doch jedoch moment korrektur entschuldigung nein en\sfait pardon non mais cependant
			pero perdón espera corrección anzi però aspetta mas correção na\sverdade⟩\b
		|⟨однако нет подождите исправление но 等等 不对 但 不過 更正
			しかし 訂正 待って 하지만 그러나 다시 정정 아니⟩`)
)
