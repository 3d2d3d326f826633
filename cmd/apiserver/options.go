// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"net/url"
	"os"
	"time"

	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/pressure"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/process/flagenv"
	"github.com/reelops/reelops/internal/process/serving"
	"github.com/reelops/reelops/internal/process/version"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/store/upload"
)

// options holds the front end's settings. Every flag can also be given as an environment variable; see flagenv. Secrets
// are read from files, never from flags.
type options struct {
	listen, internalListen, metricsListen string
	baseURL, blobURL, signingKeyFile      string
	systemNamespace, kubeconfig           string
	resumeDir                             string
	tls                                   serving.Files
	metrics                               serving.Metrics
	libraryNamespace                      string
	keyPrefix, logLevel, allowHosts       string
	auditLog                              string
	redisURL, redisPasswordFile           string
	trustedProxies, replica               string
	remember                              time.Duration
	ceilings                              limit.Ceilings
	proxies                               []netip.Prefix
	uploadTTL                             time.Duration
	drainDelay, drainTime                 time.Duration
	clusterPatience                       time.Duration
	maxCalls                              int
	aiImages                              bool
	llmModel                              string
	speechModel, speechVoices             string
	voices                                voices.Set
	aiImageCredits                        int
	level                                 slog.Level
	stock                                 stock.Settings
	platforms                             platforms.Settings
}

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{ceilings: limit.Default()}
	f := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	f.SetOutput(stderr)
	version.Flag(f)
	f.StringVar(&o.listen, "listen", ":8080", "address of the interface")
	f.StringVar(&o.internalListen, "internal-listen", ":8081", "address to which render pods report; callers must not reach it")
	f.StringVar(&o.metricsListen, "metrics-listen", ":9090", "address of /metrics, /healthz and /readyz")
	o.tls.Flags(f, "", "the interface and of the internal listener; without it they speak plain HTTP")
	o.metrics.Flags(f)
	f.StringVar(&o.baseURL, "base-url", "", "public address, as callers see it; stands in signed addresses and in the description (required)")
	f.StringVar(&o.blobURL, "blob-url", "", "blob store: file:///folder, s3://bucket, gs://bucket or azblob://container (required)")
	f.StringVar(&o.signingKeyFile, "signing-key-file", "", "file with the key, at least 32 bytes, that signs addresses; the manager has the same (required)")
	f.StringVar(&o.systemNamespace, "system-namespace", "reelops-system", "namespace of the installation's own objects")
	f.StringVar(&o.libraryNamespace, "library-namespace", "", "namespace whose media, packs and music every account sees; the manager has the same (default: the system namespace)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; without it the pod's service account is used")
	f.StringVar(&o.resumeDir, "resume-dir", "", "folder of this program alone where it keeps the objects that it knows, so that it need not ask the cluster for all of them when it is started again; empty keeps none")
	f.StringVar(&o.keyPrefix, "key-prefix", apikey.DefaultPrefix, "what the secrets of API keys begin with")
	f.Var(o.ceilings, "ceilings", "ceilings on calls to change, such as global=300/5m,generation=20/1h,posting=30/1h,unauthenticated=60/5m,analytics_refresh=1/15m; the manager has the last of them as its cooldown")
	f.StringVar(&o.redisURL, "redis-url", "", "Redis in which several replicas share their ceilings: redis://host:6379/0 or rediss://user@host:6379/0; without it each replica counts for itself")
	f.StringVar(&o.redisPasswordFile, "redis-password-file", "", "file with the password of Redis")
	f.StringVar(&o.trustedProxies, "trusted-proxies", "", "networks, comma separated, whose X-Forwarded-For tells the caller's address")
	host, _ := os.Hostname()
	f.StringVar(&o.replica, "replica", host, "name of this replica among those that run at the same time; the same after a restart")
	f.DurationVar(&o.remember, "idempotency-ttl", idempotency.DefaultTTL, "how long idempotency keys are remembered")
	f.DurationVar(&o.uploadTTL, "upload-ttl", upload.DefaultTTL, "how long an upload can be kept by POST /media; the manager has the same")
	f.StringVar(&o.llmModel, "llm-model", "", "model that writes the texts; the manager has the same. Empty when "+
		"the manager has no --llm-url: callers are then warned of a context that holds too little text")
	f.StringVar(&o.speechModel, "speech-model", "", "model that speaks; the manager has the same. Empty when the manager has no --speech-url: the package of the render pod speaks")
	f.StringVar(&o.speechVoices, "speech-voices", "", "voices that the model has, comma separated, such as alloy,nova/female,jf_alpha/female/ja: each with its gender and languages where known. "+
		"Others are then refused; the manager has the same")
	f.BoolVar(&o.aiImages, "ai-images", false, "AI pictures can be asked for: the manager has a picture model")
	f.IntVar(&o.aiImageCredits, "ai-image-credits", catalog.CreditsPerAIImage, "what one AI picture costs on plans that show credits; the manager has the same")
	f.StringVar(&o.allowHosts, "allow-hosts", "", "comma separated hosts that callers may name as places of pictures whatever their address, also over plain http; the manager has the same")
	o.platforms.Flags(f, false)
	o.stock.ProviderFlags(f)
	o.stock.SearchFlags(f)
	f.DurationVar(&o.drainDelay, "drain-delay", 0, "how long to go on serving after saying not ready at shutdown, so that load balancers notice")
	f.DurationVar(&o.drainTime, "drain-time", 25*time.Second, "how long, after that, running requests may take to end; a pod's grace period is longer than both together")
	f.DurationVar(&o.clusterPatience, "ready-without-cluster", time.Minute, "for how long a replica that the cluster does not answer says that it is ready")
	f.IntVar(&o.maxCalls, "max-calls", pressure.DefaultMost, "calls answered at once; of those that change something a quarter. More are refused with 503 and Retry-After. "+
		"A quarter of the calls may wait for a job; more of these are answered at once")
	f.StringVar(&o.auditLog, "audit-log", "", "file that a line of JSON is added to for each change made for a caller; SIGHUP opens it anew (default: standard error, with the log)")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	errs := []error{flagenv.Set(f)}
	f.Lookup("replica").DefValue = "$HOSTNAME" // the help is the same on every host
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.libraryNamespace == "" {
		o.libraryNamespace = o.systemNamespace
	}
	for _, r := range []struct{ name, value string }{
		{"base-url", o.baseURL}, {"blob-url", o.blobURL}, {"signing-key-file", o.signingKeyFile},
	} {
		if r.value == "" {
			errs = append(errs, fmt.Errorf("--%s is required", r.name))
		}
	}
	if u, err := url.Parse(o.baseURL); o.baseURL != "" && (err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "") {
		errs = append(errs, fmt.Errorf("--base-url: %q is not an address such as https://reelops.example", o.baseURL))
	}
	if o.maxCalls < 4 || o.drainDelay < 0 || o.drainTime < time.Second || o.clusterPatience < time.Second {
		errs = append(errs, errors.New("--max-calls is at least 4, --drain-delay at least 0s, --drain-time and --ready-without-cluster at least 1s"))
	}
	if o.aiImageCredits < 0 || o.aiImageCredits > catalog.MaxCreditsPerAIImage {
		errs = append(errs, fmt.Errorf("--ai-image-credits is 0 to %d", catalog.MaxCreditsPerAIImage))
	}
	if err := o.tls.Check(); err != nil {
		errs = append(errs, fmt.Errorf("--tls-cert-file: %w", err))
	}
	if err := o.metrics.Check(); err != nil {
		errs = append(errs, err)
	}
	if err := o.platforms.Check(); err != nil {
		errs = append(errs, err)
	}
	if err := o.stock.Check(); err != nil {
		errs = append(errs, err)
	}
	var err error
	o.voices.Service = o.speechModel != ""
	if o.voices.Named, err = voices.Parse(o.speechVoices); err != nil {
		errs = append(errs, fmt.Errorf("--speech-voices: %w", err))
	}
	if o.speechVoices != "" && o.speechModel == "" {
		errs = append(errs, errors.New("--speech-voices needs --speech-model"))
	}
	if o.proxies, err = limit.ParseNetworks(o.trustedProxies); err != nil {
		errs = append(errs, fmt.Errorf("--trusted-proxies: %w", err))
	}
	if err := apikey.CheckPrefix(o.keyPrefix); err != nil {
		errs = append(errs, fmt.Errorf("--key-prefix: %w", err))
	}
	if err := o.level.UnmarshalText([]byte(o.logLevel)); err != nil {
		errs = append(errs, fmt.Errorf("--log-level: %w", err))
	}
	return o, errors.Join(errs...)
}
