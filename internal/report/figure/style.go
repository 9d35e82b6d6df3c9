package figure

import (
	"image/color"
	"strings"
	"unicode"

	"codeberg.org/go-fonts/liberation/liberationsansregular"
	"golang.org/x/image/font/opentype"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"gavel/internal/report/table"
)

func rgb(hex uint32) color.NRGBA {
	return color.NRGBA{R: uint8(hex >> 16), G: uint8(hex >> 8), B: uint8(hex), A: 255}
}

// Colours of words, lines and the page.
var (
	ink   = rgb(0x1B1B1B)
	muted = rgb(0x555555)
	grid  = rgb(0xD4D4D4)
	paper = rgb(0xFFFFFF)
)

// words is a style of text, left and on its base line.
func words(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}, Handler: fonts}
}

// fonts has the font that words are drawn in. The library's own collection would bring twelve.
var fonts = func() text.Plain {
	sans, err := opentype.Parse(liberationsansregular.TTF)
	if err != nil {
		panic(err) // it is part of the program
	}
	return text.Plain{
		Fonts: font.NewCache(font.Collection{{Font: font.Font{Typeface: "Liberation", Variant: "Sans"}, Face: sans}}),
	}
}()

// aligned is a style that stands otherwise about its point.
func aligned(s text.Style, x text.XAlignment, y text.YAlignment) text.Style {
	s.XAlign = x
	s.YAlign = y
	return s
}

// label makes words of others fit to stand in a picture: on one line, of characters that are seen, not wider than w.
func label(s string, style text.Style, w vg.Length) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, table.Clean(s))
	runes := []rune(s)
	if len(runes) <= widestLabel && style.Width(s) <= w {
		return s
	}
	for n := min(len(runes)-1, widestLabel); n > 0; n-- {
		if short := string(runes[:n]) + "…"; style.Width(short) <= w {
			return short
		}
	}
	return "…"
}

// widestLabel is more characters than fit anywhere. A group may have a megabyte
// for a name, and each try to shorten it measures all of it.
const widestLabel = 400
