package datasets

// Shape names the kind of an item's question. A protocol lists the shapes it takes.
type Shape string

const (
	ShapePair       Shape = "pair"       // two responses, one labelled the better
	ShapeChoice     Shape = "choice"     // a question with options, one of them right
	ShapeNumber     Shape = "number"     // a question with a number as answer
	ShapePreference Shape = "preference" // two responses and people's preference: A, B or C (a tie)
	ShapeOptions    Shape = "options"    // an instruction with two or more outputs, ranked or not
	ShapeJudgment   Shape = "judgment"   // an agent's answer to a question: right or wrong?
	ShapeOpen       Shape = "open"       // a question taken from a pair, without a known answer
	ShapeResponse   Shape = "response"   // one response, with people's scores
)

// ShapeInfo describes the items of a shape.
type ShapeInfo struct {
	MinCandidates         int  `yaml:"min_candidates"`          // minimum number of candidates shown
	SideBySide            bool `yaml:"side_by_side"`            // two responses side by side, possibly tied
	CandidatesAreVerdicts bool `yaml:"candidates_are_verdicts"` // candidates are verdicts, and are not shown
	Numeric               bool // the answer, or the label, is a number
	Scored                bool // the label is a score: near ones agree better than distant ones
	Ordered               bool // candidates keep the dataset's order
	VariableCandidates    bool `yaml:"variable_candidates"` // candidates may be left out or added
	// question to a person who labels an item; "": not labelled by people
	LabelQuestion string `yaml:"label_question"`
}

// Shapes describes every shape. A format with a shape of its own adds it in its file's init.
var Shapes = readYAML[map[Shape]ShapeInfo]("shapes.yaml")

// Info describes a shape; an unknown one is described like a pair.
func (s Shape) Info() ShapeInfo {
	if info, ok := Shapes[s]; ok {
		return info
	}
	return Shapes[ShapePair]
}
