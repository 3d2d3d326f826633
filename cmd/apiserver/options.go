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

	"github.com/reelops/reelops/apiserver/archived"
	"github.com/reelops/reelops/apiserver/console"
	"github.com/reelops/reelops/apiserver/idempotency"
	"github.com/reelops/reelops/apiserver/limit"
	"github.com/reelops/reelops/apiserver/ops"
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

// maxAuditSize is the largest size in MiB that --audit-log-maxsize sets: 1 TiB.
const maxAuditSize = 1 << 20

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
	webhookHosts                          string
	auditLog                              string
	auditMaxSize, auditMaxBackup          int
	redisURL, redisPasswordFile           string
	trustedProxies, replica               string
	remember                              time.Duration
	ceilings                              limit.Ceilings
	proxies                               []netip.Prefix
	uploadTTL                             time.Duration
	drainDelay, drainTime                 time.Duration
	clusterPatience                       time.Duration
	maxCalls                              int
	archiveCache                          int64
	fontDirs                              string
	previews                              int
	aiImages                              bool
	llmModel                              string
	speechModel, speechVoices             string
	voices                                voices.Set
	aiImageCredits                        int
	level                                 slog.Level
	stock                                 stock.Settings
	platforms                             platforms.Settings
	oidc                                  console.OIDC
	oidcSecretFile                        string
}

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{ceilings: limit.Default()}
	f := flag.NewFlagSet("apiserver", flag.ContinueOnError)
	f.SetOutput(stderr)
	version.Flag(f)
	f.StringVar(&o.listen, "listen", ":8080", "address of the REST API and the MCP server")
	f.StringVar(&o.internalListen, "internal-listen", ":8081", "address to which worker pods report; it must not be reachable for clients")
	f.StringVar(&o.metricsListen, "metrics-listen", ":9090", "address of /metrics, /healthz and /readyz")
	o.tls.Flags(f, "", "the public and the internal listener; plain HTTP if unset")
	o.metrics.Flags(f)
	f.StringVar(&o.baseURL, "base-url", "", "public URL, as clients see it; used in signed URLs and in the OpenAPI document (required)")
	f.StringVar(&o.blobURL, "blob-url", "", "blob store: file:///folder, s3://bucket, gs://bucket or azblob://container (required)")
	f.StringVar(&o.signingKeyFile, "signing-key-file", "", "file with the key, at least 32 bytes, that signs URLs; must be the key of the manager (required)")
	f.StringVar(&o.systemNamespace, "system-namespace", "reelops-system", "namespace of the installation's own objects")
	f.StringVar(&o.libraryNamespace, "library-namespace", "", "namespace whose media, packs and music are available to every account; must equal the manager's (default: the system namespace)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; default: the service account of the pod")
	f.StringVar(&o.resumeDir, "resume-dir", "", "directory, used only by this process, for a snapshot of the informer caches, so that a restart does not list all objects; no snapshot if unset")
	f.StringVar(&o.keyPrefix, "key-prefix", apikey.DefaultPrefix, "prefix of the secrets of API keys")
	f.Var(o.ceilings, "ceilings", "rate limits to change, such as global=300/5m,console=1200/5m,generation=20/1h,posting=30/1h,unauthenticated=60/5m,analytics_refresh=1/15m; the window of analytics_refresh must equal --analytics-cooldown of the manager")
	f.StringVar(&o.redisURL, "redis-url", "", "Redis in which replicas share the counts of rate limits: redis://host:6379/0 or rediss://user@host:6379/0; if unset, each replica counts separately")
	f.StringVar(&o.redisPasswordFile, "redis-password-file", "", "file with the password of Redis")
	f.StringVar(&o.trustedProxies, "trusted-proxies", "", "comma-separated networks of proxies whose X-Forwarded-For header is trusted for the address of the client")
	host, _ := os.Hostname()
	f.StringVar(&o.replica, "replica", host, "name of this replica; must be unique among running replicas and stay the same after a restart")
	f.DurationVar(&o.remember, "idempotency-ttl", idempotency.DefaultTTL, "lifetime of idempotency keys")
	f.DurationVar(&o.uploadTTL, "upload-ttl", upload.DefaultTTL, "time within which an upload can be claimed with POST /media; must equal the manager's")
	f.StringVar(&o.llmModel, "llm-model", "", "model that generates texts; must equal the manager's. Leave it unset "+
		"if the manager has no --llm-url: clients are then warned about a context with too little text")
	f.StringVar(&o.speechModel, "speech-model", "", "speech model; must equal the manager's. Leave it unset if the manager has no --speech-url: the speech programs of the renderer are used")
	f.StringVar(&o.speechVoices, "speech-voices", "", "comma-separated voices of the speech model, such as alloy,nova/female,jf_alpha/female/ja: each with its gender and languages if known. "+
		"Other voices are rejected; must equal the manager's")
	f.StringVar(&o.fontDirs, "font-dirs", "", "comma-separated directories with the fonts of previews; must have the fonts of the manager; default: those of the system")
	f.IntVar(&o.previews, "previews", ops.DefaultPreviews, "maximum number of slide previews drawn at the same time; further ones wait for a second and are then rejected with 503 and Retry-After")
	f.BoolVar(&o.aiImages, "ai-images", false, "accept requests for AI images; set it if the manager has an image model")
	f.IntVar(&o.aiImageCredits, "ai-image-credits", catalog.CreditsPerAIImage, "price in credits of one AI image on plans with credits; must equal the manager's")
	f.StringVar(&o.webhookHosts, "webhook-hosts", "", "comma-separated hosts of webhook endpoints that may have private addresses, other ports or plain http; must equal the manager's")
	f.StringVar(&o.allowHosts, "allow-hosts", "", "comma-separated hosts whose URLs clients may use for media even if they have private addresses or plain http; must equal the manager's")
	o.platforms.Flags(f, false)
	o.stock.ProviderFlags(f)
	o.stock.SearchFlags(f)
	f.DurationVar(&o.drainDelay, "drain-delay", 0, "time to keep serving at shutdown after readiness fails, so that load balancers stop sending requests")
	f.DurationVar(&o.drainTime, "drain-time", 25*time.Second, "time after --drain-delay for requests in flight to finish; the termination grace period of the pod must be longer than both together")
	f.DurationVar(&o.clusterPatience, "ready-without-cluster", time.Minute, "time for which a replica stays ready while the Kubernetes API server does not respond")
	f.IntVar(&o.maxCalls, "max-calls", pressure.DefaultMost, "maximum number of calls in flight, of which a quarter may be changing calls. Further calls are rejected with 503 and Retry-After. "+
		"A quarter of the calls may wait for a job; further ones return without waiting")
	f.Int64Var(&o.archiveCache, "archive-cache-bytes", archived.MostBytes, "memory in bytes for archived shorts and posts: the keys of the accounts that are in use, the texts of recent searches, and parts of files")
	f.StringVar(&o.oidc.Issuer, "oidc-issuer-url", "", "identity provider at which users of the console sign in with OpenID Connect, such as https://login.example; if unset, users sign in with links of kubectl reelops console")
	f.StringVar(&o.oidc.ClientID, "oidc-client-id", "", "client id of the console at the identity provider; the redirect URL is BASE_URL/console/callback")
	f.StringVar(&o.oidcSecretFile, "oidc-client-secret-file", "", "file with the client secret; if unset, the client is public and is proven by PKCE only")
	f.StringVar(&o.oidc.UsernameClaim, "oidc-username-claim", "email", "claim of the ID token with the Kubernetes user name; email counts only if the provider has verified it")
	f.StringVar(&o.oidc.GroupsClaim, "oidc-groups-claim", "groups", "claim of the ID token with the Kubernetes groups")
	f.StringVar(&o.oidc.UsernamePrefix, "oidc-username-prefix", "", "prefix of user names, as in the authentication configuration of the cluster; if unset, the claims other than email get the issuer and #, as with the API server's flag of this name; - for none")
	f.StringVar(&o.oidc.GroupsPrefix, "oidc-groups-prefix", "", "prefix of groups, as in the authentication configuration of the cluster")
	f.StringVar(&o.auditLog, "audit-log", "", "file to which a line of JSON is appended for each change that a client requests; SIGHUP reopens it (default: standard error, with the log)")
	f.IntVar(&o.auditMaxSize, "audit-log-maxsize", 100, "size in MiB at which the file of --audit-log is renamed to FILE.1, FILE.1 to FILE.2 and so on; 0 if another program rotates the file")
	f.IntVar(&o.auditMaxBackup, "audit-log-maxbackup", 10, "number of renamed files of --audit-log that are kept")
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
		errs = append(errs, fmt.Errorf("--base-url: %q is not a URL such as https://reelops.example", o.baseURL))
	}
	if o.maxCalls < 4 || o.drainDelay < 0 || o.drainTime < time.Second || o.clusterPatience < time.Second {
		errs = append(errs, errors.New("--max-calls must be at least 4, --drain-delay at least 0s, --drain-time and --ready-without-cluster at least 1s"))
	}
	if o.archiveCache < 1<<20 {
		errs = append(errs, errors.New("--archive-cache-bytes must be at least 1048576"))
	}
	if o.auditMaxSize < 0 || o.auditMaxSize > maxAuditSize || o.auditMaxBackup < 1 {
		errs = append(errs, fmt.Errorf("--audit-log-maxsize must be from 0 to %d, --audit-log-maxbackup at least 1", maxAuditSize))
	}
	if o.previews < 1 {
		errs = append(errs, errors.New("--previews must be at least 1"))
	}
	if o.aiImageCredits < 0 || o.aiImageCredits > catalog.MaxCreditsPerAIImage {
		errs = append(errs, fmt.Errorf("--ai-image-credits must be from 0 to %d", catalog.MaxCreditsPerAIImage))
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
	if err := o.checkOIDC(); err != nil {
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

// checkOIDC returns an error unless the settings of the identity provider are complete, or there are none. It sets the
// default of the prefix of user names.
func (o *options) checkOIDC() error {
	if o.oidc.Issuer == "" {
		if o.oidc.ClientID != "" || o.oidcSecretFile != "" {
			return errors.New("--oidc-client-id and --oidc-client-secret-file need --oidc-issuer-url")
		}
		return nil
	}
	u, err := url.Parse(o.oidc.Issuer)
	loopback := err == nil && u.Scheme == "http" && (u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1")
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && !loopback:
		return fmt.Errorf("--oidc-issuer-url: %q is not a URL such as https://login.example", o.oidc.Issuer)
	case o.oidc.ClientID == "":
		return errors.New("--oidc-issuer-url needs --oidc-client-id")
	case o.oidc.UsernameClaim == "":
		return errors.New("--oidc-username-claim must not be empty")
	}
	switch {
	case o.oidc.UsernamePrefix == "-":
		o.oidc.UsernamePrefix = ""
	case o.oidc.UsernamePrefix == "" && o.oidc.UsernameClaim != "email":
		o.oidc.UsernamePrefix = o.oidc.Issuer + "#"
	}
	return nil
}
