package scoring

import (
	"gavel/internal/phrases"
	"gavel/judging"
)

// maxDiffering is the share of replies read differently above which a report has the headlines of both readings.
const maxDiffering = 0.01

// ReadingNote describes how a report's replies were read.
func ReadingNote(rep Report) string {
	switch {
	case rep.Reading != "":
		return phrases.Say("reading.named", rep.Reading)
	case rep.Policy == "":
		return phrases.Say("reading.published")
	}
	return phrases.Say("reading.policy", rep.Policy)
}

// policy returns the policy for several verdicts in a reply; "" if the published rule leaves no choice.
func (run *Run) policy() judging.Policy {
	if !run.byPolicy && run.reading() == "" {
		return ""
	}
	return run.Reading.Policy
}

// reading returns the name of the run's reading for reports; "" for the published one.
func (run *Run) reading() judging.Readers {
	if run.Reading.Name == judging.Paper {
		return ""
	}
	return run.Reading.Name
}

// CompareReadings loads the run by the other reading as well, if the two readings differ in more than 1 % of the
// replies; the report then has both headlines. It calls reload for that, or if that is nil reads the run's folder.
func (run *Run) CompareReadings(reload func(judging.Reading) (*Run, error)) error {
	run.readings.reported = true
	if float64(run.readings.differ) <= maxDiffering*float64(run.Records) {
		return nil
	}
	reading := run.Reading
	reading.Name = reading.Name.Other()
	if reload == nil {
		reload = func(reading judging.Reading) (*Run, error) { return load(run.folder, reading) }
	}
	other, err := reload(reading)
	if err != nil {
		return err
	}
	other.readings = readings{}
	run.readings.other = other
	other.CountMissing(run.missing)
	return nil
}

// Load reads a run directory. It parses every stored reply again.
func Load(dir string, reading judging.Reading) (*Run, error) {
	run, err := load(dir, reading)
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
