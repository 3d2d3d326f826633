// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reelops/reelops/controllers/accountanalytics"
	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/ai"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/film/speech/service"
	"github.com/reelops/reelops/internal/film/speech/voices"
	"github.com/reelops/reelops/internal/kube/lease"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/process/flagenv"
	"github.com/reelops/reelops/internal/process/serving"
	"github.com/reelops/reelops/internal/process/version"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/store/upload"
)

// options holds the manager's settings. Every flag can also be given as an environment variable; see flagenv. Secrets
// are read from files, never from flags.
type options struct {
	kubeconfig, systemNamespace  string
	account                      string
	resumeDir                    string
	libraryNamespace             string
	blobURL, blobBaseURL         string
	signingKeyFile               string
	callbackURL                  string
	rendererImage                string
	renderCPU, renderMemory      string
	renderScratch                string
	renderTTL                    time.Duration
	mediaCPU, mediaMemory        string
	mediaScratch                 string
	mediaJobs                    int
	pods                         podSettings
	slideshows, drawings         int
	fontDirs, allowHosts         string
	webhookHosts                 string
	fetchProxy                   *url.URL
	llmURL, llmModel, llmKeyFile string
	llmTimeout                   time.Duration
	aiImages                     ai.Config
	aiImageKeyFile               string
	aiImageCredits               int
	speech                       service.Config
	speechKeyFile, speechVoices  string
	metricsListen, healthListen  string
	metrics                      serving.Metrics
	uploadTTL, archiveAfter      time.Duration
	starterSet                   bool
	leaderElect                  bool
	leaderLease                  time.Duration
	leaderRenew, leaderRetry     time.Duration
	logLevel                     string
	stock                        stock.Settings
	tokenKeyFile                 string
	keySecrets                   bool
	analyticsInterval            time.Duration
	analyticsCooldown            time.Duration
	youtubeUnits                 int
	platforms                    platforms.Settings
}

