package datasets

// Shape names the kind of question of an item. A protocol says which shapes it takes.
type Shape string

const (
	Pair       Shape = "pair"       // two responses, of which one is labelled the better
	Choice     Shape = "choice"     // a question with options, of which one is right
	Number     Shape = "number"     // a question that a number answers
	Preference Shape = "preference" // two responses and what people preferred: A, B or C, a tie
	Options    Shape = "options"    // an instruction with two or more outputs, ranked or not
	Judgment   Shape = "judgment"   // an agent's answer to a question: right or wrong?
	Open       Shape = "open"       // a question alone, of a pair: nobody says what is right
)

// ShapeInfo describes the items of a shape.
type ShapeInfo struct {
	Least    int    // how many candidates are shown at the least
	Two      bool   // two responses stand beside each other, and neither may be the better
	Verdicts bool   // its candidates are verdicts, which are shown nowhere
	Numeric  bool   // a number is the answer
	Ordered  bool   // its candidates keep the order that the dataset gives them
	Cut      bool   // candidates may be left out or put in
	Asks     string // what a person is asked who labels an item; "" where people label none
}

// Shapes are the shapes there are. The file of a format that has a shape of its own adds it when it is initialised.
var Shapes = map[Shape]ShapeInfo{
	Pair:       {Least: 2, Two: true, Asks: "Which response is better?"},
	Choice:     {Least: 2, Ordered: true, Asks: "Which option is right?"},
	Number:     {Numeric: true, Asks: "What is the right answer?"},
	Preference: {Least: 2, Two: true, Asks: "Which response is better?"},
	Options:    {Least: 2, Cut: true, Asks: "Which response is the best?"},
	Judgment:   {Least: 2, Verdicts: true},
	Open:       {},
}

// Info describes a shape; one that is not known is described as pairs are.
func (s Shape) Info() ShapeInfo {
	if info, known := Shapes[s]; known {
		return info
	}
	return Shapes[Pair]
}
