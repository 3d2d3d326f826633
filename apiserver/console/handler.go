// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/oauth"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/envelope"
)

// Path is the path of the console. Everything that the console serves is at it or below it.
const Path = "/console"

// Transport is the name of the console as a transport of calls, in logs and in the audit log.
const Transport = "console"

// requestID is the header with the id of a request.
const requestID = "X-Request-Id"

// maxBody is the maximum size of a body of the console's own routes, in bytes, and bodyTime the time to send it.
const (
	maxBody  = 64 << 10
	bodyTime = 10 * time.Second
)

// Permissions of the console in the cluster. It reviews what users may do, deletes links when they are opened,
// creates and revokes API keys for users who may do so, and creates and deletes bindings of memberRoles.
//
// +kubebuilder:rbac:groups=authorization.k8s.io,resources=subjectaccessreviews,verbs=create
// +kubebuilder:rbac:groups=reelops.dev,resources=consolelinks,verbs=list;delete
// +kubebuilder:rbac:groups=reelops.dev,resources=apikeys,verbs=create;patch
// +kubebuilder:rbac:groups=rbac.authorization.k8s.io,resources=rolebindings,verbs=list;create;delete

// Settings are what an operator configures.
type Settings struct {
	// Key is the signing key of the installation, of at least 32 bytes. Cookies are encrypted with keys derived from it.
	Key []byte
	// Namespace of the installation.
	Namespace string
	// AvatarSources are origins of images of connected accounts, such as https://*.example.com. The page shows images of
	// these origins and of the blob store only.
	AvatarSources []string
	// OIDC is the identity provider; nil if users sign in with links only.
	OIDC *OIDC
}

// Config holds the dependencies and settings of a Handler.
type Config struct {
	Settings
	// API runs the operations.
	API *operation.Handler
	// Reader reads the cache. Live reads from and writes to the cluster, and records changes in the audit log.
	Reader *read.Reader
	Live   client.Client
	// Ready returns the reason why requests cannot be served now, or nil.
	Ready  func() error
	Limits *limit.Limiter
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// BaseURL is the public address.
	BaseURL string
	// SignedGet returns a URL of an object of the blob store. Its origin is allowed in the page's images and videos.
	SignedGet func(ctx context.Context, key string, valid time.Duration) (string, error)
	// KeyPrefix is the prefix of API keys, and NextKey reserves the id of one.
	KeyPrefix string
	NextKey   func(context.Context) (int64, error)
	// OAuth is the authorization server whose clients users approve.
	OAuth *oauth.Server
	// Draining is closed when the server begins to shut down.
	Draining <-chan struct{}
	// Files are the built page: manifest.json and assets. Nil for those that are embedded.
	Files fs.FS
	Clock clock.PassiveClock
	Log   *slog.Logger
}

// Handler serves the console.
type Handler struct {
	Config
	sessions, flows *envelope.Tokens
	cookies         cookies
	endings         *endings
	reviews         *reviews
	oidc            *provider // nil without an identity provider
	page            *page
	streams         streams
	origin          origin
}

// cookies are the names of the cookies, and whether browsers send them over HTTPS only. flow begins the names of the
// cookies of unfinished sign-ins.
type cookies struct {
	session, flow string
	secure        bool
}

// cookiesFor returns the cookies for a public address. Over plain HTTP to this machine, browsers refuse Secure cookies,
// which the prefix __Host- requires.
func cookiesFor(base *url.URL) cookies {
	address := net.ParseIP(base.Hostname())
	if base.Scheme == "http" && (base.Hostname() == "localhost" || address != nil && address.IsLoopback()) {
		return cookies{session: "reelops-console", flow: "reelops-console-flow"}
	}
	return cookies{session: "__Host-reelops-console", flow: "__Host-reelops-console-flow", secure: true}
}

// maxCookie is the maximum length of the value of a cookie, in bytes. Browsers store at least 4096 bytes together with
// the name and the attributes.
const maxCookie = 3900

// newTokens returns the tokens for the cookies of a purpose.
func newTokens(key []byte, purpose string) (*envelope.Tokens, error) {
	return envelope.NewTokens(key, "reelops console "+purpose+" v1", maxCookie)
}

