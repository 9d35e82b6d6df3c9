package figure

import (
	"bytes"
	"errors"
	"html/template"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// Files are pictures alone by the names of files, each made when it is called for.
type Files map[string]func() ([]byte, error)

// HandOut adds the figure's pictures to files, as SVG and as PNG, and leads to them where link says.
func (f *Figure) HandOut(files Files, link func(file string) string) {
	for i := range f.Pictures {
		p := &f.Pictures[i]
		png := strings.TrimSuffix(p.File, ".svg") + ".png"
		svg := []byte(p.Alone())
		files[p.File] = func() ([]byte, error) { return svg, nil }
		files[png] = p.png
		p.Link = template.URL(link(p.File))
		p.PNGFile = png
		p.PNG = template.URL(link(png))
	}
}

// pngScale is how many pixels of a PNG a unit of a picture has: two, for screens of twice as many and for print.
const pngScale = 2

// mostPixels of a PNG: a picture of very many rows is had as SVG.
const mostPixels = 24_000_000

var errTooLarge = errors.New("this picture is too large for a PNG: take the SVG")

// drawPNG draws a chart on white, at twice its size.
func drawPNG(chart Chart, width vg.Length) ([]byte, error) {
	height, paint := chart.layout(width)
	if pngScale*pngScale*width*height > mostPixels {
		return nil, errTooLarge
	}
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(pngScale*int(vg.Inch)), vgimg.UseBackgroundColor(paper))
	paint(draw.New(c))
	var b bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&b)
	return b.Bytes(), err
}
