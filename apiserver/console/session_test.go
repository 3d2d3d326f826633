// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/console"
	"github.com/reelops/reelops/internal/testkit"
)

func TestRoutes_RefuseRequestsWithoutASession(t *testing.T) {
	r := newReplica(t, nil)
	refusesAll(t, "without a cookie", newBrowser(t, r))

	account := newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, account, "reelops-viewer"), account)
	if got := b.session(); got.status != http.StatusOK {
		t.Fatalf("got %d: %s", got.status, got.raw)
	}
	other := newReplica(t, func(s *console.Settings) { s.Key = bytes.Repeat([]byte("x"), 32) })
	refusesAll(t, "with a cookie of another installation", b.at(other))
	// An API key is not a session.
	newBrowser(t, r).get("/console/api/v1/account", "Authorization", "Bearer rlo_x").
		want(t, "with an API key", http.StatusUnauthorized, "invalid_token")
}

func TestLink_SignsInItsUserOnce(t *testing.T) {
	r, second := newReplica(t, nil), newReplica(t, nil)
	account := newAccount(t, "acme", "tea")
	user := newUser(t, account, "reelops-editor")
	token := link(t, user, account)
	b := newBrowser(t, r)
	got := b.open(token)
	got.want(t, "a new link", http.StatusNoContent, "")
	cookie := got.header.Get("Set-Cookie")
	for _, part := range []string{"reelops-console=", "Path=/", "HttpOnly", "SameSite=Lax", "Max-Age=43200"} {
		if !strings.Contains(cookie, part) {
			t.Errorf("the cookie %q has no %s", cookie, part)
		}
	}
	if strings.Contains(cookie, user) || strings.Contains(cookie, token) {
		t.Error("the cookie shows the user or the token")
	}
	session := b.session()
	shown, _ := session.body["user"].(map[string]any)
	if session.body["account"] != account || shown["name"] != user {
		t.Errorf("got session %s", session.raw)
	}
	newBrowser(t, r).open(token).want(t, "a used link", http.StatusUnauthorized, "invalid_token")
	newBrowser(t, second).open(token).want(t, "a used link on another replica", http.StatusUnauthorized, "invalid_token")
	if got := b.at(second).session(); got.status != http.StatusOK {
		t.Errorf("another replica does not know the session: %d", got.status)
	}
	if log := r.audit.String(); !strings.Contains(log, `"operation":"open_console_link"`) ||
		!strings.Contains(log, `"user":"`+user+`"`) ||
		strings.Contains(log, token) {
		t.Errorf("got audit log %s", log)
	}
}

func TestLink_OfSeveralAttemptsOneSucceeds(t *testing.T) {
	replicas := []*replica{newReplica(t, nil), newReplica(t, nil)}
	account := newAccount(t, "acme")
	user := newUser(t, account, "reelops-viewer")
	for range 5 {
		token := link(t, user, account)
		var all sync.WaitGroup
		statuses := make([]int, 8)
		for i := range statuses {
			b := newBrowser(t, replicas[i%2])
			all.Go(func() { statuses[i] = b.open(token).status })
		}
		all.Wait()
		slices.Sort(statuses)
		if statuses[0] != http.StatusNoContent || statuses[1] != http.StatusUnauthorized {
			t.Fatalf("got %v, want one success", statuses)
		}
	}
}

func TestLink_SignInHasANewSession(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	anna, bert := newUser(t, account, "reelops-viewer"), newUser(t, account, "reelops-viewer")
	b := signedIn(t, r, anna, account)
	first := b.jar.Cookies(mustURL(t, r.url))[0].Value
	b.open(link(t, bert, account)).want(t, "a link of another user", http.StatusNoContent, "")
	if second := b.jar.Cookies(mustURL(t, r.url))[0].Value; second == first {
		t.Error("the session of the first user was reused")
	}
	if shown := b.session().body["user"].(map[string]any); shown["name"] != bert {
		t.Errorf("got user %v", shown)
	}
}

