// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"regexp"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/console"
	"github.com/reelops/reelops/internal/testkit"
)

// request is a request to the console.
type request struct{ method, path string }

// placeholder matches a parameter in the path of an operation.
var placeholder = regexp.MustCompile(`\{[^}]*\}`)

// protected are requests to the console's own routes that need a session, and to paths below /console/api that the API
// does not have.
var protected = []request{
	{"POST", "/console/session/account"},
	{"GET", "/console/events?short_id=1"},
	{"GET", "/console/keys"},
	{"POST", "/console/keys"},
	{"DELETE", "/console/keys/key-1"},
	{"GET", "/console/members"},
	{"POST", "/console/members"},
	{"DELETE", "/console/members/member-1"},
	{"GET", "/console/manifests"},
	{"GET", "/console/authorization"},
	{"POST", "/console/authorization"},
	{"GET", "/console/api/v1/nothing"},
	{"GET", "/console/api/"},
}

// everyRequest returns a request to every route that needs a session, and one for every operation with this id in its
// path.
func everyRequest(t *testing.T, id string) []request {
	t.Helper()
	out := slices.Clone(protected)
	for _, o := range operations(t) {
		out = append(out, request{o.method, "/console" + placeholder.ReplaceAllString(o.path, id)})
	}
	return out
}

// refusesAll checks that no route that needs a session answers a browser.
func refusesAll(t *testing.T, why string, b *browser) {
	t.Helper()
	for _, p := range everyRequest(t, "1") {
		b.call(p.method, p.path, nil).want(t, why+": "+p.method+" "+p.path, http.StatusUnauthorized, "invalid_token")
	}
	if got := b.session(); got.status != http.StatusUnauthorized || got.body["sign_in"] == nil {
		t.Errorf("%s: GET /console/session: got %d: %s", why, got.status, got.raw)
	}
}

// TestRoutes_AreAllTested fails for a new route that the tests of this package do not request.
func TestRoutes_AreAllTested(t *testing.T) {
	missing := map[string]bool{}
	m := http.NewServeMux()
	for _, pattern := range console.Protected() {
		missing[pattern] = true
		m.Handle(pattern, http.NotFoundHandler())
	}
	for _, p := range protected {
		r, err := http.NewRequestWithContext(t.Context(), p.method, p.path, nil)
		must(t, err)
		_, pattern := m.Handler(r)
		if pattern == "" {
			t.Errorf("%s %s needs no session", p.method, p.path)
		}
		delete(missing, pattern)
	}
	for pattern := range missing {
		t.Errorf("no test requests %s", pattern)
	}
}

func TestRoutes_RefuseWritesFromOtherOrigins(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, account, "reelops-publisher"), account)
	writes := slices.DeleteFunc(everyRequest(t, "1"), func(p request) bool { return p.method == http.MethodGet })
	writes = append(writes,
		request{"POST", "/console/session/link"}, request{"DELETE", "/console/session?everywhere=true"})
	for _, headers := range [][]string{
		{"Sec-Fetch-Site", "cross-site"},
		{"Sec-Fetch-Site", "same-site"},
		{"Origin", "https://evil.example"},
		{"Origin", "null"},
	} {
		for _, p := range writes {
			b.call(p.method, p.path, map[string]string{}, headers...).
				want(t, fmt.Sprintf("%q: %s %s", headers, p.method, p.path), http.StatusForbidden, "bad_request")
		}
	}
	if got := b.session(); got.status != http.StatusOK {
		t.Errorf("the session has ended: %d", got.status)
	}
	same := []string{"Origin", r.url, "Sec-Fetch-Site", "same-origin"}
	b.call("POST", "/console/session/account", map[string]string{"account": account}, same...).
		want(t, "the same origin", http.StatusNoContent, "")
	// Pages of other origins cannot read responses: none permits them.
	got := b.get("/console/api/v1/account", "Origin", "https://evil.example")
	for name := range got.header {
		if strings.HasPrefix(name, "Access-Control-") {
			t.Errorf("the header %s permits another origin", name)
		}
	}
}

