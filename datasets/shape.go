package datasets

// Shape names the kind of an item's question. A protocol lists the shapes it takes.
type Shape string

const (
	Pair       Shape = "pair"       // two responses, one labelled the better
	Choice     Shape = "choice"     // a question with options, one of them right
	Number     Shape = "number"     // a question with a number as answer
	Preference Shape = "preference" // two responses and people's preference: A, B or C (a tie)
	Options    Shape = "options"    // an instruction with two or more outputs, ranked or not
	Judgment   Shape = "judgment"   // an agent's answer to a question: right or wrong?
	Open       Shape = "open"       // a question taken from a pair, without a known answer
	Response   Shape = "response"   // one response, with people's scores
)

// ShapeInfo describes the items of a shape.
type ShapeInfo struct {
	MinCandidates int    // minimum number of candidates shown
	SideBySide    bool   // two responses side by side, possibly tied
	Verdicts      bool   // candidates are verdicts, and are not shown
	Numeric       bool   // the answer, or the label, is a number
	Ordered       bool   // candidates keep the dataset's order
	Variable      bool   // candidates may be left out or added
	LabelQuestion string // question to a person who labels an item; "": not labelled by people
}

// Shapes describes every shape. A format with a shape of its own adds it in its file's init.
var Shapes = map[Shape]ShapeInfo{
	Pair:       {MinCandidates: 2, SideBySide: true, LabelQuestion: "Which response is better?"},
	Choice:     {MinCandidates: 2, Ordered: true, LabelQuestion: "Which option is right?"},
	Number:     {Numeric: true, LabelQuestion: "What is the right answer?"},
	Preference: {MinCandidates: 2, SideBySide: true, LabelQuestion: "Which response is better?"},
	Options:    {MinCandidates: 2, Variable: true, LabelQuestion: "Which response is the best?"},
	Judgment:   {MinCandidates: 2, Verdicts: true},
	Open:       {},
	Response:   {MinCandidates: 1, Numeric: true, LabelQuestion: "Which score does this response deserve?"},
}

// Info describes a shape; an unknown one is described like a pair.
func (s Shape) Info() ShapeInfo {
	if info, ok := Shapes[s]; ok {
		return info
	}
	return Shapes[Pair]
}
