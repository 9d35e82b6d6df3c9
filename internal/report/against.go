package report

import (
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"gavel/scoring"
)

// Against is a number that a headline is drawn against: one that tells whether a judge goes by what it reads.
type Against struct {
	Title, About string
	Words        string // of its axis
	Of           func(r *scoring.Report) scoring.Result
	Zero         float64 // of a judge that goes by nothing else
	ZeroWords    string
	Zone         float64 // from which on it decides
	ZoneWords    string
}

// Sizes of the picture, in its units.
const (
	againstHeight = 318.0
	againstLeft   = 34.0
	againstTop    = 8.0
	againstBottom = 272.0
	againstRight  = pictureWidth - 8
)

// mostPoints is how many judges are drawn, the best of them.
const mostPoints = 100

// plane places values in the picture.
type plane struct{ fromX, toX, fromY, toY float64 }

func (p plane) x(v float64) float64 {
	return againstLeft + (againstRight-againstLeft)*(v-p.fromX)/(p.toX-p.fromX)
}

func (p plane) y(v float64) float64 {
	return againstBottom - (againstBottom-againstTop)*(v-p.fromY)/(p.toY-p.fromY)
}

// box is the room that a name takes.
type box struct{ left, right, top, bottom float64 }

func (b box) meets(o box) bool {
	return b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom
}

// against draws the judges by their headline and the number beside it.
func (l *Leaderboard) against() Section {
	a := l.layout().Against
	if a == nil {
		return Section{}
	}
	type point struct {
		Standing
		x, y float64
	}
	var points []point
	low, high := 100.0, 0.0
	placed := l.placed()
	for _, s := range placed[:min(len(placed), mostPoints)] {
		if x := a.Of(s.Report); x.Value != nil {
			points = append(points, point{Standing: s, x: *x.Value, y: *s.Headline.Value})
			low = min(low, *x.Value)
			high = max(high, *x.Value)
		}
	}
	if len(points) < 2 {
		return Section{}
	}
	yAxis := valueAxis(points[0].Headline.Unit)
	at := plane{
		fromX: max(0, 10*math.Floor(min(low-2, a.Zero-8)/10)),
		toX:   min(100, 10*math.Ceil(max(high+2, a.Zero+8)/10)),
		fromY: yAxis.Min,
		toY:   yAxis.Max,
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="drawing" viewBox="0 0 %g %g" role="img" aria-label="%s">`, pictureWidth, againstHeight,
		template.HTMLEscapeString(fmt.Sprintf("%d judges by %s and %s. The numbers are in the chart above.", len(points),
			l.headline(), a.Words)))
	a.frame(&b, at)
	var taken []box
	for _, p := range points {
		x, y := at.x(p.x), at.y(p.y)
		taken = append(taken, box{left: x - 6, right: x + 6, top: y - 6, bottom: y + 6})
	}
	for _, p := range points {
		b.WriteString(judgeDot(p.Level, p.Reference, at.x(p.x), at.y(p.y), 6,
			fmt.Sprintf("%s: %.0f and %.0f", p.Name, p.y, p.x)))
	}
	for _, p := range points {
		name := shortName(p.Name, 22)
		room, ok := freeBox(at.x(p.x), at.y(p.y), float64(len([]rune(name)))*letterWidth, taken)
		if !ok {
			continue
		}
		taken = append(taken, room)
		fmt.Fprintf(&b, `<text class="n" x="%s" y="%s">%s</text>`, coordinate(room.left), coordinate(room.bottom-4),
			template.HTMLEscapeString(name))
	}
	b.WriteString(`</svg>`)
	return Section{ID: "against", Title: a.Title, About: a.About, Half: true, Body: template.HTML(b.String())}
}

// frame draws the axes, the zone and the line of the number that the headline is drawn against.
func (a *Against) frame(b *strings.Builder, at plane) {
	if a.Zone > 0 && a.Zone < at.toX {
		left := at.x(max(a.Zone, at.fromX))
		fmt.Fprintf(b, `<rect class="zone" x="%s" y="%g" width="%s" height="%g"/>`, coordinate(left), againstTop,
			coordinate(againstRight-left), againstBottom-againstTop)
		fmt.Fprintf(b, `<text class="z e" x="%g" y="%g">%s</text>`, againstRight-6, againstTop+16,
			template.HTMLEscapeString(a.ZoneWords))
	}
	for i := range 5 {
		v := at.fromY + (at.toY-at.fromY)*float64(i)/4
		fmt.Fprintf(b, `<line class="g" x1="%[1]g" x2="%[2]g" y1="%[3]s" y2="%[3]s"/>`, againstLeft, againstRight,
			coordinate(at.y(v)))
		fmt.Fprintf(b, `<text class="e" x="%g" y="%s">%g</text>`, againstLeft-6, coordinate(at.y(v)+4), v)
	}
	step := 10.0
	if at.toX-at.fromX > 60 {
		step = 20
	}
	for v := at.fromX; v <= at.toX; v += step {
		anchor := "m"
		if v+step > at.toX {
			anchor = "e"
		}
		fmt.Fprintf(b, `<text class="%s" x="%s" y="%g">%g</text>`, anchor, coordinate(at.x(v)), againstBottom+18, v)
	}
	fmt.Fprintf(b, `<text class="m" x="%s" y="%g">%s</text>`, coordinate((againstLeft+againstRight)/2), againstHeight-6,
		template.HTMLEscapeString(a.Words))
	fmt.Fprintf(b, `<line class="g0" x1="%[1]s" x2="%[1]s" y1="%[2]g" y2="%[3]g"/>`, coordinate(at.x(a.Zero)), againstTop,
		againstBottom)
	fmt.Fprintf(b, `<text x="%s" y="%g">%s</text>`, coordinate(at.x(a.Zero)+5), againstBottom-6,
		template.HTMLEscapeString(a.ZeroWords))
}

// freeBox is room for a name beside a point, where it hides nothing; ok is false where there is none.
func freeBox(x, y, width float64, taken []box) (room box, ok bool) {
	const height, gap = 16, 9
	for _, try := range [][2]float64{
		{gap, -height / 2}, {-gap - width, -height / 2}, {-width / 2, -height - gap + 2}, {-width / 2, gap - 2},
		{gap, -height - 2}, {gap, 2}, {-gap - width, -height - 2}, {-gap - width, 2},
	} {
		b := box{left: x + try[0], right: x + try[0] + width, top: y + try[1], bottom: y + try[1] + height}
		inside := b.left >= againstLeft && b.right <= pictureWidth && b.top >= 0 && b.bottom <= againstBottom
		if inside && !slices.ContainsFunc(taken, b.meets) {
			return b, true
		}
	}
	return room, false
}
