package reading

import "testing"

// stated is a reply and what it says: "-" where nothing may be read.
type stated struct{ reader, want, reply string }

func checkSaid(t *testing.T, all []stated) {
	t.Helper()
	for _, c := range all {
		f := reads[c.reader](c.reply)
		got := says(f)
		if f.Outcome != Stated {
			got = "-"
		}
		if got != c.want {
			t.Errorf("%s: %q reads as %s (%+v), want %s", c.reader, c.reply, got, f, c.want)
		}
	}
}

func TestDenialsInOtherLanguagesReadAsTheOpposite(t *testing.T) {
	var all []stated
	for _, reply := range []string{
		"Mein Urteil lautet [[B>A]], nicht [[A>B]].",
		"Mon verdict est [[B>A]], pas [[A>B]].",
		"Mi veredicto es [[B>A]], no [[A>B]].",
		"Il mio verdetto è [[B>A]], non [[A>B]].",
		"O meu veredito é [[B>A]], não [[A>B]].",
		"Мой вердикт: [[B>A]], а не [[A>B]].",
		"我的判断是[[B>A]],而不是[[A>B]]。",
		"判定は[[B>A]]であり、[[A>B]]ではありません。",
		"최종 판정은 [[B>A]]이며, [[A>B]]가 아닙니다.",
		"Verdict: [[B>A]]. Runner-up verdict: [[A>B]].",
		`{"verdict": "[[B>A]]", "alternative": "[[A>B]]"}`,
		`{"verdict": "[[B>A]]", "confidence": 0.8, "runner_up": {"verdict": "[[A>B]]"}}`,
	} {
		all = append(all, stated{"pair", "B>A", reply})
	}
	for _, reply := range []string{ // in words that no reader knows
		"Mój werdykt to [[B>A]], a nie [[A>B]].",
		"Kararım [[B>A]], [[A>B]] değil.",
		"Verdict: [[B>A]]. Toiseksi paras: [[A>B]].",
	} {
		all = append(all, stated{"pair", "-", reply})
	}
	checkSaid(t, all)
}

func TestTextAfterTheEndOfATurnIsRead(t *testing.T) {
	for _, token := range []string{"<|im_end|>", "<|eot_id|>", "</s>", "<end_of_turn>", "<|endoftext|>", "<|end|>", "<|return|>", "<｜end▁of▁sentence｜>"} {
		checkSaid(t, []stated{
			{"pair", "B>A", "Verdict: [[B>A]]" + token + "\nVerdict: [[A>B]]"},
			{"letter", "C", "The answer is (C)." + token + "The answer is (D)."},
			{"number", "5", "The answer is 5." + token + " The answer is 6."},
			{"option", "2", "Selection: Option 2" + token + "Selection: Option 1"},
			{"pair", "B>A", "A forgets `" + token + "` in its code. Verdict: [[B>A]]"},
		})
	}
	checkSaid(t, []stated{{"pair", "B>A", "A marks <s>old</s> text. [[B>A]]"}})
}

func TestChangesOfMindAreNotRead(t *testing.T) {
	checkSaid(t, []stated{
		{"option", "2", "Selection: Option 1. Wait, Selection: Option 2"},
		{"option", "2", "Selection: Option 1. Hmm, actually Option 2 is better."},
		{"pair", "B>A", "Verdict: [[A>B]]. Wait, actually Assistant B is better."},
		{"pair", "-", "Verdict: [[A>B]]. Wait, that is wrong."},
	})
}

func TestWordsAreReadAsLetters(t *testing.T) {
	checkSaid(t, []stated{
		{"letter", "D", "Answer: D. Explanation: the answer is A priori knowable."},
		{"letter", "D", "The answer is E = mc^2, i.e. (D)"},
		{"letter", "-", "(I), (II) and (III) only"},
		{"letter", "-", "The answer is A lot of things"},
	})
}

func TestNumbersOfOtherLanguagesTimesAndRefusals(t *testing.T) {
	checkSaid(t, []stated{
		{"number", "1250", "1.250 Euro"},
		{"number", "1450", "1.450,00 €"},
		{"number", "12.5", "12,5 km"},
		{"number", "-", "10:30"},
		{"number", "-", "The answer is 12 March 1998."},
		{"number", "-", "In 2024, the answer is unknown."},
		{"number", "-", "I cannot answer. There are 3 cases."},
		{"number", "5", "1) 5"},
		{"number", "5", "Answer:\n1) 5"},
		{"number", "-", "Die Antwort ist 1,250."},
	})
}

func TestPlainVerdictsAreUnread(t *testing.T) {
	checkSaid(t, []stated{
		{"pair", "A>B", "Verdict: [[A]]"},
		{"pair", "B>A", "[[B]]"},
		{"pair", "B>A", `\boxed{B}`},
		{"pair", "B>A", `\boxed{\text{Assistant B}}`},
		{"pair", "B>A", "Winner: Assistant B"},
		{"pair", "A>B", "Assistant A is better."},
		{"pair", "B>A", "[[Assistant B is better]]"},
		{"pair", "A>B", "[[A>=B]]"},
		{"correctness", Incorrect, `{"is_correct": false}`},
		{"option", "3", "Auswahl: Option 3"},
		{"option", "2", "选择:选项 2"},
		{"option", "2", "Selection: Option\u00a02"},
		{"letter", "E", "La bonne réponse est (E)"},
	})
}

