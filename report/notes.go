package report

import (
	"fmt"
	"strings"

	"gavel/scoring"
)

// Heading says what run a table is of; asking adds what its judge was asked for.
func Heading(r scoring.Report, asking bool) string {
	protocol := r.Protocol
	if asking {
		protocol += fmt.Sprintf(" (which is %s?)", r.Goal)
	}
	return heading(r.Model, protocol, Prompt(r), r.Dataset, r.Simulated)
}

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

// Outcomes lists the outcomes that occurred, decided first.
func Outcomes(r scoring.Report) string {
	var parts []string
	for _, o := range scoring.Outcomes {
		if n := r.Outcomes[o]; n > 0 || o == scoring.Decided {
			parts = append(parts, fmt.Sprintf("%s %d", o, n))
		}
	}
	return fmt.Sprintf("%d = %s", r.Games(), strings.Join(parts, " + "))
}

// BootstrapNote says in a table how its intervals were made.
func BootstrapNote(r scoring.Report) string {
	return fmt.Sprintf("intervals: %g %% bootstrap over %ss, %d rounds, seed %d; %s", 100*r.Bootstrap.Level, r.Bootstrap.Unit, r.Bootstrap.Rounds, r.Bootstrap.Seed, scoring.HowRead("replies", r))
}
