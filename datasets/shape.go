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
	MinCandidates         int    // minimum number of candidates shown
	SideBySide            bool   // two responses side by side, possibly tied
	CandidatesAreVerdicts bool   // candidates are verdicts, and are not shown
	Numeric               bool   // the answer, or the label, is a number
	Scored                bool   // the label is a score: near ones agree better than distant ones
	Ordered               bool   // candidates keep the dataset's order
	VariableCandidates    bool   // candidates may be left out or added
	LabelQuestion         string // question to a person who labels an item; "": not labelled by people
}

// Shapes describes every shape. A format with a shape of its own adds it in its file's init.
var Shapes = map[Shape]ShapeInfo{
	ShapePair:       {MinCandidates: 2, SideBySide: true, LabelQuestion: "Which response is better?"},
	ShapeChoice:     {MinCandidates: 2, Ordered: true, LabelQuestion: "Which option is right?"},
	ShapeNumber:     {Numeric: true, LabelQuestion: "What is the right answer?"},
	ShapePreference: {MinCandidates: 2, SideBySide: true, LabelQuestion: "Which response is better?"},
	ShapeOptions:    {MinCandidates: 2, VariableCandidates: true, LabelQuestion: "Which response is the best?"},
	ShapeJudgment:   {MinCandidates: 2, CandidatesAreVerdicts: true},
	ShapeOpen:       {},
	ShapeResponse: {
		MinCandidates: 1, Numeric: true, Scored: true, LabelQuestion: "Which score does this response deserve?",
	},
}

// Info describes a shape; an unknown one is described like a pair.
func (s Shape) Info() ShapeInfo {
	if info, ok := Shapes[s]; ok {
		return info
	}
	return Shapes[ShapePair]
}
