package scoring

import (
	"gavel/internal/phrases"
	"gavel/judging"
)

// maxReaderDisagreement is the share of replies read differently by the two sets of rules, published and robust, above
// which a report has the headline metrics of both.
const maxReaderDisagreement = 0.01

// ReadingNote describes in a sentence by which rules the replies of a report were read.
func ReadingNote(rep Report) string {
	switch {
	case rep.Reading != "":
		return phrases.Sentence("reading.named", rep.Reading)
	case rep.LabelPolicy == "":
		return phrases.Sentence("reading.published")
	}
	return phrases.Sentence("reading.policy", rep.LabelPolicy)
}

// readingPolicy returns the policy that decides which of several verdicts in a reply counts; "" if the published rule
// leaves no choice.
func (run *Run) readingPolicy() judging.LabelPolicy {
	if !run.usesReadingPolicy && run.reading() == "" {
		return ""
	}
	return run.Reading.LabelPolicy
}

// reading returns the name of the rules by which the run's replies are read, for reports; "" for the published rules.
func (run *Run) reading() judging.ReaderSet {
	if run.Reading.Readers == judging.PaperReaders {
		return ""
	}
	return run.Reading.Readers
}

// CompareReadingRules loads the run again, with its replies read by the other set of rules (published or robust), if
// the two differ in more than 1 % of the replies; the report then has both headlines. It calls reload for that, or, if
// that is nil, reads the run's folder.
func (run *Run) CompareReadingRules(reload func(judging.ReadingOptions) (*Run, error)) error {
	run.readingComparison.reportsDifferences = true
	if float64(run.readingComparison.differingRecords) <= maxReaderDisagreement*float64(run.Records) {
		return nil
	}
	reading := run.Reading
	reading.Readers = reading.Readers.Other()
	if reload == nil {
		reload = func(reading judging.ReadingOptions) (*Run, error) { return load(run.folder, reading) }
	}
	other, err := reload(reading)
	if err != nil {
		return err
	}
	other.readingComparison = readingComparison{}
	run.readingComparison.runByOtherRules = other
	other.SetMissingPolicy(run.missingPolicy)
	return nil
}

// Load reads a run from its folder. It parses every stored reply again, and compares both sets of reading rules.
func Load(dir string, reading judging.ReadingOptions) (*Run, error) {
	run, err := load(dir, reading)
	if err == nil {
		err = run.FindAlteredFiles(nil, dir)
	}
	if err == nil {
		err = run.CompareReadingRules(nil)
	}
	if err != nil {
		return nil, err
	}
	return run, nil
}
