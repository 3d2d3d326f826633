// SPDX-License-Identifier: Apache-2.0

package connect

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"html"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/audit"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/testkit"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// desk is a handler with its own fake cluster.
type desk struct {
	*Handler
	t     *testing.T
	clock *testclock.FakePassiveClock
	log   bytes.Buffer
	// by is the actor of the last creation.
	by audit.Actor
	// onCreate intercepts creations.
	onCreate func(do func() error) error
}

func newDesk(t *testing.T, objects ...client.Object) *desk {
	t.Helper()
	d := &desk{t: t, clock: testclock.NewFakePassiveClock(noon)}
	approvals, err := consent.NewSealer(bytes.Repeat([]byte{1}, 32), d.clock)
	if err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(objects...).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			d.by = audit.From(ctx)
			do := func() error { return c.Create(ctx, o, opts...) }
			if d.onCreate != nil {
				return d.onCreate(do)
			}
			return do()
		},
	}).Build()
	d.Handler = &Handler{
		Consent: approvals, Client: c, Live: c, BaseURL: "https://reelops.example/", Clock: d.clock, Log: slog.New(slog.NewTextHandler(&d.log, nil)),
	}
	return d
}

func (d *desk) link() (string, consent.Link) {
	d.t.Helper()
	state, link, err := d.Consent.Link(consent.Link{Namespace: "acme", Brand: "coffee", Platform: "tiktok"})
	if err != nil {
		d.t.Fatal(err)
	}
	return state, link
}

func (d *desk) open(path string, q url.Values) *httptest.ResponseRecorder {
	d.t.Helper()
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path+"?"+q.Encode(), nil))
	return w
}

func (d *desk) callback(state string) *httptest.ResponseRecorder {
	return d.open("/oauth/tiktok/callback", url.Values{"state": {state}, "code": {"secret-code"}})
}

func TestCallback_ForwardsACodeOnce(t *testing.T) {
	d := newDesk(t)
	state, link := d.link()
	w := d.callback(state)
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "https://reelops.example/oauth/tiktok/result?link=") {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	q := &v1beta1.ConnectionRequest{}
	if err := d.Live.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: link.RequestName()}, q); err != nil {
		t.Fatal(err)
	}
	code, err := d.Consent.OpenCode(q.Spec.SealedCode, "acme", q.Name)
	if err != nil || code.Code != "secret-code" || code.RedirectURI != "https://reelops.example/oauth/tiktok/callback" {
		t.Errorf("%+v, %v", code, err)
	}
	if q.Spec.BrandRef.Name != "coffee" || q.Spec.Platform != "tiktok" || q.Spec.Nonce != link.Nonce || q.Labels[v1beta1.LabelBrand] != "coffee" {
		t.Errorf("%+v", q)
	}
	if w := d.callback(state); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "already used") {
		t.Errorf("second callback: got %d %s", w.Code, w.Body)
	}
}

func TestCallback_ActsForTheCreatorOfTheLink(t *testing.T) {
	for why, c := range map[string]struct {
		link consent.Link
		want audit.Actor
	}{
		"a key":  {consent.Link{Key: 7}, audit.Actor{KeyID: "7"}},
		"a user": {consent.Link{User: "anna@example.com"}, audit.Actor{User: "anna@example.com"}},
	} {
		d := newDesk(t)
		c.link.Namespace, c.link.Brand, c.link.Platform = "acme", "coffee", "tiktok"
		state, _, err := d.Consent.Link(c.link)
		if err != nil {
			t.Fatal(err)
		}
		d.callback(state)
		c.want.Kind, c.want.Account, c.want.Brand, c.want.Operation = audit.ByLink, "acme", "coffee", "connect_account"
		c.want.Address, c.want.RequestID = d.by.Address, d.by.RequestID
		if d.by != c.want {
			t.Errorf("%s: got %+v, want %+v", why, d.by, c.want)
		}
	}
}

func TestHandler_ReportsAFailingCluster(t *testing.T) {
	d := newDesk(t)
	state, _ := d.link()
	d.onCreate = func(func() error) error { return errors.New("etcd is away") }
	if w := d.callback(state); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || strings.Contains(w.Body.String(), "etcd") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if strings.Contains(d.log.String(), "secret-code") || !strings.Contains(d.log.String(), "etcd") {
		t.Errorf("got log %s", &d.log)
	}
	d.onCreate = nil
	if w := d.callback(state); w.Code != http.StatusOK {
		t.Errorf("reloading the page: got %d", w.Code)
	}

	state, _ = d.link()
	d.onCreate = func(do func() error) error { _ = do(); return errors.New("the answer is lost") }
	d.callback(state)
	d.onCreate = nil
	w := d.callback(state)
	link := regexp.MustCompile(`href="([^"]+)"`).FindStringSubmatch(w.Body.String())
	if w.Code != http.StatusBadRequest || link == nil {
		t.Fatalf("%d %s", w.Code, w.Body)
	}
	u, _ := url.Parse(html.UnescapeString(link[1]))
	if w := d.open(u.Path, u.Query()); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "Connecting TikTok") {
		t.Errorf("redirect to the result: got %d %s", w.Code, w.Body)
	}
}

