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

// shortestSecret is the minimum length of a secret key. Shorter ones such as "EMPTY" and "none" are placeholders for
// servers that require some key, and are words that a reply may contain.
const shortestSecret = 8

// minBase64KeyLength is the minimum length of keys to search for in base64: 15 letters and more do not occur as a word.
const minBase64KeyLength = 12

// redacted is the text in place of a key or password that a server repeats.
const redacted = "[API key]"

// redact removes secrets from a text, however JSON escapes them: a server may repeat them, and they would reach records
// and the bundles made of them. A text without a secret is returned unchanged, with its escapes.
func redact(secrets *strings.Replacer, text string) string {
	if secrets == nil {
		return text
	}
	decoded := unescape(text)
	if clean := secrets.Replace(decoded); clean != decoded {
		return clean
	}
	return text
}

// unescape replaces JSON escapes by the characters that mustJSON writes.
func unescape(text string) string {
	return jsonEscapePattern.ReplaceAllStringFunc(text, func(written string) string {
		var c string
		if json.Unmarshal([]byte(`"`+written+`"`), &c) != nil || c == "\ufffd" { // half of a surrogate pair
			return written
		}
		quoted := mustJSON(c)
		return string(quoted[1 : len(quoted)-1])
	})
}

// jsonEscapePattern matches an escape in JSON; the second backslash of a pair does not begin another one.
var jsonEscapePattern = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

// passwordByServer maps the scheme and host of a server behind basic authentication to its user name and password, a
// [2]string.
var passwordByServer sync.Map

// userInAddress matches an address with a user name and perhaps a password. A comma separates the addresses of a list.
var userInAddress = regexp.MustCompile(`(https?://)([^/\s:,]*):?([^/\s,]*)@([^/\s"',\]}]+)`)

// TakePasswords removes the user names and passwords from the addresses in a text and stores them for requests to these
// servers. Addresses that are stored or shown therefore contain none. Requests with a password carry no key.
func TakePasswords(text string) string {
	plain := func(s string) string {
		decoded, _ := url.PathUnescape(s)
		return cmp.Or(decoded, s)
	}
	for _, part := range userInAddress.FindAllStringSubmatch(text, -1) {
		passwordByServer.Store(part[1]+part[4], [2]string{plain(part[2]), plain(part[3])})
	}
	return userInAddress.ReplaceAllString(text, "$1$4")
}

// redactor returns a replacer of the request's credentials in any form that a server may write them: plain, in JSON,
// in an address, in base64. It returns nil if the request has none.
func redactor(req *http.Request) *strings.Replacer {
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
				pairs = append(pairs, writing, redacted)
			}
		}
	}
	if pairs == nil {
		return nil
	}
	return strings.NewReplacer(pairs...)
}

// base64Forms returns the base64 of a secret that begins at the first, second or third byte of a group of three: only
// the letters that do not depend on neighbouring bytes.
func base64Forms(secret string) (forms []string) {
	if len(secret) < minBase64KeyLength {
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

// redactError removes secrets from a transport error, which may quote bytes that are not an HTTP answer.
func redactError(secrets *strings.Replacer, err error) error {
	message := redact(secrets, err.Error())
	if message == err.Error() {
		return err
	}
	return errors.New(message)
}
