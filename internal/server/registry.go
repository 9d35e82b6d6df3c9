package server

import (
	"net/http"
	"reflect"

	"gavel/internal/server/failure"
)

// route describes an address of the server: a page for people, or a call of the API for programs. All routes are in
// routes.go; the description of the API (openapi_calls_test.go) and the tests go through them.
type route struct {
	pattern string    // method and path, as http.ServeMux reads them
	view    viewMaker // returns what to show
	handle  handler   // answers, in place of a view
	// form, in place of a view, does what a form asks for and returns the address to show next.
	form func(*http.Request) (to string, err error)

	template string // file of templates/pages that lays the view out; "" for all but pages

	status int // HTTP status of a successful call; 0 for 200

	missingError error // answer of a server that does not have the route
	needsNoToken bool  // needs no token
	stream       bool  // has no time limit
}

// handler answers a request itself, in place of a view. An error that it returns is shown to the client.
type handler func(http.ResponseWriter, *http.Request) error

// viewMaker makes the value that a route shows, as a page or as JSON.
type viewMaker struct {
	result reflect.Type // type of the value
	make   func(*http.Request) (any, error)
}

// viewFromFunc returns the view whose values show returns.
func viewFromFunc[T any](show func(*http.Request) (T, error)) viewMaker {
	return viewMaker{result: reflect.TypeFor[T](), make: func(r *http.Request) (any, error) { return show(r) }}
}

// apiPath begins the path of every call of the API.
const apiPath = "/api/v1"

// Pages returns the patterns of a server's pages, as http.ServeMux reads them.
func Pages() (patterns []string) {
	for _, r := range new(Server).routes() {
		if r.template != "" {
			patterns = append(patterns, r.pattern)
		}
	}
	return patterns
}

// errNoRunner answers routes that make, change or delete runs on a server without a RunMaker.
var errNoRunner = failure.New(http.StatusNotImplemented,
	"this server only shows runs: it cannot start, stop or delete them")
