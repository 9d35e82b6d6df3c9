package references

import _ "embed"

// GoalReversedScores holds the published scores of Tables 2 to 4 of Goal-Reversed Prompting as JSON; README.md lists
// its keys.
//
//go:embed grp.json
var GoalReversedScores []byte
