package server

import (
	"net/http"
	"reflect"
	"strings"

	"gavel/internal/server/failure"
)

// route describes an address of the server: a page for people, or a call of the API for programs. All routes are in
// routes.go; the navigation of the pages, the description of the API and the tests go through them.
type route struct {
	pattern string  // method and path, as http.ServeMux reads them
	view    view    // returns what to show
	handle  handler // answers, in place of a view
	// form, in place of a view, does what a form asks for and returns the address to show next.
	form func(*Server, *http.Request) (to string, err error)

	template   string // file of templates/pages that lays the view out
	navigation string // name in the head of all pages; "" for other pages

	summary string // purpose of a call
	query   any    // struct with the parameters of a call
	body    any    // struct that is posted to a call
	status  int    // HTTP status of a successful call; 0 for 200

	needs   func(Options) bool // reports whether this server has the route; nil if every server has
	without error              // answer of a server that does not have the route
	free    bool               // needs no token
	stream  bool               // has no time limit
}

// handler answers a request itself, in place of a view. An error that it returns is shown to the client.
type handler func(*Server, http.ResponseWriter, *http.Request) error

// view makes the value that a route shows, as a page or as JSON.
type view struct {
	result reflect.Type // type of the value
	make   func(*Server, *http.Request) (any, error)
}

// viewOf returns the view whose values show returns.
func viewOf[T any](show func(*Server, *http.Request) (T, error)) view {
	return view{result: reflect.TypeFor[T](), make: func(s *Server, r *http.Request) (any, error) { return show(s, r) }}
}

// allRoutes lists the routes of the server, in the order of the navigation. An init function sets it, since the route
// that describes the API refers to all routes.
var allRoutes []route

// apiPath begins the path of every call of the API.
const apiPath = "/api/v1"

// isPage reports whether the route is a page for people.
func (r route) isPage() bool { return r.template != "" }

// path returns the route's pattern without the method.
func (r route) path() string {
	_, path, _ := strings.Cut(r.pattern, " ")
	return strings.TrimSuffix(path, "{$}")
}

// Pages returns the patterns of the server's pages, as http.ServeMux reads them.
func Pages() (patterns []string) {
	for _, r := range allRoutes {
		if r.isPage() {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
}

// navigation returns the links in the head of a page, among which the page with this template is chosen.
func (s *Server) navigation(template string) (list []Choice) {
	for _, r := range allRoutes {
		if r.navigation != "" && (r.needs == nil || r.needs(s.Options)) {
			list = append(list, Choice{Link: r.path(), Name: r.navigation, Chosen: r.template == template})
		}
	}
	return list
}

// errNoRunner answers routes that make, change or delete runs on a server without a RunMaker.
var errNoRunner = failure.New(http.StatusNotImplemented,
	"this server only shows runs: it cannot start, stop or delete them")

// hasRunner reports whether the server can make runs: routes that do so need it, see [require].
func hasRunner(o Options) bool { return o.Runner != nil }

// hasDesk reports whether the server hands out items to label.
func hasDesk(o Options) bool { return o.Desk != nil }

// hasLabels reports whether the server has a file of labels to compare judges with.
func hasLabels(o Options) bool { return o.Labels != "" }
