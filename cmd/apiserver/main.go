// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/console"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/kube/resume"
	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/process/logging"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blob/clouds"
	"github.com/reelops/reelops/internal/store/upload"
	"github.com/reelops/reelops/internal/work/callback"
)

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err == nil {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
		// A second signal ends the program at once.
		context.AfterFunc(ctx, stop)
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "apiserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	log := logging.New(os.Stderr, o.level)
	logging.SetLibraries(log)
	endTraces, err := tracing.Begin(ctx, "reelops-apiserver", func(err error) { log.Debug("sending spans failed", "error", err.Error()) })
	if err != nil {
		return err
	}
	defer endTraces()

	key, err := os.ReadFile(o.signingKeyFile)
	if err != nil {
		return fmt.Errorf("reading the signing key: %w", err)
	}
	signer, err := callback.NewSigner(key)
	if err != nil {
		return err
	}
	hooks, err := webhooksecret.New(key)
	if err != nil {
		return err
	}
	store, err := blob.Open(ctx, blob.Config{URL: o.blobURL, SigningKey: key, BaseURL: o.baseURL, Cloud: clouds.Stores{}})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	uploads, err := upload.NewSealer(key, o.uploadTTL, clock.RealClock{})
	if err != nil {
		return err
	}
	config, err := clusterConfig(o.kubeconfig)
	if err != nil {
		return err
	}
	gate := pressure.New(o.maxCalls, clock.RealClock{}, log)
	kept := resume.Open(resume.Config{
		Folder: o.resumeDir, Server: config.Host, Kinds: resume.Kinds(), Clock: clock.RealClock{}, Log: logr.FromSlogHandler(log.Handler()),
	})
	skew := clockskew.New(clock.RealClock{})
	config.DisableCompression = true // compressing lists would take kube-apiserver longer than encoding them
	config.Wrap(skew.Transport)
	access, err := apiserver.Connect(ctx, config, o.libraryNamespace, gate, kept)
	if err != nil {
		return err
	}
	limits, closeLimits, err := limiter(o, log)
	if err != nil {
		return err
	}
	defer closeLimits()
	social, err := o.platforms.Open(clock.RealClock{})
	if err != nil {
		return err
	}
	approvals, err := consent.NewSealer(key, clock.RealClock{})
	if err != nil {
		return err
	}
	library, err := openStock(o, store, log)
	if err != nil {
		return err
	}
	users, err := consoleSettings(o, key)
	if err != nil {
		return err
	}
	lines, closeLines, err := openAudit(o, log)
	if err != nil {
		return err
	}
	defer closeLines()
	engine, err := openEngine(o, log)
	if err != nil {
		return err
	}
	allocator := ids.New(access.Plain, o.systemNamespace)
	server, err := apiserver.New(apiserver.Config{
		Ahead:  skew.Ahead,
		Client: access.Client, Live: access.Plain, Index: access.Index, Media: access.Media, Posts: access.Posts, Synced: access.Synced,
		Archives: access.Archives, ArchiveCacheBytes: o.archiveCache,
		Gate: access.Gate, ClusterPatience: o.clusterPatience,
		TextModel: o.llmModel != "",
		Voices:    o.voices,
		AIImages:  catalog.AIImages{Available: o.aiImages, CreditsPerImage: int32(o.aiImageCredits)},
		Store:     store, Signer: signer, KeyPrefix: o.keyPrefix, BaseURL: o.baseURL, Clock: clock.RealClock{}, Log: log,
		Audit: lines, Limits: limits, TrustedProxies: o.proxies,
		AllowHosts: list(o.allowHosts), WebhookHosts: list(o.webhookHosts), WebhookSecrets: hooks,
		Library: o.libraryNamespace, Stock: library, Engine: engine, Previews: o.previews,
		Replica: o.replica, Remember: idempotency.Options{TTL: o.remember},
		NextShort:      func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Shorts) },
		NextMedia:      func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Media) },
		NextWebhook:    func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Webhooks) },
		NextPack:       func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Packs) },
		NextAutomation: func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Automations) },
		NextPost:       func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Posts) },
		NextBatch:      func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Batches) },
		NextKey:        func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Keys) },
		Uploads:        uploads, Console: users,
		Platforms: o.platforms.ReachedAt(social, o.baseURL), LinkedInAnalytics: o.platforms.LinkedInAnalytics, Consent: approvals,
	})
	if err != nil {
		return err
	}
	go library.Run(ctx)
	metrics, err := o.metrics.Protect(config, logr.FromSlogHandler(log.Handler()), server.Metrics())
	if err != nil {
		return err
	}
	return serve(ctx, o, log, server, metrics, access.Start)
}

