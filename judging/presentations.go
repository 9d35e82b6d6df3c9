package judging

import "gavel/datasets"

// checker is a protocol that cannot show every item of the shapes it takes.
type checker interface {
	// Check says why an item cannot be shown, and what to do; nil where it can.
	Check(item datasets.Item) error
}

// CountPresentations returns how many judgments the rows of a set need, each asked once. It returns an error for rows
// that the protocol cannot show, so it runs before any call. If every item has the same number of presentations, it
// reads no item.
func CountPresentations(p Asker, set *datasets.Set, rows []int) (int, error) {
	check, picky := p.(checker)
	if protocol, err := ProtocolNamed(p.Name()); err == nil && protocol.Presentations > 0 && !picky {
		return protocol.Presentations * len(rows), nil
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
