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

// The app that every stand-in knows. Platforms refuse others as the real ones do.
const (
	ClientID     = "sandbox-app"
	ClientSecret = "sandbox-secret"
)

// Config of a Sandbox.
type Config struct {
	// BaseURL under which it is reached, without a slash at the end.
	BaseURL string
	// Dir keeps files, landings and tokens.
	Dir string
	// Clock is the wall clock when nil.
	Clock clock.PassiveClock
	// Processing is how long platforms take for a medium. 0 is done at once.
	Processing time.Duration
	// Extra is how many more accounts every platform has, named account-0001 and so on.
	Extra int
	// FetchFrom are the beginnings of addresses, each with a host and a slash after it, that platforms fetch files from besides this
	// machine's.
	FetchFrom []string
	// OnFault is told when a fault strikes a call, before it does what it does.
	OnFault func(CallRecord, Fault)
	// FFprobe is the program that looks at films; ffprobe of the path when empty.
	FFprobe string
}

// Platform is one stand-in.
type Platform interface {
	// Handler answers what is asked below /NAME, which is taken off the path.
	Handler() http.Handler
	// Reset forgets everything but tokens.
	Reset()
}

// Follower is a platform that keeps books of its own: it is told of every post that landed or changed, and of those that were taken
// away, whoever did it. It may only note that: nothing of the sandbox may be called from there.
type Follower interface {
	Landed(l Landing)
	Gone(id string)
}

// Failing is a platform that words scripted errors itself.
type Failing interface {
	// Fail answers with f.Status and f.Code, or the platform's usual code for the status when that is empty. A Retry-After
	// is among the headers already.
	Fail(w http.ResponseWriter, call string, f Fault)
}

// Sandbox is what all stand-ins share. It is an http.Handler.
type Sandbox struct {
	cfg Config
	mux *http.ServeMux

	mu        sync.Mutex
	base      string
	platforms map[string]Platform
	order     []string
	handlers  map[string]http.Handler
	known     map[string][]string // platform -> names of calls
	tokens    map[string]*Tokens
	rolls     map[string]*roll
	landings  []*Landing
	byID      map[string]*Landing
	byURL     map[string]*Landing
	calls     []*CallRecord
	sequence  int
	inFlight  int
	quiet     *sync.Cond
	faults    []*Fault
	probes    map[string]*Probe
	journal   *os.File
}

// New opens the folder with what an earlier run left there.
func New(cfg Config) (*Sandbox, error) {
	if cfg.Dir == "" {
		return nil, errors.New("a sandbox needs a folder")
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
		platforms: map[string]Platform{}, handlers: map[string]http.Handler{}, known: map[string][]string{}, tokens: map[string]*Tokens{}, rolls: map[string]*roll{},
		byID: map[string]*Landing{}, byURL: map[string]*Landing{}, probes: map[string]*Probe{},
	}
	s.quiet = sync.NewCond(&s.mu)
	if err := s.restore(); err != nil {
		return nil, fmt.Errorf("reading what an earlier run left: %w", err)
	}
	s.routes()
	return s, nil
}

// Close ends the writing of the journal.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.journal.Close()
}

// Mount adds a platform below /name.
func (s *Sandbox) Mount(name string, p Platform) {
	h := http.StripPrefix("/"+name, p.Handler()) // making it names its calls
	s.mu.Lock()
	defer s.mu.Unlock()
	s.platforms[name] = p
	s.order = append(s.order, name)
	s.handlers[name] = h
	s.know(name, CallProcessing)
}

// ThisMachine says whether a host is this machine, without asking anybody for its address.
func ThisMachine(host string) bool {
	if host == "localhost" {
		return true
	}
	at, err := netip.ParseAddr(host)
	return err == nil && at.Unmap().IsLoopback()
}

// FetchesFrom says whether platforms fetch files at an address: this machine's, or where the sandbox was told to.
func (s *Sandbox) FetchesFrom(u *url.URL) bool {
	address := u.String()
	return ThisMachine(u.Hostname()) || slices.ContainsFunc(s.cfg.FetchFrom, func(prefix string) bool { return strings.HasPrefix(address, prefix) })
}

// Clock that everything goes by.
func (s *Sandbox) Clock() clock.PassiveClock { return s.cfg.Clock }

// Now by the clock, in UTC.
func (s *Sandbox) Now() time.Time { return s.cfg.Clock.Now().UTC() }

// Processing is how long a medium takes.
func (s *Sandbox) Processing() time.Duration { return s.cfg.Processing }

// SetBaseURL tells where it is reached, when that is known only after it listens.
func (s *Sandbox) SetBaseURL(base string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.base = strings.TrimRight(base, "/")
}

// URL of a path on a platform: URL("tiktok", "/video/1").
func (s *Sandbox) URL(platform, path string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.base + "/" + platform + path
}

// ServeHTTP answers for the platforms, the pages of posts and the sandbox itself.
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

// at is the post that an address shows.
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

// place is an address without its host.
func place(u *url.URL) string {
	if u.RawQuery == "" {
		return u.Path
	}
	return u.Path + "?" + u.RawQuery
}

// Digits is a random number of n digits as platforms use for ids: never with a zero in front.
func Digits(n int) string { return "7" + pick("0123456789", n-1) }

// Letters is a random id of letters and digits.
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