func TestLink_ExpiredOrUnknownIsRefused(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	user := newUser(t, account, "reelops-viewer")
	c := as(t, user)
	expired, token := newLink(t, c, account)
	expired.Spec.ExpiresAt = metav1.NewTime(time.Now().Add(-time.Second))
	must(t, c.Create(t.Context(), expired))
	b := newBrowser(t, r)
	b.open(token).want(t, "an expired link", http.StatusUnauthorized, "invalid_token")
	err := cluster.Client.Get(t.Context(), client.ObjectKeyFromObject(expired), &v1beta1.ConsoleLink{})
	if !apierrors.IsNotFound(err) {
		t.Errorf("the expired link was not deleted: %v", err)
	}
	_, unknown := newLink(t, c, account)
	for why, token := range map[string]string{
		"unknown": unknown, "empty": "", "cut": unknown[:20], "an API key": "rlo_" + unknown[5:],
	} {
		b.open(token).want(t, why, http.StatusUnauthorized, "invalid_token")
	}
	b.call("POST", "/console/session/link", map[string]string{"tokens": unknown}).
		want(t, "another member", http.StatusBadRequest, "bad_request")
	b.call("POST", "/console/session/link", map[string]string{"token": unknown}, "Content-Type", "text/plain").
		want(t, "a form", http.StatusBadRequest, "bad_request")
	if got := b.session(); got.status != http.StatusUnauthorized {
		t.Errorf("got a session: %s", got.raw)
	}
	var last answer
	for range 80 { // guesses are limited by address
		if last = b.open(unknown); last.status == http.StatusTooManyRequests {
			break
		}
	}
	last.want(t, "many guesses", http.StatusTooManyRequests, "rate_limited")
}

func TestPolicy_RefusesForgedLinks(t *testing.T) {
	prepare(t)
	account := newAccount(t)
	user := newUser(t, account, "reelops-viewer")
	c := as(t, user, "team", "system:authenticated")
	for why, change := range map[string]func(*v1beta1.ConsoleLink){
		"another user":   func(l *v1beta1.ConsoleLink) { l.Spec.Username = "kubernetes-admin" },
		"another group":  func(l *v1beta1.ConsoleLink) { l.Spec.Groups = append(l.Spec.Groups, "system:masters") },
		"a group less":   func(l *v1beta1.ConsoleLink) { l.Spec.Groups = l.Spec.Groups[:1] },
		"no groups":      func(l *v1beta1.ConsoleLink) { l.Spec.Groups = nil },
		"an hour":        func(l *v1beta1.ConsoleLink) { l.Spec.ExpiresAt = metav1.NewTime(time.Now().Add(time.Hour)) },
		"no hash":        func(l *v1beta1.ConsoleLink) { l.Spec.TokenSHA256 = "x" },
		"another tenant": func(l *v1beta1.ConsoleLink) { l.Namespace = "default" },
	} {
		l, _ := newLink(t, c, account)
		change(l)
		if err := c.Create(t.Context(), l); !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
			t.Errorf("%s: got %v", why, err)
		}
	}
	l, _ := newLink(t, c, account)
	slices.Reverse(l.Spec.Groups)
	must(t, c.Create(t.Context(), l))
	l.Spec.Username = "kubernetes-admin"
	if err := cluster.Client.Update(t.Context(), l); !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err) {
		t.Errorf("a link was changed: %v", err)
	}
}

func TestSignOut_EndsTheSessionOnly(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	user := newUser(t, account, "reelops-viewer")
	one, two := signedIn(t, r, user, account), signedIn(t, r, user, account)
	stolen := *one // a copy of the cookie
	stolen.http = &http.Client{}
	cookies := one.jar.Cookies(mustURL(t, r.url))
	one.call("DELETE", "/console/session", nil).want(t, "sign out", http.StatusNoContent, "")
	if left := one.jar.Cookies(mustURL(t, r.url)); len(left) != 0 {
		t.Errorf("cookies %v are left", left)
	}
	refusesAll(t, "after the sign-out", one)
	copied := cookies[0].Name + "=" + cookies[0].Value
	stolen.get("/console/api/v1/account", "Cookie", copied).
		want(t, "a copied cookie", http.StatusUnauthorized, "invalid_token")
	if got := two.session(); got.status != http.StatusOK {
		t.Errorf("the other session has ended: %s", got.raw)
	}
	one.call("DELETE", "/console/session", nil).want(t, "sign out again", http.StatusNoContent, "")
}

