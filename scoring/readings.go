package scoring

import (
	"fmt"
	"strings"

	"gavel/judging"
	"gavel/scoring/stats"
)

// mayDiffer is the share of replies that the two readings may read otherwise before a table has both values.
const mayDiffer = 0.01

// readings are what a run knows of the reading that was not chosen.
type readings struct {
	differ int  // records that it reads otherwise
	told   bool // that is to be said
	other  *Run // the run as it reads it; nil where that matters to few replies
}

// HowRead says how a report's replies were read.
func HowRead(rep Report) string {
	switch {
	case rep.Reading != "":
		return fmt.Sprintf("reading %q", rep.Reading)
	case rep.Policy == "":
		return "replies read by the published rule"
	}
	return fmt.Sprintf("replies read by policy %q", rep.Policy)
}

// policy is the one that the published rule leaves a choice to; "" where it leaves none.
func (run *Run) policy() judging.Policy {
	if !run.byPolicy && run.reading() == "" {
		return ""
	}
	return run.Reading.Policy
}

// reading is how a report names the run's: "" is the paper's, as before there was another.
func (run *Run) reading() judging.Readers {
	if run.Reading.Name == judging.Paper {
		return ""
	}
	return run.Reading.Name
}

// CompareReadings has again load the run by the other reading, where the two differ in more than one reply of a
// hundred: its headlines then stand beside those of this one. Where again is nil, the run is loaded from its folder.
func (run *Run) CompareReadings(again func(judging.Reading) (*Run, error)) error {
	run.readings.told = true
	if float64(run.readings.differ) <= mayDiffer*float64(run.Records) {
		return nil
	}
	how := run.Reading
	how.Name = how.Name.Other()
	if again == nil {
		again = func(how judging.Reading) (*Run, error) { return load(run.folder, how) }
	}
	other, err := again(how)
	if err != nil {
		return err
	}
	other.readings = readings{}
	run.readings.other = other
	other.CountMissing(run.missing)
	return nil
}

// scoreOther adds what the other reading comes to.
func (run *Run) scoreOther(rep *Report, sheet *Sheet, b stats.Bootstrap) {
	other := run.readings.other
	if run.readings.told {
		rep.Otherwise = run.readings.differ
	}
	if other == nil {
		return
	}
	b.Rounds = 100 // its intervals are not printed
	other.folder = ""
	theirs := other.Score(b)
	for _, m := range sheet.Metrics {
		if !m.Headline {
			continue
		}
		mine, its := rep.headline(m), theirs.headline(m)
		rep.OtherReading = append(rep.OtherReading, OtherReading{
			Reading: other.Reading.Name,
			Metric:  m.Name,
			Mode:    m.Mode,
			Value:   its.Value,
		})
		rep.Warnings = append(rep.Warnings, fmt.Sprintf("%d of %d replies read otherwise by the reading %q "+
			"(--reading): %s is %s by %q, %s by %q", run.readings.differ, run.Records,
			other.Reading.Name, strings.TrimSpace(m.Name+" "+m.Mode), mine.print(), run.Reading.Name,
			its.print(), other.Reading.Name))
	}
}
