package eval

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// variable is a name that every shell can set.
var variable = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Validate wants a kind of server that there is, the name of a variable, and addresses, each once.
func (e Endpoint) Validate() error {
	if !slices.Contains(Backends, e.Backend) {
		return Wrong("backend", e.Backend, "%q is not one of %s", e.Backend, strings.Join(Backends, ", "))
	}
	if e.APIKeyEnv != "" && !variable.MatchString(e.APIKeyEnv) {
		return Wrong("api-key-env", e.APIKeyEnv,
			"%q is not the name of an environment variable: it has letters, digits and _", e.APIKeyEnv)
	}
	seen := map[string]string{}
	for _, at := range e.BaseURLs {
		u, err := url.Parse(at)
		switch {
		case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
			return Wrong("base-url", at, "%q is not an address: write it like http://127.0.0.1:8080", at)
		case u.User != nil:
			return Wrong("base-url", u.Redacted(),
				"%s: everyone who reads the run would see the password in this address: "+
					"put the key in an environment variable and name it with --api-key-env", u.Redacted())
		case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
			plain := at[:strings.IndexAny(at, "?#")]
			return Wrong("base-url", plain,
				"%s: leave out what followed ? or #: everyone who reads the run would see a key in it; "+
					"put the key in an environment variable and name it with --api-key-env", plain)
		case e.Simulated():
			return Wrong("base-url", at, "has no meaning with --backend sim")
		}
		if first, twice := seen[sameURL(u)]; twice {
			return Wrong("base-url", at, "%s and --base-url %s are the same server: give it once", first, at)
		}
		seen[sameURL(u)] = at
	}
	return nil
}

// sameURL is equal for two ways to write one address.
func sameURL(u *url.URL) string {
	host := strings.ToLower(u.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[u.Scheme])
	return u.Scheme + "://" + host + strings.TrimSuffix(strings.TrimRight(u.Path, "/"), "/v1")
}

// SameAddress tells whether two addresses are two ways to write one.
func SameAddress(a, b string) bool {
	u, err := url.Parse(a)
	v, verr := url.Parse(b)
	return err == nil && verr == nil && sameURL(u) == sameURL(v)
}
