// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/edge"
	"github.com/reelops/reelops/apiserver/eventdata"
	"github.com/reelops/reelops/controllers"
	"github.com/reelops/reelops/controllers/slideshow"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/pod"
)

// These specs run the whole service in one process against a real API server: a front end as it is deployed and a
// manager with every controller, real drawing and the offline writer. Two parts are simulated: the Job controller with
// the renderer (executor_test.go), and delays and failures of a language model (writer_test.go).

var (
	ctx    context.Context
	access *apiserver.Access
	store  *blob.Store
	signer *callback.Signer
	// engine draws the slides, and previews of them.
	engine    *overlay.Engine
	allocator *ids.Allocator
	// service is the default front end of specs. It has the rate limits of the contract. unlimited has limits that no spec
	// reaches.
	service, unlimited *front
	// controlPlane is the real API server.
	controlPlane *testkit.Cluster
)

const systemNamespace = "reelops-system"

// slow is the label of specs that take more than ten seconds. Only make test FULL=yes runs them.
var slow = Label("slow")

func TestContract(t *testing.T) {
	testkit.NeedCluster(t)
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(3 * time.Minute)                // reached only on a busy machine
	SetDefaultEventuallyPollingInterval(250 * time.Millisecond) // polls over HTTP count against rate limits
	RunSpecs(t, "The contract")
}

var _ = BeforeSuite(func() {
	ctrl.SetLogger(zap.New(zap.WriteTo(GinkgoWriter), zap.UseDevMode(true)))
	var cancel context.CancelFunc
	ctx, cancel = context.WithCancel(context.Background())
	cluster, err := testkit.StartCluster()
	controlPlane = cluster
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(cluster.Stop)
	DeferCleanup(cancel)
	Expect(cluster.Client.Create(ctx, testkit.Namespace(systemNamespace))).To(Succeed())

	secret := bytes.Repeat([]byte("k"), 32)
	signer, err = callback.NewSigner(secret)
	Expect(err).NotTo(HaveOccurred())
	public, internal := listen(), listen()
	store, err = blob.Open(ctx, blob.Config{
		URL: "file://" + filepath.Join(GinkgoT().TempDir(), "blobs"), SigningKey: secret, BaseURL: "http://" + public.Addr().String(),
	})
	Expect(err).NotTo(HaveOccurred())
	allocator = ids.New(cluster.Client, systemNamespace)
	engine, err = overlay.New()
	Expect(err).NotTo(HaveOccurred())

	access = connect(cluster)
	service = newFront(frontOptions{public: public, internal: internal})
	unlimited = newFront(frontOptions{change: plenty})
	startManager(cluster, "http://"+internal.Addr().String())
	tryInVain()
})

// connect creates the cache of one replica and waits until it is filled.
func connect(cluster *testkit.Cluster) *apiserver.Access {
	GinkgoHelper()
	a, err := apiserver.Connect(ctx, cluster.Config, systemNamespace, nil, nil)
	Expect(err).NotTo(HaveOccurred())
	go func() { _ = a.Start(ctx) }()
	Eventually(a.Synced).WithPolling(often).Should(BeTrue())
	return a
}

// startManager runs every controller, and the executor that replaces Kubernetes and the renderer for Jobs.
func startManager(cluster *testkit.Cluster, callbackURL string) {
	GinkgoHelper()
	mgr, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Client: client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
		Cache:  cache.Options{DefaultLabelSelector: v1beta1.Whole()},
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(controllers.Setup(ctx, mgr, controllers.Config{
		Store: store, Writer: author, Pictures: painter, AIImages: offer, Engine: engine, Signer: signer, CallbackURL: callbackURL,
		Pod: pod.Options{Image: "renderer", CPU: resource.MustParse("1"), Memory: resource.MustParse("512Mi"), Scratch: resource.MustParse("1Gi"), TTLSeconds: 600},
		IDs: ids.New(cluster.Client, systemNamespace), Slideshows: 4, Drawings: 2, Clock: clock.RealClock{}, AllowHosts: []string{pictures.host, redirector.host}, Fetch: watched(),
		Library: systemNamespace, WebhookHosts: []string{hooks.host}, WebhookSecrets: hookSecrets(),
		EventData:    eventdata.New(slideshow.IndexRenderSource, func(v1beta1.Platform) []string { return nil }, clock.RealClock{}).Of,
		ArchiveAfter: archiveAfter(), ArchiveGrace: time.Millisecond,
	})).To(Succeed())
	Expect(executor.setup(mgr)).To(Succeed())
	done := make(chan error, 1)
	managing, stop := context.WithCancel(ctx)
	go func() { done <- mgr.Start(managing) }()
	DeferCleanup(func() { stop(); Eventually(done).Should(Receive(Not(HaveOccurred()))) })
}

