package backends

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
)

// shortestSecret is the length from which on a key is one: "EMPTY" and "none" are sent to servers that want some key, and
// are words that a reply may hold.
const shortestSecret = 8

// hidden stands where a server said our key.
const hidden = "[API key]"

// secrets are what a request proves its right with, as a server may say it: plain, in JSON, in an address.
func secrets(req *http.Request) (forms []string) {
	_, key, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	_, password, _ := req.BasicAuth()
	for _, s := range []string{key, password} {
		if s = strings.TrimSpace(s); len(s) < shortestSecret {
			continue
		}
		plain, _ := json.Marshal(s)
		inJSON := string(bytes.Trim(plain, `"`))
		forms = append(forms, s, inJSON, strings.ReplaceAll(inJSON, "/", `\/`), url.QueryEscape(s), url.PathEscape(s))
	}
	return forms
}

// hide takes secrets out of all of an answer that is kept or said: what a server echoes would else be in records, and in
// the bundles that are made of them.
func hide(forms []string, resp *http.Response, body []byte) []byte {
	for _, s := range forms {
		body = bytes.ReplaceAll(body, []byte(s), []byte(hidden))
		resp.Status = strings.ReplaceAll(resp.Status, s, hidden)
		for _, values := range resp.Header {
			for i := range values {
				values[i] = strings.ReplaceAll(values[i], s, hidden)
			}
		}
	}
	return body
}

// hideIn is hide for an error of the transport, which may quote what is no answer.
func hideIn(forms []string, err error) error {
	said := err.Error()
	for _, s := range forms {
		said = strings.ReplaceAll(said, s, hidden)
	}
	if said == err.Error() {
		return err
	}
	return errors.New(said)
}
