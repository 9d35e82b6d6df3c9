package server

import (
	"net/http"
	"strings"

	"gavel/docs"
)

// helpView holds the page /help: the sections of docs/how-do-i.md.
type helpView struct {
	Title, Intro string
	Tasks        []helpSection // such as "choose between three models?", each with a command
	Reading      []helpSection // how to read a page, and terms
}

// helpSection holds a heading of the page, the Markdown below it, and what the command of a task prints. The ID of
// "How to read the page of a run" is "run", to which the foot of a run's page links.
type helpSection struct{ ID, Title, Text, Output string }

// helpPage returns the page /help from docs/how-do-i.md, which is part of the program.
func (s *Server) helpPage(*http.Request) (v helpView, err error) {
	sections := strings.Split(docs.HowToGuide, "\n## ")
	v.Title, v.Intro, _ = strings.Cut(strings.TrimPrefix(sections[0], "# "), "\n\n")
	v.Intro, _, _ = strings.Cut(v.Intro, "\n\n") // without the commands that make the runs of the examples
	for _, text := range sections[1:] {
		var h helpSection
		h.Title, h.Text, _ = strings.Cut(text, "\n")
		if strings.HasSuffix(h.Title, "?") {
			command, rest, _ := strings.Cut(h.Text, "```\n")
			output, words, _ := strings.Cut(rest, "\n```")
			h.Text = command + words
			h.Output = output
			v.Tasks = append(v.Tasks, h)
			continue
		}
		words := strings.Fields(strings.ToLower(h.Title))
		h.ID = words[len(words)-1]
		v.Reading = append(v.Reading, h)
	}
	return v, nil
}
