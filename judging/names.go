package judging

// Names that scores know a run's settings and records by.
const (
	GoalBest  = "best"
	GoalWorst = "worst"
	ModeCoT   = "cot"
	ModeSelf  = "self"
)

// GoalOption says what a judge of several options is to name.
var GoalOption = Option{
	Name: "goal", Default: GoalBest, Values: []string{GoalBest, GoalWorst},
	Goal: true, Usage: "what the judge is to select: best, or worst, which is gavel's own: the same prompts with the words turned",
}
