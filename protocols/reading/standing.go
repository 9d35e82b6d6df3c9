package reading

import "strconv"

// rankings replaces the names in a list from best to worst, or from worst to best, by labels for the order of two.
func (c comparison) rankings(v *view, all []label) []label {
	for i := 0; i+1 < len(all); i++ {
		first, second := all[i], all[i+1]
		if first.name == "" || second.name == "" || first.name == second.name {
			continue
		}
		isNext := second.start-first.end < after && thenNext.MatchString(v.lower[first.end:second.start])
		if !isNext {
			continue
		}
		m := rankLead.findString(v.lower[max(0, first.start-before):first.start])
		if m == nil {
			m = rankTail.findString(v.lower[second.end:min(len(v.lower), second.end+before)])
		}
		if m == nil {
			continue
		}
		side := better
		if m[1] != "" {
			side = worse
		}
		first.value = c.sides(first, side)
		first.name = ""
		first.end = second.end
		first.says = called
		all[i] = first
		all = append(all[:i+1], all[i+2:]...)
	}
	return all
}

// scores returns the claim of the scores that a reply gives the two responses: the overall scores, or the only ones.
func (c comparison) scores(v *view, all []label) (final claim, ok bool) {
	of := map[string]float64{}
	isScore := false
	for i, l := range all {
		if l.name != "A" && l.name != "B" {
			continue
		}
		p := newPlace(v, all, i)
		m := scoreAfter.findString(p.masked())
		if m == nil || aspectLead.MatchString(p.left) || !claimed(p.left) {
			continue
		}
		score, _ := strconv.ParseFloat(m[2], 64)
		if before, has := of[l.name]; has && before != score {
			return final, false
		}
		of[l.name] = score
		isScore = isScore || m[1] != "" || m[3] != "" || scoreBefore.MatchString(p.left)
		final = claim{label: l, rank: praised, rule: ruleScores}
	}
	switch {
	case of["A"] > of["B"]:
		final.value = c.a
	case of["A"] < of["B"]:
		final.value = c.b
	default:
		final.value = c.tie
	}
	return final, isScore && len(of) == 2
}

var (
	// thenNext matches between two names in order, rankLead before them and rankTail after them. Group 1 is there if
	// the worst comes first.
	thenNext = compile(`^["')\]*]*(?:'s(?:\s⟨work⟩)?)?(?:
		,?\s*(?:and\s)?⟨then followed\sby next before ahead\sof above over⟩\s
		|\s*>\s*|,\s
		|[^\n]{0,200}\n+[-*\s]*(?:(?:rank\s)?2[.):]|2nd(?:\splace)?:?|second(?:\splace)?:|\#2:?)\s*
		|,?\s*(?:2[.)]|2nd(?:\splace)?:|\(2\))\s
		)(?:the\s)?$`)
	rankOrder = `(?:\brank(?:ing|ed|s|\sorder)?|\bmy\sorder\w*|\bin\sorder\sof\s(?:quality|preference|merit)|\bordering
		|best\s(?:to\sworst|first)|(worst\s(?:to\sbest|first)))`
	rankLead = compile(rankOrder + `\b[^.\n]{0,48}[\s:]*
		(?:(?:1[.)]|1st(?:\splace)?:?|first(?:\splace)?:|\#1:?)\s*)?["'(]*$`)
	rankTail = compile(`^[^\pL]*(?:(?:ranked|in|listed|ordered|sorted|from|order)\s)*` + rankOrder)
	// scoreAfter matches after a label with a score. Group 1 is the verb, group 2 the score, group 3 its unit.
	scoreAfter = compile(`^["')\]*|]*(?:'s)?(?:\s⟨score rating mark grade total⟩)?["'*]*\s*(?:(?:
		(⟨gets get receives scores earns deserves rated scored got⟩)
		|⟨a an is of with at total overall score⟩|[:=|(–—-])\s*)*
		(\d{1,3}(?:\.\d+)?)(\s?/\s?\d+|\sout\sof\s\d+|\spoints?|\s?%|\sstars?)?
		["')\]*]*\s*(?:$|[.,;:)\n|–—-]|(?:and|but|while|whereas|vs|because|since|so)\b|\x00)`)
	scoreBefore = compile(`\b(?:scores?|ratings?|grades?|marks?|rate|give|gave|award|points)\b[^.;\n]{0,48}$`)
	aspectLead  = compile(aspect + `\b[^.;\n]{0,30}$`)
)
