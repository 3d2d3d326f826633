// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers/account"
	"github.com/reelops/reelops/controllers/accountanalytics"
	"github.com/reelops/reelops/controllers/apikey"
	"github.com/reelops/reelops/controllers/archive"
	"github.com/reelops/reelops/controllers/automation"
	"github.com/reelops/reelops/controllers/brand"
	"github.com/reelops/reelops/controllers/census"
	"github.com/reelops/reelops/controllers/connectionrequest"
	"github.com/reelops/reelops/controllers/consolelink"
	"github.com/reelops/reelops/controllers/idempotencyrecord"
	"github.com/reelops/reelops/controllers/mediaasset"
	"github.com/reelops/reelops/controllers/mediapack"
	"github.com/reelops/reelops/controllers/musictrack"
	"github.com/reelops/reelops/controllers/oldfiles"
	"github.com/reelops/reelops/controllers/pinnedfiles"
	"github.com/reelops/reelops/controllers/post"
	"github.com/reelops/reelops/controllers/postbatch"
	"github.com/reelops/reelops/controllers/renderjob"
	"github.com/reelops/reelops/controllers/slideshow"
	"github.com/reelops/reelops/controllers/socialaccount"
	"github.com/reelops/reelops/controllers/starterset"
	"github.com/reelops/reelops/controllers/uploads"
	"github.com/reelops/reelops/controllers/video"
	"github.com/reelops/reelops/controllers/webhookendpoint"
	"github.com/reelops/reelops/internal/account/ledger"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/account/webhooksecret"
	"github.com/reelops/reelops/internal/automation/feed"
	"github.com/reelops/reelops/internal/automation/source"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/slides"
	"github.com/reelops/reelops/internal/content/textgen"
	"github.com/reelops/reelops/internal/film/speech"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/media/intake"
	"github.com/reelops/reelops/internal/process/fairqueue"
	"github.com/reelops/reelops/internal/process/fetch"
	"github.com/reelops/reelops/internal/process/tracing"
	"github.com/reelops/reelops/internal/social/analytics"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/publish"
	archivestore "github.com/reelops/reelops/internal/store/archive"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/outbox"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/pod"
	"github.com/reelops/reelops/internal/work/runner"
)