// New returns a handler for the configuration.
func New(c Config) (*Handler, error) {
	base, err := url.Parse(c.BaseURL)
	if err != nil {
		return nil, err
	}
	if c.Files == nil {
		c.Files = built()
	}
	h := &Handler{
		Config: c, cookies: cookiesFor(base), reviews: newReviews(c.Live, c.Clock), streams: streams{open: map[string]int{}},
		endings: &endings{live: c.Live, at: types.NamespacedName{Namespace: c.Namespace, Name: endingsName}, clock: c.Clock},
	}
	if h.sessions, err = newTokens(c.Key, "session"); err != nil {
		return nil, err
	}
	if h.flows, err = newTokens(c.Key, "sign-in"); err != nil {
		return nil, err
	}
	if c.OIDC != nil {
		h.oidc = newProvider(*c.OIDC, strings.TrimRight(c.BaseURL, "/")+Path+"/callback", c.Clock)
	}
	h.page, err = newPage(c.Files)
	return h, err
}

// Routes returns the handler of Path and everything below it.
func (h *Handler) Routes() http.Handler {
	m := http.NewServeMux()
	m.Handle("GET /console/session", h.own(h.getSession))
	m.Handle("DELETE /console/session", h.own(h.signOut))
	m.Handle("POST /console/session/link", h.own(h.openLink))
	m.HandleFunc("GET /console/sign-in", h.startOIDC)
	m.HandleFunc("GET /console/callback", h.finishOIDC)
	for pattern, f := range h.protected() {
		m.Handle(pattern, h.own(h.signedIn(f)))
	}
	m.HandleFunc("/console/assets/", h.serveAsset)
	m.HandleFunc("/console/", h.serveShell)
	m.HandleFunc("/console", h.serveShell)

	guard := http.NewCrossOriginProtection()
	// The Host of a request may differ from that of the public address behind a proxy. The address was checked at start.
	if base, err := url.Parse(h.BaseURL); err == nil && base.Host != "" {
		_ = guard.AddTrustedOrigin(base.Scheme + "://" + base.Host)
	}
	guard.SetDenyHandler(h.own(func(http.ResponseWriter, *http.Request) error {
		p := problem.New(catalog.BadRequest, problem.Details{"parameter": "Origin"}).
			Saying("The request comes from a page of another origin. Open the console itself.")
		p.Status = http.StatusForbidden
		return p
	}))
	guarded := guard.Handler(m)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		request := operation.RequestID(r)
		r.Header.Set(requestID, request) // so that the response and all lines of the log have the same
		head := w.Header()
		head.Set(requestID, request)
		head.Set("Content-Security-Policy", h.policy(r.Context()))
		head.Set("Referrer-Policy", "no-referrer")
		head.Set("X-Content-Type-Options", "nosniff")
		guarded.ServeHTTP(w, r)
	})
}

// protected returns the routes that need a session, by pattern.
func (h *Handler) protected() map[string]func(http.ResponseWriter, *http.Request, *session) error {
	return map[string]func(http.ResponseWriter, *http.Request, *session) error{
		"POST /console/session/account":  h.setAccount,
		"/console/api/":                  inAccount(h.call),
		"GET /console/events":            h.events,
		"GET /console/keys":              inAccount(h.listKeys),
		"POST /console/keys":             inAccount(h.createKey),
		"DELETE /console/keys/{name}":    inAccount(h.revokeKey),
		"GET /console/authorization":     inAccount(h.showClient),
		"POST /console/authorization":    inAccount(h.decideClient),
		"GET /console/manifests":         inAccount(h.exportPosts),
		"GET /console/members":           inAccount(h.listMembers),
		"POST /console/members":          inAccount(h.addMember),
		"DELETE /console/members/{name}": inAccount(h.removeMember),
	}
}

// own returns a handler that sends the error of f in the envelope of the API.
func (h *Handler) own(f func(http.ResponseWriter, *http.Request) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		err := h.Ready()
		if err != nil {
			err = problem.Unavailable(err)
		} else {
			err = f(w, r)
		}
		if err == nil {
			return
		}
		if p := (*problem.Problem)(nil); !errors.As(err, &p) {
			h.Log.Error("request of the console failed",
				"path", r.URL.Path, "request_id", operation.RequestID(r), "error", err.Error())
		}
		operation.Refuse(w, r, err)
	})
}