// Where the worse was asked for, a name alone may be that of the better or the worse.
func TestNamesOfTheWorse(t *testing.T) {
	checkSaid(t, []stated{
		{"worse", "B>A", "Assistant A is worse: [[B>A]]"},
		{"worse", "B>A", "Assistant A is worse."},
		{"worse", "A>B", "Assistant A is better."},
		{"worse", "B>A", "[[Assistant A is worse]]"},
		{"worse", "-", "Verdict: [[A]]"},
		{"worse", "-", `\boxed{B}`},
		{"worse", "-", "Winner: Assistant B"},
	})
}

func TestOtherKeysOfListsAreVerdicts(t *testing.T) {
	checkSaid(t, []stated{
		{"pair", "A>B", "```yaml\nverdict: \"[[A>B]]\"\nalso_considered:\n  - \"[[B>A]]\"\n```"},
		{"pair", "A>B", "verdict: \"[[A>B]]\"\nrunner_up: \"[[B>A]]\""},
		{"pair", "A>B", "verdict: '[[A>B]]'\nalternatives:\n- '[[B>A]]'\n"},
		{"pair", "A>B", "verdict: [[A>B]]\nrejected_label: [[B>A]]"},
		{"pair", "A>B", "reason: B is wrong\nfinal_verdict: [[A>B]]"},
	})
}

func TestWhatTakesThePlaceOfAnAnswerIsLost(t *testing.T) {
	checkSaid(t, []stated{
		{"option", "3", "Selection: Option 4. On reflection, option 4 contains a spoiler, so I change my selection to Option 3."},
		{"option", "3", "Selection: Option 4. Thinking about it again, I revise my choice to Option 3."},
		{"option", "3", "Selection: Option 4. On second thought, I switch to Option 3."},
		{"option", "2", "Selection: Option 2. I would not change my selection to Option 3."},
		{"pair", "-", "[[A>B]]... no, I take that back. I really can't decide here."},
		{"pair", "-", "Verdict: [[A>B]]. Actually, I withdraw this: both fail."},
	})
}

func TestAnotherLetterInProseIsTheAnswer(t *testing.T) {
	checkSaid(t, []stated{
		{"letter", "B", "Answer: B. A common mistake is to answer A, since a catalyst is said to shift the equilibrium."},
		{"letter", "B", "Answer: B. It is a trap to choose C, as many do."},
		{"letter", "B", "Answer: B. Students often answer A, since the sign is lost."},
		{"letter", "-", "Answer: B. To answer A, one needs the converse."},
	})
}

func TestNumbersOfOtherGroupsAndPowers(t *testing.T) {
	checkSaid(t, []stated{
		{"number", "30000", "答案是3万元。"},
		{"number", "30000", "答えは3万円です。"},
		{"number", "150000000", "答えは1.5億円です。"},
		{"number", "3000000", "答案是300万。"},
		{"number", "50000", "정답은 5만 원입니다."},
		{"number", "-", "答えは3万5000円です。"},
		{"number", "-", "答案是3千元。"},
		{"number", "1250.5", "The total is CHF 1'250.50."},
		{"number", "1250", "Die Antwort ist 1’250 Franken."},
		{"number", "125000", "The answer is ₹1,25,000."},
		{"number", "12500000", "The answer is 1,25,00,000."},
		{"number", "250000", "The answer is 2.5 lakh."},
		{"number", "-", "A reunião começa às 14h30."},
		{"number", "-", "Der Zug fährt um 14 Uhr ab."},
		{"number", "14", "A viagem dura 14 h."},
		{"number", "-", "So x = 5 and y = 3."},
		{"number", "-", "The answer is x = 5, y = 3."},
		{"number", "3", "So x = 5 and 8 - x = 3."},
	})
}

func TestPlainWordsAreUnread(t *testing.T) {
	checkSaid(t, []stated{
		{"correctness", Incorrect, "Die Antwort des Agenten ist falsch."},
		{"correctness", Incorrect, "La réponse de l'agent est incorrecte : il oublie les minutes."},
		{"correctness", Incorrect, "该答案不正确。"},
		{"correctness", Correct, "代理的答案正确。"},
		{"correctness", Correct, "エージェントの回答は正しいです。"},
		{"correctness", Incorrect, "A resposta está incorreta."},
		{"correctness", Incorrect, "A resposta do aluno está correta, mas a do agente está incorreta."},
		{"correctness", "-", "La respuesta correcta es 5."},
		{"correctness", "-", "Die Antwort ist nicht falsch."},
		{"correctness", "-", "答案是否正确？"},
		{"correctness", "-", "回答が正しいとは言えません。"},
		{"correctness", "-", "La réponse est correcte dans l'ensemble."},
		{"pair", "B>A", "Between the two, Assistant B provides the better response."},
		{"pair", "-", "Assistant A gives the better answer to the first part."},
		{"pair", "A>B", "I prefer Assistant A's response."},
		{"pair", "-", "I prefer Assistant A's response in style."},
		{"pair", "A=B", "I call it a tie."},
		{"pair", "B>A", "<best_response>B</best_response>"},
		{"pair", "-", "The correct answer is option B."},
		{"preference", "-", "The correct answer is option C."},
		{"option", "2", "Je sélectionne l'Option 2."},
		{"option", "4", "Meine Wahl fällt auf Option 4."},
		{"option", "2", "La mejor es la opción 2."},
		{"letter", "G", "La bonne réponse est la réponse G."},
		{"letter", "D", "Portanto, a alternativa correta é a D."},
		{"letter", "C", "Ответ: С"},
		{"letter", "-", "Ответ: С одной стороны, оба верны."},
	})
}

