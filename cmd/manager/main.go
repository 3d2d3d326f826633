// SPDX-License-Identifier: Apache-2.0

// Command manager runs the controllers.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/eventdata"
	"github.com/reelops/reelops/controllers"
	"github.com/reelops/reelops/controllers/idempotencyrecord"
	"github.com/reelops/reelops/controllers/slideshow"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/imagery/ai"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/content/stock"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/content/textgen/offline"
	"github.com/reelops/reelops/internal/content/textgen/openai"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/film/speech/service"
	"github.com/reelops/reelops/internal/kube/fieldowner"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/kube/resume"
	"github.com/reelops/reelops/internal/process/clockskew"
	"github.com/reelops/reelops/internal/process/deadline"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/process/logging"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/observed"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/blob/clouds"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/confine"
	"github.com/reelops/reelops/internal/work/pod"
)

// +kubebuilder:rbac:groups="",namespace=reelops-system,resources=configmaps,verbs=get;create;update
// +kubebuilder:rbac:groups=reelops.dev,resources=identities,verbs=assign
// +kubebuilder:rbac:groups="",namespace=reelops-system,resources=secrets,resourceNames=reelops-signing-key;reelops-token-key,verbs=get
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=reelops-system,resources=leases,verbs=get;create;update
// +kubebuilder:rbac:groups=networking.k8s.io,namespace=reelops-system,resources=networkpolicies,resourceNames=reelops-renderer,verbs=get
// +kubebuilder:rbac:groups=networking.k8s.io,roleName=reelops-manager-account,resources=networkpolicies,verbs=create
// +kubebuilder:rbac:groups=networking.k8s.io,roleName=reelops-manager-account,resources=networkpolicies,resourceNames=reelops-renderer,verbs=get;update

// scrapeTime is the time limit of one request to the metrics server, including its response.
const scrapeTime = 30 * time.Second

// metricsServer returns the options of the metrics server. The server has no option for the time limit of requests and
// responses, so a filter sets scrapeTime.
func metricsServer(ctx context.Context, o *options, log *slog.Logger) (metricsserver.Options, error) {
	certificate, err := o.metrics.TLS(ctx, log)
	s := metricsserver.Options{BindAddress: o.metricsListen, SecureServing: certificate != nil}
	if s.SecureServing {
		s.TLSOpts = []func(*tls.Config){func(c *tls.Config) {
			c.MinVersion, c.NextProtos = certificate.MinVersion, certificate.NextProtos
			c.Certificates, c.GetCertificate = certificate.Certificates, certificate.GetCertificate
		}}
	}
	s.FilterProvider = func(config *rest.Config, _ *http.Client) (metricsserver.Filter, error) {
		return func(log logr.Logger, next http.Handler) (http.Handler, error) {
			next, err := o.metrics.Protect(config, log, next)
			return deadline.Within(scrapeTime, next), err
		}, nil
	}
	return s, err
}

