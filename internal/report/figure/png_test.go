package figure

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every picture can be had as a PNG of twice the size of its SVG, on white.
func TestPNG(t *testing.T) {
	for name, c := range charts() {
		f := mustFigure(t, Panel{"", c})
		files := Files{}
		f.HandOut(files, func(file string) string { return "/at/" + file })
		p := f.Pictures[0]
		if len(files) != 2*len(f.Pictures) || p.Link != "/at/test.svg" || p.PNG != "/at/test.png" {
			t.Fatalf("%s: %d files, links %q and %q", name, len(files), p.Link, p.PNG)
		}
		raw, err := files["test.png"]()
		if err != nil {
			t.Fatal(name, err)
		}
		if dir := os.Getenv("GAVEL_SCREENSHOTS"); dir != "" {
			if err := os.WriteFile(filepath.Join(dir, name+".png"), raw, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		picture, err := png.Decode(bytes.NewReader(raw))
		if err != nil {
			t.Fatal(name, err)
		}
		var width, height float64
		box := string(p.Alone())
		if _, err := fmt.Sscanf(box[strings.Index(box, "viewBox"):], `viewBox="0 0 %f %f"`, &width, &height); err != nil {
			t.Fatal(name, err)
		}
		size := picture.Bounds().Size()
		if x, y := float64(size.X)-2*width, float64(size.Y)-2*height; x < -2 || x > 2 || y < -2 || y > 2 {
			t.Errorf("%s: %v pixels for %g × %g", name, size, width, height)
		}
		inked := 0
		for y := range size.Y {
			for x := range size.X {
				if color.GrayModel.Convert(picture.At(x, y)).(color.Gray).Y < 128 {
					inked++
				}
			}
		}
		if corner := color.NRGBAModel.Convert(picture.At(0, 0)); corner != color.Color(paper) || inked < 500 {
			t.Errorf("%s: corner %v, %d dark pixels", name, corner, inked)
		}
	}
	tall := DotPlot{X: Percent("percent"), Series: []string{"s"}}
	for range 400 {
		tall.Rows = append(tall.Rows, DotRow{Label: "row", Dots: []Dot{bare(50, 1)}})
	}
	if _, err := drawPNG(tall, 960); err == nil || !strings.Contains(err.Error(), "take the SVG") {
		t.Errorf("a picture of very many rows: %v", err)
	}
}
