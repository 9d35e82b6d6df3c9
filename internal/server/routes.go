package server

import (
	"net/http"
	"slices"
	"strings"

	"gavel/internal/report"
)

// routes returns all routes.
func (s *Server) routes() []route {
	return slices.Concat(
		[]route{
			{pattern: "GET /healthz", handle: s.healthz, needsNoToken: true},
			{pattern: "GET /assets/{file}", handle: s.asset, needsNoToken: true},
			{pattern: "GET /login", handle: s.loginPage, needsNoToken: true},
			{pattern: "POST /login", handle: s.login, needsNoToken: true},
			{pattern: "POST /logout", handle: s.logout},
			{pattern: "/", handle: s.answerNotFound},
			apiRoute("GET /openapi.json", describeAPI),

			pageRoute("/{$}", "leaderboard", s.leaderboardPage),
			apiRoute("GET /leaderboard", s.requestedBoard),
			{pattern: "GET /leaderboard.md", handle: s.downloadBoard(markdownType, ".md", report.RunsReport.Markdown)},
			{pattern: "GET /leaderboard.svg", handle: s.downloadBoard(svgType, ".svg", report.RunsReport.Picture)},
			{pattern: "GET /hardest", form: s.redirectToHardest},
		},

		pageAndCallRoutes("/runs", "runs", s.runsView),
		pageAndCallRoutes("/runs/{run}", "run", s.runView),
		[]route{
			{
				pattern: "GET /runs/{run}/report.html",
				handle:  s.downloadNumbers("text/html; charset=utf-8", ".html", report.RunsReport.WriteHTML),
			},
			{pattern: "GET /runs/{run}/results.csv", handle: s.downloadNumbers("text/csv; charset=utf-8", ".csv", resultsCSV)},
			{pattern: "GET /runs/{run}/summary.md", handle: s.downloadNumbers(markdownType, ".md", report.RunsReport.Markdown)},
			{pattern: "GET /runs/{run}/picture.svg", handle: s.downloadNumbers(svgType, ".svg", report.RunsReport.Picture)},
			{pattern: "GET /runs/{run}/records.jsonl", handle: s.downloadRecords, stream: true},
			apiRoute("GET /runs/{run}/status", s.statusView),
			{pattern: "GET /runs/{run}/events", handle: s.runEvents, stream: true},
		},
		pageAndCallRoutes("/runs/{run}/items", "items", s.itemsView),
		pageAndCallRoutes("/runs/{run}/items/{item}", "item", s.itemView),
		[]route{pageRoute("/runs/{run}/item", "item", s.itemView)},

		pageAndCallRoutes("/suites", "suites", s.suitesView),
		pageAndCallRoutes("/suites/{suite}", "suite", s.suiteView),

		pageAndCallRoutes("/compare", "compare", s.compareView),
		pageAndCallRoutes("/compare/item", "compare-item", s.compareItemView),

		[]route{pageRoute("/help", "help", s.helpPage)},

		disableRoutesUnless(s.Labels != "", errNoDesk, pageRoute("/labels", "labels", s.labelsView)),
		disableRoutesUnless(s.Desk != nil, errNoDesk,
			route{pattern: "POST /labels", form: s.redirectToLabel},
			pageRoute("/labels/{who}", "label", s.labelView),
			route{pattern: "POST /labels/{who}", handle: s.submitLabel},
		),

		disableRoutesUnless(s.Runner != nil, errNoRunner, s.runnerRoutes()...),
	)
}

// runnerRoutes returns the routes that make, change and delete runs and suites, and those of jobs.
func (s *Server) runnerRoutes() []route {
	run := deletion{kind: "run", pathKey: "name", list: "/runs", do: s.deleteRun}
	suite := deletion{kind: "suite", pathKey: "folder", list: "/suites", do: s.deleteSuite}
	return []route{
		pageRoute("/start", "start", s.startView),
		{pattern: "POST /start", handle: s.startForm},
		apiRoute("GET /offer", s.newRunOffer),
		apiRoute("POST /plan", withJobRequest(s, RunMaker.Plan)),
		apiRoute("POST /start", withJobRequest(s, RunMaker.Start)).withStatusAccepted(),
		{pattern: "POST /runs/{run}/resume", form: s.resumeForm},
		{pattern: "POST /runs/{run}/about", form: s.storeRunAbout},
		{pattern: "POST /runs/{run}/delete", form: run.deleteFromForm},
		apiRoute("POST /runs/{run}/delete", run.execute),
		apiRoute("POST /suites/plan", withJobRequest(s, RunMaker.PlanSuite)),
		apiRoute("POST /suites/start", withJobRequest(s, RunMaker.StartSuite)).withStatusAccepted(),
		{pattern: "POST /suites/{suite}/resume", form: s.resumeSuite},
		{pattern: "POST /suites/{suite}/delete", form: suite.deleteFromForm},
		apiRoute("POST /suites/{suite}/delete", suite.execute),
		{pattern: "GET /jobs", form: s.redirectToRuns},
		apiRoute("GET /jobs", s.jobsView),
		{pattern: "GET /jobs/{job}", handle: s.redirectToJobResult},
		apiRoute("GET /jobs/{job}", s.jobView),
		{pattern: "POST /jobs/{job}/stop", form: s.stopForm},
		apiRoute("POST /jobs/{job}/stop", s.stop).withStatusAccepted(),
	}
}

// pageRoute returns the route of a page for people: a template lays out the value that show returns.
func pageRoute[T any](path, template string, show func(*http.Request) (T, error)) route {
	return route{pattern: "GET " + path, template: template, view: viewFromFunc(show)}
}

// apiRoute returns the route of an API call that answers with the value of show as JSON. pattern is below /api/v1.
func apiRoute[T any](pattern string, show func(*http.Request) (T, error)) route {
	return route{pattern: strings.Replace(pattern, " ", " "+apiPath, 1), view: viewFromFunc(show)}
}

// pageAndCallRoutes returns two routes for the value that show returns: a page, and a call of the API at the same path.
func pageAndCallRoutes[T any](path, template string, show func(*http.Request) (T, error)) []route {
	return []route{pageRoute(path, template, show), apiRoute("GET "+path, show)}
}

// withStatusAccepted returns the route of a call that starts or stops a job: its answer has the status 202 (Accepted).
func (r route) withStatusAccepted() route {
	r.status = http.StatusAccepted
	return r
}

// disableRoutesUnless sets missing, the error that these routes answer, unless the server has them.
func disableRoutesUnless(has bool, missing error, routes ...route) []route {
	for i := range routes {
		if !has {
			routes[i].missingError = missing
		}
	}
	return routes
}