// Config holds the dependencies and settings of the controllers besides the cluster.
type Config struct {
	// Ahead returns by how much Clock is ahead of the API server's; nil if that is not measured.
	Ahead  func() time.Duration
	Store  *blob.Store
	Writer textgen.Texts
	// Speaker is the speech service for the hooks of videos and the voice-overs of slideshows. If nil, the renderer
	// synthesizes speech.
	Speaker speech.Speaker
	Engine  *overlay.Engine
	// Pictures generates AI images; nil if this installation offers none. AIImages describes the offer and its price.
	Pictures    slides.PictureMaker
	AIImages    catalog.AIImages
	Signer      *callback.Signer
	CallbackURL string
	Pod         pod.Options
	// MediaPod has the options of pods that open files of users. MediaJobs is the maximum number of these pods at once.
	MediaPod  pod.Options
	MediaJobs int
	// Renders is the maximum number of concurrent renders over all accounts; 0 means no limit.
	Renders int
	IDs     *ids.Allocator
	// Platforms are the adapters for publishing, by platform. Keeper manages the credentials of connected accounts, and
	// Consent opens sealed authorizations. Without a Keeper no account is connected and nothing is published.
	Platforms map[v1beta1.Platform]publish.Platform
	Keeper    *credential.Keeper
	Consent   *consent.Sealer
	// Sealer encrypts the prepared uploads in the status of posts. It is set if Keeper is.
	Sealer post.Sealer
	// Sources are the platforms that report analytics. AnalyticsInterval is the time between automatic refreshes.
	// AnalyticsCooldown is the minimum time between a refresh and the next requested one. YouTubeUnits is the number of
	// units of the app's daily YouTube quota that analytics may use. 0 selects the default of each.
	Sources                              map[v1beta1.Platform]analytics.Source
	AnalyticsInterval, AnalyticsCooldown time.Duration
	YouTubeUnits                         int
	// Stock looks up images of stock providers; nil if no provider is configured.
	Stock slides.Stock
	// Tenancy binds the manager's role in the namespaces of accounts, for the tokens there. It is nil if the manager can
	// read these tokens without it.
	Tenancy account.Tenancy
	// System is the namespace of the installation.
	System string
	// Library is the namespace whose media, packs and music all accounts share.
	Library string
	// StarterSet enables the creation of the clips and tracks that Reelops generates for the library.
	StarterSet bool
	// AllowHosts are hosts that files may be fetched from at any address, private ones included, and over plain http.
	AllowHosts []string
	// Fetch has the resolver, the proxy and the connection check for fetches; the zero value selects the system's
	// resolver and direct connections. Its timeout and allow list are not used.
	Fetch fetch.Config
	// WebhookHosts are hosts of webhook endpoints that may have any address and port, and plain http.
	WebhookHosts []string
	// WebhookSecrets derives the signing secrets of webhook endpoints. It is required with EventData.
	WebhookSecrets *webhooksecret.Deriver
	// EventData returns the record of an object in the events of webhooks. If nil, no events are recorded or delivered.
	EventData func(ctx context.Context, c client.Reader, o client.Object) (any, error)
	// UploadTTL is the time in which an upload can be claimed; 0 selects the default.
	UploadTTL time.Duration
	// ArchiveAfter is the time without a change after which settled shorts are archived; 0 means never, except for accounts
	// whose plan sets a time.
	ArchiveAfter time.Duration
	// ArchiveGrace is how long a short is hidden before it leaves the cluster; 0 selects the default.
	ArchiveGrace time.Duration
	// Slideshows is the number of slideshows that are reconciled at once. Drawings is the number of slides that are
	// rendered at once, over all slideshows.
	Slideshows, Drawings int
	Clock                clock.WithTicker
}

// batchArchiveCache is the memory for segments of archives in which batches look up shorts, in bytes.
const batchArchiveCache = 8 << 20

