package eval

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// variable matches a name that every shell can set.
var shellNamePattern = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate returns a *FieldError unless the kind of server and the variable's name are valid, and each address is valid
// and given once.
func (e Endpoint) Validate() error {
	if !slices.Contains(Backends, e.Backend) {
		return InvalidField("backend", e.Backend, "%q is not one of %s", e.Backend, strings.Join(Backends, ", "))
	}
	if e.APIKeyEnv != "" && !shellNamePattern.MatchString(e.APIKeyEnv) {
		return InvalidField("api-key-env", e.APIKeyEnv,
			"%q is not the name of an environment variable: it has letters, digits and _", e.APIKeyEnv)
	}
	firstByURL := map[string]string{}
	for _, address := range e.BaseURLs {
		u, err := url.Parse(address)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			return InvalidField("base-url", address, "%q is not an address: write it like http://127.0.0.1:8080", address)
		case u.User != nil:
			return InvalidField("base-url", u.Redacted(),
				"%s: everyone who reads the run would see the password in this address: "+
					"put the key in an environment variable and name it with --api-key-env", u.Redacted())
		case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
			plain := address[:strings.IndexAny(address, "?#")]
			return InvalidField("base-url", plain,
				"%s: leave out what followed ? or #: everyone who reads the run would see a key in it; "+
					"put the key in an environment variable and name it with --api-key-env", plain)
		case e.Simulated():
			return InvalidField("base-url", address, "has no meaning with --backend sim")
		}
		if first, repeated := firstByURL[canonicalURL(u)]; repeated {
			return InvalidField("base-url", address, "%s and --base-url %s are the same server: give it once", first, address)
		}
		firstByURL[canonicalURL(u)] = address
	}
	return nil
}

// canonicalURL returns a text that is equal for different spellings of one address, such as with and without /v1.
func canonicalURL(u *url.URL) string {
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + host + strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
}

// SameAddress reports whether two addresses are spellings of one.
func SameAddress(a, b string) bool {
	u, err := url.Parse(a)
	v, verr := url.Parse(b)
	return err == nil && verr == nil && canonicalURL(u) == canonicalURL(v)
}
