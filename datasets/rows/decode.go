package rows

import (
	"encoding/json"

	quick "github.com/go-json-experiment/json"
	legacy "github.com/go-json-experiment/json/v1"
)

// asOfOld reads what encoding/json does. Errors are not to be its own, which would take a second look at every row.
var asOfOld = quick.JoinOptions(legacy.DefaultOptionsV1(), legacy.ReportErrorsWithLegacySemantics(false))

// Decode is json.Unmarshal in two thirds of its time: there may be many rows, and whoever looks at one waits for all.
// What the quicker decoder refuses is encoding/json's, whose errors are known.
func Decode[T any](line []byte, into *T) error {
	if quick.Unmarshal(line, into, asOfOld) == nil {
		return nil
	}
	*into = *new(T)
	return json.Unmarshal(line, into)
}
