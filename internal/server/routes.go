package server

import (
	"net/http"
	"slices"
	"strings"

	"gavel/internal/report"
	"gavel/internal/server/jobs"
)

func init() {
	allRoutes = slices.Concat(
		[]route{
			{pattern: "GET /healthz", handle: (*Server).healthz, free: true},
			{pattern: "GET /assets/{file}", handle: (*Server).asset, free: true},
			{pattern: "GET /login", handle: (*Server).loginPage, free: true},
			{pattern: "POST /login", handle: (*Server).login, free: true},
			{pattern: "POST /logout", handle: (*Server).logout},
			{pattern: "/", handle: (*Server).nothing},
			call("GET /openapi.json", "This document", describeAPI),
		},

		listed("Leaderboard", page("/{$}", "leaderboard", (*Server).leaderboardPage)),
		[]route{
			call("GET /leaderboard", "The judges of one question over the same items, the best first", (*Server).board).
				asking(boardFilter{}),
			{pattern: "GET /leaderboard.md", handle: downloadBoard(markdownType, ".md", report.RunReport.Markdown)},
			{pattern: "GET /leaderboard.svg", handle: downloadBoard(svgType, ".svg", report.RunReport.Picture)},
			{pattern: "GET /hardest", handle: (*Server).toHardest},
		},

		listed("Runs", both("/runs", "runs", "The runs of the folder", (*Server).runsView, runsFilter{})...),
		both("/runs/{run}", "run", "A run", (*Server).runView, nil),
		[]route{
			{
				pattern: "GET /runs/{run}/report.html",
				handle:  downloadNumbers("text/html; charset=utf-8", ".html", report.RunReport.WriteHTML),
			},
			{pattern: "GET /runs/{run}/results.csv", handle: downloadNumbers("text/csv; charset=utf-8", ".csv", resultsCSV)},
			{pattern: "GET /runs/{run}/summary.md", handle: downloadNumbers(markdownType, ".md", report.RunReport.Markdown)},
			{pattern: "GET /runs/{run}/picture.svg", handle: downloadNumbers(svgType, ".svg", report.RunReport.Picture)},
			{pattern: "GET /runs/{run}/records.jsonl", handle: (*Server).downloadRecords, stream: true},
			call("GET /runs/{run}/status", "How far a run is", (*Server).statusView),
			{pattern: "GET /runs/{run}/events", handle: (*Server).runEvents, stream: true},
		},
		both("/runs/{run}/items", "items", "Items of a run", (*Server).itemsView, ItemsFilter{}),
		both("/runs/{run}/items/{item}", "item", "An item with every judgment of it", (*Server).itemView, nil),
		[]route{page("/runs/{run}/item", "item", (*Server).itemView)},

		listed("Suites", both("/suites", "suites", "The suites of the folder", (*Server).suitesView, nil)...),
		both("/suites/{suite}", "suite", "A suite: its runs, and its judges held against each other",
			(*Server).suiteView, nil),

		listed("Compare",
			both("/compare", "compare", "Two runs beside each other", (*Server).compareView, compareFilter{})...),
		both("/compare/item", "compare-item", "An item as two runs judged it", (*Server).compareItemView, itemOfTwo{}),

		[]route{page("/help", "help", (*Server).helpPage)},

		needing(needsLabels, listed("Labels", page("/labels", "labels", (*Server).labelsView))...),
		needing(needsDesk,
			route{pattern: "POST /labels", handle: (*Server).labelAs},
			page("/labels/{who}", "label", (*Server).labelView),
			route{pattern: "POST /labels/{who}", handle: (*Server).labelSay},
		),

		needing(needsRunner, runnerRoutes()...),
	)
}

// runnerRoutes returns the routes that make, change and delete runs and suites.
func runnerRoutes() []route {
	run := deletion{what: "run", named: "name", list: "/runs", do: (*Server).deleteRun}
	suite := deletion{what: "suite", named: "folder", list: "/suites", do: (*Server).deleteSuite}
	return []route{
		page("/start", "start", (*Server).startView),
		{pattern: "POST /start", handle: (*Server).startForm},
		call("GET /offer", "What a run can be ordered from", (*Server).offer).asking(offerFilter{}),
		call("POST /plan", "What a run would ask; nothing is asked", ordered(RunMaker.Plan)).taking(jobs.JobRequest{}),
		call("POST /start", "Start a run, or go on with one", ordered(RunMaker.Start)).beginning(jobs.JobRequest{}),
		{pattern: "POST /runs/{run}/resume", handle: (*Server).resumeForm},
		{pattern: "POST /runs/{run}/about", handle: (*Server).describe},
		{pattern: "POST /runs/{run}/delete", handle: run.form},
		call("POST /runs/{run}/delete", "Delete a run", run.call).taking(confirmation{}),
		call("POST /suites/plan", "What a suite would ask; nothing is asked", ordered(RunMaker.PlanSuite)).
			taking(suiteOrder{}),
		call("POST /suites/start", "Make the runs of a suite, or go on with them", ordered(RunMaker.StartSuite)).
			beginning(suiteOrder{}),
		{pattern: "POST /suites/{suite}/resume", handle: (*Server).resumeSuite},
		{pattern: "POST /suites/{suite}/delete", handle: suite.form},
		call("POST /suites/{suite}/delete", "Delete a suite with all runs in its folder", suite.call).
			taking(confirmation{}),
		{pattern: "GET /jobs", handle: (*Server).toRuns},
		call("GET /jobs", "What this server was told to make", (*Server).jobsView),
		{pattern: "GET /jobs/{job}", handle: (*Server).followJob},
		call("GET /jobs/{job}", "A job, with how far its run is", (*Server).jobView),
		{pattern: "POST /jobs/{job}/stop", handle: (*Server).stopForm},
		call("POST /jobs/{job}/stop", "Stop a job gently; a second time at once", (*Server).stop).beginning(struct{}{}),
	}
}

// page returns the route of a page: template lays out what show returns.
func page[T any](path, template string, show func(*Server, *http.Request) (T, error)) route {
	return route{pattern: "GET " + path, template: template, view: viewOf(show)}
}

// call returns a route of the API, which answers with what show returns as JSON. The path of its pattern is below
// /api/v1.
func call[T any](pattern, about string, show func(*Server, *http.Request) (T, error)) route {
	return route{pattern: strings.Replace(pattern, " ", " "+apiPath, 1), about: about, view: viewOf(show)}
}

// both returns the routes of a page and of the call at the same path that has its view as JSON. query is a struct with
// the parameters of the call, or nil.
func both[T any](path, template, about string, show func(*Server, *http.Request) (T, error), query any) []route {
	return []route{page(path, template, show), call("GET "+path, about, show).asking(query)}
}

// asking sets the struct with the parameters of a call.
func (r route) asking(query any) route {
	r.query = query
	return r
}

// taking sets the struct that a call expects as body.
func (r route) taking(body any) route {
	r.body = body
	return r
}

// beginning is taking for a call that starts something: it answers 202.
func (r route) beginning(body any) route {
	r.status = http.StatusAccepted
	return r.taking(body)
}

// listed puts the first of these routes into the navigation of all pages.
func listed(name string, routes ...route) []route {
	routes[0].navigation = name
	return routes
}

// needing sets the condition that must hold for these routes.
func needing(needs func(*Server) error, routes ...route) []route {
	for i := range routes {
		routes[i].needs = needs
	}
	return routes
}