// foreign creates an account with an object of each kind that operations name, all with one id, and returns the id.
func foreign(t *testing.T) (account, id string) {
	t.Helper()
	account = newAccount(t, "acme")
	show, id := newShort(t, account)
	labels := map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: "acme"}
	post := testkit.ScheduledPost(account, v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{"a.jpg"}})
	post.Labels, post.Spec.ShortID = labels, mustID(t, show)
	for _, o := range []client.Object{
		post,
		&v1beta1.SocialAccount{
			ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: "tik", Labels: labels},
			Spec: v1beta1.SocialAccountSpec{
				BrandRef: v1beta1.LocalRef{Name: "acme"}, Platform: "tiktok", PlatformAccountID: id,
				TokenSecretRef: v1beta1.LocalRef{Name: "tokens"},
			},
		},
		&v1beta1.MediaAsset{
			ObjectMeta: metav1.ObjectMeta{Namespace: account, Name: "harbour", Labels: labels},
			Spec: v1beta1.MediaAssetSpec{
				BrandRef: &v1beta1.LocalRef{Name: "acme"},
				Source:   v1beta1.MediaSource{BlobKey: ptr.To("media/" + account + "/harbour.jpg")},
			},
		},
	} {
		must(t, cluster.Client.Create(t.Context(), o))
	}
	return account, id
}

// TestRoutes_HideObjectsOfOtherAccounts compares the responses for objects of another account with those for ids that
// do not exist.
func TestRoutes_HideObjectsOfOtherAccounts(t *testing.T) {
	r := newReplica(t, nil)
	theirs, id := foreign(t)
	owner := signedIn(t, r, newUser(t, theirs, "reelops-publisher", "reelops-approver"), theirs)
	for _, path := range []string{"/shorts/", "/posts/", "/media/"} {
		eventually(t, path+id, func() (bool, error) {
			return owner.get("/console/api/v1"+path+id).status == http.StatusOK, nil
		})
	}
	const unknown = "987654321"
	mine := newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, mine, "reelops-publisher", "reelops-approver"), mine)
	compared := 0
	for _, o := range operations(t) {
		if !strings.Contains(o.path, "{") || o.name == "get_error" {
			continue
		}
		compared++
		send := func(id string) answer {
			var body any
			if o.method != http.MethodGet && o.method != http.MethodDelete {
				body = map[string]any{}
			}
			got := b.call(o.method, "/console"+placeholder.ReplaceAllString(o.path, id), body)
			got.raw = strings.ReplaceAll(got.raw, got.header.Get("X-Request-Id"), "REQUEST")
			got.raw = strings.ReplaceAll(got.raw, id, "ID")
			return got
		}
		there, nowhere := send(id), send(unknown)
		if there.status < 400 || there.status >= 500 || there.status != nowhere.status || there.raw != nowhere.raw {
			t.Errorf("%s %s: %d %s\nof an id that does not exist: %d %s",
				o.method, o.path, there.status, there.raw, nowhere.status, nowhere.raw)
		}
	}
	if compared < 10 {
		t.Errorf("compared %d operations", compared)
	}
	b.get("/console/events?short_id="+id).want(t, "events", http.StatusNotFound, "not_found")
	// The session cannot select the account, neither by the route nor by a header.
	b.call("POST", "/console/session/account", map[string]string{"account": theirs}).
		want(t, "select the account", http.StatusForbidden, "missing_scope")
	brand := &v1beta1.Brand{}
	must(t, cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: theirs, Name: "acme"}, brand))
	got := b.get("/console/api/v1/brand", "X-Brand-Id", brand.Labels[v1beta1.LabelID])
	if got.status < 400 || got.status >= 500 {
		t.Errorf("a brand of another account: got %d: %s", got.status, got.raw)
	}
}