func TestSignOut_EverywhereEndsSessionsOnAllReplicas(t *testing.T) {
	r, second := newReplica(t, nil), newReplica(t, nil)
	account := newAccount(t, "acme")
	anna, bert := newUser(t, account, "reelops-viewer"), newUser(t, account, "reelops-viewer")
	one, two := signedIn(t, r, anna, account), signedIn(t, second, anna, account)
	other := signedIn(t, second, bert, account)
	if got := two.session(); got.status != http.StatusOK { // the second replica has read the record
		t.Fatalf("got %d", got.status)
	}
	one.call("DELETE", "/console/session?everywhere=true", nil).want(t, "sign out", http.StatusNoContent, "")
	eventually(t, "the end of the session on the second replica", func() (bool, error) {
		return two.session().status == http.StatusUnauthorized, nil
	})
	refusesAll(t, "after the sign-out everywhere", two)
	if got := other.session(); got.status != http.StatusOK {
		t.Errorf("the session of another user has ended: %s", got.raw)
	}
	m := &corev1.ConfigMap{}
	record := client.ObjectKey{Namespace: testkit.SystemNamespace, Name: "console-sessions"}
	must(t, cluster.Client.Get(t.Context(), record, m))
	for name := range m.Data {
		if strings.Contains(name, anna) {
			t.Errorf("the record has the name of a user: %s", name)
		}
	}
	// A new sign-in is not affected.
	if got := signedIn(t, second, anna, account).session(); got.status != http.StatusOK {
		t.Errorf("a new session was refused: %s", got.raw)
	}
}

func TestAccount_OnlyThoseThatTheUserMayRead(t *testing.T) {
	r := newReplica(t, nil)
	mine, second, foreign := newAccount(t, "acme"), newAccount(t, "tea"), newAccount(t, "secret")
	user := newUser(t, mine, "reelops-viewer")
	bind(t, second, "reelops-publisher", user)
	b := signedIn(t, r, user, mine)
	accounts, _ := b.session().body["accounts"].([]any)
	if !slices.Contains(accounts, any(mine)) || !slices.Contains(accounts, any(second)) ||
		slices.Contains(accounts, any(foreign)) {
		t.Errorf("got accounts %v", accounts)
	}
	for _, account := range []string{foreign, "kube-system", "default", "none", ""} {
		b.call("POST", "/console/session/account", map[string]string{"account": account}).
			want(t, account, http.StatusForbidden, "missing_scope")
	}
	b.call("POST", "/console/session/account", map[string]string{"account": second}).
		want(t, "select", http.StatusNoContent, "")
	if got := b.session(); got.body["account"] != second {
		t.Errorf("got session %s", got.raw)
	}
	if got := b.get("/console/api/v1/brand"); got.status != http.StatusOK || got.data()["name"] != "tea" {
		t.Errorf("got brand %s", got.raw)
	}
	// A link into an account that the user may not read begins in one that the user may read.
	stranger := newUser(t, mine)
	b = newBrowser(t, r)
	allow(t, mine, stranger, "consolelinks", "create")
	b.open(link(t, stranger, mine)).want(t, "a user without rights", http.StatusNoContent, "")
	if got := b.session(); len(got.body["scopes"].([]any)) != 0 || len(got.body["accounts"].([]any)) != 0 {
		t.Errorf("got session %s", got.raw)
	}
	b.get("/console/api/v1/account").want(t, "a user without rights", http.StatusForbidden, "missing_scope")
}

func TestAccount_RequestsForAnotherAreRefused(t *testing.T) {
	r := newReplica(t, nil)
	first, second := newAccount(t, "acme"), newAccount(t, "tea")
	user := newKeeper(t, first)
	bind(t, second, "reelops-viewer", user)
	b := signedIn(t, r, user, first)
	_, id := newShort(t, first)
	show := func(account string) []string { return []string{"X-Reelops-Account", account} }
	b.get("/console/api/v1/account", show(first)...).want(t, "the account of the session", http.StatusOK, "")
	b.get("/console/keys", show(first)...).want(t, "keys of the account of the session", http.StatusOK, "")

	// Another tab selects the second account, and the first tab goes on.
	b.call("POST", "/console/session/account", map[string]string{"account": second}, show(first)...).
		want(t, "select", http.StatusNoContent, "")
	for _, p := range []struct{ method, path string }{
		{"GET", "/console/api/v1/account"},
		{"POST", "/console/api/v1/slideshows"},
		{"GET", "/console/keys"},
		{"POST", "/console/keys"},
		{"DELETE", "/console/keys/key-1"},
		{"GET", "/console/events?short_id=" + id + "&account=" + first},
	} {
		got := b.call(p.method, p.path, map[string]string{}, show(first)...)
		got.want(t, p.method+" "+p.path, http.StatusConflict, "conflict")
		if !strings.Contains(got.raw, `"reason":"account_changed"`) {
			t.Errorf("%s: got %s", p.path, got.raw)
		}
	}
	if got := b.get("/console/session", show(first)...); got.status != http.StatusOK || got.body["account"] != second {
		t.Errorf("got session %s", got.raw)
	}
	b.get("/console/api/v1/account").want(t, "a request without an account", http.StatusOK, "")
	b.get("/console/events?short_id="+id+"&account="+second).
		want(t, "events of a short of the first account", http.StatusNotFound, "not_found")
}
