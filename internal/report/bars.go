package report

import (
	"fmt"
	"html/template"
	"strings"

	"gavel/scoring"
)

// Bars are shares that are drawn upright, side by side: a panel of several that have one scale.
type Bars struct {
	Title, About string
	Words        string // that say the same
	Of           []UprightBar
}

// UprightBar is a share, and where a mark stands that it is held against.
type UprightBar struct {
	Name string
	scoring.Result
	Mark *float64
}

// Sizes of a panel, in units of its picture.
const (
	barsWidth  = 250.0
	barsTop    = 26.0
	barsBottom = 128.0
	barsHeight = 150.0
)

// Panels draw bars beside each other, on the shortest scale that holds all of them.
func Panels(all []Bars) template.HTML {
	most := 0.0
	for _, panel := range all {
		for _, bar := range panel.Of {
			for _, v := range []*float64{bar.Value, bar.High, bar.Mark} {
				if v != nil {
					most = max(most, *v)
				}
			}
		}
	}
	var b strings.Builder
	b.WriteString(`<div class="multiples">`)
	for _, panel := range all {
		fmt.Fprintf(&b, `<div><p><b>%s</b> <small>%s</small></p>`, template.HTMLEscapeString(panel.Title),
			template.HTMLEscapeString(panel.About))
		panel.draw(&b, max(most, 1))
		b.WriteString(`</div>`)
	}
	b.WriteString(`</div>`)
	return template.HTML(b.String())
}

func (p Bars) draw(b *strings.Builder, most float64) {
	y := func(v float64) string { return coordinate(barsBottom - (barsBottom-barsTop)*v/most) }
	step := barsWidth / float64(max(1, len(p.Of)))
	width := min(34, step*0.6)
	fmt.Fprintf(b, `<svg class="drawing" viewBox="0 0 %g %g" role="img" aria-label="%s">`, barsWidth, barsHeight,
		template.HTMLEscapeString(p.Words))
	for i, bar := range p.Of {
		middle := step * (float64(i) + 0.5)
		at := coordinate(middle)
		fmt.Fprintf(b, `<text class="m" x="%s" y="%g">%s</text>`, at, barsHeight-4, template.HTMLEscapeString(bar.Name))
		if bar.Value == nil {
			continue
		}
		height := (barsBottom - barsTop) * *bar.Value / most
		fmt.Fprintf(b, `<rect class="bar" x="%s" y="%s" width="%s" height="%s"/>`, coordinate(middle-width/2), y(*bar.Value),
			coordinate(width), coordinate(height))
		top := *bar.Value
		if bar.Low != nil && bar.High != nil {
			fmt.Fprintf(b, `<line class="whisker" x1="%[1]s" x2="%[1]s" y1="%[2]s" y2="%[3]s"/>`, at, y(*bar.Low), y(*bar.High))
			top = *bar.High
		}
		if bar.Mark != nil {
			fmt.Fprintf(b, `<line class="held" x1="%s" x2="%s" y1="%[3]s" y2="%[3]s"/>`, coordinate(middle-width/2-4),
				coordinate(middle+width/2+4), y(*bar.Mark))
			top = max(top, *bar.Mark)
		}
		fmt.Fprintf(b, `<text class="m b" x="%s" y="%s">%s</text>`, at,
			coordinate(barsBottom-(barsBottom-barsTop)*top/most-7), short(bar.Result, *bar.Value))
	}
	fmt.Fprintf(b, `<line class="base" x1="0" x2="%[1]g" y1="%[2]g" y2="%[2]g"/></svg>`, barsWidth, barsBottom)
}
