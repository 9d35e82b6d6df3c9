package backends

import (
	"encoding/base64"
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

// shortestCoded is the length from which on a key is looked for in base64, too: 15 letters and more, which are no word.
const shortestCoded = 12

// hidden stands where a server said our key.
const hidden = "[API key]"

// secrets are what a request proves its right with, as a server may say it: each letter plain, in JSON, in an address; all
// in base64.
func secrets(req *http.Request) (forms []*regexp.Regexp) {
	_, key, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	_, password, _ := req.BasicAuth()
	for _, s := range []string{key, password} {
		if s = strings.TrimSpace(s); len(s) < shortestSecret {
			continue
		}
		form, known := secretForms.Load(s)
		if !known {
			form, _ = secretForms.LoadOrStore(s, append(codedForms(s), formOf(s)))
		}
		forms = append(forms, form.([]*regexp.Regexp)...)
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

// codedForms are a secret in base64, as it begins at the first, second or third byte of a group of three: the letters that
// tell of nothing beside it.
func codedForms(secret string) (forms []*regexp.Regexp) {
	if len(secret) < shortestCoded {
		return nil
	}
	for before := range 3 {
		letters := base64.StdEncoding.EncodeToString(append(make([]byte, before), secret...))
		own := letters[(8*before+5)/6 : 8*(before+len(secret))/6]
		forms = append(forms, regexp.MustCompile(codedLetters.Replace(own)))
	}
	return forms
}

// codedLetters are the two of base64 that are not the same everywhere.
var codedLetters = strings.NewReplacer("+", `(?:[+-]|\\u002[bB]|%2[bB])`, "/", `(?:\\?/|_|\\u002[fF]|%2[fF])`)

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
