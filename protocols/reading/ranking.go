package reading

import "strconv"

// mergeRankedNames replaces two names that stand in a list from best to worst ("Ranking: B, A"), or from worst to best,
// by one label for their order.
func (c comparison) mergeRankedNames(v *normalizedReply, all []label) []label {
	for i := 0; i+1 < len(all); i++ {
		first, second := all[i], all[i+1]
		if first.namedResponse == "" || second.namedResponse == "" || first.namedResponse == second.namedResponse ||
			second.start-first.end >= rightWindow || !matchesRule(v.lower[first.end:second.start], "then-next") {
			continue
		}
		m := matchRule(textBefore(v.lower, first.start, leftWindow), "rank-lead")
		if m == nil {
			m = matchRule(textAfter(v.lower, second.end, leftWindow), "rank-tail")
		}
		if m == nil {
			continue
		}
		side := polarityBetter
		if m[1] != "" {
			side = polarityWorse
		}
		first.value = c.valueFor(first, side)
		first.namedResponse = ""
		first.end = second.end
		first.firmness = strongClaim
		all[i] = first
		all = append(all[:i+1], all[i+2:]...)
	}
	return all
}

// claimByScores returns a weak claim for the response with the higher score, from the overall scores of a reply or the
// only ones; false if it does not score both responses, or one of them twice differently.
func (c comparison) claimByScores(v *normalizedReply, all []label) (final claim) {
	byName := map[string]float64{}
	isScore := false
	for i, l := range all {
		if l.namedResponse != "A" && l.namedResponse != "B" {
			continue
		}
		p := newLabelContext(v, all, i)
		m := matchRule(p.maskedSuffix(), "score-after")
		if m == nil || p.prefixMatches("aspect-lead") || !isClaimed(p.textBefore) {
			continue
		}
		score, _ := strconv.ParseFloat(m[2], 64)
		if earlier, ok := byName[l.namedResponse]; ok && earlier != score {
			return claim{}
		}
		byName[l.namedResponse] = score
		isScore = isScore || m[1] != "" || m[3] != "" || p.prefixMatches("score-before")
		final = claim{label: l, rank: weakClaim, rule: ruleScores}
	}
	switch {
	case !isScore || len(byName) < 2:
		return claim{}
	case byName["A"] > byName["B"]:
		final.value = c.labelA
	case byName["A"] < byName["B"]:
		final.value = c.labelB
	default:
		final.value = c.labelTie
	}
	return final
}
