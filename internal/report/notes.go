package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gavel/internal/doc"
	"gavel/internal/report/table"
	"gavel/scoring"
)

func heading(model, protocol, prompt, dataset string, simulated bool) string {
	return fmt.Sprintf("%s · %s · prompt %s · %s%s", model, protocol, prompt, dataset, simulatedMark(simulated))
}

func simulatedMark(simulated bool) string {
	if simulated {
		return " · SIMULATED"
	}
	return ""
}

// Prompt of a run, with what was asked for beside it.
func Prompt(r scoring.Report) string { return prompted(r.Prompt, r.Settings) }

func prompted(prompt, settings string) string {
	if settings == "" {
		return prompt
	}
	return prompt + ", " + settings
}

// outcomes lists the outcomes that occurred, decided first.
func outcomes(r scoring.Report) string {
	var parts []string
	for _, o := range scoring.Outcomes {
		if n := r.Outcomes[o]; n > 0 || o == scoring.Decided {
			parts = append(parts, fmt.Sprintf("%s %d", o, n))
		}
	}
	return fmt.Sprintf("%d = %s", r.Judgments(), strings.Join(parts, " + "))
}

// intervalNote returns how the intervals of a run were made and its verdicts were read.
func intervalNote(r scoring.Report) string {
	var methods []string
	for _, x := range r.Results {
		methods = append(methods, x.Interval)
	}
	return Intervals(r.Bootstrap, methods) + "; " + scoring.HowRead(r)
}

// Intervals returns how intervals were made: over what, and by which methods.
func Intervals(b scoring.Bootstrap, methods []string) string {
	note := fmt.Sprintf("intervals: %g %% over %ss", 100*b.Level, b.Unit)
	for _, m := range scoring.Methods {
		if slices.Contains(methods, m.Name) {
			note += ", " + m.About
		}
	}
	if slices.Contains(methods, scoring.ByBootstrap) || slices.Contains(methods, scoring.ByCalibrated) {
		note += fmt.Sprintf(" (%d rounds, seed %d)", b.Rounds, b.Seed)
	}
	return note
}

// most is the number of values that are listed one by one.
const most = 3

// Enumerate joins words as a sentence does.
func Enumerate(words []string) string {
	last := len(words) - 1
	if last < 1 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// listed3 lists names in a sentence: up to three, or two and the number of the others.
func listed3(names []string) string {
	if len(names) > most {
		names = append(slices.Clone(names[:most-1]), fmt.Sprintf("%d more", len(names)-most+1))
	}
	return Enumerate(names)
}

// decimal writes a number to six digits, without trailing zeros or an exponent.
func decimal(x float64) string {
	x, _ = strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64)
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// tested is the p of a difference in words: "p = 0.06 (exact McNemar)".
func tested(d scoring.Difference) string {
	if d.P == nil {
		return "no test"
	}
	p := pWords(d.P) + " (" + cmp.Or(d.Test, "exact McNemar") + ")"
	const alpha = 0.05
	if *d.P < alpha && d.Holm != nil && *d.Holm >= alpha {
		p += doc.Phrase("compare.holm", table.PValue(d.Holm))
	}
	return p
}

// pWords is a p as a sentence has it: "p = 0.20", "p < 0.001".
func pWords(p *float64) string {
	switch {
	case *p < 0.001:
		return "p < 0.001"
	case *p < 0.1:
		return fmt.Sprintf("p = %.3f", *p)
	}
	return fmt.Sprintf("p = %.2f", *p)
}
