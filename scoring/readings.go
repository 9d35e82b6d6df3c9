package scoring

import (
	"fmt"

	"gavel/judging"
)

// mayDiffer is the share of replies that the two readings may read otherwise before a table has both values.
const mayDiffer = 0.01

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

// Load reads a run directory. Every stored reply is read again.
func Load(dir string, how judging.Reading) (*Run, error) {
	run, err := load(dir, how)
	if err == nil {
		err = run.FindAltered(nil, dir)
	}
	if err == nil {
		err = run.CompareReadings(nil)
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}