func parseOptions(args []string, stderr io.Writer) (*options, error) {
	o := &options{}
	f := flag.NewFlagSet("manager", flag.ContinueOnError)
	f.SetOutput(stderr)
	version.Flag(f)
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; default: the service account of the pod")
	f.StringVar(&o.systemNamespace, "system-namespace", "reelops-system", "namespace of the installation's own objects")
	f.StringVar(&o.account, "service-account", tenancy.ServiceAccount, "name of the manager's ServiceAccount; must be the one in the admission policies")
	f.StringVar(&o.libraryNamespace, "library-namespace", "", "namespace whose media, packs and music are available to every account; must equal the reelops-apiserver's (default: the system namespace)")
	f.StringVar(&o.blobURL, "blob-url", "", "blob store: file:///folder, s3://bucket, gs://bucket or azblob://container (required)")
	f.StringVar(&o.blobBaseURL, "blob-base-url", "", "with a file blob store: URL at which worker pods reach the reelops-apiserver, such as http://reelops-apiserver")
	f.StringVar(&o.signingKeyFile, "signing-key-file", "", "file with the key, at least 32 bytes, that signs URLs; must be the key of the reelops-apiserver (this or --key-secrets is required)")
	f.BoolVar(&o.keySecrets, "key-secrets", false, "read both keys from the Secrets "+keysecret.SigningSecret+" and "+keysecret.TokenSecret+" in the system namespace, and create those that are missing; the reelops-apiserver has the first as a file")
	f.StringVar(&o.tokenKeyFile, "token-key-file", "", "file with the keys that encrypt the tokens of connected accounts, one per line: 32 random bytes in base64. Only the manager may have it. If unset, no account can be connected and nothing is published")
	o.platforms.Flags(f, true)
	f.DurationVar(&o.analyticsInterval, "analytics-interval", analytics.DefaultInterval, "interval of scheduled refreshes of the analytics of an account; at least 30m")
	f.DurationVar(&o.analyticsCooldown, "analytics-cooldown", catalog.RefreshCooldown, "minimum time between a refresh of the analytics of an account and the next requested one; must equal the window of the rate limit analytics_refresh of the reelops-apiserver")
	f.IntVar(&o.youtubeUnits, "analytics-youtube-units", accountanalytics.DefaultYouTubeUnits, "units of the app's daily YouTube quota that may be spent on reading analytics")
	f.StringVar(&o.callbackURL, "callback-url", "", "URL at which worker pods reach the internal listener of the reelops-apiserver (required)")
	f.StringVar(&o.rendererImage, "renderer-image", "", "container image of the renderer (required)")
	f.StringVar(&o.renderCPU, "render-cpu", "2", "CPU request and limit of a render pod")
	f.StringVar(&o.renderMemory, "render-memory", "1Gi", "memory request and limit of a render pod; doubled once after a pod ran out of memory")
	f.StringVar(&o.renderScratch, "render-scratch", "1Gi", "size limit of the scratch volume of a render pod")
	f.DurationVar(&o.renderTTL, "render-ttl", time.Hour, "time after which finished render Jobs are deleted")
	f.StringVar(&o.mediaCPU, "media-cpu", "1", "CPU request and limit of a media pod, which opens a clip or a track")
	f.StringVar(&o.mediaMemory, "media-memory", "1Gi", "memory request and limit of a media pod")
	f.StringVar(&o.mediaScratch, "media-scratch", "1Gi", "size limit of the scratch volume of a media pod")
	f.IntVar(&o.mediaJobs, "media-jobs", 4, "maximum number of clips and tracks opened at the same time, for all accounts")
	o.pods.flags(f)
	f.DurationVar(&o.archiveAfter, "archive-after", 30*24*time.Hour, "time without a change after which a settled short leaves the cluster for the archive in the blob store; 0 means never. The plan of an account can set another time")
	f.DurationVar(&o.uploadTTL, "upload-ttl", upload.DefaultTTL, "time within which an upload can be claimed with POST /media; unclaimed uploads are deleted afterwards. Must equal the reelops-apiserver's")
	f.BoolVar(&o.starterSet, "starter-set", true, "add avatar clips and music that Reelops generates to the library, from a minute after the start and while no other work waits")
	f.IntVar(&o.slideshows, "slideshows", 4, "number of slideshows processed concurrently")
	f.IntVar(&o.drawings, "drawings", 2, "number of slides drawn concurrently, for all slideshows")
	f.StringVar(&o.fontDirs, "font-dirs", "", "comma-separated directories with fonts; default: those of the system")
	// Not a flag.Func: the flag package quotes a rejected value, and this one may hold a password.
	proxy := f.String("fetch-proxy", "", "HTTP proxy for downloads from URLs, such as http://proxy.example:3128: it receives verified IP addresses, never host names; hosts of --allow-hosts bypass it")
	f.StringVar(&o.webhookHosts, "webhook-hosts", "", "comma-separated hosts of webhook endpoints that may have private addresses, other ports or plain http")
	f.StringVar(&o.allowHosts, "allow-hosts", "", "comma-separated hosts from which files may be downloaded even if they have private addresses or plain http")
	f.StringVar(&o.llmURL, "llm-url", "", "base URL of an OpenAI-compatible API that generates texts; default: the offline writer")
	f.StringVar(&o.llmModel, "llm-model", "", "model that generates texts")
	f.StringVar(&o.llmKeyFile, "llm-key-file", "", "file with the API key of the language model")
	f.DurationVar(&o.llmTimeout, "llm-timeout", time.Minute, "timeout for generating the text of one slideshow")
	f.StringVar(&o.aiImages.BaseURL, "ai-image-url", "", "base URL of an OpenAI-compatible API that generates AI images; no AI images if unset. Set --ai-images of the reelops-apiserver as well")
	f.StringVar(&o.aiImages.Model, "ai-image-model", "", "model that generates AI images")
	f.StringVar(&o.aiImageKeyFile, "ai-image-key-file", "", "file with the API key of the image model")
	f.DurationVar(&o.aiImages.Timeout, "ai-image-timeout", ai.DefaultTimeout, "timeout for generating one AI image")
	f.IntVar(&o.aiImageCredits, "ai-image-credits", catalog.CreditsPerAIImage, "price in credits of one AI image on plans with credits; must equal the reelops-apiserver's")
	f.StringVar(&o.speech.BaseURL, "speech-url", "", "base URL of an OpenAI-compatible API that synthesizes speech; default: the speech programs of the renderer")
	f.StringVar(&o.speech.Model, "speech-model", "", "speech model")
	f.StringVar(&o.speech.Voice, "speech-voice", service.DefaultVoice, "voice of the model if none is selected")
	f.StringVar(&o.speechVoices, "speech-voices", "", "comma-separated voices of the speech model, such as alloy,nova/female,jf_alpha/female/ja: each with its gender and languages if known. "+
		"Other voices are rejected; must equal the reelops-apiserver's")
	f.StringVar(&o.speech.Format, "speech-format", service.DefaultFormat, "audio format that is requested from the model: "+strings.Join(service.Formats, ", "))
	f.StringVar(&o.speechKeyFile, "speech-key-file", "", "file with the API key of the speech service")
	f.DurationVar(&o.speech.Timeout, "speech-timeout", service.DefaultTimeout, "timeout for synthesizing one text")
	o.stock.ProviderFlags(f)
	f.StringVar(&o.metricsListen, "metrics-listen", "127.0.0.1:0", "address of the Prometheus metrics; 0 disables them")
	o.metrics.Flags(f)
	f.StringVar(&o.healthListen, "health-listen", "127.0.0.1:0", "address of /healthz and /readyz; 0 disables them")
	f.BoolVar(&o.leaderElect, "leader-elect", false, "enable leader election: only one of several managers is active")
	f.DurationVar(&o.leaderLease, "leader-lease", defaultLease, "with --leader-elect: time after the last renewal of the lease at which another manager may acquire it; whole seconds")
	f.DurationVar(&o.leaderRenew, "leader-renew", defaultRenew, fmt.Sprintf("with --leader-elect: time for which the leader keeps working without renewing the lease, while no other manager acquires it; at most %s", lease.MaxUnheard))
	f.DurationVar(&o.leaderRetry, "leader-retry", defaultRetry, "with --leader-elect: interval at which the leader renews the lease and the other managers try to acquire it")
	f.StringVar(&o.resumeDir, "resume-dir", "", "directory, used only by this process, for a snapshot of the informer caches, so that a restart does not list all objects; no snapshot if unset")
	f.StringVar(&o.logLevel, "log-level", "info", "debug, info, warn or error")
	errs := []error{flagenv.Set(f)}
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if o.libraryNamespace == "" {
		o.libraryNamespace = o.systemNamespace
	}
	for name, v := range map[string]string{
		"blob-url": o.blobURL, "callback-url": o.callbackURL, "renderer-image": o.rendererImage,
	} {
		if v == "" {
			errs = append(errs, fmt.Errorf("--%s is required", name))
		}
	}
	for name, v := range map[string]string{
		"render-cpu": o.renderCPU, "render-memory": o.renderMemory, "render-scratch": o.renderScratch,
		"media-cpu": o.mediaCPU, "media-memory": o.mediaMemory, "media-scratch": o.mediaScratch,
	} {
		if q, err := resource.ParseQuantity(v); err != nil || q.Sign() <= 0 {
			errs = append(errs, fmt.Errorf("--%s: %q is not a quantity such as 2 or 1Gi", name, v))
		}
	}
	if err := o.pods.read(); err != nil {
		errs = append(errs, err)
	}
	if o.llmURL != "" && o.llmModel == "" {
		errs = append(errs, errors.New("--llm-url needs --llm-model"))
	}
	if o.speech.BaseURL != "" && o.speech.Model == "" {
		errs = append(errs, errors.New("--speech-url needs --speech-model"))
	}
	var err error
	if o.speech.Voices, err = voices.Parse(o.speechVoices); err != nil {
		errs = append(errs, fmt.Errorf("--speech-voices: %w", err))
	}
	if o.speechVoices != "" && o.speech.BaseURL == "" {
		errs = append(errs, errors.New("--speech-voices needs --speech-url"))
	}
	if o.speech.Timeout <= 0 {
		errs = append(errs, errors.New("--speech-timeout must be more than 0"))
	}
	if o.aiImages.BaseURL != "" && o.aiImages.Model == "" {
		errs = append(errs, errors.New("--ai-image-url needs --ai-image-model"))
	}
	if o.aiImages.Timeout <= 0 {
		errs = append(errs, errors.New("--ai-image-timeout must be more than 0"))
	}
	if o.aiImageCredits < 0 || o.aiImageCredits > catalog.MaxCreditsPerAIImage {
		errs = append(errs, fmt.Errorf("--ai-image-credits must be from 0 to %d", catalog.MaxCreditsPerAIImage))
	}
	if o.analyticsInterval < analytics.MinInterval {
		errs = append(errs, fmt.Errorf("--analytics-interval must be at least %s", analytics.MinInterval))
	}
	if o.analyticsCooldown < time.Second {
		errs = append(errs, errors.New("--analytics-cooldown must be at least 1s"))
	}
	if o.youtubeUnits < 1 {
		errs = append(errs, errors.New("--analytics-youtube-units must be at least 1"))
	}
	if o.slideshows < 1 || o.drawings < 1 || o.mediaJobs < 1 {
		errs = append(errs, errors.New("--slideshows, --drawings and --media-jobs must be at least 1"))
	}
	if err := o.platforms.Check(); err != nil {
		errs = append(errs, err)
	}
	fetchProxy, err := fetch.ParseProxy(*proxy)
	if err != nil {
		errs = append(errs, fmt.Errorf("--fetch-proxy: %w", err))
	}
	o.fetchProxy = fetchProxy
	if err := o.metrics.Check(); err != nil {
		errs = append(errs, err)
	}
	if err := o.checkLeader(); err != nil {
		errs = append(errs, err)
	}
	if err := o.checkKeys(); err != nil {
		errs = append(errs, err)
	}
	return o, errors.Join(errs...)
}

// serviceAccount returns the ServiceAccount that the manager runs as.
func (o *options) serviceAccount() types.NamespacedName {
	return types.NamespacedName{Namespace: o.systemNamespace, Name: o.account}
}

func list(s string) []string {
	var out []string
	for v := range strings.SplitSeq(s, ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	return out
}