// signedIn returns a route that needs a session.
func (h *Handler) signedIn(
	f func(http.ResponseWriter, *http.Request, *session) error,
) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		s, err := h.session(r)
		if err != nil {
			return err
		}
		if err := h.renew(w, r, s); err != nil {
			return err
		}
		return f(w, r, s)
	}
}

// policy returns the Content-Security-Policy. Images, videos and uploads are at the blob store, which may have another
// origin. Images of accounts are at the platforms.
func (h *Handler) policy(ctx context.Context) string {
	store := h.store(ctx)
	if store != "" {
		store = " " + store
	}
	images := store
	for _, source := range h.AvatarSources {
		images += " " + source
	}
	return "default-src 'self'; img-src 'self'" + images + "; media-src 'self'" + store + "; connect-src 'self'" + store +
		"; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
}

// store returns the origin of the blob store; empty if it is unknown or that of the console.
func (h *Handler) store(ctx context.Context) string {
	return h.origin.get(ctx, h.SignedGet, h.Clock)
}

// origin is the origin of the blob store. It is read from a signed URL, because only the driver of the store has it.
type origin struct {
	tries singleflight.Group
	mu    sync.Mutex
	value string
	again time.Time // when to try again after a failure
}

const (
	// originTime is the timeout of signing a URL, for which some drivers request credentials.
	originTime = 5 * time.Second
	// originWait is how long a request waits for the origin. Later requests have it.
	originWait = 2 * time.Second
	// originRetry is the time after a failure until the next try.
	originRetry = 5 * time.Second
)

// get returns the origin; empty if no URL could be signed.
func (o *origin) get(
	ctx context.Context, sign func(context.Context, string, time.Duration) (string, error), c clock.PassiveClock,
) string {
	value, again := o.known()
	if value != "" || sign == nil || c.Now().Before(again) {
		return value
	}
	trying := o.tries.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), originTime) // several requests share the try
		defer cancel()
		value, err := originOf(ctx, sign)
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.value = value; err != nil {
			o.again = c.Now().Add(originRetry)
		}
		return value, err
	})
	wait := time.NewTimer(originWait)
	defer wait.Stop()
	select {
	case <-trying:
	case <-wait.C:
	case <-ctx.Done():
	}
	value, _ = o.known()
	return value
}

// originOf returns the origin of a signed URL.
func originOf(ctx context.Context, sign func(context.Context, string, time.Duration) (string, error)) (string, error) {
	signed, err := sign(ctx, "console", time.Minute)
	if err != nil {
		return "", err
	}
	u, err := url.Parse(signed)
	if err != nil {
		return "", err
	}
	if u.Host == "" {
		return "", errors.New("the signed URL has no host")
	}
	return u.Scheme + "://" + u.Host, nil
}

// known returns the origin, and when to try again to find it.
func (o *origin) known() (value string, again time.Time) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.value, o.again
}

// writeJSON sends a value as JSON.
func writeJSON(w http.ResponseWriter, status int, v any) error {
	doc, err := json.Marshal(v)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(append(doc, '\n')) // the client may have disconnected
	return nil
}

// readJSON reads the body of a request: a JSON object without unknown members.
func readJSON(w http.ResponseWriter, r *http.Request, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return problem.Body("The Content-Type must be application/json.")
	}
	// A client that stops sending must not hold the connection. Some writers, such as those of tests, have no deadline.
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	if err := d.Decode(into); errors.Is(err, os.ErrDeadlineExceeded) {
		return problem.Body(fmt.Sprintf("The body was not sent within %s.", bodyTime))
	} else if err != nil {
		return problem.Body("The body must be a JSON object with the members of this request.")
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return problem.Body("The body must be one JSON object.")
	}
	// The server reads on to notice a disconnect. The deadline would cancel the request.
	_ = control.SetReadDeadline(time.Time{})
	return nil
}
