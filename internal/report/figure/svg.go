package figure

import (
	"fmt"
	"html"
	"html/template"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Widths of pictures, in units that are pixels on a page of the width that they are for, so that words of 12 units stay
// readable. Every panel is drawn as wide as a phone; where a figure has one or two, it is drawn for wider pages too.
// Three and more stand side by side.
const (
	narrow vg.Length = 360
	half   vg.Length = 480
	whole  vg.Length = 960
)

// widthOf the further picture of each of so many panels; 0 for none.
func widthOf(panels int) vg.Length {
	switch panels {
	case 1:
		return whole
	case 2:
		return half
	}
	return 0
}

// themed are the colours that a page in dark turns round, or makes lighter. The picture says them as they are on
// white, for programs that know no style sheet, and by class. No other colour of a figure may be one of these.
var themed = map[string]string{
	hexOf(ink):        "ink",
	hexOf(muted):      "muted",
	hexOf(grid):       "grid",
	hexOf(paper):      "paper",
	hexOf(colours[0]): "c0",
	hexOf(colours[1]): "c1",
	hexOf(colours[2]): "c2",
	hexOf(colours[3]): "c3",
	hexOf(colours[4]): "c4",
	hexOf(colours[5]): "c5",
}

func hexOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02X%02X%02X", r>>8, g>>8, b>>8)
}

// fontFamily has the widths that texts are measured with, under the names it goes by on each system.
const fontFamily = "Liberation Sans, Arimo, Arial, Helvetica, sans-serif"

// drawSVG draws a chart of a width and returns it as an element of a page. alt stands in for the picture where it is
// read aloud. It has attributes in place of styles, which a page's Content-Security-Policy forbids.
func drawSVG(chart Chart, width vg.Length, alt string) template.HTML {
	height, paint := chart.layout(width)
	c := &svgCanvas{height: height}
	fmt.Fprintf(&c.elements, `<svg class="chart" role="img" aria-label="%s" font-family="%s" viewBox="0 0 %s %s" `+
		`xmlns="http://www.w3.org/2000/svg">`+"\n", html.EscapeString(alt), fontFamily, digits(width), digits(height))
	paint(draw.NewCanvas(c, width, height))
	return template.HTML(c.elements.String() + "</svg>\n")
}

// svgCanvas writes what is drawn on it as elements.
type svgCanvas struct {
	vg.Canvas // nil: no chart moves, scales, or draws images
	elements  strings.Builder
	height    vg.Length
	pen       pen
	pushed    []pen
}

// pen is how a canvas draws.
type pen struct {
	color  color.Color
	width  vg.Length
	dashes []vg.Length
	turn   float64 // of words, in radians
}

func (c *svgCanvas) SetLineWidth(w vg.Length)                    { c.pen.width = w }
func (c *svgCanvas) SetLineDash(dashes []vg.Length, _ vg.Length) { c.pen.dashes = dashes }
func (c *svgCanvas) SetColor(to color.Color)                     { c.pen.color = to }
func (c *svgCanvas) Rotate(radians float64)                      { c.pen.turn += radians }
func (c *svgCanvas) Push()                                       { c.pushed = append(c.pushed, c.pen) }

func (c *svgCanvas) Pop() {
	last := len(c.pushed) - 1
	c.pen = c.pushed[last]
	c.pushed = c.pushed[:last]
}

func (c *svgCanvas) Fill(p vg.Path) { c.path("fill", "", p) }

func (c *svgCanvas) Stroke(p vg.Path) {
	how := fmt.Sprintf(` fill="none" stroke-width="%s"`, digits(c.pen.width))
	if len(c.pen.dashes) > 0 {
		var lengths []string
		for _, d := range c.pen.dashes {
			lengths = append(lengths, digits(d))
		}
		how += fmt.Sprintf(` stroke-dasharray="%s"`, strings.Join(lengths, " "))
	}
	c.path("stroke", how, p)
}

// path writes a path of lines and whole circles.
func (c *svgCanvas) path(paint, how string, p vg.Path) {
	fmt.Fprintf(&c.elements, `<path%s%s d="`, c.colour(paint), how)
	for _, step := range p {
		x, y := step.Pos.X, c.height-step.Pos.Y
		switch step.Type {
		case vg.MoveComp:
			fmt.Fprintf(&c.elements, "M%s %s", digits(x), digits(y))
		case vg.LineComp:
			fmt.Fprintf(&c.elements, "L%s %s", digits(x), digits(y))
		case vg.ArcComp:
			r := digits(step.Radius)
			around := digits(2 * step.Radius)
			fmt.Fprintf(&c.elements, "M%s %sa%s %s 0 1 0 -%s 0a%s %s 0 1 0 %s 0",
				digits(x+step.Radius), digits(y), r, r, around, r, r, around)
		case vg.CloseComp:
			c.elements.WriteString("Z")
		}
	}
	c.elements.WriteString("\"></path>\n")
}

// colour is an attribute with the pen's colour, and its class where a page changes it.
func (c *svgCanvas) colour(paint string) string {
	hex := hexOf(c.pen.color)
	attribute := fmt.Sprintf(` %s="%s"`, paint, hex)
	if class := themed[hex]; class != "" {
		attribute = fmt.Sprintf(` class="%s-%s"`, paint, class) + attribute
	}
	return attribute
}

// FillString writes words. In whatever font they are shown, they are as wide as they were measured, and so stand over
// nothing.
func (c *svgCanvas) FillString(face font.Face, at vg.Point, s string) {
	sin, cos := math.Sincos(c.pen.turn)
	x := digits(at.X*vg.Length(cos) - at.Y*vg.Length(sin))
	y := digits(c.height - at.X*vg.Length(sin) - at.Y*vg.Length(cos))
	turned := ""
	if c.pen.turn != 0 {
		turned = fmt.Sprintf(` transform="rotate(%s %s %s)"`, digits(vg.Length(-c.pen.turn*180/math.Pi)), x, y)
	}
	fmt.Fprintf(&c.elements, `<text%s x="%s" y="%s"%s font-size="%spx" textLength="%s" lengthAdjust="spacingAndGlyphs">`+
		"%s</text>\n", c.colour("fill"), x, y, turned, digits(face.Font.Size), digits(face.Width(s)), html.EscapeString(s))
}

// digits writes a length as short as a hundredth of a unit allows.
func digits(x vg.Length) string {
	return strconv.FormatFloat(math.Round(float64(x)*100)/100, 'f', -1, 64)
}