func main() {
	o, err := parseOptions(os.Args[1:], os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		os.Exit(0)
	}
	if err == nil {
		err = run(ctrl.SetupSignalHandler(), o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o *options) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(o.logLevel)); err != nil {
		return fmt.Errorf("--log-level: %w", err)
	}
	log := logging.New(os.Stderr, level)
	logging.SetLibraries(log)
	endTraces, err := observe(ctx, log)
	if err != nil {
		return err
	}
	defer endTraces()

	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	skew := clockskew.New(clock.RealClock{})
	mgr, err := newManager(ctx, o, log, skew, stop)
	if err != nil {
		return err
	}
	// live has no cache, because ConfigMaps and Secrets are not watched.
	live, err := client.New(mgr.GetConfig(), client.Options{Scheme: mgr.GetScheme(), FieldOwner: fieldowner.Manager})
	if err != nil {
		return err
	}
	key, sealer, err := openKeys(ctx, o, live)
	if err != nil {
		return err
	}
	signer, err := callback.NewSigner(key)
	if err != nil {
		return err
	}
	secrets, err := webhooksecret.New(key)
	if err != nil {
		return err
	}
	store, err := blob.Open(ctx, blob.Config{URL: o.blobURL, SigningKey: key, BaseURL: o.blobBaseURL, Cloud: clouds.Stores{}})
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	engine, err := overlay.New(list(o.fontDirs)...)
	if err != nil {
		return fmt.Errorf("loading the fonts: %w", err)
	}
	writer, err := newWriter(o)
	if err != nil {
		return err
	}
	speaker, err := newSpeaker(o)
	if err != nil {
		return err
	}
	pictures, err := newPictures(o)
	if err != nil {
		return err
	}
	providers, err := o.stock.OpenProviders(clock.RealClock{})
	if err != nil {
		return err
	}
	if len(providers) == 0 {
		log.Info("no stock provider configured: slides without a matching generated image show a pattern; " +
			"photographs need --pexels-key-file, --unsplash-key-file or --pixabay-key-file")
	}
	social, err := o.platforms.Open(clock.RealClock{})
	if err != nil {
		return err
	}
	watched := observed.All(social)
	keeper, approvals, err := newPublishing(watched, live, key, sealer)
	if err != nil {
		return err
	}
	if keeper == nil {
		log.Warn("neither --key-secrets nor --token-key-file is set: no account can be connected and nothing is published")
	}
	if err := controllers.Setup(ctx, mgr, controllers.Config{
		Ahead:   skew.Ahead,
		Sources: social.Sources(), AnalyticsInterval: o.analyticsInterval, AnalyticsCooldown: o.analyticsCooldown, YouTubeUnits: o.youtubeUnits,
		Platforms: watched, Keeper: keeper, Consent: approvals, Sealer: sealer,
		Pictures: pictures, AIImages: catalog.AIImages{Available: pictures != nil, CreditsPerImage: int32(o.aiImageCredits)},
		Stock: stock.New(stock.Config{Providers: providers, Store: store, Clock: clock.RealClock{}, Log: log}),
		Store: store, Writer: writer, Speaker: speaker, Engine: engine, Signer: signer, CallbackURL: o.callbackURL,
		Pod: o.renderPod(), MediaPod: o.mediaPod(), Renders: o.pods.renders,
		MediaJobs:  o.mediaJobs,
		Tenancy:    confine.New(tenancy.New(live, o.serviceAccount(), clock.RealClock{}), live, o.systemNamespace, clock.RealClock{}),
		System:     o.systemNamespace,
		Library:    o.libraryNamespace,
		StarterSet: o.starterSet,
		IDs:        ids.New(live, o.systemNamespace),
		Fetch:      fetch.Config{Proxy: o.fetchProxy},
		EventData:  eventdata.New(slideshow.IndexRenderSource, publish.Missing(watched), clock.RealClock{}).Of,
		AllowHosts: list(o.allowHosts), WebhookHosts: list(o.webhookHosts), WebhookSecrets: secrets, UploadTTL: o.uploadTTL, ArchiveAfter: o.archiveAfter, Slideshows: o.slideshows, Drawings: o.drawings, Clock: clock.RealClock{},
	}); err != nil {
		return err
	}
	if err := mgr.Start(ctx); err != nil {
		return err
	}
	if err := context.Cause(ctx); errors.Is(err, errReplaced) {
		return err
	}
	return nil
}

