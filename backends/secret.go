package backends

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
)

// shortestSecret is the length from which on a key is one: "EMPTY" and "none" are sent to servers that want some key,
// and are words that a reply may hold.
const shortestSecret = 8

// shortestCoded is the length from which on a key is looked for in base64, too: 15 letters and more, which are no word.
const shortestCoded = 12

// hidden stands where a server said our key.
const hidden = "[API key]"

// replacers has the secrets of the few keys of this process, by the header that they were sent in.
var replacers sync.Map

// secrets takes out of a text what a request proves its right with, in any form that a server may write it in: plain,
// in JSON whatever is escaped there, in an address, in base64.
type secrets struct{ plain *strings.Replacer }

// Replace returns the text without the secrets. Only a text in which escapes hid one loses its escapes.
func (s secrets) Replace(text string) string {
	if s.plain == nil {
		return text
	}
	if decoded := unescaped(text); decoded != text {
		if clean := s.plain.Replace(decoded); clean != decoded {
			return clean
		}
	}
	return s.plain.Replace(text)
}

// unescaped writes characters in the place of their escapes in JSON, but for those that JSON has to escape.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(written string) string {
		n, err := strconv.ParseUint(written[2:], 16, 16)
		switch c := rune(n); {
		case written == `\/`:
			return "/"
		case err != nil || c < ' ' || utf16.IsSurrogate(c):
			return written
		case c == '"' || c == '\\':
			return `\` + string(c)
		default:
			return string(c)
		}
	})
}

// escape matches an escape in JSON, so that the second backslash of two begins none.
var escape = regexp.MustCompile(`\\(?:u[0-9a-fA-F]{4}|.)`)

// secretsOf returns those of a request.
func secretsOf(req *http.Request) secrets {
	header := req.Header.Get("Authorization")
	if known, ok := replacers.Load(header); ok {
		return known.(secrets)
	}
	_, key, _ := strings.Cut(header, " ")
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
	var found secrets
	if pairs != nil {
		found.plain = strings.NewReplacer(pairs...)
	}
	replacers.Store(header, found)
	return found
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

// hide takes secrets out of all of an answer that is kept or said: what a server echoes would else be in records, and
// in the bundles that are made of them.
func hide(s secrets, resp *http.Response, body []byte) []byte {
	resp.Status = s.Replace(resp.Status)
	for _, values := range resp.Header {
		for i := range values {
			values[i] = s.Replace(values[i])
		}
	}
	return []byte(s.Replace(string(body)))
}

// hideIn is hide for an error of the transport, which may quote what is no answer.
func hideIn(s secrets, err error) error {
	said := s.Replace(err.Error())
	if said == err.Error() {
		return err
	}
	return errors.New(said)
}
