package server

import (
	"net/http"
	"slices"
	"strings"

	"gavel/internal/report"
	"gavel/internal/server/jobs"
)

// routes returns all routes.
func (s *Server) routes() []route {
	return slices.Concat(
		[]route{
			{pattern: "GET /healthz", handle: s.healthz, free: true},
			{pattern: "GET /assets/{file}", handle: s.asset, free: true},
			{pattern: "GET /login", handle: s.loginPage, free: true},
			{pattern: "POST /login", handle: s.login, free: true},
			{pattern: "POST /logout", handle: s.logout},
			{pattern: "/", handle: s.nothing},
			call("GET /openapi.json", "This document", describeAPI),
		},

		[]route{
			page("/{$}", "leaderboard", s.leaderboardPage),
			call("GET /leaderboard", "The judges of one question on the same items, the best first", s.board).
				withQuery(boardFilter{}),
			{pattern: "GET /leaderboard.md", handle: s.downloadBoard(markdownType, ".md", report.RunReport.Markdown)},
			{pattern: "GET /leaderboard.svg", handle: s.downloadBoard(svgType, ".svg", report.RunReport.Picture)},
			{pattern: "GET /hardest", form: s.toHardest},
		},

		both("/runs", "runs", "The runs of the folder", s.runsView, runsFilter{}),
		both("/runs/{run}", "run", "A run", s.runView, nil),
		[]route{
			{
				pattern: "GET /runs/{run}/report.html",
				handle:  s.downloadNumbers("text/html; charset=utf-8", ".html", report.RunReport.WriteHTML),
			},
			{pattern: "GET /runs/{run}/results.csv", handle: s.downloadNumbers("text/csv; charset=utf-8", ".csv", resultsCSV)},
			{pattern: "GET /runs/{run}/summary.md", handle: s.downloadNumbers(markdownType, ".md", report.RunReport.Markdown)},
			{pattern: "GET /runs/{run}/picture.svg", handle: s.downloadNumbers(svgType, ".svg", report.RunReport.Picture)},
			{pattern: "GET /runs/{run}/records.jsonl", handle: s.downloadRecords, stream: true},
			call("GET /runs/{run}/status", "The progress of a run", s.statusView),
			{pattern: "GET /runs/{run}/events", handle: s.runEvents, stream: true},
		},
		both("/runs/{run}/items", "items", "Items of a run", s.itemsView, ItemsFilter{}),
		both("/runs/{run}/items/{item}", "item", "An item with all its judgments", s.itemView, nil),
		[]route{page("/runs/{run}/item", "item", s.itemView)},

		both("/suites", "suites", "The suites of the folder", s.suitesView, nil),
		both("/suites/{suite}", "suite", "A suite: its runs, and the ranking of its judges",
			s.suiteView, nil),

		both("/compare", "compare", "The comparison of two runs", s.compareView, compareFilter{}),
		both("/compare/item", "compare-item", "An item as two runs judged it", s.compareItemView, itemOfTwo{}),

		[]route{page("/help", "help", s.helpPage)},

		require(s.Labels != "", errNoDesk, page("/labels", "labels", s.labelsView)),
		require(s.Desk != nil, errNoDesk,
			route{pattern: "POST /labels", form: s.labelAs},
			page("/labels/{who}", "label", s.labelView),
			route{pattern: "POST /labels/{who}", handle: s.labelSay},
		),

		require(s.Runner != nil, errNoRunner, s.runnerRoutes()...),
	)
}

// runnerRoutes returns the routes that make, change and delete runs and suites, and those of jobs.
func (s *Server) runnerRoutes() []route {
	run := deletion{kind: "run", key: "name", list: "/runs", do: s.deleteRun}
	suite := deletion{kind: "suite", key: "folder", list: "/suites", do: s.deleteSuite}
	return []route{
		page("/start", "start", s.startView),
		{pattern: "POST /start", handle: s.startForm},
		call("GET /offer", "The choices for a run", s.offer).withQuery(offerFilter{}),
		call("POST /plan", "What a run would ask; nothing is asked", fromRequest(s, RunMaker.Plan)).withBody(jobs.JobRequest{}),
		call("POST /start", "Start or continue a run", fromRequest(s, RunMaker.Start)).accepting(jobs.JobRequest{}),
		{pattern: "POST /runs/{run}/resume", form: s.resumeForm},
		{pattern: "POST /runs/{run}/about", form: s.describe},
		{pattern: "POST /runs/{run}/delete", form: run.form},
		call("POST /runs/{run}/delete", "Delete a run", run.call).withBody(confirmation{}),
		call("POST /suites/plan", "What a suite would ask; nothing is asked", fromRequest(s, RunMaker.PlanSuite)).
			withBody(suiteOrder{}),
		call("POST /suites/start", "Start or continue the runs of a suite", fromRequest(s, RunMaker.StartSuite)).
			accepting(suiteOrder{}),
		{pattern: "POST /suites/{suite}/resume", form: s.resumeSuite},
		{pattern: "POST /suites/{suite}/delete", form: suite.form},
		call("POST /suites/{suite}/delete", "Delete a suite with all runs in its folder", suite.call).
			withBody(confirmation{}),
		{pattern: "GET /jobs", form: s.toRuns},
		call("GET /jobs", "The jobs of this server", s.jobsView),
		{pattern: "GET /jobs/{job}", handle: s.followJob},
		call("GET /jobs/{job}", "A job with the progress of its run", s.jobView),
		{pattern: "POST /jobs/{job}/stop", form: s.stopForm},
		call("POST /jobs/{job}/stop", "Stop a job gently; a second time at once", s.stop).accepting(struct{}{}),
	}
}

// page returns the route of a page for people: a template lays out the value that show returns.
func page[T any](path, template string, show func(*http.Request) (T, error)) route {
	return route{pattern: "GET " + path, template: template, view: viewOf(show)}
}

// call returns the route of a call of the API, which answers with the value that show returns, as JSON. pattern has the
// path below /api/v1.
func call[T any](pattern, summary string, show func(*http.Request) (T, error)) route {
	return route{pattern: strings.Replace(pattern, " ", " "+apiPath, 1), summary: summary, view: viewOf(show)}
}

// both returns two routes for the value that show returns: a page, and a call of the API at the same path. query is a
// struct with the parameters of the call, or nil.
func both[T any](path, template, summary string, show func(*http.Request) (T, error), query any) []route {
	return []route{page(path, template, show), call("GET "+path, summary, show).withQuery(query)}
}

// withQuery sets query, a struct with the parameters of the call.
func (r route) withQuery(query any) route {
	r.query = query
	return r
}

// withBody sets body, a struct that describes the JSON posted to the call.
func (r route) withBody(body any) route {
	r.body = body
	return r
}

// accepting sets body for a call that starts or stops a job: its answer has the status 202 (Accepted).
func (r route) accepting(body any) route {
	r.status = http.StatusAccepted
	return r.withBody(body)
}

// require sets missing, the error that these routes answer, unless the server has them.
func require(has bool, missing error, routes ...route) []route {
	for i := range routes {
		if !has {
			routes[i].missing = missing
		}
	}
	return routes
}
