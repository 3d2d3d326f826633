// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/apiserver/console"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/account/consolelink"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/testkit/socialscript"
	"github.com/reelops/reelops/internal/work/callback"
)

// cluster serves all tests of the package.
var cluster testkit.Shared

// watching is the context of the front end's cache. stopWatching ends its watches, for which kube-apiserver would wait.
var watching, stopWatching = context.WithCancel(context.Background())

func TestMain(m *testing.M) {
	code := m.Run()
	stopWatching()
	if cluster.Cluster != nil {
		if err := cluster.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test cluster:", err)
		}
	}
	os.Exit(code)
}

var (
	prepared sync.Once
	// access has the identity of the front end's service account, so that the tests check its permissions as well.
	access  *apiserver.Access
	signing = bytes.Repeat([]byte("k"), 32)
	counter atomic.Int64
)

// prepare applies the permissions and the policy, and connects the front end.
func prepare(t *testing.T) {
	t.Helper()
	cluster.Start(t)
	prepared.Do(func() {
		ctx := watching
		for _, file := range []string{
			"rbac/namespace.yaml", "rbac/apiserver/role.yaml", "rbac/manager/role.yaml", "rbac/bindings.yaml",
			"rbac/tenant.yaml",
			"policy/console.yaml",
		} {
			must(t, cluster.Apply(ctx, file))
		}
		config := rest.CopyConfig(cluster.Config)
		config.Impersonate = rest.ImpersonationConfig{
			UserName: "system:serviceaccount:" + testkit.SystemNamespace + ":reelops-apiserver",
			Groups:   []string{"system:serviceaccounts", "system:authenticated"},
		}
		var a *apiserver.Access
		eventually(t, "the front end's permissions", func() (bool, error) {
			var err error
			a, err = apiserver.Connect(ctx, config, testkit.SystemNamespace, nil, nil)
			return err == nil, err
		})
		go func() { _ = a.Start(ctx) }()
		eventually(t, "the cache", func() (bool, error) { return a.Synced(), nil })
		eventually(t, "the policy", func() (bool, error) {
			l, _ := consolelink.New("default", authenticationv1.UserInfo{Username: "forged"}, time.Now())
			err := cluster.Client.Create(ctx, l, client.DryRunAll)
			return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "reelops-console-links"), err
		})
		access = a
	})
	if access == nil {
		t.Fatal("the front end is not connected")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() (bool, error)) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, 2*time.Minute, true,
		func(context.Context) (bool, error) {
			ok, err := holds()
			last = err
			return ok, nil
		})
	if err != nil {
		t.Fatalf("waiting for %s: %v, last error: %v", what, err, last)
	}
}

// newAccount creates a namespace with an account and brands, and returns its name.
func newAccount(t *testing.T, brands ...string) string {
	t.Helper()
	name := fmt.Sprintf("account-%d", counter.Add(1))
	namespace := testkit.Namespace(name)
	namespace.Labels = map[string]string{v1beta1.LabelAccount: name}
	must(t, cluster.Client.Create(t.Context(), namespace))
	a := testkit.Account(name)
	a.Labels = map[string]string{v1beta1.LabelID: nextID()}
	must(t, cluster.Client.Create(t.Context(), a))
	for _, brand := range brands {
		b := testkit.Brand(name, brand)
		b.Labels = map[string]string{v1beta1.LabelID: nextID()}
		must(t, cluster.Client.Create(t.Context(), b))
	}
	eventually(t, "the account in the cache", func() (bool, error) {
		err := access.Client.Get(t.Context(), client.ObjectKeyFromObject(a), &v1beta1.Account{})
		for _, brand := range brands {
			if err == nil {
				err = access.Client.Get(t.Context(), client.ObjectKey{Namespace: name, Name: brand}, &v1beta1.Brand{})
			}
		}
		return err == nil, err
	})
	return name
}

func nextID() string { return strconv.FormatInt(1000+counter.Add(1), 10) }

// newUser returns the name of a user with roles in a namespace.
func newUser(t *testing.T, account string, roles ...string) string {
	t.Helper()
	user := fmt.Sprintf("user-%d", counter.Add(1))
	for _, role := range roles {
		bind(t, account, role, user)
	}
	return user
}

// bind gives a user a role, and waits until the cluster has it.
func bind(t *testing.T, account, role, user string) *rbacv1.RoleBinding {
	t.Helper()
	b := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: role + "-" + user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}
	must(t, cluster.Client.Create(t.Context(), b))
	eventually(t, "the role "+role, func() (bool, error) { return may(t, user, account, "list", "brands"), nil })
	return b
}

// may asks the cluster directly.
func may(t *testing.T, user, account, verb, resource string) bool {
	t.Helper()
	r := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: user, Groups: []string{"system:authenticated"},
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Namespace: account, Verb: verb, Group: "reelops.dev",
			Resource: resource,
		},
	}}
	must(t, cluster.Client.Create(t.Context(), r))
	return r.Status.Allowed
}

// as returns a client of a user.
func as(t *testing.T, user string, groups ...string) client.Client {
	t.Helper()
	c, err := cluster.As(user, groups...)
	must(t, err)
	return c
}

// newLink returns the object of a link for a user as `kubectl reelops console` prepares it, and the token.
func newLink(t *testing.T, c client.Client, account string) (*v1beta1.ConsoleLink, string) {
	t.Helper()
	me := &authenticationv1.SelfSubjectReview{}
	must(t, c.Create(t.Context(), me))
	return consolelink.New(account, me.Status.UserInfo, me.CreationTimestamp.Time)
}

