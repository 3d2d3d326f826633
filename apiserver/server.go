// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	crmetrics "sigs.k8s.io/controller-runtime/pkg/metrics"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/connect"
	"github.com/reelops/reelops/apiserver/console"
	"github.com/reelops/reelops/apiserver/docs"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/mcp"
	"github.com/reelops/reelops/apiserver/oauth"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/renders"
	backgrounds "github.com/reelops/reelops/apiserver/stock"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/process/version"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
	"github.com/reelops/reelops/internal/work/callback"
)

// Config holds the dependencies and settings of a Server.
type Config struct {
	// Client writes to the cluster. Its reads are served from a cache with the indexes of read.Index and include its
	// own writes.
	Client client.Client
	// Live reads from and writes to the cluster directly.
	Live client.Client
	// Index of shorts.
	Index *index.Shorts
	// Media is the index of media and packs.
	Media *index.Media
	// Posts is the index of posts.
	Posts *index.Posts
	// Archives holds the Archive of each namespace; nil for none.
	Archives *archived.Objects
	// ArchiveCacheBytes limits the memory for the keys of archived records and for footers and pages of their files; 0
	// means the default.
	ArchiveCacheBytes int64
	// Synced reports whether the cache is complete.
	Synced func() bool
	// Gate admits calls and reports whether the cluster responds; nil admits all calls.
	Gate *pressure.Gate
	// ClusterPatience is how long a front end stays ready while the cluster does not respond; 0 means one minute.
	ClusterPatience time.Duration
	// Store holds images and videos.
	Store *blob.Store
	// Signer verifies the addresses at which renderers report.
	Signer *callback.Signer
	// Ahead returns by how much Clock is ahead of the API server's; nil if that is not measured.
	Ahead func() time.Duration
	// NextShort reserves a short id.
	NextShort func(context.Context) (int64, error)
	// NextMedia reserves a media id.
	NextMedia func(context.Context) (int64, error)
	// NextPack reserves the id of a media pack.
	NextPack func(context.Context) (int64, error)
	// NextAutomation reserves an id of an automation or of a manual run.
	NextAutomation func(context.Context) (int64, error)
	// NextWebhook reserves the id of a webhook.
	NextWebhook func(context.Context) (int64, error)
	// NextPost and NextBatch reserve the ids of posts and of their batches.
	NextPost, NextBatch func(context.Context) (int64, error)
	// NextKey reserves the id of an API key that a user of the console creates.
	NextKey func(context.Context) (int64, error)
	// Console configures the web console; nil disables it.
	Console *console.Settings
	// Uploads seals the declarations of files that callers upload.
	Uploads *upload.Sealer
	// Platforms create the links by which accounts are connected; nil for none. They hold no secrets in this process.
	Platforms map[v1beta1.Platform]publish.Platform
	// LinkedInAnalytics reports whether the manager reads LinkedIn's analytics.
	LinkedInAnalytics bool
	// Consent seals the state of a connection while a person approves it.
	Consent *consent.Sealer
	// AIImages describes the AI image options of the installation.
	AIImages catalog.AIImages
	// TextModel reports whether the manager has a language model. Without one, creating a slideshow warns of a context
	// that holds too little text.
	TextModel bool
	// Voices are the voices that requests can name. The zero value selects the voices of the package.
	Voices voices.Set
	// AllowHosts may be named by callers as sources of images regardless of their address, also over plain HTTP. The
	// controllers, which fetch the images, need the same list.
	AllowHosts []string
	// WebhookHosts are hosts of webhooks that may have any address and port, and plain HTTP. The manager, which sends the
	// events, needs the same list.
	WebhookHosts []string
	// WebhookSecrets derives the signing secrets of webhooks. The manager needs the same signing key.
	WebhookSecrets *webhooksecret.Deriver
	// Fetch configures the resolution of host names that callers give; the zero value uses the system's resolver. Its
	// allow list is not used.
	Fetch fetch.Config
	// Engine draws previews of slides, at most Previews at once; 0 means the default. Without it, previews are not
	// available.
	Engine   *overlay.Engine
	Previews int
	// EditWait is how long the response to an edit waits for the slides; 0 means the default.
	EditWait time.Duration
	// Stock finds stock items; nil means a library without any provider.
	Stock *stock.Library
	// Library is the namespace whose media, packs and music are visible to every account.
	Library string
	// KeyPrefix is the prefix of API keys.
	KeyPrefix string
	// BaseURL is the public address.
	BaseURL string
	// Limits are the rate limits; nil means the defaults, counted in process.
	Limits *limit.Limiter
	// Replica is the unique name of this replica among the running ones. A process that replaces another has the same
	// name.
	Replica string
	// Remember configures how long idempotency keys are kept; the zero value means the defaults.
	Remember idempotency.Options
	// TrustedProxies are the networks whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix
	// CallTime is the time limit of the work for one call; 0 means the default.
	CallTime time.Duration
	// Audit receives a line of JSON for each change that a caller requested; nil writes the lines to Log.
	Audit io.Writer
	Clock clock.PassiveClock
	Log   *slog.Logger
}

