// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"context"
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
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/apiserver/auth"
	"github.com/reelops/reelops/apiserver/connect"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/mcp"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/ops"
	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/renders"
	backgrounds "github.com/reelops/reelops/apiserver/stock"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/process/metric"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/process/version"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
	"github.com/reelops/reelops/internal/work/callback"
)

// Config is what a Server is made of.
type Config struct {
	// Client writes to the cluster; its reads come from a cache with the indexes of read.Index and see its own writes.
	Client client.Client
	// Live reads and writes the cluster itself.
	Live client.Client
	// Index of shorts.
	Index *index.Shorts
	// Media and packs.
	Media *index.Media
	// Posts.
	Posts *index.Posts
	// Synced says whether the cache holds everything.
	Synced func() bool
	// Gate lets calls in, and knows whether the cluster answers; nil lets in all.
	Gate *pressure.Gate
	// ClusterPatience is for how long a front end that the cluster does not answer says that it is ready; 0 for the usual time.
	ClusterPatience time.Duration
	// Store of pictures and films.
	Store *blob.Store
	// Signer checks the addresses that renderers report to.
	Signer *callback.Signer
	// Ahead returns by how much Clock is ahead of the API server's; nil if that is not measured.
	Ahead func() time.Duration
	// NextShort reserves a short id.
	NextShort func(context.Context) (int64, error)
	// NextMedia reserves a media id.
	NextMedia func(context.Context) (int64, error)
	// NextPost and NextBatch reserve the ids of posts and of their batches.
	NextPost, NextBatch func(context.Context) (int64, error)
	// Uploads seals what callers declare of files that they upload.
	Uploads *upload.Sealer
	// Platforms make the links by which accounts are connected; nil for none. They have no secrets here.
	Platforms map[v1beta1.Platform]publish.Platform
	// LinkedInAnalytics says that the manager reads LinkedIn's numbers.
	LinkedInAnalytics bool
	// Consent seals what goes round while a person approves.
	Consent *consent.Sealer
	// AIImages is what the installation offers in AI pictures.
	AIImages catalog.AIImages
	// TextModel reports whether the manager has a language model. Without one, creating a slideshow warns of a context that holds too
	// little text.
	TextModel bool
	// Voices are those that can be named. The zero value is the package's.
	Voices voices.Set
	// AllowHosts may be named by callers as places of pictures whatever their address, also over plain http; the controllers,
	// which fetch, need the same list.
	AllowHosts []string
	// Fetch says how the names that callers give are looked up; the zero is the system's way. Its allow list is not used.
	Fetch fetch.Config
	// EditWait is how long the answer to an edit waits for the slides; 0 for the usual time.
	EditWait time.Duration
	// Stock finds what nobody had to bring; nil for what is here, without any provider.
	Stock *stock.Library
	// Library is the namespace whose media, packs and music every account sees.
	Library string
	// KeyPrefix of API keys.
	KeyPrefix string
	// BaseURL is the public address.
	BaseURL string
	// Limits are the ceilings on calls; nil for the usual ones, counted in memory.
	Limits *limit.Limiter
	// Replica names this replica among those that run at the same time; a process that follows on it has the same name.
	Replica string
	// Remember says how long idempotency keys are kept; the zero means the usual times.
	Remember idempotency.Options
	// TrustedProxies may say for whom they call.
	TrustedProxies []netip.Prefix
	// CallTime bounds the work for one call; 0 means the usual time.
	CallTime time.Duration
	// Audit gets a line of JSON for each change that was made for a caller; nil lets Log have them.
	Audit io.Writer
	Clock clock.PassiveClock
	Log   *slog.Logger
}

// maxPut bounds what is written to a signed address of a folder store: a film.
const maxPut = 2 << 30

// Server is the front end without its sockets.
type Server struct {
	config   Config
	usage    *auth.Usage
	audit    *audit.Log
	public   http.Handler
	internal http.Handler
	metrics  http.Handler
	// draining is closed by drain, once.
	draining chan struct{}
	drain    func()
	// reached says that the store has answered since the start.
	reached atomic.Bool
}

