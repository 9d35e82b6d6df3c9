package server

import (
	"net/http"
	"strings"

	"gavel/docs"
)

// helpView is the page /help: the sections of docs/how-do-i.md.
type helpView struct {
	Title, Intro string
	Tasks        []helpSection // the questions
	Reading      []helpSection // how to read a page, and terms
}

// helpSection is a heading of the page and the Markdown below it. The ID of "Reading: run" is "run", which the foot of
// that page leads to.
type helpSection struct{ ID, Title, Text string }

func (s *Server) helpPage(*http.Request) (v helpView, err error) {
	sections := strings.Split(docs.HowDoI, "\n## ")
	v.Title, v.Intro, _ = strings.Cut(strings.TrimPrefix(sections[0], "# "), "\n\n")
	v.Intro, _, _ = strings.Cut(v.Intro, "\n\n") // the rest makes the runs of the examples
	for _, text := range sections[1:] {
		var h helpSection
		h.Title, h.Text, _ = strings.Cut(text, "\n")
		if strings.HasSuffix(h.Title, "?") {
			v.Tasks = append(v.Tasks, h)
			continue
		}
		words := strings.Fields(strings.ToLower(h.Title))
		h.ID = words[len(words)-1]
		v.Reading = append(v.Reading, h)
	}
	return v, nil
}
