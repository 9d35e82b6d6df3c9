package backends

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// Simulation is the server kind of simulated judges.
const Simulation = "sim"

var simulation = serverKind{
	name: "simulation",
	wire: Simulation,
	can:  map[Feature]string{IsSimulated: ""},
	open: func(string, string, *http.Client) (Backend, error) { return NewSimulatedJudge("coin") },
}

// SimulatedJudge is a simulated judge: random draws with known probabilities instead of a model. It shows gavel's
// numbers for a judge whose accuracy and position bias are known, and says nothing about any model.
//
// For each item the judge knows the correct candidate with probability Accuracy, and otherwise believes in a wrong one.
// The belief is the same in every presentation and is drawn anew for every repetition. In each presentation, the judge
// independently names the candidate shown first with probability First, declares a tie with probability Tie, and gives
// no verdict with probability Silent. So over two presentations, with a = Accuracy and f = First (Tie = Silent = 0),
// strict is a(1−f), consistency is 1−f, and the first candidate is named in (1+f)/2 of the presentations.
//
// The verdict on a rewritten prompt is that on the plain one, or with probability Swayed the verdict that the rewrite
// supports.
//
// If the prompt shows a reference, the judge follows a correct one in half of the items and a wrong one with
// probability Misled, and otherwise judges without it. So it is right in (1+a)/2 of the items with a correct reference,
// and in (1−Misled)·a of those with a wrong one. A coin ignores the reference.
//
// A score of one response is 0.7 of the way up the scale for the response that the judge believes to be the best, and
// 0.3 for others; of a response that people scored, it is people's score with probability Accuracy and otherwise drawn
// from the whole scale. It then adds a normal draw with standard deviation Noise, Shift, and Halo times how much longer
// than the mean of the item's responses it is. Compress moves it that share of the way to 0.75.
type SimulatedJudge struct {
	Name                                    string
	Accuracy, PicksFirst, Tie, NoVerdict    float64  // probabilities; Accuracy −1 means a coin, which knows nothing
	FollowsRewrite                          float64  // probability that a rewritten prompt decides the verdict
	ReversedAccuracy                        *float64 // accuracy if the prompt asks for the worst candidate; nil: the same
	FollowsWrongReference                   float64  // probability that it follows a wrong reference
	Noise, ScoreShift, LengthBias, Compress float64  // of scores, see above
	Seed                                    uint64   // of all draws
}

// simulated holds the judges with names of their own.
var simulated = map[string]SimulatedJudge{
	"right":  {Accuracy: 1},
	"first":  {PicksFirst: 1},
	"coin":   {Accuracy: -1},
	"silent": {NoVerdict: 1},
}

// SimHelp describes the notation of simulated judges.
const SimHelp = "right, first, coin, silent, or " +
	"accuracy=0.8,first=0.1,tie=0,silent=0,swayed=0,reversed=0.8,misled=0.5,seed=1" +
	" (scores: noise=0,shift=0,halo=0,compress=0)"

// NewSimulatedJudge parses a judge's name or its settings ("accuracy=0.8,first=0.1"). The prefix "sim:" is optional.
func NewSimulatedJudge(spec string) (*SimulatedJudge, error) {
	spec = strings.TrimPrefix(spec, "sim:")
	s, ok := simulated[spec]
	s.Name, s.Seed = "sim:"+spec, 1
	s.FollowsWrongReference = defaultReferenceTrust
	if ok {
		return &s, nil
	}
	s.Accuracy = 1
	for part := range strings.SplitSeq(spec, ",") {
		key, value, _ := strings.Cut(part, "=")
		if key == "seed" {
			n, err := strconv.ParseUint(value, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("simulated judge %q: seed %q is not a whole number", spec, value)
			}
			s.Seed = n
			continue
		}
		field := map[string]*float64{
			"accuracy": &s.Accuracy, "first": &s.PicksFirst, "tie": &s.Tie, "silent": &s.NoVerdict, "swayed": &s.FollowsRewrite,
			"noise": &s.Noise, "shift": &s.ScoreShift, "halo": &s.LengthBias, "compress": &s.Compress,
			"misled": &s.FollowsWrongReference,
		}[key]
		if key == "reversed" {
			s.ReversedAccuracy = new(float64)
			field = s.ReversedAccuracy
		}
		p, err := strconv.ParseFloat(value, 64)
		if field == nil {
			return nil, fmt.Errorf("unknown simulated judge %q: write %s", spec, SimHelp)
		}
		if err != nil || !(p >= 0 && p <= 1) { // NaN included
			return nil, fmt.Errorf("simulated judge %q: %s must be a probability from 0 to 1, not %q", spec, key, value)
		}
		*field = p
	}
	if s.PicksFirst+s.Tie+s.NoVerdict > 1 {
		return nil, fmt.Errorf("simulated judge %q: first, tie and silent sum to more than 1", spec)
	}
	return &s, nil
}

// defaultReferenceTrust is the probability that a simulated judge follows a correct reference; default for a wrong one.
const defaultReferenceTrust = 0.5