// Setup adds the cache's indexes and every controller to the manager. No other function registers controllers.
func Setup(ctx context.Context, mgr ctrl.Manager, c Config) error {
	indexes := []struct {
		object client.Object
		name   string
		values client.IndexerFunc
	}{
		{&v1beta1.Slideshow{}, slideshow.IndexWaiting, slideshow.WaitingIndex},
		{&v1beta1.Video{}, video.IndexWaiting, video.WaitingIndex},
		{&v1beta1.RenderJob{}, slideshow.IndexRenderSource, slideshow.RenderSourceIndex},
		{&v1beta1.RenderJob{}, renderjob.IndexWaitingFor, renderjob.WaitingForIndex},
		{&v1beta1.MediaAsset{}, slides.IndexPack, slides.PackIndex},
		{&v1beta1.Slideshow{}, starterset.IndexBusy, starterset.BusyIndex},
		{&v1beta1.RenderJob{}, starterset.IndexBusy, starterset.BusyIndex},
		{&v1beta1.Video{}, starterset.IndexBusy, starterset.BusyIndex},
		{&v1beta1.PostBatch{}, postbatch.IndexWaiting, postbatch.WaitingIndex},
		{&v1beta1.Post{}, postbatch.IndexBatch, postbatch.BatchIndex},
		{&v1beta1.Post{}, postbatch.IndexAccount, postbatch.AccountIndex},
		{&v1beta1.Slideshow{}, postbatch.IndexShortID, postbatch.ShortIDIndex},
		{&v1beta1.Video{}, postbatch.IndexShortID, postbatch.ShortIDIndex},
		{&v1beta1.SocialAccount{}, socialaccount.IndexSecret, socialaccount.SecretIndex},
		{&v1beta1.Post{}, post.IndexOpen, post.OpenIndex},
		{&v1beta1.Post{}, accountanalytics.IndexPosts, accountanalytics.PostsIndex},
		{&v1beta1.AutomationRun{}, automation.IndexRuns, automation.RunsIndex},
	}
	for _, i := range indexes {
		if err := mgr.GetFieldIndexer().IndexField(ctx, i.object, i.name, i.values); err != nil {
			return fmt.Errorf("indexing %s: %w", i.name, err)
		}
	}
	// Every kind is watched from the start, and not from when its controller comes to it: a manager whose caches are filled is warm.
	for _, kind := range watched() {
		if _, err := mgr.GetCache().GetInformer(ctx, kind); err != nil {
			return fmt.Errorf("watching %T: %w", kind, err)
		}
	}
	recent, err := remember(ctx, mgr)
	if err != nil {
		return err
	}
	next := func(s ids.Space) func(context.Context) (int64, error) {
		return func(ctx context.Context) (int64, error) { return c.IDs.Next(ctx, s) }
	}
	cl := tracing.Stamping(mgr.GetClient())
	book := ledger.New(mgr.GetAPIReader(), cl, c.Clock)
	if c.MediaPod.Image == "" {
		c.MediaPod = c.Pod
	}
	opening := c.Fetch
	opening.Timeout, opening.Allow = intake.DefaultFetchTime, c.AllowHosts
	files := fetch.Open(opening)
	gate := &tenancy.Gate{Accounts: cl, Meter: quota.NewMeter(cl, c.Clock), System: c.System, Library: c.Library}
	if c.Tenancy != nil { // a nil interface of another type is not nil
		gate.Binder = c.Tenancy
	}
	in := &intake.Intake{
		Gate: gate, Clock: c.Clock, Live: mgr.GetAPIReader(), Store: c.Store, Fetch: files,
		Fetches: fairqueue.NewSlots(intake.MaxFetches, intake.MaxFetchesEach), Events: mgr.GetEventRecorder("media"),
		Jobs: &runner.Runner{Client: cl, Clock: c.Clock, Store: c.Store, Pod: c.MediaPod, Slots: runner.NewSlots(c.MediaJobs)},
	}
	record, err := setupWebhooks(mgr, cl, c, next(ids.Webhooks))
	if err != nil {
		return err
	}
	for name, r := range map[string]interface{ SetupWithManager(ctrl.Manager) error }{
		"account":    &account.Reconciler{Client: cl, Ledger: book, Clock: c.Clock, NextID: next(ids.Accounts), Tenancy: c.Tenancy},
		"brand":      &brand.Reconciler{Client: cl, NextID: next(ids.Brands)},
		"apikey":     &apikey.Reconciler{Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, NextID: next(ids.Keys)},
		"mediaasset": mediaasset.New(cl, in, next(ids.Media)),
		"musictrack": &musictrack.Reconciler{Client: cl, Intake: in, NextID: next(ids.Tracks)},
		"mediapack":  &mediapack.Reconciler{Client: cl, NextID: next(ids.Packs), IndexPack: slides.IndexPack},
		"slideshow": &slideshow.Reconciler{
			Client: cl, Live: mgr.GetAPIReader(), Ledger: book, Pictures: c.Pictures, AIImages: c.AIImages,
			Clock: c.Clock, Events: mgr.GetEventRecorder("slideshow"), Record: record, NextID: next(ids.Shorts), Writer: c.Writer, Recent: recent,
			Drawer: &slides.Drawer{Store: c.Store, Engine: c.Engine, Parallel: c.Drawings}, Parallel: c.Slideshows, Library: c.Library,
			Stock: c.Stock, Fetch: files, Speaker: c.Speaker, Jobs: in.Jobs, Gate: gate,
		},
		"video": &video.Reconciler{
			Client: cl, Live: mgr.GetAPIReader(), Ledger: book, Clock: c.Clock, Events: mgr.GetEventRecorder("video"), Record: record, NextID: next(ids.Shorts),
			Writer: c.Writer, Speaker: c.Speaker, Drawer: video.OverlayDrawer{Engine: c.Engine}, Store: c.Store, Jobs: in.Jobs, Library: c.Library,
			Gate: gate,
		},
		"renderjob": &renderjob.Reconciler{
			Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, Events: mgr.GetEventRecorder("renderjob"), Record: record, Store: c.Store, Signer: c.Signer, CallbackURL: c.CallbackURL, Pod: c.Pod,
			Library: c.Library, Renders: c.Renders, Gate: gate,
		},
		"postbatch": &postbatch.Reconciler{
			Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, Events: mgr.GetEventRecorder("postbatch"), NextID: next(ids.Batches), NextPost: next(ids.Posts),
			Ahead: c.Ahead, IndexRenders: slideshow.IndexRenderSource, Missing: publish.Missing(c.Platforms),
			Archive: archivestore.New(c.Store, batchArchiveCache),
		},
		"automation": &automation.Reconciler{
			Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, Ahead: c.Ahead, Events: mgr.GetEventRecorder("automation"), Record: record, NextID: next(ids.Automations),
			Items: &source.Chooser{Client: cl, Feeds: feed.NewReader(files), Clock: c.Clock},
		},
		"archive": &archive.Reconciler{
			Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, Store: archivestore.New(c.Store, 0), Files: c.Store, After: c.ArchiveAfter, Grace: c.ArchiveGrace, Library: c.Library,
			Record: record, Events: mgr.GetEventRecorder("archive"),
		},
		"oldfiles":          &oldfiles.Purge{Client: cl, Live: mgr.GetAPIReader(), Store: c.Store, Clock: c.Clock},
		"pinnedfiles":       &pinnedfiles.Reconciler{Client: cl, Store: c.Store, Clock: c.Clock},
		"uploads":           &uploads.Purge{Store: c.Store, Live: mgr.GetAPIReader(), Cached: cl, TTL: c.UploadTTL, Clock: c.Clock},
		"idempotencyrecord": &idempotencyrecord.Reconciler{Client: cl, Clock: c.Clock},
		"consolelink":       &consolelink.Reconciler{Client: cl, Clock: c.Clock},
	} {
		if err := r.SetupWithManager(mgr); err != nil {
			return fmt.Errorf("setting up the %s controller: %w", name, err)
		}
	}
	if err := census.New(c.Clock).SetupWithManager(ctx, mgr); err != nil {
		return fmt.Errorf("setting up the census: %w", err)
	}
	if c.Keeper != nil {
		if err := setupPublishing(ctx, mgr, c, next, record); err != nil {
			return err
		}
	}
	if c.StarterSet {
		if err := starterset.New(cl, c.Clock, c.Library).SetupWithManager(mgr); err != nil {
			return fmt.Errorf("setting up the starter set: %w", err)
		}
	}
	return nil
}

