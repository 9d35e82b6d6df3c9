package report

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"gavel/scoring"
)

// place says where the judge stands by its value among those of its leaderboard or, where nobody else is on it, among
// the published ones; "" where there are none.
func (p *RunPage) place() string {
	head := Headline(&p.Report)
	others := p.Others
	where := "here"
	if len(others) == 0 {
		others = p.others()
		where = "with the published ones"
	}
	if len(others) == 0 || head == nil || head.Value == nil {
		return ""
	}
	better := 0
	for _, o := range others {
		better += int(scoring.One(o.Value > *head.Value))
	}
	return fmt.Sprintf("number %d of %d judges %s", better+1, len(others)+1, where)
}

// others are the judges of the same items that have runs here, and the published ones that have none.
func (p *RunPage) others() []Other {
	all := slices.Clone(p.Others)
	for _, x := range p.Report.References {
		isHere := func(o Other) bool { return o.Reference && o.Name == x.Judge }
		if x.Metric == Headline(&p.Report).Metric && !slices.ContainsFunc(p.Others, isHere) {
			all = append(all, Other{Name: x.Judge, Level: scoring.Unknown, Reference: true, Value: x.Value})
		}
	}
	return all
}

// Sizes of the strip of judges, in units of its picture.
const (
	pictureWidth = 520.0
	stripEdge    = 10.0
	stripMiddle  = 56.0
	letterWidth  = 7.4 // of an average letter of its names
)

// stripLines are where the base lines of names lie, those above the dots and those below, the nearest first.
var stripLines = []float64{30, 86, 14, 102}

// Among draws the judge among others of the same items.
func Among(p *RunPage) []Section {
	head := Headline(&p.Report)
	others := p.others()
	if len(others) == 0 || head == nil || head.Value == nil {
		return nil
	}
	axis := valueAxis(head.Unit)
	at := func(v float64) float64 {
		return stripEdge + (pictureWidth-2*stripEdge)*(v-axis.Min)/(axis.Max-axis.Min)
	}
	slices.SortFunc(others, func(a, b Other) int {
		return cmp.Or(cmp.Compare(b.Value, a.Value), strings.Compare(a.Name, b.Name))
	})
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="drawing" viewBox="0 0 %g 134" role="img" aria-label="%s">`, pictureWidth,
		template.HTMLEscapeString("Place among the judges of these items: "+p.place()))
	for i := range 5 {
		anchor := []string{"s", "m", "m", "m", "e"}[i]
		v := axis.Min + (axis.Max-axis.Min)*float64(i)/4
		fmt.Fprintf(&b, `<line class="g" x1="%[1]s" x2="%[1]s" y1="18" y2="106"/><text x="%[1]s" y="126" `+
			`class="%[3]s">%[2]g</text>`, coordinate(at(v)), v, anchor)
	}
	own := label{at: at(*head.Value), text: "this judge", line: 1}
	placed := []label{own}
	names := []string{p.Judge()}
	for _, o := range others {
		names = append(names, o.Name)
	}
	begin := len(sharedBeginning(names))
	for _, o := range others {
		b.WriteString(judgeDot(o.Level, o.Reference, at(o.Value), stripMiddle, 5, fmt.Sprintf("%s: %.4g", o.Name, o.Value)))
		if l, ok := fit(label{at: at(o.Value), text: shortName(o.Name[begin:], longestName)}, placed); ok {
			placed = append(placed, l)
		}
	}
	for _, l := range placed {
		l.draw(&b, l == own)
	}
	if head.Low != nil && head.High != nil {
		fmt.Fprintf(&b, `<line class="me level-%s" x1="%s" x2="%s" y1="%[4]g" y2="%[4]g"/>`, p.Level(),
			coordinate(at(*head.Low)), coordinate(at(*head.High)), stripMiddle)
	}
	fmt.Fprintf(&b, `<circle class="pt level-%s" cx="%s" cy="%g" r="8"/></svg>`,
		p.Level(), coordinate(own.at), stripMiddle)
	scale := "percent"
	switch head.Unit {
	case scoring.UnitScore:
		scale = "from 0 to 1"
	case scoring.UnitCorrelation:
		scale = "correlation"
	}
	list := make([]string, 0, len(others))
	for _, o := range others {
		list = append(list, fmt.Sprintf("%s %s", o.Name, short(*head, o.Value)))
	}
	return []Section{{
		ID:    "among",
		Title: "Among the judges here",
		About: p.metricName(head.Metric) + ", " + scale,
		Half:  true,
		Body: part("run-among", struct {
			Strip                 template.HTML
			Standing, Board, List string
		}{
			Strip:    template.HTML(b.String()),
			Standing: strings.Join(amongPublished(&p.Report), "; "),
			Board:    p.Board,
			List:     strings.Join(list, ", "),
		}),
	}}
}

// longestName is how many letters of a name stand on the strip.
const longestName = 18

// sharedBeginning is what all names begin with, up to where a word ends: "simulated: ", "sim:".
func sharedBeginning(names []string) string {
	shared := names[0]
	for _, name := range names {
		for !strings.HasPrefix(name, shared) {
			shared = shared[:len(shared)-1]
		}
	}
	return shared[:1+strings.LastIndexAny(shared, " :,/")]
}

// label of a dot.
type label struct {
	at   float64
	text string
	line int
}

// draw it, with a line to its dot; the judge's own is bold.
func (l label) draw(b *strings.Builder, own bool) {
	class := "n"
	if own {
		class = "b"
	}
	near, far := stripMiddle-7, stripLines[l.line]+3
	if stripLines[l.line] > stripMiddle {
		near, far = stripMiddle+7, stripLines[l.line]-11
	}
	fmt.Fprintf(b, `<line class="lead" x1="%[1]s" x2="%[1]s" y1="%[2]g" y2="%[3]g"/>`, coordinate(l.at), near, far)
	fmt.Fprintf(b, `<text class="m %s" x="%s" y="%g">%s</text>`, class, coordinate(l.middle()),
		stripLines[l.line], template.HTMLEscapeString(l.text))
}

// half is half of its width.
func (l label) half() float64 { return float64(len([]rune(l.text))) * letterWidth / 2 }

// middle of the words, which stay within the picture.
func (l label) middle() float64 { return max(l.half(), min(pictureWidth-l.half(), l.at)) }

// fit finds a line for a label on which it touches no other; ok is false where there is none.
func fit(l label, placed []label) (label, bool) {
	for line := range stripLines {
		l.line = line
		if !slices.ContainsFunc(placed, func(o label) bool {
			return o.line == l.line && max(o.middle()-l.middle(), l.middle()-o.middle()) < o.half()+l.half()+6
		}) {
			return l, true
		}
	}
	return l, false
}

// shortName is a name of so many letters at most, which leaves room for others.
func shortName(name string, most int) string {
	if runes := []rune(name); len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return name
}