// openArchive returns the loader of archived records. A quarter of its memory is for parts of files, which hold the rows
// of recent pages; the rest is for keys.
func openArchive(c *Config) *archived.Loader {
	most := cmp.Or(c.ArchiveCacheBytes, archived.MostBytes)
	return archived.NewLoader(c.Archives, archive.New(c.Store, most/4), c.Index, c.Posts, most-most/4)
}

// documentTime is the timeout of fetching the metadata document of an OAuth client.
const documentTime = 5 * time.Second

// maxPut is the size limit of an object, such as a video, that is written to a signed URL of a folder store.
const maxPut = 2 << 30

// Server is the front end without its listeners.
type Server struct {
	config   Config
	usage    *auth.Usage
	audit    *audit.Log
	public   http.Handler
	internal http.Handler
	metrics  http.Handler
	console  http.Handler // nil if it is disabled
	// oauth is the authorization server of the MCP server; nil without the console, in which users approve clients.
	oauth *oauth.Server
	// draining is closed by drain, once.
	draining chan struct{}
	drain    func()
	// reached reports whether the store has responded since the start.
	reached atomic.Bool
}

// New returns a server for the configuration.
func New(c Config) (*Server, error) {
	c.Client, c.Live = tracing.Stamping(c.Client), tracing.Stamping(c.Live)
	registry := prometheus.NewRegistry()
	metric.BuildInfo.WithLabelValues(version.Version).Set(1)
	if err := metric.RegisterProcess(registry, metric.APIServer); err != nil {
		return nil, err
	}
	metrics, err := operation.NewMetrics(registry)
	if err != nil {
		return nil, err
	}
	if c.Limits == nil {
		c.Limits = limit.New(limit.Default(), c.Clock)
	}
	if err := registry.Register(c.Limits); err != nil {
		return nil, err
	}
	if c.Stock == nil {
		c.Stock = stock.New(stock.Config{BaseURL: c.BaseURL, Store: c.Store, Clock: c.Clock, Log: c.Log})
	}
	c.Stock.Share(ops.SharedStock(c.Media))
	if c.Gate != nil {
		if err := registry.Register(c.Gate); err != nil {
			return nil, err
		}
	}
	c.ClusterPatience = cmp.Or(c.ClusterPatience, usualClusterPatience)
	s := &Server{config: c, usage: auth.NewUsage(), draining: make(chan struct{})}
	s.drain = sync.OnceFunc(func() { close(s.draining) })
	s.audit, err = audit.New(audit.Config{Out: c.Audit, Log: c.Log, Cluster: c.Live, Replica: c.Replica, Clock: c.Clock}, registry)
	if err != nil {
		return nil, err
	}
	reader := &read.Reader{
		Cached: c.Client, Live: c.Live, Index: c.Index, Media: c.Media, Posts: c.Posts, Archive: openArchive(&c),
		Documents: read.NewDocuments(c.Store, read.MostDocumentBytes),
	}
	fetchConfig := c.Fetch
	fetchConfig.Allow = c.AllowHosts
	documentConfig := fetchConfig
	documentConfig.Timeout = documentTime
	webhookConfig := c.Fetch
	webhookConfig.Allow = c.WebhookHosts
	service := &ops.Service{
		Reader: reader, Client: s.audit.Client(c.Client), Live: s.audit.Client(c.Live), NextShort: c.NextShort, Clock: c.Clock, BaseURL: c.BaseURL,
		Ahead: c.Ahead, NextMedia: c.NextMedia, NextPack: c.NextPack, NextAutomation: c.NextAutomation, NextWebhook: c.NextWebhook, NextPost: c.NextPost, NextBatch: c.NextBatch, Store: c.Store, Uploads: c.Uploads,
		Ledger: ledger.New(c.Live, c.Client, c.Clock), Meter: quota.NewMeter(c.Client, c.Clock),
		AIImages: c.AIImages, TextModel: c.TextModel, Voices: c.Voices, Platforms: c.Platforms, Missing: publish.Missing(c.Platforms), Consent: c.Consent,
		LinkedInAnalytics: c.LinkedInAnalytics, Limits: c.Limits, Media: fetch.Open(fetchConfig), EditWait: c.EditWait, Library: c.Library, Stock: c.Stock,
		WebhookHosts: fetch.Open(webhookConfig), WebhookSecrets: c.WebhookSecrets,
		Sign: c.Store.SignedGet, Painter: ops.NewPainter(c.Store, c.Engine, c.Previews),
	}
	callers := &auth.Authenticator{Prefix: c.KeyPrefix, Reader: reader, Usage: s.usage, Clock: c.Clock, Away: c.Gate.Away}
	if c.Console != nil {
		s.oauth, err = oauth.New(oauth.Config{
			SigningKey: c.Console.Key, BaseURL: c.BaseURL, Transport: mcp.Transport, Path: mcp.Path, Live: s.audit.Client(c.Live),
			KeyPrefix: c.KeyPrefix, NextKey: c.NextKey, Documents: fetch.Open(documentConfig), Ready: s.synced,
			Limits: c.Limits, TrustedProxies: c.TrustedProxies, Clock: c.Clock, Log: c.Log,
		})
		if err != nil {
			return nil, fmt.Errorf("preparing the authorization server: %w", err)
		}
		callers.Tokens = s.oauth.AccessTokens()
	}
	api, err := operation.NewHandler(operation.Config{
		Operations: service.Operations(), Auth: callers,
		Limits: c.Limits, TrustedProxies: c.TrustedProxies,
		Idempotency: idempotency.New(c.Live, c.Clock, c.Replica, c.Remember),
		Ready:       s.synced, Gate: c.Gate, Draining: s.draining, Audit: s.audit, Log: c.Log, Metrics: metrics, Clock: c.Clock, BaseURL: c.BaseURL, CallTime: c.CallTime, Pages: pages, Doors: []string{mcp.Path},
	})
	if err != nil {
		return nil, err
	}
	tools, err := mcp.New(mcp.Config{API: api, BaseURL: c.BaseURL, Log: c.Log, Picture: c.Store.Get})
	if err != nil {
		return nil, err
	}
	if c.Console != nil {
		web, err := console.New(console.Config{
			Settings: *c.Console, API: api, Reader: reader, Live: s.audit.Client(c.Live), Ready: s.synced, Limits: c.Limits,
			TrustedProxies: c.TrustedProxies, BaseURL: c.BaseURL, SignedGet: c.Store.SignedGet, KeyPrefix: c.KeyPrefix, NextKey: c.NextKey,
			OAuth: s.oauth, Draining: s.draining, Clock: c.Clock, Log: c.Log,
		})
		if err != nil {
			return nil, fmt.Errorf("preparing the console: %w", err)
		}
		s.console = web.Routes()
	}
	s.public = s.leaving(s.publicRoutes(api, tools))
	s.internal = s.leaving((&renders.Handler{Signer: c.Signer, Live: c.Live, Client: c.Client, Store: c.Store, Clock: c.Clock, Log: c.Log}).Routes())
	m := http.NewServeMux()
	m.Handle("GET /metrics", promhttp.HandlerFor(prometheus.Gatherers{registry, crmetrics.Registry}, promhttp.HandlerOpts{}))
	s.health(m)
	m.HandleFunc("GET /livez", alive)
	s.metrics = m
	return s, nil
}