// New puts the front end together.
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
	reader := &read.Reader{Cached: c.Client, Live: c.Live, Index: c.Index, Media: c.Media, Posts: c.Posts, Documents: read.NewDocuments(c.Store, read.MostDocumentBytes)}
	looking := c.Fetch
	looking.Allow = c.AllowHosts
	service := &ops.Service{
		Reader: reader, Client: s.audit.Client(c.Client), Live: s.audit.Client(c.Live), NextShort: c.NextShort, Clock: c.Clock, BaseURL: c.BaseURL,
		Ahead: c.Ahead, NextMedia: c.NextMedia, NextPost: c.NextPost, NextBatch: c.NextBatch, Store: c.Store, Uploads: c.Uploads,
		Ledger: ledger.New(c.Live, c.Client, c.Clock), Meter: quota.NewMeter(c.Client, c.Clock),
		AIImages: c.AIImages, TextModel: c.TextModel, Voices: c.Voices, Platforms: c.Platforms, Missing: publish.Missing(c.Platforms), Consent: c.Consent,
		LinkedInAnalytics: c.LinkedInAnalytics, Limits: c.Limits, Media: fetch.Open(looking), EditWait: c.EditWait, Library: c.Library, Stock: c.Stock,
		Sign: c.Store.SignedGet,
	}
	api, err := operation.NewHandler(operation.Config{
		Operations: service.Operations(),
		Auth:       &auth.Authenticator{Prefix: c.KeyPrefix, Reader: reader, Usage: s.usage, Clock: c.Clock, Away: c.Gate.Away},
		Limits:     c.Limits, TrustedProxies: c.TrustedProxies,
		Idempotency: idempotency.New(c.Live, c.Clock, c.Replica, c.Remember),
		Ready:       s.synced, Gate: c.Gate, Draining: s.draining, Audit: s.audit, Log: c.Log, Metrics: metrics, Clock: c.Clock, BaseURL: c.BaseURL, CallTime: c.CallTime, Pages: pages, Doors: []string{mcp.Path},
	})
	if err != nil {
		return nil, err
	}
	page, err := docsPage(api.Description())
	if err != nil {
		return nil, err
	}
	tools, err := mcp.New(mcp.Config{API: api, BaseURL: c.BaseURL, Log: c.Log, Picture: c.Store.Get})
	if err != nil {
		return nil, err
	}
	s.public = s.leaving(s.publicRoutes(api, tools, page))
	s.internal = s.leaving((&renders.Handler{Signer: c.Signer, Live: c.Live, Client: c.Client, Store: c.Store, Clock: c.Clock, Log: c.Log}).Routes())
	m := http.NewServeMux()
	m.Handle("GET /metrics", promhttp.HandlerFor(prometheus.Gatherers{registry, crmetrics.Registry}, promhttp.HandlerOpts{}))
	s.health(m)
	m.HandleFunc("GET /livez", alive)
	s.metrics = m
	return s, nil
}

// Public is the listener that callers reach.
func (s *Server) Public() http.Handler { return s.public }

// Internal is the listener that render pods reach.
func (s *Server) Internal() http.Handler { return s.internal }

// Metrics is the listener that the cluster's own tools reach.
func (s *Server) Metrics() http.Handler { return s.metrics }

// CountUse writes the use of keys every so often until the context ends, and then once more.
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

// WriteEvents tells of changes as Events of Kubernetes until the context ends.
func (s *Server) WriteEvents(ctx context.Context) { s.audit.Run(ctx) }

// FlushUse writes the use of keys now.
func (s *Server) FlushUse(ctx context.Context) {
	if err := s.usage.Flush(ctx, s.config.Live, s.config.Client); err != nil {
		s.config.Log.Warn("use of keys could not be written", "error", err.Error())
	}
}

// pages are what is shown to anyone, without a key.
var pages = []string{"/openapi.json", "/docs", "/healthz", "/readyz"}

// publicRoutes leads what is not an operation to where it belongs; operations answer everything else, unknown paths too.
func (s *Server) publicRoutes(api *operation.Handler, tools *mcp.Server, docs []byte) http.Handler {
	health := http.NewServeMux()
	s.health(health)
	blobs := s.config.Store.Handler(maxPut)
	drawn := backgrounds.New(s.config.Store, s.config.Log)
	led := &connect.Handler{Consent: s.config.Consent, Client: s.config.Client, Live: s.audit.Client(s.config.Live), TrustedProxies: s.config.TrustedProxies, BaseURL: s.config.BaseURL, Clock: s.config.Clock, Log: s.config.Log}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		isRead := r.Method == http.MethodGet || r.Method == http.MethodHead
		switch p := r.URL.Path; {
		case blobs != nil && strings.HasPrefix(p, blob.HandlerPath):
			blobs.ServeHTTP(w, r)
		case backgrounds.Serves(p):
			drawn.ServeHTTP(w, r)
		case s.config.Consent != nil && strings.HasPrefix(p, connect.Prefix):
			led.ServeHTTP(w, r)
		case isRead && p == "/openapi.json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(api.Description())
		case isRead && p == "/docs":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
			_, _ = w.Write(docs)
		case isRead && (p == "/healthz" || p == "/readyz"):
			health.ServeHTTP(w, r)
		case r.Method == http.MethodPost && p == mcp.Path:
			tools.ServeHTTP(w, r)
		default:
			api.ServeHTTP(w, r)
		}
	})
}
