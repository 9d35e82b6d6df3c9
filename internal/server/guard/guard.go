// Package guard decides which requests a server answers: by host name, by origin, by token or session, and by the
// number of connections of an address.
package guard

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"gavel/internal/server/failure"
	"gavel/internal/server/markup"
)

// Options holds the settings of a Guard.
type Options struct {
	Token    string           // needed by every client; "" for none
	Loopback bool             // the server listens on loopback addresses only
	Hosts    []string         // accepted host names, besides the server's addresses
	Now      func() time.Time // the clock
}

// A Guard checks requests. Its methods may be called from many goroutines. [New] returns one.
type Guard struct {
	Options

	tokenHash        [sha256.Size]byte           // SHA-256 of Token
	originProtection *http.CrossOriginProtection // refuses requests from pages of other sites
	mu               sync.Mutex
	sessions         map[string]time.Time   // end of each session, by its id
	tries            map[string][]time.Time // times of the wrong tokens of the last minute, by client address
}

// MinToken is the least number of bytes of a token.
const MinToken = 16

// New returns a guard. A server that is reachable from other machines, or accepts other host names, needs a token of at
// least MinToken bytes.
func New(o Options) (*Guard, error) {
	if o.Token != "" && len(o.Token) < MinToken {
		return nil, fmt.Errorf("the token is too short: it needs at least %d characters", MinToken)
	}
	if o.Token == "" && (!o.Loopback || len(o.Hosts) > 0) {
		return nil, errors.New("access from other machines needs a token")
	}
	return &Guard{
		Options:          o,
		tokenHash:        sha256.Sum256([]byte(o.Token)),
		originProtection: http.NewCrossOriginProtection(),
		sessions:         map[string]time.Time{},
		tries:            map[string][]time.Time{},
	}, nil
}

// CheckHost returns an error if the request's host name is not one of this server's. A page elsewhere could point a
// name of its own here (DNS rebinding), but has no such power over an IP address: addresses are accepted.
func (g *Guard) CheckHost(r *http.Request) error {
	name := strings.ToLower(strings.TrimSuffix(strings.Trim(hostOf(r.Host), "[]"), "."))
	if ip, err := netip.ParseAddr(name); err == nil {
		if !g.Loopback || ip.IsLoopback() {
			return nil
		}
	} else if name == "localhost" {
		return nil
	}
	for _, h := range g.Hosts {
		if strings.EqualFold(h, name) {
			return nil
		}
	}
	return failure.New(http.StatusMisdirectedRequest, "this server does not accept the host name %q; "+
		"whoever runs it can allow it with --host", markup.Shorten(name, 100))
}

// CheckOrigin returns an error for a request from a page of another site.
func (g *Guard) CheckOrigin(r *http.Request) error {
	if g.originProtection.Check(r) != nil {
		return failure.New(http.StatusForbidden, "this request came from a page of another site")
	}
	return nil
}

// ErrNoToken reports a request with neither the token nor a session.
var ErrNoToken = failure.New(http.StatusUnauthorized,
	"this server needs a token: sign in, or send it as \"Authorization: Bearer TOKEN\"")

// Authorize returns an error for a request with neither the token nor a session that was begun with it.
func (g *Guard) Authorize(r *http.Request) error {
	if g.Token == "" {
		return nil
	}
	if token, ok := bearer(r); ok {
		return g.checkToken(r, token)
	}
	if g.session(r) != "" {
		return nil
	}
	return ErrNoToken
}

// bearer returns the token of the request's Authorization header, and whether there is one.
func bearer(r *http.Request) (string, bool) {
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "Bearer")
}

// checkToken returns an error for a wrong token, and for any token after too many wrong ones from the same address.
func (g *Guard) checkToken(r *http.Request, token string) error {
	from := hostOf(r.RemoteAddr)
	g.mu.Lock()
	defer g.mu.Unlock()
	now := g.Now()
	sum := sha256.Sum256([]byte(token)) // compared in a time that reveals nothing about it, not even its length
	tries := slices.DeleteFunc(g.tries[from], func(t time.Time) bool { return now.Sub(t) > time.Minute })
	switch {
	case len(tries) >= maxTries:
		return failure.New(http.StatusTooManyRequests, "too many wrong tokens: wait a minute")
	case subtle.ConstantTimeCompare(sum[:], g.tokenHash[:]) == 1:
		return nil
	}
	if len(g.tries) >= maxSessions {
		clear(g.tries)
	}
	g.tries[from] = append(tries, now)
	return ErrNoToken
}
