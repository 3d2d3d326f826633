// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/controllers/connectionrequest"
	"github.com/reelops/reelops/controllers/socialaccount"
	"github.com/reelops/reelops/internal/account/tenancy"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/credential"
	"github.com/reelops/reelops/internal/social/platforms"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/instagram"
	"github.com/reelops/reelops/internal/social/sandbox/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox/youtube"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
)

// connecting is a front end that creates links and handles the redirects, with the two controllers that create accounts
// from them. It serves one tenant, because the other specs have accounts that were not connected.
type connecting struct {
	*front
	t   *tenant
	key string
	// now is the clock of links.
	now    *clocktesting.FakePassiveClock
	keeper *credential.Keeper
	// log receives the log of the front end and the manager.
	log *safeBuffer
}

type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// under returns a client configuration with the permissions of a process in config/rbac and no others.
func under(process string) *rest.Config {
	GinkgoHelper()
	doc, err := os.ReadFile("../../config/rbac/" + process + "/role.yaml")
	Expect(err).NotTo(HaveOccurred())
	roles := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(doc), 4096)
	for {
		role := &rbacv1.ClusterRole{}
		err := roles.Decode(role)
		if errors.Is(err, io.EOF) {
			break
		}
		Expect(err).NotTo(HaveOccurred())
		if role.Kind == "ClusterRole" {
			Expect(client.IgnoreAlreadyExists(access.Plain.Create(ctx, role))).To(Succeed())
		}
	}
	account := "reelops-" + process
	Expect(client.IgnoreAlreadyExists(access.Plain.Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: account},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: account},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: systemNamespace, Name: account}},
	}))).To(Succeed())
	out := rest.CopyConfig(controlPlane.Config)
	out.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + systemNamespace + ":" + account}
	c, err := client.New(out, client.Options{Scheme: testkit.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	Eventually(func() error { // the authorizer receives a binding with a delay
		return c.List(ctx, &v1beta1.BrandList{})
	}).WithPolling(often).Should(Succeed())
	return out
}

// staged returns a function that creates the platforms of a sandbox, as programs get them.
func staged(secrets bool) func(base string) platforms.Set {
	return func(base string) platforms.Set {
		GinkgoHelper()
		s := &platforms.Settings{}
		f := flag.NewFlagSet("connecting", flag.ContinueOnError)
		f.SetOutput(io.Discard)
		s.Flags(f, secrets)
		Expect(f.Parse([]string{"--sandbox=" + base})).To(Succeed())
		set, err := s.Open(clock.RealClock{})
		Expect(err).NotTo(HaveOccurred())
		return set
	}
}

func openSandbox() (*sandbox.Sandbox, string) {
	GinkgoHelper()
	core, err := sandbox.New(sandbox.Config{Dir: GinkgoT().TempDir()})
	Expect(err).NotTo(HaveOccurred())
	core.Mount(catalog.TikTok, tiktok.New(core))
	core.Mount(catalog.YouTube, youtube.New(core))
	core.Mount(catalog.Instagram, instagram.New(core))
	core.Mount(catalog.LinkedIn, linkedin.New(core))
	server := httptest.NewServer(core)
	core.SetBaseURL(server.URL)
	DeferCleanup(func() { server.Close(); _ = core.Close() })
	return core, server.URL
}

// connectingTo starts the front end and the controllers. links are the platforms of the front end, calls those of the
// manager.
func connectingTo(links, calls map[v1beta1.Platform]publish.Platform) *connecting {
	GinkgoHelper()
	c := &connecting{t: newTenant(), now: clocktesting.NewFakePassiveClock(time.Now()), log: &safeBuffer{}}
	c.key = c.t.key(v1beta1.ScopeBrandRead)
	approvals, err := consent.NewSealer(bytes.Repeat([]byte("k"), 32), c.now)
	Expect(err).NotTo(HaveOccurred())
	live, err := client.New(under("apiserver"), client.Options{Scheme: testkit.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	c.front = newFront(frontOptions{change: func(f *apiserver.Config) {
		plenty(f)
		f.Live = live
		f.Platforms, f.Consent, f.Log = links, approvals, slog.New(slog.NewTextHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}})

	mgr, err := ctrl.NewManager(under("manager"), ctrl.Options{
		Scheme: testkit.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"},
		Logger:     logr.FromSlogHandler(slog.NewTextHandler(c.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Client:     client.Options{Cache: &client.CacheOptions{EnableReadYourWritesConsistency: ptr.To(true)}},
		Cache:      cache.Options{DefaultNamespaces: map[string]cache.Config{c.t.namespace: {}}},
		Controller: config.Controller{SkipNameValidation: ptr.To(true)},
	})
	Expect(err).NotTo(HaveOccurred())
	Expect(mgr.GetFieldIndexer().IndexField(ctx, &v1beta1.SocialAccount{}, socialaccount.IndexSecret, socialaccount.SecretIndex)).To(Succeed())
	sealer, err := envelope.New(bytes.Repeat([]byte{7}, envelope.KeyBytes))
	Expect(err).NotTo(HaveOccurred())
	tokens, err := client.New(under("manager"), client.Options{Scheme: testkit.Scheme()})
	Expect(err).NotTo(HaveOccurred())
	Expect(tenancy.New(tokens, types.NamespacedName{Namespace: systemNamespace, Name: tenancy.ServiceAccount}, clock.RealClock{}).Bind(ctx, c.t.namespace)).To(Succeed())
	c.keeper = credential.New(credential.Config{Client: tokens, Sealer: sealer, Platforms: calls, Clock: clock.RealClock{}})
	Expect((&socialaccount.Reconciler{
		Client: mgr.GetClient(), Keeper: c.keeper, Platforms: calls, Clock: clock.RealClock{}, Events: mgr.GetEventRecorder("socialaccount"),
		NextID: func(ctx context.Context) (int64, error) { return allocator.Next(ctx, ids.Social) },
	}).SetupWithManager(mgr)).To(Succeed())
	Expect((&connectionrequest.Reconciler{
		Client: mgr.GetClient(), Live: mgr.GetAPIReader(), Keeper: c.keeper, Consent: approvals, Platforms: calls, Clock: clock.RealClock{},
		Events: mgr.GetEventRecorder("connectionrequest"),
	}).SetupWithManager(mgr)).To(Succeed())
	done := make(chan error, 1)
	managing, stop := context.WithCancel(ctx)
	go func() { done <- mgr.Start(managing) }()
	DeferCleanup(func() { stop(); Eventually(done).Should(Receive(Not(HaveOccurred()))) })
	return c
}

// link requests a link.
func (c *connecting) link(platform string) *answer {
	GinkgoHelper()
	return post("/connections/link", object{"platform": platform}).with(c.key).at(c.front).succeeds(200)
}

// loadedPage is a page as received by a browser.
type loadedPage struct {
	status int
	header http.Header
	text   string
}

// visibleText returns the visible text.
func (s loadedPage) visibleText() string {
	body := regexp.MustCompile(`(?s)<body>(.*)</body>`).FindString(s.text)
	return strings.Join(strings.Fields(html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(body, " "))), " ")
}

var onward = regexp.MustCompile(`http-equiv="refresh" content="(\d+)(?:; url=([^"]+))?"`)

// visit opens an address and follows redirects.
func visit(address string) loadedPage {
	GinkgoHelper()
	resp, err := http.Get(address) //nolint:gosec // a page of our own
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = resp.Body.Close() }()
	return loadedPage{status: resp.StatusCode, header: resp.Header, text: string(read(resp.Body))}
}

// approve opens a link, approves as given in how, and waits for the final page.
func approve(link *answer, how string) loadedPage {
	GinkgoHelper()
	page := visit(link.at("data.authorize_url").(string) + "&" + how)
	next := onward.FindStringSubmatch(page.text)
	if next == nil {
		return page
	}
	Expect(next[2]).NotTo(BeEmpty(), "the first page goes on to another one")
	Eventually(func() bool {
		page = visit(html.UnescapeString(next[2]))
		return onward.MatchString(page.text)
	}).WithPolling(often).Should(BeFalse())
	return page
}

// connections lists the connections once the list has n accounts that were checked.
func (c *connecting) connections(n int) *answer {
	GinkgoHelper()
	var a *answer
	Eventually(func(g Gomega) {
		a = get("/connections").with(c.key).at(c.front).succeeds(200)
		g.Expect(a.at("data.accounts")).To(HaveLen(n))
		for _, one := range a.at("data.accounts").([]any) {
			g.Expect(one.(object)["account_name"]).NotTo(BeNil())
		}
	}).WithPolling(often).Should(Succeed())
	return a
}

// query returns one parameter of the page's address.
func query(link *answer, name string) string {
	GinkgoHelper()
	u, err := url.Parse(link.at("data.authorize_url").(string))
	Expect(err).NotTo(HaveOccurred())
	return u.Query().Get(name)
}