// watched are the kinds that controllers read from the cache.
func watched() []client.Object {
	return []client.Object{
		&v1beta1.Account{}, &v1beta1.AccountAnalytics{}, &v1beta1.APIKey{}, &v1beta1.Archive{}, &v1beta1.Automation{}, &v1beta1.AutomationRun{}, &v1beta1.Brand{}, &v1beta1.ConnectionRequest{}, &v1beta1.ConsoleLink{},
		&v1beta1.IdempotencyRecord{},
		&v1beta1.MediaAsset{}, &v1beta1.MediaPack{}, &v1beta1.MusicTrack{}, &v1beta1.Post{}, &v1beta1.PostBatch{}, &v1beta1.RenderJob{},
		&v1beta1.Slideshow{}, &v1beta1.SocialAccount{}, &v1beta1.Video{}, &v1beta1.WebhookEndpoint{}, &batchv1.Job{}, &corev1.Pod{},
	}
}

// setupWebhooks adds the controllers of webhooks. It returns the function that records the events of an object before its
// deletion; nil without webhooks.
func setupWebhooks(
	mgr ctrl.Manager, cl client.Client, c Config, next func(context.Context) (int64, error),
) (func(context.Context, client.Object) error, error) {
	if c.EventData == nil {
		return nil, nil
	}
	sending := c.Fetch
	sending.Timeout, sending.Allow = webhookendpoint.Timeout, c.WebhookHosts
	r := webhookendpoint.New(webhookendpoint.Reconciler{
		Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, Events: mgr.GetEventRecorder("webhookendpoint"),
		Sender: fetch.Open(sending), Outbox: outbox.New(c.Store, c.Clock), Secrets: c.WebhookSecrets, NextID: next,
	}, c.EventData)
	if err := r.SetupWithManager(mgr); err != nil {
		return nil, fmt.Errorf("setting up the webhookendpoint controller: %w", err)
	}
	return r.Recorder.Record, nil
}