// TestRights_WithdrawnFromEveryRoute removes all rights of a user with a session.
func TestRights_WithdrawnFromEveryRoute(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, account, "reelops-publisher", "reelops-approver"), account)
	b.get("/console/api/v1/account").want(t, "before", http.StatusOK, "")
	must(t, cluster.Client.DeleteAllOf(t.Context(), &rbacv1.RoleBinding{}, client.InNamespace(account)))
	eventually(t, "the end of all rights", func() (bool, error) {
		return b.get("/console/api/v1/account").code() == "missing_scope", nil
	})
	scopes := map[string]string{}
	for _, o := range operations(t) {
		scopes[o.method+" /console"+placeholder.ReplaceAllString(o.path, "1")] = o.scope
	}
	for _, p := range everyRequest(t, "1") {
		scope, operation := scopes[p.method+" "+p.path]
		unknown := strings.HasPrefix(p.path, "/console/api/") && !operation
		if unknown || operation && scope == "" {
			continue // a path that does not exist, or an operation without data of accounts
		}
		var body any
		switch {
		case p.path == "/console/session/account":
			body = map[string]string{"account": account}
		case p.path == "/console/keys" && p.method == http.MethodPost:
			body = map[string]any{"display_name": "a", "scopes": []string{"brand:read"}}
		case p.method != http.MethodGet && p.method != http.MethodDelete:
			body = map[string]any{}
		}
		b.call(p.method, p.path, body).want(t, p.method+" "+p.path, http.StatusForbidden, "missing_scope")
	}
	session := b.session()
	if accounts, _ := session.body["accounts"].([]any); slices.Contains(accounts, any(account)) {
		t.Errorf("the account is still offered: %s", session.raw)
	}
	if scopes, _ := session.body["scopes"].([]any); len(scopes) > 0 {
		t.Errorf("the page is told scopes: %s", session.raw)
	}
}

// TestLink_PlantedCookiesAreReplaced signs in in a browser in which somebody has planted cookies.
func TestLink_PlantedCookiesAreReplaced(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	attacker, victim := newUser(t, account, "reelops-viewer"), newUser(t, account, "reelops-viewer")
	hers := signedIn(t, r, attacker, account)
	planted := hers.jar.Cookies(mustURL(t, r.url))[0]
	for why, value := range map[string]string{"a session of the attacker": planted.Value, "any text": "x"} {
		b := newBrowser(t, r)
		b.jar.SetCookies(mustURL(t, r.url), []*http.Cookie{{Name: planted.Name, Value: value, Path: "/"}})
		b.open(link(t, victim, account)).want(t, why, http.StatusNoContent, "")
		after := b.jar.Cookies(mustURL(t, r.url))
		if len(after) != 1 || after[0].Value == value {
			t.Errorf("%s: the cookies after the sign-in are %v", why, after)
		}
		if user := b.session().body["user"].(map[string]any); user["name"] != victim {
			t.Errorf("%s: signed in as %v", why, user)
		}
	}
	// The cookie that the attacker knows is still a session of the attacker.
	if user := hers.session().body["user"].(map[string]any); user["name"] != attacker {
		t.Errorf("the planted cookie is a session of %v", user)
	}
	// Signing out the victim's browser with the planted cookie does not end the victim's session.
	b := signedIn(t, r, victim, account)
	jar, err := cookiejar.New(nil)
	must(t, err)
	jar.SetCookies(mustURL(t, r.url), []*http.Cookie{{Name: planted.Name, Value: planted.Value, Path: "/"}})
	other := &browser{t: t, url: r.url, jar: jar, http: &http.Client{Jar: jar}}
	other.call("DELETE", "/console/session?everywhere=true", nil).want(t, "sign out", http.StatusNoContent, "")
	if got := b.session(); got.status != http.StatusOK {
		t.Errorf("the session of the victim has ended: %s", got.raw)
	}
}

// TestLink_TokenIsNoOtherCredential uses the token of a link as another credential, before and after it was opened.
func TestLink_TokenIsNoOtherCredential(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	user := newUser(t, account, "reelops-viewer")
	token := link(t, user, account)
	everywhere := func(when string) {
		t.Helper()
		b := newBrowser(t, r)
		for _, headers := range [][]string{
			{"Authorization", "Bearer " + token}, {"Cookie", "reelops-console=" + token}, {"X-Api-Key", token},
		} {
			for _, path := range []string{"/console/api/v1/account", "/api/v1/account"} {
				if got := b.get(path, headers...); got.status != http.StatusUnauthorized {
					t.Errorf("%s, %s as %s: got %d: %s", when, path, headers[0], got.status, got.raw)
				}
			}
		}
		// The token is in the fragment of the link. A server that gets it in the query ignores it.
		if got := b.get("/console/link?token=" + token); got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: the token in the query signs in", when)
		}
	}
	everywhere("before")
	b := newBrowser(t, r)
	b.open(token).want(t, "the first use", http.StatusNoContent, "")
	everywhere("after")
	for range 2 {
		b.open(token).want(t, "the same browser again", http.StatusUnauthorized, "invalid_token")
	}
	if got := b.session(); got.status != http.StatusOK {
		t.Errorf("a replay ended the session: %s", got.raw)
	}
}
