// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/controllers"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
	"github.com/reelops/reelops/internal/content/textgen/offline"
	"github.com/reelops/reelops/internal/e2e/approval"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
	"github.com/reelops/reelops/internal/social/sandbox/tiktok"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/pod"
)

// processing is how long the sandbox processes a video.
const processing = 200 * time.Millisecond

// stage is shared by all histories: the cluster, the controllers, the blob store and the sandbox.
type stage struct {
	kube client.Client
	// cached reads the cache of the controllers, which may be older than kube.
	cached client.Reader
	store  *blob.Store
	films  *films
	ledger *ledger
	pages  map[string]approval.Page
	// kubectl is the program, kubeconfig its configuration file.
	kubectl, kubeconfig string
	// sandbox has the accounts of all platforms.
	sandbox *sandbox.Sandbox
	// start starts the controllers.
	start func(*testing.T)
}

// newStage starts everything except the controllers in a cluster, for the given number of histories. Each has one
// account on each platform. It stops the cluster at the end.
func newStage(t *testing.T, cluster *testkit.Cluster, histories int) *stage {
	t.Helper()
	t.Cleanup(func() { _ = cluster.Stop() })
	cluster.Config.QPS = -1
	live, err := client.New(cluster.Config, client.Options{Scheme: testkit.Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	if err := live.Create(t.Context(), testkit.Namespace(testkit.SystemNamespace)); err != nil {
		t.Fatal(err)
	}
	s := &stage{kube: live, pages: map[string]approval.Page{}, kubectl: filepath.Join(os.Getenv("KUBEBUILDER_ASSETS"), "kubectl"), kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	if err := os.WriteFile(s.kubeconfig, cluster.Kubeconfig(), 0o600); err != nil {
		t.Fatal(err)
	}
	key := bytes.Repeat([]byte{1}, 32)
	storeURL := s.openStore(t, key)
	s.films = newFilms(t, s.store)
	set := s.openSandbox(t, histories)
	sealer, err := consent.NewSealer(key, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range platformNames {
		s.pages[p] = approval.Page{Platform: set[v1beta1.Platform(p)], Sealer: sealer, BaseURL: storeURL}
	}
	s.start = func(t *testing.T) {
		t.Helper()
		s.startManager(t, cluster, set, sealer, key)
	}
	return s
}

func (s *stage) openStore(t *testing.T, key []byte) string {
	t.Helper()
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	var err error
	s.store, err = blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), SigningKey: key, BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	mux.Handle(blob.HandlerPath, s.store.Handler(0))
	return server.URL
}

func (s *stage) openSandbox(t *testing.T, accounts int) platforms.Set {
	t.Helper()
	var err error
	s.sandbox, err = sandbox.New(sandbox.Config{Dir: t.TempDir(), Processing: processing, Extra: accounts})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.sandbox.Close() })
	s.sandbox.Mount(catalog.TikTok, tiktok.New(s.sandbox))
	s.sandbox.Mount(catalog.Instagram, instagram.New(s.sandbox))
	server := httptest.NewServer(s.sandbox)
	t.Cleanup(server.Close)
	s.sandbox.SetBaseURL(server.URL)
	s.ledger = newLedger(s.sandbox)
	settings := &platforms.Settings{}
	settings.Flags(flag.NewFlagSet("", flag.ContinueOnError), true)
	settings.Sandbox = server.URL
	set, err := settings.Open(clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func (s *stage) startManager(t *testing.T, cluster *testkit.Cluster, set platforms.Set, approvals *consent.Sealer, key []byte) {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	engine, err := overlay.New()
	check(err)
	signer, err := callback.NewSigner(key)
	check(err)
	sealer, err := envelope.New(bytes.Repeat([]byte{7}, envelope.KeyBytes))
	check(err)
	ctrl.SetLogger(managerLog(t))
	mgr, err := ctrl.NewManager(cluster.Config, ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
		Controller: config.Controller{SkipNameValidation: ptr.To(true)}, // one process runs the controllers of several tests
		Client:     client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
	})
	check(err)
	keeper := credential.New(credential.Config{Client: s.kube, Sealer: sealer, Platforms: set, Clock: clock.RealClock{}})
	check(controllers.Setup(t.Context(), mgr, controllers.Config{
		Ahead: func() time.Duration { return 0 },
		Store: s.store, Writer: offline.New(), Engine: engine, Signer: signer, CallbackURL: "http://127.0.0.1:1",
		Pod: pod.Options{
			Image: "renderer", CPU: resource.MustParse("1"), Memory: resource.MustParse("512Mi"), Scratch: resource.MustParse("1Gi"), TTLSeconds: 600,
		},
		Platforms: set, Keeper: keeper, Consent: approvals, Sealer: sealer, Sources: set.Sources(),
		Tenancy: tenancy.New(s.kube, types.NamespacedName{Namespace: testkit.SystemNamespace, Name: tenancy.ServiceAccount}, clock.RealClock{}), System: testkit.SystemNamespace,
		IDs: ids.New(s.kube, testkit.SystemNamespace), Slideshows: 4, Drawings: 2, Clock: clock.RealClock{},
	}))
	check(addStandIns(mgr, s))
	s.cached = mgr.GetCache()
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- mgr.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	if !mgr.GetCache().WaitForCacheSync(t.Context()) {
		t.Fatal("the caches of the controllers did not sync")
	}
}

// managerLog writes the log of the controllers to the file of REELOPS_HISTORIES_LOG; if unset, the log is discarded.
func managerLog(t *testing.T) logr.Logger {
	t.Helper()
	path := os.Getenv("REELOPS_HISTORIES_LOG")
	if path == "" {
		return logr.Discard()
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return newLog(f)
}

// accountName is the account of a history on every platform of the sandbox.
func accountName(number int) string { return fmt.Sprintf("account-%04d", number+1) }