func TestResults(t *testing.T) {
	d := newDesk(t)
	_, link := d.link()
	account := func(status v1beta1.TokenStatus, name string) *v1beta1.SocialAccount {
		a := &v1beta1.SocialAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "one"}}
		a.Status.TokenStatus, a.Status.AccountName = status, name
		return a
	}
	done := func(at time.Time) v1beta1.ConnectionRequestStatus {
		return v1beta1.ConnectionRequestStatus{State: v1beta1.WorkSucceeded, Accounts: []string{"one"}, FinishedAt: &metav1.Time{Time: at}}
	}
	for _, c := range []struct {
		why     string
		status  v1beta1.ConnectionRequestStatus
		account *v1beta1.SocialAccount
		says    []string
		again   bool
	}{
		{"not reconciled yet", v1beta1.ConnectionRequestStatus{}, nil, []string{"Connecting TikTok"}, true},
		{"in progress", v1beta1.ConnectionRequestStatus{State: v1beta1.WorkProcessing}, nil, []string{"Connecting TikTok"}, true},
		{"connected", done(noon), account("active", "Maya <b>"), []string{"TikTok is connected", "Maya &lt;b&gt;"}, false},
		{"just connected", done(noon.Add(-time.Second)), account("", ""), []string{"TikTok is connected"}, true},
		{"connected without a name", done(noon.Add(-time.Minute)), account("", ""), []string{"TikTok is connected"}, false},
		{"missing scopes", done(noon), account("insufficient_scope", "Maya"), []string{"Permissions are missing", "cannot be used for posting"}, false},
		{
			"refused",
			v1beta1.ConnectionRequestStatus{State: v1beta1.WorkFailed, Error: &v1beta1.WorkError{Message: "TikTok did not accept it.", Retryable: true}},
			nil,
			[]string{"Nothing was connected", "TikTok did not accept it."},
			false,
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			objects := []client.Object{&v1beta1.ConnectionRequest{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: link.RequestName()}, Spec: v1beta1.ConnectionRequestSpec{Platform: "tiktok"}, Status: c.status}}
			if c.account != nil {
				objects = append(objects, c.account)
			}
			d := newDesk(t, objects...)
			token, err := d.Consent.Result(link)
			if err != nil {
				t.Fatal(err)
			}
			w := d.open("/oauth/tiktok/result", url.Values{"link": {token}})
			if w.Code != http.StatusOK || strings.Contains(w.Body.String(), `http-equiv="refresh"`) != c.again {
				t.Errorf("%d %s", w.Code, w.Body)
			}
			for _, s := range c.says {
				if !strings.Contains(w.Body.String(), s) {
					t.Errorf("the page lacks %q: %s", s, w.Body)
				}
			}
			d.clock.SetTime(noon.Add(time.Hour))
			if w := d.open("/oauth/tiktok/result", url.Values{"link": {token}}); w.Code != http.StatusBadRequest {
				t.Errorf("an hour later: got %d", w.Code)
			}
		})
	}
}

func TestPage_MatchesItsContentSecurityPolicy(t *testing.T) {
	d := newDesk(t)
	w := d.open("/oauth/tiktok/callback", nil)
	style := regexp.MustCompile(`(?s)<style>(.*)</style>`).FindStringSubmatch(w.Body.String())
	if style == nil {
		t.Fatal("the page has no style")
	}
	sum := sha256.Sum256([]byte(style[1]))
	if p := w.Header().Get("Content-Security-Policy"); !strings.Contains(p, "'sha256-"+base64.StdEncoding.EncodeToString(sum[:])+"'") {
		t.Errorf("the policy forbids the style: %s", p)
	}
}

func TestWord(t *testing.T) {
	for in, want := range map[string]string{
		"server_error": "server error", "invalid_scope": "invalid scope", "": "", "<b>": "no reason was given", strings.Repeat("x", 65): "no reason was given", "visit evil.example now": "no reason was given",
	} {
		if got := word(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}
