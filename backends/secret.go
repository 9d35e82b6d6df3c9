package backends

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
)

// shortestSecret is the length from which on a key is one: "EMPTY" and "none" are sent to servers that want some key,
// and are words that a reply may hold.
const shortestSecret = 8

// shortestCoded is the length from which on a key is looked for in base64, too: 15 letters and more, which are no word.
const shortestCoded = 12

// hidden stands where a server said our key.
const hidden = "[API key]"

// without returns a text without secrets, in whatever way JSON escapes them: what a server echoes would else be in
// records, and in the bundles that are made of them. Only a text that had one loses its escapes.
func without(secrets *strings.Replacer, text string) string {
	if secrets == nil {
		return text
	}
	decoded := unescaped(text)
	if clean := secrets.Replace(decoded); clean != decoded {
		return clean
	}
	return text
}

// unescaped writes what JSON escapes as mustJSON does.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(written string) string {
		var c string
		if json.Unmarshal([]byte(`"`+written+`"`), &c) != nil || c == "\ufffd" { // half of a pair
			return written
		}
		quoted := mustJSON(c)
		return string(quoted[1 : len(quoted)-1])
	})
}

// escape matches an escape in JSON, so that the second backslash of two begins none.
var escape = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

// passwords are the user names and passwords of servers behind basic authentication, by scheme and host.
var passwords sync.Map

// userInAddress matches an address with a user name and perhaps a password in it. A comma ends an address of a list.
var userInAddress = regexp.MustCompile(`(https?://)([^/\s:,]*):?([^/\s,]*)@([^/\s"',\]}]+)`)

// TakePasswords returns a text without the user names and passwords of the addresses in it, and keeps them for requests
// to these servers: no address that is stored or shown holds one, and such requests carry no key.
func TakePasswords(text string) string {
	plain := func(s string) string {
		decoded, _ := url.PathUnescape(s)
		return cmp.Or(decoded, s)
	}
	for _, part := range userInAddress.FindAllStringSubmatch(text, -1) {
		passwords.Store(part[1]+part[4], [2]string{plain(part[2]), plain(part[3])})
	}
	return userInAddress.ReplaceAllString(text, "$1$4")
}

// secretsOf takes out of a text what a request proves its right with, in any form that a server may write it in: plain,
// in JSON, in an address, in base64. It is nil of a request without any.
func secretsOf(req *http.Request) *strings.Replacer {
	_, key, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	_, password, _ := req.BasicAuth()
	var pairs []string
	for _, secret := range []string{key, password} {
		secret = strings.TrimSpace(secret)
		if len(secret) < shortestSecret {
			continue
		}
		for _, form := range append(base64Forms(secret), secret) {
			quoted := string(mustJSON(form))
			quoted = quoted[1 : len(quoted)-1]
			for _, writing := range []string{form, quoted, url.QueryEscape(form), url.PathEscape(form)} {
				pairs = append(pairs, writing, hidden)
			}
		}
	}
	if pairs == nil {
		return nil
	}
	return strings.NewReplacer(pairs...)
}

// base64Forms are a secret in base64, as it begins at the first, second or third byte of a group of three: the letters
// that tell of nothing beside it.
func base64Forms(secret string) (forms []string) {
	if len(secret) < shortestCoded {
		return nil
	}
	for before := range 3 {
		coded := append(make([]byte, before), secret...)
		for _, encoding := range []*base64.Encoding{base64.StdEncoding, base64.URLEncoding} {
			forms = append(forms, encoding.EncodeToString(coded)[(8*before+5)/6:8*len(coded)/6])
		}
	}
	return forms
}

// hideIn removes secrets from a transport error, which may quote bytes that are not an HTTP answer.
func hideIn(secrets *strings.Replacer, err error) error {
	said := without(secrets, err.Error())
	if said == err.Error() {
		return err
	}
	return errors.New(said)
}