// archiveAfter returns how long settled shorts stay in the cluster: for ever, unless REELOPS_ARCHIVE_AFTER is set. With a
// very short time, most requests of the specs read, change and delete archived shorts.
func archiveAfter() time.Duration {
	GinkgoHelper()
	value := os.Getenv("REELOPS_ARCHIVE_AFTER")
	if value == "" {
		return 0
	}
	d, err := time.ParseDuration(value)
	Expect(err).NotTo(HaveOccurred(), "REELOPS_ARCHIVE_AFTER")
	return d
}

// inCluster skips a spec with REELOPS_ARCHIVE_AFTER, because it needs objects that have left the cluster then. why is what
// it needs them for.
func inCluster(why string) {
	GinkgoHelper()
	if archiveAfter() > 0 {
		Skip("needs the objects in the cluster: " + why)
	}
}

// front is one front end with its listeners.
type front struct {
	server *apiserver.Server
	url    string
}

type frontOptions struct {
	// public and internal are listeners to serve on; absent ones are opened.
	public, internal net.Listener
	// change modifies the configuration before the front end is created.
	change func(*apiserver.Config)
}

// sealer returns a sealer with the key that all replicas share.
func sealer(c clock.PassiveClock) *upload.Sealer {
	GinkgoHelper()
	s, err := upload.NewSealer(bytes.Repeat([]byte("k"), 32), 0, c)
	Expect(err).NotTo(HaveOccurred())
	return s
}

// newFront starts a front end with the connection limits of the program.
func newFront(o frontOptions) *front {
	GinkgoHelper()
	for _, l := range []*net.Listener{&o.public, &o.internal} {
		if *l == nil {
			*l = listen()
		}
	}
	base := "http://" + o.public.Addr().String()
	config := apiserver.Config{
		Client: access.Client, Live: access.Plain, Index: access.Index, Media: access.Media, Posts: access.Posts, Archives: access.Archives, Synced: access.Synced, Store: store, Signer: signer,
		NextShort:      func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Shorts) },
		NextMedia:      func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Media) },
		NextAutomation: func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Automations) },
		NextWebhook:    func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Webhooks) },
		WebhookHosts:   []string{hooks.host}, WebhookSecrets: hookSecrets(),
		NextPack:  func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Packs) },
		NextPost:  func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Posts) },
		NextBatch: func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Batches) },
		Uploads:   sealer(clock.RealClock{}),
		KeyPrefix: apikey.DefaultPrefix, BaseURL: base, Clock: clock.RealClock{}, Replica: base, Fetch: watched(), AIImages: offer, Library: systemNamespace,
		Engine: engine, Previews: 16, // specs run on a busy machine
		TextModel: true,        // specs use contexts of one line, without the warning for short ones
		EditWait:  time.Minute, // as with Eventually: reached only on a busy machine
		Log:       slog.New(slog.NewTextHandler(GinkgoWriter, &slog.HandlerOptions{Level: slog.LevelWarn})),
	}
	if o.change != nil {
		o.change(&config)
	}
	server, err := apiserver.New(config)
	Expect(err).NotTo(HaveOccurred())
	for l, h := range map[net.Listener]http.Handler{o.public: server.Public(), o.internal: server.Internal()} {
		s := edge.NewServer(h, config.Log)
		go func() { _ = s.Serve(edge.Listener(l, edge.Limits{})) }()
		DeferCleanup(func() { _ = s.Close() })
	}
	return &front{server: server, url: base}
}

func listen() net.Listener {
	GinkgoHelper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	return l
}

// replica gives a front end its own cache, like a second process.
func replica(c *apiserver.Config) {
	GinkgoHelper()
	a := connect(controlPlane)
	c.Client, c.Live, c.Index, c.Media, c.Posts, c.Synced = a.Client, a.Plain, a.Index, a.Media, a.Posts, a.Synced
}

// generous returns a front end with rate limits that no spec reaches. All specs share it: a front end of its own for
// each spec costs a fifth of a second.
func generous() *front { return unlimited }
