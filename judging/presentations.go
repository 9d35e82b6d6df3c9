package judging

import "gavel/datasets"

// itemChecker is implemented by an Asker that cannot show every item of the shapes that its protocol takes.
type itemChecker interface {
	// Check returns an error that says why an item cannot be shown and what to do, or nil.
	Check(item datasets.Item) error
}

// CountPresentations returns the number of judgments that the rows of a set need, each asked once. It returns an error
// for rows that the protocol cannot show, so that a run fails before its first call. It reads no item if all have the
// same number of presentations.
func CountPresentations(p Asker, set *datasets.Set, rows []int) (int, error) {
	check, picky := p.(itemChecker)
	if protocol, _ := ProtocolNamed(p.Name()); protocol.PresentationsPerItem > 0 && !picky {
		return len(p.Presentations(datasets.Item{})) * len(rows), nil
	}
	n := 0
	for _, row := range rows {
		item, err := set.Item(row)
		if err != nil {
			return 0, err
		}
		if picky {
			if err := check.Check(item); err != nil {
				return 0, err
			}
		}
		n += len(p.Presentations(item))
	}
	return n, nil
}
