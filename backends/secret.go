package backends

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// shortestSecret is the length from which on a key is one: "EMPTY" and "none" are sent to servers that want some key, and
// are words that a reply may hold.
const shortestSecret = 8

// hidden stands where a server said our key.
const hidden = "[API key]"

// secrets are what a request proves its right with, as a server may say it: each letter plain, in JSON, in an address.
func secrets(req *http.Request) (forms []*regexp.Regexp) {
	_, key, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	_, password, _ := req.BasicAuth()
	for _, s := range []string{key, password} {
		if s = strings.TrimSpace(s); len(s) < shortestSecret {
			continue
		}
		form, known := secretForms.Load(s)
		if !known {
			form, _ = secretForms.LoadOrStore(s, formOf(s))
		}
		forms = append(forms, form.(*regexp.Regexp))
	}
	return forms
}

// secretForms are those of the few keys of this process, by key.
var secretForms sync.Map

func formOf(secret string) *regexp.Regexp {
	var form strings.Builder
	for _, r := range secret {
		inAddress := strings.ReplaceAll(fmt.Sprintf("% x", string(r)), " ", "%")
		fmt.Fprintf(&form, `(?:\\?%s|\\u(?i:%04x)|(?i:%%%s))`, strings.ReplaceAll(regexp.QuoteMeta(string(r)), " ", "[ +]"), r, inAddress)
	}
	return regexp.MustCompile(form.String())
}

// hide takes secrets out of all of an answer that is kept or said: what a server echoes would else be in records, and in
// the bundles that are made of them.
func hide(forms []*regexp.Regexp, resp *http.Response, body []byte) []byte {
	for _, s := range forms {
		body = s.ReplaceAllLiteral(body, []byte(hidden))
		resp.Status = s.ReplaceAllLiteralString(resp.Status, hidden)
		for _, values := range resp.Header {
			for i := range values {
				values[i] = s.ReplaceAllLiteralString(values[i], hidden)
			}
		}
	}
	return body
}

// hideIn is hide for an error of the transport, which may quote what is no answer.
func hideIn(forms []*regexp.Regexp, err error) error {
	said := err.Error()
	for _, s := range forms {
		said = s.ReplaceAllLiteralString(said, hidden)
	}
	if said == err.Error() {
		return err
	}
	return errors.New(said)
}
