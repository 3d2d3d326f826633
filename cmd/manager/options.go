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
	uploadTTL                    time.Duration
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
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "kubeconfig file; without it the pod's service account is used")
	f.StringVar(&o.systemNamespace, "system-namespace", "reelops-system", "namespace of the installation's own objects")
	f.StringVar(&o.account, "service-account", tenancy.ServiceAccount, "name of the ServiceAccount that the manager runs as; the admission policies name the same")
	f.StringVar(&o.libraryNamespace, "library-namespace", "", "namespace whose media, packs and music every account sees; the front end has the same (default: the system namespace)")
	f.StringVar(&o.blobURL, "blob-url", "", "blob store: file:///folder, s3://bucket, gs://bucket or azblob://container (required)")
	f.StringVar(&o.blobBaseURL, "blob-base-url", "", "with a folder store: where render pods reach the front end, such as http://reelops-apiserver")
	f.StringVar(&o.signingKeyFile, "signing-key-file", "", "file with the key, at least 32 bytes, that signs addresses; the front end has the same (this or --key-secrets is required)")
	f.BoolVar(&o.keySecrets, "key-secrets", false, "read both keys from the Secrets "+keysecret.SigningSecret+" and "+keysecret.TokenSecret+" of the system namespace, and make those that are missing; the front end has the first as a file")
	f.StringVar(&o.tokenKeyFile, "token-key-file", "", "file with the keys that seal the tokens of connected accounts, each line the base64 of 32 random bytes; nobody but the manager has it. Without it no account can be connected and nothing is published")
	o.platforms.Flags(f, true)
	f.DurationVar(&o.analyticsInterval, "analytics-interval", analytics.DefaultInterval, "how often the numbers of an account are read by themselves; at least 30m")
	f.DurationVar(&o.analyticsCooldown, "analytics-cooldown", catalog.RefreshCooldown, "how long after the numbers of an account were read nobody can ask for them again; the window of the front end's ceiling analytics_refresh is the same")
	f.IntVar(&o.youtubeUnits, "analytics-youtube-units", accountanalytics.DefaultYouTubeUnits, "how many of the units that the app has a day on YouTube are spent on reading numbers")
	f.StringVar(&o.callbackURL, "callback-url", "", "where render pods reach the front end's internal listener (required)")
	f.StringVar(&o.rendererImage, "renderer-image", "", "container image of the renderer (required)")
	f.StringVar(&o.renderCPU, "render-cpu", "2", "processors of a render pod, requested and limit")
	f.StringVar(&o.renderMemory, "render-memory", "1Gi", "memory of a render pod, requested and limit; doubled once after a pod ran out of it")
	f.StringVar(&o.renderScratch, "render-scratch", "1Gi", "size limit of a render pod's working folder")
	f.DurationVar(&o.renderTTL, "render-ttl", time.Hour, "how long finished render Jobs stay to be looked at")
	f.StringVar(&o.mediaCPU, "media-cpu", "1", "processors of a pod that opens a clip or a track, requested and limit")
	f.StringVar(&o.mediaMemory, "media-memory", "1Gi", "memory of a pod that opens a clip or a track, requested and limit")
	f.StringVar(&o.mediaScratch, "media-scratch", "1Gi", "size limit of the working folder of a pod that opens a clip or a track")
	f.IntVar(&o.mediaJobs, "media-jobs", 4, "clips and tracks opened at once, over all accounts")
	o.pods.flags(f)
	f.DurationVar(&o.uploadTTL, "upload-ttl", upload.DefaultTTL, "how long an upload can be kept by POST /media, after which it is removed; the front end has the same")
	f.BoolVar(&o.starterSet, "starter-set", true, "fill the library with avatar clips and music that Reelops makes itself, a minute after the start and while nothing else is to do")
	f.IntVar(&o.slideshows, "slideshows", 4, "slideshows worked on at once")
	f.IntVar(&o.drawings, "drawings", 2, "slides drawn at once, over all slideshows")
	f.StringVar(&o.fontDirs, "font-dirs", "", "comma separated folders with fonts; default: the system's")
	// Not a flag.Func: the flag package quotes a rejected value, and this one may hold a password.
	proxy := f.String("fetch-proxy", "", "HTTP proxy for files at URLs, such as http://proxy.example:3128: it gets checked addresses, never names; hosts of --allow-hosts are fetched without it")
	f.StringVar(&o.allowHosts, "allow-hosts", "", "comma separated hosts that may be fetched from whatever their address, also over plain http")
	f.StringVar(&o.llmURL, "llm-url", "", "base URL of an OpenAI-compatible API that writes the texts; without it the offline writer does")
	f.StringVar(&o.llmModel, "llm-model", "", "model that writes the texts")
	f.StringVar(&o.llmKeyFile, "llm-key-file", "", "file with the API key of the language model")
	f.DurationVar(&o.llmTimeout, "llm-timeout", time.Minute, "time limit for writing one slideshow's text")
	f.StringVar(&o.aiImages.BaseURL, "ai-image-url", "", "base URL of an OpenAI-compatible API that makes AI pictures; without it there are none. Tell the front end with --ai-images")
	f.StringVar(&o.aiImages.Model, "ai-image-model", "", "model that makes AI pictures")
	f.StringVar(&o.aiImageKeyFile, "ai-image-key-file", "", "file with the API key of the picture model")
	f.DurationVar(&o.aiImages.Timeout, "ai-image-timeout", ai.DefaultTimeout, "time limit for making one AI picture")
	f.IntVar(&o.aiImageCredits, "ai-image-credits", catalog.CreditsPerAIImage, "what one AI picture costs on plans that show credits; the front end has the same")
	f.StringVar(&o.speech.BaseURL, "speech-url", "", "base URL of an OpenAI-compatible API that speaks the hooks of videos; without it the renderer does")
	f.StringVar(&o.speech.Model, "speech-model", "", "model that speaks")
	f.StringVar(&o.speech.Voice, "speech-voice", service.DefaultVoice, "voice of the model where a video names none")
	f.StringVar(&o.speechVoices, "speech-voices", "", "voices that the model has, comma separated, such as alloy,nova/female,jf_alpha/female/ja: each with its gender and languages where known. "+
		"Others are then refused; the front end has the same")
	f.StringVar(&o.speech.Format, "speech-format", service.DefaultFormat, "what the model shall answer with: "+strings.Join(service.Formats, ", "))
	f.StringVar(&o.speechKeyFile, "speech-key-file", "", "file with the API key of the speech service")
	f.DurationVar(&o.speech.Timeout, "speech-timeout", service.DefaultTimeout, "time limit for speaking one hook")
	o.stock.ProviderFlags(f)
	f.StringVar(&o.metricsListen, "metrics-listen", "127.0.0.1:0", "address of Prometheus metrics; 0 turns them off")
	o.metrics.Flags(f)
	f.StringVar(&o.healthListen, "health-listen", "127.0.0.1:0", "address of /healthz and /readyz; 0 turns them off")
	f.BoolVar(&o.leaderElect, "leader-elect", false, "let only one of several managers work")
	f.DurationVar(&o.leaderLease, "leader-lease", defaultLease, "with --leader-elect: how long after its last sign of life another manager takes over from the one that works; whole seconds")
	f.DurationVar(&o.leaderRenew, "leader-renew", defaultRenew, fmt.Sprintf("with --leader-elect: how long the one that works goes on when it cannot reach the cluster and nobody took over; at most %s", lease.MaxUnheard))
	f.DurationVar(&o.leaderRetry, "leader-retry", defaultRetry, "with --leader-elect: how often the one that works gives a sign of life, and the others look for it")
	f.StringVar(&o.resumeDir, "resume-dir", "", "folder of this program alone where it keeps the objects that it knows, so that it need not ask the cluster for all of them when it is started again; empty keeps none")
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
		errs = append(errs, errors.New("--speech-timeout is more than 0"))
	}
	if o.aiImages.BaseURL != "" && o.aiImages.Model == "" {
		errs = append(errs, errors.New("--ai-image-url needs --ai-image-model"))
	}
	if o.aiImages.Timeout <= 0 {
		errs = append(errs, errors.New("--ai-image-timeout is more than 0"))
	}
	if o.aiImageCredits < 0 || o.aiImageCredits > catalog.MaxCreditsPerAIImage {
		errs = append(errs, fmt.Errorf("--ai-image-credits is 0 to %d", catalog.MaxCreditsPerAIImage))
	}
	if o.analyticsInterval < analytics.MinInterval {
		errs = append(errs, fmt.Errorf("--analytics-interval is at least %s", analytics.MinInterval))
	}
	if o.analyticsCooldown < time.Second {
		errs = append(errs, errors.New("--analytics-cooldown is at least 1s"))
	}
	if o.youtubeUnits < 1 {
		errs = append(errs, errors.New("--analytics-youtube-units is at least 1"))
	}
	if o.slideshows < 1 || o.drawings < 1 || o.mediaJobs < 1 {
		errs = append(errs, errors.New("--slideshows, --drawings and --media-jobs are at least 1"))
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