// Ask implements Client.
func (s *SimulatedJudge) Ask(ctx context.Context, req Request) (Response, error) {
	if err := ctx.Err(); err != nil {
		return Response{}, err
	}
	o := req.Oracle
	if o == nil {
		return Response{}, &Error{Kind: ErrorUnexpected, Message: "a simulated judge got a request without an oracle"}
	}
	n := len(o.VerdictLabels)
	if o.IsScore {
		n = len(o.Order)
	}
	if o.RewriteName != "" {
		req.Repetition = 0
	}
	know, look := s.randomSource(o.Item, -1, req.Repetition), s.randomSource(o.Item, o.Presentation, req.Repetition)
	pick := o.CorrectPosition
	accuracy := s.Accuracy
	if o.AsksForWorst && s.ReversedAccuracy != nil {
		accuracy = *s.ReversedAccuracy
	}
	follows := s.FollowsWrongReference
	if pick >= 0 && o.ReferenceVerdict == o.VerdictLabels[pick] {
		follows = defaultReferenceTrust
	}
	switch {
	case accuracy < 0 || pick < 0: // the coin, or no correct position: each presentation is drawn independently
		pick = look.IntN(n)
	case o.ReferenceVerdict != "" && s.randomSource(o.Item, -2, req.Repetition).Float64() < follows:
		pick = slices.Index(o.VerdictLabels, o.ReferenceVerdict)
	case know.Float64() >= accuracy && n > 1:
		pick = slices.Index(o.Order, wrongCandidate(know, o))
	}
	if o.IsScore {
		quality := 0.3
		switch {
		case o.Quality >= 0 && know.Float64() < s.Accuracy:
			quality = o.Quality
		case o.Quality >= 0:
			quality = look.Float64()
		case pick == 0:
			quality = 0.7
		}
		return s.score(o, quality, look), nil
	}
	verdict := o.VerdictLabels[pick]
	switch u := look.Float64(); {
	case o.SupportedVerdict != "" && s.randomSource(o.Item+"\x00"+o.RewriteName, -3, 0).Float64() < s.FollowsRewrite:
		verdict = o.SupportedVerdict
	case u < s.PicksFirst:
		verdict = o.VerdictLabels[0]
	case u < s.PicksFirst+s.Tie && o.TieLabel != "":
		verdict = o.TieLabel
	case u < s.PicksFirst+s.Tie+s.NoVerdict:
		return withoutVerdict, nil
	}
	return Response{Text: "Simulated judgment. My final verdict is: " + verdict, Finish: FinishStop}, nil
}

var withoutVerdict = Response{Text: "Simulated judgment without a verdict.", Finish: FinishStop}

// score returns a reply with the score of the response shown, which the judge believes to have a quality from 0 to 1.
func (s *SimulatedJudge) score(o *Oracle, quality float64, look *rand.Rand) Response {
	if look.Float64() < s.NoVerdict {
		return withoutVerdict
	}
	x := quality + s.Noise*look.NormFloat64() + s.ScoreShift + s.LengthBias*o.RelativeLength
	x += (0.75 - x) * s.Compress
	level := int(math.Round(min(max(x, 0), 1) * float64(len(o.VerdictLabels)-1)))
	return Response{Text: "Simulated judgment. My final verdict is: " + o.VerdictLabels[level], Finish: FinishStop}
}

// wrongCandidate draws the index of one of the wrong candidates. The same one is drawn in every presentation, since
// candidates are in the order of their indexes.
func wrongCandidate(know *rand.Rand, o *Oracle) int {
	others := slices.Sorted(slices.Values(o.Order))
	others = slices.DeleteFunc(others, func(c int) bool { return c == o.Order[o.CorrectPosition] })
	return others[know.IntN(len(others))]
}

// randomSource returns a random source that depends only on the judge's seed, the item, the presentation and the
// repetition.
func (s *SimulatedJudge) randomSource(item string, presentation, repetition int) *rand.Rand {
	sum := sha256.Sum256(fmt.Appendf(nil, "%d\x00%s\x00%d\x00%d", s.Seed, item, presentation, repetition))
	return rand.New(rand.NewPCG(binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])))
}

// Server implements Backend.
func (s *SimulatedJudge) Server(context.Context) (ServerInfo, error) {
	return ServerInfo{WireFormat: Simulation, Name: "simulation"}, nil
}

// Models implements Backend.
func (s *SimulatedJudge) Models(context.Context) ([]Model, error) {
	var models []Model
	for name := range simulated {
		models = append(models, Model{Name: "sim:" + name})
	}
	return sortByName(models), nil
}

// Model implements Backend.
func (s *SimulatedJudge) Model(context.Context, string) (Model, error) {
	options := ""
	if s.FollowsRewrite > 0 {
		options = fmt.Sprintf(" swayed=%g", s.FollowsRewrite)
	}
	if s.FollowsWrongReference != defaultReferenceTrust {
		options += fmt.Sprintf(" misled=%g", s.FollowsWrongReference)
	}
	if s.ReversedAccuracy != nil {
		options += fmt.Sprintf(" reversed=%g", *s.ReversedAccuracy)
	}
	if s.Noise+s.ScoreShift+s.LengthBias+s.Compress > 0 {
		options += fmt.Sprintf(" noise=%g shift=%g halo=%g compress=%g", s.Noise, s.ScoreShift, s.LengthBias, s.Compress)
	}
	return Model{
		Name: s.Name,
		Digest: fmt.Sprintf("simulated accuracy=%g first=%g tie=%g silent=%g%s seed=%d",
			s.Accuracy, s.PicksFirst, s.Tie, s.NoVerdict, options, s.Seed),
	}, nil
}