// list returns the elements of a list in a flag.
func list(flag string) []string {
	return strings.FieldsFunc(flag, func(r rune) bool { return r == ',' || r == ' ' })
}

// openEngine returns the engine that draws previews. It returns nil if fonts are missing: the front end then serves all
// other operations.
func openEngine(o *options, log *slog.Logger) (*overlay.Engine, error) {
	engine, err := overlay.New(strings.FieldsFunc(o.fontDirs, func(r rune) bool { return r == ',' || r == ' ' })...)
	var missing *overlay.MissingFonts
	if errors.As(err, &missing) {
		log.Warn("slide previews are not available", "error", err.Error())
		return nil, nil
	}
	return engine, err
}

// openStock returns the stock library with its providers and search indexes.
func openStock(o *options, store *blob.Store, log *slog.Logger) (*stock.Library, error) {
	providers, err := o.stock.OpenProviders(clock.RealClock{})
	if err != nil {
		return nil, err
	}
	c := stock.Config{
		BaseURL: o.baseURL, Words: o.stock.OpenWords(log), Providers: providers, Store: store, Clock: clock.RealClock{}, Log: log,
	}
	model, err := o.stock.OpenModel(store, clock.RealClock{}, log)
	if err != nil {
		return nil, err
	}
	if model != nil {
		c.Vectors = model
	}
	return stock.New(c), nil
}

// consoleSettings returns the settings of the console.
func consoleSettings(o *options, key []byte) (*console.Settings, error) {
	s := &console.Settings{Key: key, Namespace: o.systemNamespace, AvatarSources: o.platforms.AvatarSources()}
	if o.oidc.Issuer == "" {
		return s, nil
	}
	s.OIDC = &o.oidc
	if o.oidcSecretFile != "" {
		secret, err := os.ReadFile(o.oidcSecretFile)
		if err != nil {
			return nil, fmt.Errorf("reading the client secret of the identity provider: %w", err)
		}
		s.OIDC.ClientSecret = strings.TrimSpace(string(secret))
	}
	return s, nil
}

// limiter returns a rate limiter that counts in process, and in Redis if one is configured.
func limiter(o *options, log *slog.Logger) (l *limit.Limiter, closeIt func(), err error) {
	if o.redisURL == "" {
		return limit.New(o.ceilings, clock.RealClock{}, limit.WithLog(log)), func() {}, nil
	}
	c := limit.RedisConfig{URL: o.redisURL}
	if o.redisPasswordFile != "" {
		password, err := os.ReadFile(o.redisPasswordFile)
		if err != nil {
			return nil, nil, fmt.Errorf("reading the password of Redis: %w", err)
		}
		c.Password = strings.TrimSpace(string(password))
	}
	redis, err := limit.OpenRedis(c)
	if err != nil {
		return nil, nil, err
	}
	return limit.New(o.ceilings, clock.RealClock{}, limit.WithLog(log), limit.Shared(redis)), func() { _ = redis.Close() }, nil
}

func clusterConfig(kubeconfig string) (config *rest.Config, err error) {
	if kubeconfig != "" {
		config, err = clientcmd.BuildConfigFromFlags("", kubeconfig)
	} else {
		config, err = rest.InClusterConfig()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	// Disable the client's rate limit. Callers have their own rate limits and the API server has priority and fairness.
	// A limit here would only delay calls that read their keys.
	config.QPS = -1
	return config, nil
}
