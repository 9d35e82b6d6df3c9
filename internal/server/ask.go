package server

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gavel/datasets"
	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
	"gavel/internal/server/store"
	"gavel/judging"
)

// askView asks for a judgment again, with a prompt that can be edited. What comes of it is stored nowhere.
type askView struct {
	Run     RunHead
	ID      string
	Back    string // link to the judgment
	Was     JudgmentView
	System  string // as edited
	User    string
	Got     *JudgmentView // nil: not asked yet
	Read    []readAs      // Got, by each set of readers
	Error   string
	Minutes int // that it may take

	index  *store.Index
	item   datasets.Item
	record *judging.Record
}

// readAs is what a set of readers makes of a reply.
type readAs struct {
	By, Says, Label string
	Mark            Mark
}

// askTime is how long a judge may take for a judgment that is asked for again.
const askTime = 3 * time.Minute

// askURL is the page that asks for a judgment again.
func askURL(run, item string, g JudgmentView) string {
	return "/runs/" + escaped(run) + "/ask" + query("item", item, "showing", strconv.Itoa(g.Presentation),
		"repeat", strconv.Itoa(g.Repetition))
}

// askView finds the judgment that the address names.
func (s *Server) askView(r *http.Request) (v askView, err error) {
	name, q := r.PathValue("run"), r.URL.Query()
	x, done, err := s.runs.Index(r.Context(), name)
	if err != nil {
		return v, err
	}
	defer done()
	v = askView{Run: headOf(name, x.Manifest), ID: q.Get("item"), Minutes: int(askTime.Minutes()), index: x}
	if v.Run.Imported != "" {
		return v, failure.New(http.StatusConflict, "the run was imported: gavel does not know the server of its judge")
	}
	if err := v.find(s, x, q.Get("showing"), q.Get("repeat")); err != nil {
		return v, err
	}
	v.System = v.Was.System
	v.User = v.Was.User
	v.Back = itemURL(name, v.ID, "") + "#" + v.Was.Place()
	return v, nil
}

// find reads the judgment and its item.
func (v *askView) find(s *Server, x *store.Index, presentation, repetition string) error {
	missing := failure.New(http.StatusNotFound, "the run %q has no such judgment", v.Run.Name)
	i, ok := x.Find(v.ID)
	if !ok {
		return missing
	}
	items := x.OpenItems()
	defer items.Close()
	var err error
	v.item, err = x.Item(items, i)
	if err != nil {
		return err
	}
	records, _, err := s.runs.Open(x.Run, judging.RecordsFile)
	if err != nil {
		return store.ErrChanged
	}
	defer records.Close()
	for _, g := range x.Judgments(i) {
		if strconv.Itoa(int(g.Presentation)) != presentation || strconv.Itoa(int(g.Repetition)) != repetition {
			continue
		}
		j, err := x.Record(records, g)
		if err != nil {
			return err
		}
		v.record = j.Record
		v.Was, err = judgmentView(x.Manifest, x.Asker, j, v.item, true, markup.NewLayout())
		return err
	}
	return missing
}

// askForm asks the judge, and shows what came.
func (s *Server) askForm(w http.ResponseWriter, r *http.Request) error {
	v, err := s.askView(r)
	if err != nil {
		return err
	}
	v.System, v.User = unixLines(r.PostForm.Get("system")), unixLines(r.PostForm.Get("user"))
	if err := writeBy(w, s.now().Add(askTime+writeTimeout)); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), askTime)
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	status := http.StatusOK
	if err := v.ask(ctx, s.opts.Runner); err != nil {
		v.Error, status = err.Error(), failure.Status(err)
	}
	if ctx.Err() != nil && v.Got == nil {
		v.Error, status = fmt.Sprintf("the judge did not answer within %d minutes", v.Minutes), http.StatusGatewayTimeout
	}
	s.pages.render(w, r, status, "ask", v)
	return nil
}

// unixLines undoes what forms do to the ends of lines.
func unixLines(text string) string { return strings.ReplaceAll(text, "\r\n", "\n") }

// ask asks with the edited prompt and reads what comes, in both ways.
func (v *askView) ask(ctx context.Context, runner Runner) error {
	m := v.index.Manifest
	if strings.TrimSpace(v.User) == "" {
		return failure.Bad("the prompt is empty")
	}
	asker := judging.Edited(v.index.Asker, v.System, v.User)
	r, err := runner.AskAgain(ctx, judging.Again{Manifest: m, Asker: asker, Item: v.item, Shown: v.record.Shown()})
	if err != nil {
		return err
	}
	r.Presentations = v.record.Presentations
	how := store.ReadingOf(m)
	for _, how.Name = range []judging.Readers{judging.Robust, judging.Paper} {
		j := store.Judged{Record: r}
		j.Verdict, err = r.Read(asker, how)
		if err != nil {
			return err
		}
		if c, ok := r.Confidence(asker, j.Verdict); ok {
			j.Confidence = &c
		}
		g, err := judgmentView(m, asker, j, v.item, true, markup.NewLayout())
		if err != nil {
			return err
		}
		if v.Got == nil {
			g.side = "scratch-"
			v.Got = &g
		}
		v.Read = append(v.Read, readAs{
			By:    string(how.Name),
			Says:  g.Words.Says,
			Label: g.Label,
			Mark:  g.Mark(),
		})
	}
	return nil
}