// Public returns the handler of the listener for callers.
func (s *Server) Public() http.Handler { return s.public }

// Internal returns the handler of the listener for render pods.
func (s *Server) Internal() http.Handler { return s.internal }

// Metrics returns the handler of the listener for metrics and health checks.
func (s *Server) Metrics() http.Handler { return s.metrics }

// CountUse writes the usage of keys periodically until the context ends, and then once more.
func (s *Server) CountUse(ctx context.Context) {
	tick := time.NewTicker(auth.FlushEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			s.FlushUse(ctx)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
			defer cancel()
			s.FlushUse(last)
			return
		}
	}
}

// WriteEvents writes changes as Kubernetes Events until the context ends.
func (s *Server) WriteEvents(ctx context.Context) { s.audit.Run(ctx) }

// FlushUse writes the usage of keys now.
func (s *Server) FlushUse(ctx context.Context) {
	if err := s.usage.Flush(ctx, s.config.Live, s.config.Client); err != nil {
		s.config.Log.Warn("writing use of keys failed", "error", err.Error())
	}
}

// pages are the paths that are served without a key.
var pages = []string{"/openapi.json", "/docs", "/healthz", "/readyz"}

// publicRoutes routes requests that are not operations. The operation handler serves all others, including unknown
// paths.
func (s *Server) publicRoutes(api *operation.Handler, tools *mcp.Server) http.Handler {
	health := http.NewServeMux()
	s.health(health)
	blobs := s.config.Store.Handler(maxPut)
	backgroundFiles := backgrounds.New(s.config.Store, s.config.Log)
	docsPage := docs.Handler(api.Description(), s.config.Log)
	var authorization http.Handler
	if s.oauth != nil {
		authorization = s.oauth.Routes()
	}
	connectPages := &connect.Handler{Consent: s.config.Consent, Client: s.config.Client, Live: s.audit.Client(s.config.Live), TrustedProxies: s.config.TrustedProxies, BaseURL: s.config.BaseURL, Clock: s.config.Clock, Log: s.config.Log}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch p := r.URL.Path; {
		case blobs != nil && strings.HasPrefix(p, blob.HandlerPath):
			blobs.ServeHTTP(w, r)
		case backgrounds.Serves(p):
			backgroundFiles.ServeHTTP(w, r)
		case s.config.Consent != nil && strings.HasPrefix(p, connect.Prefix):
			connectPages.ServeHTTP(w, r)
		case s.oauth != nil && s.oauth.Serves(p):
			authorization.ServeHTTP(w, r)
		case s.console != nil && (p == console.Path || strings.HasPrefix(p, console.Path+"/")):
			s.console.ServeHTTP(w, r)
		case isRead && p == "/openapi.json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(api.Description())
		case isRead && p == "/docs":
			docsPage.ServeHTTP(w, r)
		case isRead && (p == "/healthz" || p == "/readyz"):
			health.ServeHTTP(w, r)
		case r.Method == http.MethodPost && p == mcp.Path:
			tools.ServeHTTP(w, r)
		default:
			api.ServeHTTP(w, r)
		}
	})
}