func newManager(ctx context.Context, o *options, log *slog.Logger, skew *clockskew.Meter, stop context.CancelCauseFunc) (ctrl.Manager, error) {
	scheme := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(scheme))
	utilruntime.Must(v1beta1.AddToScheme(scheme))
	var config *rest.Config
	var err error
	if o.kubeconfig != "" {
		config, err = clientcmd.BuildConfigFromFlags("", o.kubeconfig)
	} else {
		config, err = rest.InClusterConfig()
	}
	if err != nil {
		return nil, fmt.Errorf("reading the kubeconfig: %w", err)
	}
	// Disable the client's rate limit, which would only delay due posts. The controllers limit their own concurrency,
	// and the API server limits its load.
	config.QPS = -1
	config.DisableCompression = true // compressing lists would take kube-apiserver longer than encoding them
	config.Wrap(skew.Transport)
	ours, err := labels.NewRequirement(v1beta1.LabelComponent, selection.Equals, []string{pod.Component})
	if err != nil {
		return nil, err
	}
	accounts, err := labels.NewRequirement(v1beta1.LabelAccount, selection.Exists, nil)
	if err != nil {
		return nil, err
	}
	lock, err := newLock(o, config, stop)
	if err != nil {
		return nil, err
	}
	kept := resume.Open(resume.Config{
		Folder: o.resumeDir, Server: config.Host, Kinds: resume.Kinds(), Clock: clock.RealClock{}, Log: ctrl.Log.WithName("resume"),
	})
	newInformer, err := kept.Informers(config, scheme, v1beta1.Whole())
	if err != nil {
		return nil, fmt.Errorf("creating the clients of informers: %w", err)
	}
	scraped, err := metricsServer(ctx, o, log)
	if err != nil {
		return nil, err
	}
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                              scheme,
		LeaderElection:                      o.leaderElect,
		LeaderElectionID:                    leaseName, // label "name" of leader_election_master_status
		LeaderElectionResourceLockInterface: lock,
		LeaseDuration:                       ptr.To(o.leaderRenew + time.Second), // the Lease lasts --leader-lease
		RenewDeadline:                       &o.leaderRenew,
		RetryPeriod:                         &o.leaderRetry,
		LeaderElectionReleaseOnCancel:       true,
		// A standby fills its caches and queues like the leader does, so that it can take over at once.
		Controller:              controllerconfig.Controller{EnableWarmup: ptr.To(true)},
		Metrics:                 scraped,
		HealthProbeBindAddress:  o.healthListen,
		GracefulShutdownTimeout: ptr.To(20 * time.Second),
		Cache: cache.Options{NewInformer: newInformer, DefaultLabelSelector: v1beta1.Whole(), DefaultTransform: cache.TransformStripManagedFields(), ByObject: map[client.Object]cache.ByObject{
			// Cache only the pods of Reelops' own Jobs, not all pods of the cluster.
			&corev1.Pod{}: {Label: labels.NewSelector().Add(*ours)},
			// Cache only the namespaces with the label of an account.
			&corev1.Namespace{}: {Label: labels.NewSelector().Add(*accounts)},
			// The responses of a day are large, and no controller reads them.
			&v1beta1.IdempotencyRecord{}: {Transform: idempotencyrecord.Slim},
		}},
		Client: client.Options{
			FieldOwner: fieldowner.Manager, Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("creating the manager: %w", err)
	}
	lock.OnEvent(recordLeaseEvents(mgr))
	warm := &warmth{cache: mgr.GetCache()}
	return mgr, errors.Join(mgr.Add(warm), mgr.Add(kept), mgr.AddHealthzCheck("ping", healthz.Ping), mgr.AddReadyzCheck("caches", warm.check))
}

// newPublishing returns the Keeper of tokens and the Sealer of consent approvals. Both are nil without a token key.
func newPublishing(social platforms.Set, live client.Client, signingKey []byte, sealer *envelope.Sealer) (*credential.Keeper, *consent.Sealer, error) {
	if sealer == nil {
		return nil, nil, nil
	}
	approvals, err := consent.NewSealer(signingKey, clock.RealClock{})
	return credential.New(credential.Config{Client: live, Sealer: sealer, Platforms: social, Clock: clock.RealClock{}}), approvals, err
}

func newWriter(o *options) (textgen.Texts, error) {
	if o.llmURL == "" {
		return offline.New(), nil
	}
	key, err := readKey(o.llmKeyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the language model's key: %w", err)
	}
	return openai.New(openai.Config{BaseURL: o.llmURL, Model: o.llmModel, Timeout: o.llmTimeout, APIKey: key})
}

// newSpeaker returns the client of the speech service; nil if none is configured.
func newSpeaker(o *options) (speech.Speaker, error) {
	if o.speech.BaseURL == "" {
		return nil, nil
	}
	key, err := readKey(o.speechKeyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the speech service's key: %w", err)
	}
	c := o.speech
	c.APIKey = key
	return service.New(c)
}

// newPictures returns the generator of AI images; nil if none is configured.
func newPictures(o *options) (slides.PictureMaker, error) {
	if o.aiImages.BaseURL == "" {
		return nil, nil
	}
	key, err := readKey(o.aiImageKeyFile)
	if err != nil {
		return nil, fmt.Errorf("reading the image model's key: %w", err)
	}
	c := o.aiImages
	c.APIKey, c.AllowHosts, c.FetchProxy = key, list(o.allowHosts), o.fetchProxy
	return ai.New(c)
}

// readKey returns the secret in a file, without surrounding white space. It returns "" if file is empty.
func readKey(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	key, err := os.ReadFile(file)
	return strings.TrimSpace(string(key)), err
}