// link creates a link for a user and returns its token.
func link(t *testing.T, user, account string) string {
	t.Helper()
	c := as(t, user)
	l, token := newLink(t, c, account)
	must(t, c.Create(t.Context(), l))
	return token
}

// replica is one front end.
type replica struct {
	url    string
	server *apiserver.Server
	audit  *lines
}

// lines is a log that is safe for concurrent use.
type lines struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// newReplica starts a front end. change modifies the settings of its console.
func newReplica(t *testing.T, change func(*console.Settings)) *replica {
	t.Helper()
	prepare(t)
	socket, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	base := "http://" + socket.Addr().String()
	store, err := blob.Open(t.Context(), blob.Config{URL: "file://" + t.TempDir(), SigningKey: signing, BaseURL: base})
	must(t, err)
	signer, err := callback.NewSigner(signing)
	must(t, err)
	allocator := ids.New(access.Plain, testkit.SystemNamespace)
	approvals, err := consent.NewSealer(signing, clock.RealClock{})
	must(t, err)
	settings := &console.Settings{Key: signing, Namespace: testkit.SystemNamespace}
	if change != nil {
		change(settings)
	}
	r := &replica{url: base, audit: &lines{}}
	next := func(space ids.Space) func(context.Context) (int64, error) {
		return func(ctx context.Context) (int64, error) { return allocator.Next(ctx, space) }
	}
	r.server, err = apiserver.New(apiserver.Config{
		Client: access.Client, Live: access.Plain, Index: access.Index, Media: access.Media, Posts: access.Posts,
		Archives: access.Archives,
		Synced:   access.Synced,
		Store:    store, Signer: signer, Console: settings,
		NextShort: next(ids.Shorts), NextMedia: next(ids.Media), NextPack: next(ids.Packs),
		NextAutomation: next(ids.Automations), NextPost: next(ids.Posts),
		NextBatch: next(ids.Batches), NextKey: next(ids.Keys), KeyPrefix: apikey.DefaultPrefix, BaseURL: base, Replica: base,
		Platforms: map[v1beta1.Platform]publish.Platform{"tiktok": &socialscript.Platform{}}, Consent: approvals,
		Library: testkit.SystemNamespace, Audit: r.audit, Clock: clock.RealClock{}, Log: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	web := &httptest.Server{Listener: socket, Config: &http.Server{Handler: r.server.Public()}} //nolint:gosec // of a test
	web.Start()
	t.Cleanup(func() { r.server.Drain(); web.CloseClientConnections(); web.Close() })
	return r
}

// browser is a user's browser, which does not follow redirects by itself.
type browser struct {
	t    *testing.T
	url  string
	jar  *cookiejar.Jar
	http *http.Client
}

func newBrowser(t *testing.T, r *replica) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	must(t, err)
	return &browser{t: t, url: r.url, jar: jar, http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// signedIn returns the browser of a user who has opened a link.
func signedIn(t *testing.T, r *replica, user, account string) *browser {
	t.Helper()
	b := newBrowser(t, r)
	if got := b.open(link(t, user, account)); got.status != http.StatusNoContent {
		t.Fatalf("opening a link: got %d: %s", got.status, got.raw)
	}
	return b
}

// at returns the same browser with another replica. Cookies of one host are for all its ports.
func (b *browser) at(r *replica) *browser {
	other := *b
	other.url = r.url
	return &other
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	raw    string
	body   map[string]any
}

// code returns the code of the first error.
func (a answer) code() string {
	list, _ := a.body["errors"].([]any)
	if len(list) == 0 {
		return ""
	}
	first, _ := list[0].(map[string]any)
	code, _ := first["code"].(string)
	return code
}

// data returns the data of a response with an envelope.
func (a answer) data() map[string]any {
	data, _ := a.body["data"].(map[string]any)
	return data
}

// call sends a request with the cookies of the browser. headers are pairs of names and values.
func (b *browser) call(method, path string, body any, headers ...string) answer {
	b.t.Helper()
	var in io.Reader
	if body != nil {
		doc, err := json.Marshal(body)
		must(b.t, err)
		in = bytes.NewReader(doc)
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, in)
	must(b.t, err)
	if method != http.MethodGet {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return b.send(r)
}

func (b *browser) send(r *http.Request) answer {
	b.t.Helper()
	resp, err := b.http.Do(r)
	must(b.t, err)
	defer func() { _ = resp.Body.Close() }()
	doc, err := io.ReadAll(resp.Body)
	must(b.t, err)
	out := answer{status: resp.StatusCode, header: resp.Header, raw: string(doc)}
	_ = json.Unmarshal(doc, &out.body) // not every response is JSON
	return out
}

func (b *browser) get(path string, headers ...string) answer {
	b.t.Helper()
	return b.call(http.MethodGet, path, nil, headers...)
}

// open posts the token of a link, as the page does.
func (b *browser) open(token string) answer {
	b.t.Helper()
	return b.call(http.MethodPost, "/console/session/link", map[string]string{"token": token})
}

// session returns the response of GET /console/session.
func (b *browser) session() answer {
	b.t.Helper()
	return b.get("/console/session")
}

// want checks the status and the code of a response.
func (a answer) want(t *testing.T, why string, status int, code string) {
	t.Helper()
	if a.status != status || a.code() != code {
		t.Errorf("%s: got %d %s, want %d %s: %s", why, a.status, a.code(), status, code, a.raw)
	}
}
