// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Credentials of the only app that the platforms accept. They reject others as the real platforms do.
const (
	ClientID     = "sandbox-app"
	ClientSecret = "sandbox-secret"
)

// Config of a Sandbox.
type Config struct {
	// BaseURL is the sandbox's public address, without a trailing slash.
	BaseURL string
	// Dir stores files, posts and tokens.
	Dir string
	// Clock is the wall clock when nil.
	Clock clock.PassiveClock
	// Processing is how long a platform processes a media file. With 0, processing is immediate.
	Processing time.Duration
	// Extra is the number of additional accounts on every platform. They are named account-0001 and so on.
	Extra int
	// FetchFrom lists URL prefixes from which platforms may fetch files, besides this machine. Each has a host and a
	// slash after it.
	FetchFrom []string
	// OnFault is called before a fault takes effect.
	OnFault func(CallRecord, Fault)
	// FFprobe is the ffprobe program; "ffprobe" from PATH when empty.
	FFprobe string
}

// Platform is one simulated platform.
type Platform interface {
	// Handler serves the requests below /NAME. The prefix is removed from the path.
	Handler() http.Handler
	// Reset deletes all state except tokens.
	Reset()
}

// Follower is a Platform with a post list of its own. The sandbox notifies it of every post that was created, changed
// or deleted by any caller. The methods run under the sandbox's lock: they may only record the event and must not call
// the sandbox.
type Follower interface {
	Landed(l Landing)
	Gone(id string)
}

// Failing is a Platform that formats scripted errors itself.
type Failing interface {
	// Fail writes f.Status and f.Code, or the platform's usual code for the status when f.Code is empty. A Retry-After
	// header is already set.
	Fail(w http.ResponseWriter, call string, f Fault)
}

// Sandbox is the state that all platforms share. It is an http.Handler.
type Sandbox struct {
	cfg Config
	mux *http.ServeMux

	mu           sync.Mutex
	base         string
	platforms    map[string]Platform
	order        []string
	handlers     map[string]http.Handler
	known        map[string][]string // platform -> names of calls
	tokens       map[string]*Tokens
	accountLists map[string]*accountList
	landings     []*Landing
	byID         map[string]*Landing
	byURL        map[string]*Landing
	calls        []*CallRecord
	sequence     int
	inFlight     int
	quiet        *sync.Cond
	faults       []*Fault
	probes       map[string]*Probe
	journal      *os.File
}

// New opens the directory and restores the state of an earlier run.
func New(cfg Config) (*Sandbox, error) {
	if cfg.Dir == "" {
		return nil, errors.New("a sandbox needs a directory")
	}
	if cfg.Clock == nil {
		cfg.Clock = clock.RealClock{}
	}
	cfg.FFprobe = cmp.Or(cfg.FFprobe, "ffprobe")
	if err := os.MkdirAll(filepath.Join(cfg.Dir, "files"), 0o755); err != nil {
		return nil, err
	}
	s := &Sandbox{
		cfg: cfg, base: strings.TrimRight(cfg.BaseURL, "/"), mux: http.NewServeMux(),
		platforms: map[string]Platform{}, handlers: map[string]http.Handler{}, known: map[string][]string{}, tokens: map[string]*Tokens{}, accountLists: map[string]*accountList{},
		byID: map[string]*Landing{}, byURL: map[string]*Landing{}, probes: map[string]*Probe{},
	}
	s.quiet = sync.NewCond(&s.mu)
	if err := s.restore(); err != nil {
		return nil, fmt.Errorf("reading what an earlier run left: %w", err)
	}
	s.routes()
	return s, nil
}

// Close closes the journal.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.Close()
}

// Mount adds a platform below /name.
func (s *Sandbox) Mount(name string, p Platform) {
	h := http.StripPrefix("/"+name, p.Handler()) // creating the handler registers the names of its calls
	s.mu.Lock()
	defer s.mu.Unlock()
	s.platforms[name] = p
	s.order = append(s.order, name)
	s.handlers[name] = h
	s.know(name, CallProcessing)
}

// ThisMachine reports whether a host is this machine. It does not resolve names: only localhost and loopback addresses
// match.
func ThisMachine(host string) bool {
	if host == "localhost" {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && at.Unmap().IsLoopback()
}

// FetchesFrom reports whether platforms may fetch files from a URL: from this machine, or below Config.FetchFrom.
func (s *Sandbox) FetchesFrom(u *url.URL) bool {
	address := u.String()
	return ThisMachine(u.Hostname()) || slices.ContainsFunc(s.cfg.FetchFrom, func(prefix string) bool { return strings.HasPrefix(address, prefix) })
}

// Clock returns the clock of the sandbox.
func (s *Sandbox) Clock() clock.PassiveClock { return s.cfg.Clock }

// Now returns the current time of the clock in UTC.
func (s *Sandbox) Now() time.Time { return s.cfg.Clock.Now().UTC() }

// Processing returns how long a platform processes a media file.
func (s *Sandbox) Processing() time.Duration { return s.cfg.Processing }

// SetBaseURL sets the public address, for when it is known only after the listener is open.
func (s *Sandbox) SetBaseURL(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = strings.TrimRight(base, "/")
}

// URL returns the address of a path on a platform: URL("tiktok", "/video/1").
func (s *Sandbox) URL(platform, path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base + "/" + platform + path
}

// ServeHTTP serves the platforms, the pages of posts and the sandbox's own endpoints.
func (s *Sandbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		if l := s.at(r.URL); l != nil {
			s.postPage(w, l)
			return
		}
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	s.mu.Lock()
	h := s.handlers[first]
	s.mu.Unlock()
	if h == nil {
		h = s.mux
	}
	h.ServeHTTP(w, r)
}

// at returns the post with the given page address, or nil. Private posts have no page.
func (s *Sandbox) at(u *url.URL) *Landing {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.byURL[place(u)]
	if l == nil || l.Visibility == Private {
		return nil
	}
	out := *l
	return &out
}

// place returns the path and query of a URL.
func place(u *url.URL) string {
	if u.RawQuery == "" {
		return u.Path
	}
	return u.Path + "?" + u.RawQuery
}

// Digits returns a random numeric ID of n digits. The first digit is never zero.
func Digits(n int) string { return "7" + pick("0123456789", n-1) }

// Letters returns a random ID of n letters and digits.
func Letters(n int) string {
	return pick("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", n)
}

func pick(from string, n int) string {
	out := make([]byte, n)
	for i := range out {
		k, _ := rand.Int(rand.Reader, big.NewInt(int64(len(from))))
		out[i] = from[k.Int64()]
	}
	return string(out)
}
