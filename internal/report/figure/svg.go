package figure

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
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

// drawSVG draws a panel of a size and returns it as an element of a page.
// alt stands in for the picture where it is read aloud.
func drawSVG(width, height vg.Length, alt string, paint func(draw.Canvas)) (template.HTML, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	paint(draw.New(c))
	var raw bytes.Buffer
	if _, err := c.WriteTo(&raw); err != nil {
		return "", err
	}
	svg, err := inlineSVG(&raw, alt)
	if err != nil {
		return "", fmt.Errorf("figure %q: %w", alt, err)
	}
	return template.HTML(svg), nil
}

// inlineSVG rewrites what the library drew as an element for a page: without the prologue and the size in points, and
// with attributes in place of styles, which a page's Content-Security-Policy forbids.
func inlineSVG(r io.Reader, alt string) (string, error) {
	dec := xml.NewDecoder(r)
	b := new(strings.Builder)
	depth := 0
	size := 0.0
	open := false
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return b.String(), nil
		}
		if err != nil {
			return "", err
		}
		switch x := token.(type) {
		case xml.StartElement:
			attrs, err := attributes(x)
			if err != nil {
				return "", err
			}
			if depth++; depth == 1 {
				attrs = append([]xml.Attr{
					named("class", "chart"),
					named("role", "img"),
					named("aria-label", alt),
					named("font-family", fontFamily),
				}, attrs...)
			}
			b.WriteString("<" + x.Name.Local)
			size = 0
			for _, a := range attrs {
				fmt.Fprintf(b, ` %s="%s"`, a.Name.Local, escapeXML(a.Value))
				if a.Name.Local == "font-size" {
					size, _ = strconv.ParseFloat(strings.TrimSuffix(a.Value, "px"), 64)
				}
			}
			open = x.Name.Local == "text"
			if !open {
				b.WriteString(">")
			}
		case xml.EndElement:
			if depth--; open { // nothing is written in it
				b.WriteString(">")
				open = false
			}
			b.WriteString("</" + x.Name.Local + ">\n")
		case xml.CharData:
			if s := string(x); strings.TrimSpace(s) != "" {
				// In whatever font it is shown, it is as wide as it was measured, and so stands over nothing.
				open = false
				fmt.Fprintf(b, ` textLength="%.5g" lengthAdjust="spacingAndGlyphs">%s`,
					float64(words(vg.Length(size), ink).Width(s)), escapeXML(s))
			}
		}
	}
}

func named(name, value string) xml.Attr { return xml.Attr{Name: xml.Name{Local: name}, Value: value} }

func escapeXML(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic(err) // a builder takes everything
	}
	return b.String()
}

// attributes of an element, its style taken apart.
func attributes(x xml.StartElement) ([]xml.Attr, error) {
	var attrs []xml.Attr
	var classes []string
	for _, a := range x.Attr {
		switch {
		case x.Name.Local == "svg" && (a.Name.Space != "" || a.Name.Local != "viewBox" && a.Name.Local != "xmlns"):
		case a.Name.Local != "style":
			attrs = append(attrs, a)
		default:
			for part := range strings.SplitSeq(a.Value, ";") {
				key, value, ok := strings.Cut(strings.TrimSpace(part), ":")
				if !ok {
					return nil, fmt.Errorf("style %q is not understood", a.Value)
				}
				switch {
				case key == "font-family", value == "normal" && strings.HasPrefix(key, "font-"):
					continue // the same everywhere: it stands at the root
				case themed[strings.ToUpper(value)] != "":
					classes = append(classes, key+"-"+themed[strings.ToUpper(value)])
				}
				attrs = append(attrs, named(key, value))
			}
		}
	}
	if len(classes) > 0 {
		attrs = append([]xml.Attr{named("class", strings.Join(classes, " "))}, attrs...)
	}
	return attrs, nil
}
