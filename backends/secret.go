package backends

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"slices"
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

// secrets are what a request proves its right with, as a server may say it: each letter plain, in JSON, in
// an address; all in base64.
func secrets(req *http.Request) (forms []secretForm) {
	_, key, _ := strings.Cut(req.Header.Get("Authorization"), " ")
	_, password, _ := req.BasicAuth()
	for _, s := range []string{key, password} {
		s = strings.TrimSpace(s)
		if len(s) < shortestSecret {
			continue
		}
		form, known := secretForms.Load(s)
		if !known {
			form, _ = secretForms.LoadOrStore(s, append(codedForms(s), formOf(s)))
		}
		forms = append(forms, form.([]secretForm)...)
	}
	return forms
}

// secretForms are those of the few keys of this process, by key.
var secretForms sync.Map

// secretForm is a way in which a secret may be written: of each letter all of its forms, the longest first. Whole
// replies are searched, and an expression of so many letters would be slow.
type secretForm [][]string

// length of what stands at the beginning of a text and is the secret; 0 for none.
func (f secretForm) length(text []byte) (n int) {
	for _, letter := range f {
		i := slices.IndexFunc(letter, func(form string) bool {
			end := n + len(form)
			return end <= len(text) && (string(text[n:end]) == form || form[0] == '\\' || form[0] == '%') &&
				strings.EqualFold(string(text[n:end]), form)
		})
		if i < 0 {
			return 0
		}
		n += len(letter[i])
	}
	return n
}

// outOf is a text in which the secret is hidden: the text itself, where it is not there.
func (f secretForm) outOf(text []byte) []byte {
	var first [256]bool
	for _, form := range f[0] {
		first[form[0]] = true
	}
	var out []byte
	for begin := 0; begin < len(text); begin++ {
		if !first[text[begin]] {
			continue
		}
		if n := f.length(text[begin:]); n > 0 {
			out = append(append(out, text[:begin]...), hidden...)
			text = text[begin+n:]
			begin = -1
		}
	}
	if out == nil {
		return text
	}
	return append(out, text...)
}

func formOf(secret string) (f secretForm) {
	for _, r := range secret {
		letter := string(r)
		forms := []string{
			fmt.Sprintf(`\u%04x`, r),
			strings.ReplaceAll("%"+fmt.Sprintf("% x", letter), " ", "%"),
			`\` + letter,
			letter,
		}
		if r == ' ' {
			forms = append(forms, "+")
		}
		f = append(f, forms)
	}
	return f
}

// codedForms are a secret in base64, as it begins at the first, second or third byte of a group of three: the letters
// that tell of nothing beside it.
func codedForms(secret string) (forms []secretForm) {
	if len(secret) < shortestCoded {
		return nil
	}
	for before := range 3 {
		letters := base64.StdEncoding.EncodeToString(append(make([]byte, before), secret...))
		own := letters[(8*before+5)/6 : 8*(before+len(secret))/6]
		var f secretForm
		for _, letter := range own {
			if forms, several := codedLetters[letter]; several {
				f = append(f, forms)
			} else {
				f = append(f, []string{string(letter)})
			}
		}
		forms = append(forms, f)
	}
	return forms
}

// codedLetters are the two of base64 that are not the same everywhere.
var codedLetters = map[rune][]string{'+': {`\u002b`, "%2b", "+", "-"}, '/': {`\u002f`, "%2f", `\/`, "/", "_"}}

// hide takes secrets out of all of an answer that is kept or said: what a server echoes would else be in records, and
// in the bundles that are made of them.
func hide(forms []secretForm, resp *http.Response, body []byte) []byte {
	for _, s := range forms {
		body = s.outOf(body)
		resp.Status = string(s.outOf([]byte(resp.Status)))
		for _, values := range resp.Header {
			for i := range values {
				values[i] = string(s.outOf([]byte(values[i])))
			}
		}
	}
	return body
}

// hideIn is hide for an error of the transport, which may quote what is no answer.
func hideIn(forms []secretForm, err error) error {
	said := []byte(err.Error())
	for _, s := range forms {
		said = s.outOf(said)
	}
	if string(said) == err.Error() {
		return err
	}
	return errors.New(string(said))
}