func TestWhatIsStruckOutDeniedOrAnotherTurnIsRead(t *testing.T) {
	checkSaid(t, []stated{
		{"pair", "A>B", "Final: ~~[[B>A]]~~ [[A>B]]"},
		{"pair", "B>A", "O veredito é [[B>A]]; não é [[A>B]], como o tamanho poderia sugerir."},
		{"pair", "A>B", "제 판정은 [[A>B]]이며, [[B>A]]는 아닙니다."},
		{"pair", "A>B", "我的结论是[[A>B]],绝非[[B>A]]。"},
		{"pair", "B>A", "Mi decisión es [[B>A]]; de ninguna manera [[A>B]]."},
		{"pair", "B>A", "My final verdict is: [[B>A]]\n\nHuman: And the style?\n\nAssistant: Then [[A>B]]."},
		{"pair", "B>A", `{"veredito": "[[B>A]]", "segunda_opção": "[[A>B]]", "confiança": 0.7}`},
	})
}

// A point before three digits parts no thousands after a 0, and is unclear where nothing says which it is.
func TestDecimalsWereReadAsThousands(t *testing.T) {
	checkSaid(t, []stated{
		{"number", "0.375", "Die Antwort ist 0.375"},
		{"number", "0.125", "La réponse est 0.125"},
		{"number", "0.125", "The est. probability is 0.125"},
		{"number", "-", "Ответ: 3.142"},
		{"number", "1250", "Das sind 1.250 Euro."},
		{"number", "3.142", "The answer is 3.142"},
	})
}

// Two numbers in a list are no decimal number.
func TestListsWereReadAsDecimals(t *testing.T) {
	checkSaid(t, []stated{
		{"number", "-", `\boxed{2,3}`},
		{"number", "-", `The answer is \{1,2\}.`},
		{"number", "-", "The answer is [3,4]."},
		{"number", "12.5", "The distance is 12,5 km."},
	})
}

// What somebody says is not so is no claim.
func TestDenialsBeforeThatWereReadAsClaims(t *testing.T) {
	checkSaid(t, []stated{
		{"pair", "-", "It is not true that Assistant A is better."},
		{"pair", "-", "It is not the case that Assistant A is better."},
		{"pair", "-", "I am not convinced that Assistant A is better."},
		{"pair", "-", "It is hard to say that Assistant A is better."},
		{"pair", "-", "There is no evidence that Assistant A is better."},
		{"pair", "-", "I disagree that Assistant A is better."},
		{"pair", "-", "The claim that Assistant A is better is false."},
		{"correctness", "-", "It is not true that the answer is correct."},
	})
}

// Points, commas and spaces part thousands or decimals by the language of a reply.
func TestNumbersOfTenLanguages(t *testing.T) {
	checkSaid(t, []stated{
		{"number", "3.5", "The answer is 3.5"},
		{"number", "1450.75", "The answer is 1,450.75."},
		{"number", "0.375", "Die Antwort ist 0.375"},
		{"number", "12.5", "Die Antwort ist 12,5."},
		{"number", "1450", "Der Preis beträgt 1.450,00 €."},
		{"number", "1250000", "Die Antwort ist 1.250.000."},
		{"number", "3.5", "La réponse est 3,5."},
		{"number", "12500", "La réponse est 12 500 euros."},
		{"number", "1250.5", "Le total est de 1 250,50 €."},
		{"number", "3.5", "La respuesta es 3.5"},
		{"number", "1250", "La respuesta es 1.250 euros."},
		{"number", "1450.75", "La respuesta es 1.450,75 €."},
		{"number", "0.375", "La risposta è 0,375."},
		{"number", "1250.5", "Il totale è di 1.250,50 €."},
		{"number", "3.5", "A resposta é 3.5"},
		{"number", "1250.5", "A resposta é R$ 1.250,50."},
		{"number", "0.375", "Ответ: 0,375"},
		{"number", "1250.5", "Ответ: 1 250,5 рублей."},
		{"number", "3.14", "答案是3.14。"},
		{"number", "1450", "答案是1,450元。"},
		{"number", "0.375", "答えは0.375です。"},
		{"number", "1250.5", "答えは1,250.5円です。"},
		{"number", "3.5", "정답은 3.5입니다."},
		{"number", "12500", "답은 12,500원입니다."},
	})
}
