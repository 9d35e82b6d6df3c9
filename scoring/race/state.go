package race

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
)

// StateFile is the name of the file that holds the state of a live race, in the folder of its runs.
const StateFile = "race.json"

// State holds the content of race.json. The outcomes of the items are in the judges' runs.
type State struct {
	Schema int     `json:"schema"` // version of the file's format
	Alpha  float64 `json:"alpha"`  // largest probability that the best judge leaves
	// in percentage points: judges that differ by less are tied; 0: none are
	TieMargin float64 `json:"margin"`
	// `items` or `benchmark`: whether the best judge on items like these, or on these, is sought
	Question    string   `json:"about"`
	Seed        int64    `json:"seed"`         // seed of the order of the items
	Items       int      `json:"items"`        // number of items in the dataset
	OrderSHA256 string   `json:"order_sha256"` // SHA-256 of the item ids in the race's order, one per line
	Runs        []string `json:"runs"`         // name of the folder of each judge's run
	// by judge: duration of its requests in seconds
	Seconds    []float64 `json:"seconds"`
	Over       bool      `json:"over"`             // the race has ended
	Result     *Result   `json:"result,omitempty"` // the findings of the race so far
	ItemsAsked []int     `json:"asked"`            // by judge: number of items that it was asked
	// by judge: its share of right items; files of older versions omit it
	RightShares []RightShare `json:"shares,omitempty"`
}

// RightShare holds a judge's share of right items so far, in percent, with an interval that is valid at every check;
// null before the judge's first item.
type RightShare struct {
	Value *float64 `json:"value"` // percent of the judge's items on which it was right
	Low   *float64 `json:"low"`   // lower end of the interval of `value`
	High  *float64 `json:"high"`  // upper end of the interval of `value`
}

// Record updates the state with the findings of a race so far. calls is the number of judgments per item.
func (s *State) Record(r *Race, calls int) {
	result := r.Result(s.Runs, calls)
	s.Result = &result
	s.RightShares = make([]RightShare, len(s.Runs))
	for j := range s.Runs {
		s.ItemsAsked[j] = r.OutcomeCount(j)
		if r.OutcomeCount(j) > 0 {
			share, iv := r.ShareOfRight(j)
			s.RightShares[j] = RightShare{Value: percent(share), Low: percent(iv.Low), High: percent(iv.High)}
		}
	}
}

// percent returns a share in percent, to four decimals.
func percent(share float64) *float64 { return new(math.Round(share*1e6) / 1e4) }

// stateSchema is the version of the format of race.json.
const stateSchema = 1

// NewState returns the state of a new race. order is the hash of the item ids in the race's order, and runs are the
// folders of the judges' runs.
func NewState(rules Rules, seed int64, order string, runs []string) *State {
	return &State{
		Schema:      stateSchema,
		Alpha:       rules.Alpha,
		TieMargin:   100 * rules.TieMargin,
		Question:    rules.question(),
		Seed:        seed,
		Items:       rules.Items,
		OrderSHA256: order,
		Runs:        runs,

		Seconds:    make([]float64, len(runs)),
		ItemsAsked: make([]int, len(runs)),
	}
}

// ReadState parses the content of race.json; errors begin with name.
func ReadState(name string, r io.Reader) (*State, error) {
	s := new(State)
	if err := json.NewDecoder(r).Decode(s); err != nil {
		return nil, fmt.Errorf("%s: damaged: %w", name, err)
	}
	switch n := len(s.Runs); {
	case s.Schema > stateSchema:
		return nil, fmt.Errorf("%s: written by a newer gavel (schema %d; this version reads up to %d)",
			name, s.Schema, stateSchema)
	case s.Schema < 1 || n < 2 || len(s.Seconds) != n || len(s.ItemsAsked) != n:
		return nil, fmt.Errorf("%s: not the state of a gavel race", name)
	}
	return s, nil
}

// Differs describes the first setting in which this race differs from a newly started one; "" if all are the same.
func (s *State) Differs(now *State) string {
	switch {
	case s.Alpha != now.Alpha:
		return fmt.Sprintf("--alpha was %g, now %g", s.Alpha, now.Alpha)
	case s.TieMargin != now.TieMargin:
		return fmt.Sprintf("--margin was %g, now %g", s.TieMargin, now.TieMargin)
	case s.Question != now.Question:
		return fmt.Sprintf("--about was %s, now %s", s.Question, now.Question)
	case s.Seed != now.Seed:
		return fmt.Sprintf("the seed was %d, now %d", s.Seed, now.Seed)
	case s.OrderSHA256 != now.OrderSHA256:
		return fmt.Sprintf("its %d items were different", s.Items)
	case !slices.Equal(s.Runs, now.Runs):
		return "its judges were different"
	}
	return ""
}