// setupPublishing adds the controllers that need credentials of connected accounts.
func setupPublishing(ctx context.Context, mgr ctrl.Manager, c Config, next func(ids.Space) func(context.Context) (int64, error),
	record func(context.Context, client.Object) error,
) error {
	cl := mgr.GetClient()
	for name, r := range map[string]interface{ SetupWithManager(ctrl.Manager) error }{
		"socialaccount": &socialaccount.Reconciler{
			Client: cl, Keeper: c.Keeper, Platforms: c.Platforms, NextID: next(ids.Social), Events: mgr.GetEventRecorder("socialaccount"), Clock: c.Clock,
		},
		"connectionrequest": &connectionrequest.Reconciler{
			Client: cl, Live: mgr.GetAPIReader(), Keeper: c.Keeper, Consent: c.Consent, Platforms: c.Platforms,
			Events: mgr.GetEventRecorder("connectionrequest"), Clock: c.Clock,
		},
		"accountanalytics": accountanalytics.New(accountanalytics.Config{
			Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, Events: mgr.GetEventRecorder("accountanalytics"), Store: c.Store,
			Sources: c.Sources, Missing: publish.Missing(c.Platforms), Accounts: c.Keeper,
			Interval: c.AnalyticsInterval, Cooldown: c.AnalyticsCooldown, YouTubeUnits: c.YouTubeUnits,
		}),
	} {
		if err := r.SetupWithManager(mgr); err != nil {
			return fmt.Errorf("setting up the %s controller: %w", name, err)
		}
	}
	posts := post.New(post.Config{
		Client: cl, Live: mgr.GetAPIReader(), Clock: c.Clock, Events: mgr.GetEventRecorder("post"), Record: record, Store: c.Store, Platforms: c.Platforms,
		Accounts: c.Keeper, Sealer: c.Sealer, Ahead: c.Ahead,
	})
	if err := posts.SetupWithManager(ctx, mgr); err != nil {
		return fmt.Errorf("setting up the post controller: %w", err)
	}
	return nil
}

// remember keeps the record of recently used styles up to date from events of the cache.
func remember(ctx context.Context, mgr ctrl.Manager) (*slides.Recent, error) {
	recent := slides.NewRecent()
	informer, err := mgr.GetCache().GetInformer(ctx, &v1beta1.Slideshow{})
	if err != nil {
		return nil, fmt.Errorf("watching slideshows: %w", err)
	}
	saw := func(o any) {
		if s, ok := o.(*v1beta1.Slideshow); ok {
			recent.Saw(s)
		}
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: saw, UpdateFunc: func(_, o any) { saw(o) },
		DeleteFunc: func(o any) {
			if last, ok := o.(cache.DeletedFinalStateUnknown); ok {
				o = last.Obj
			}
			if s, ok := o.(*v1beta1.Slideshow); ok {
				recent.Forget(s)
			}
		},
	})
	return recent, err
}
