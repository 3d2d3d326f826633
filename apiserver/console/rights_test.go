// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/limit"
)

func mustURL(t *testing.T, raw string) *url.URL {
	t.Helper()
	u, err := url.Parse(raw)
	must(t, err)
	return u
}

// allow gives a user verbs on a resource in a namespace, in addition to other rights.
func allow(t *testing.T, account, user, resource string, verbs ...string) {
	t.Helper()
	meta := metav1.ObjectMeta{Namespace: account, Name: resource + "-" + user}
	must(t, cluster.Client.Create(t.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"reelops.dev"}, Resources: []string{resource}, Verbs: verbs},
	}}))
	must(t, cluster.Client.Create(t.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: meta.Name},
		Subjects: []rbacv1.Subject{{APIGroup: rbacv1.GroupName, Kind: rbacv1.UserKind, Name: user}},
	}))
	eventually(t, "the right to "+verbs[0]+" "+resource, func() (bool, error) {
		return may(t, user, account, verbs[0], resource), nil
	})
}

// permissions is the table of the design, by scope.
var permissions = map[string][2]string{
	"brand:read": {"get", "brands"}, "media:read": {"get", "mediaassets"}, "media:write": {"create", "mediaassets"},
	"content:write": {"create", "slideshows"}, "posts:read": {"get", "posts"}, "posts:write": {"create", "postbatches"},
	"analytics:read": {"get", "accountanalytics"}, "brands:all": {"list", "brands"},
	"brand:write": {"patch", "brands"}, "webhooks:write": {"create", "webhookendpoints"},
}

// extra has the permissions that operations need in addition to their scope.
var extra = map[string][2]string{
	"create_connect_link": {"patch", "brands"}, "refresh_analytics": {"patch", "accountanalytics"},
	"delete_short": {"delete", "slideshows"}, "update_media": {"patch", "mediaassets"},
	"delete_media": {"delete", "mediaassets"}, "create_media_pack": {"create", "mediapacks"},
	"update_webhook": {"patch", "webhookendpoints"}, "delete_webhook": {"delete", "webhookendpoints"},
	"test_webhook": {"patch", "webhookendpoints"}, "rotate_webhook": {"patch", "webhookendpoints"},
	"replay_webhook":    {"patch", "webhookendpoints"},
	"update_media_pack": {"patch", "mediapacks"}, "delete_media_pack": {"delete", "mediapacks"},
	"create_automation": {"create", "automations"}, "update_automation": {"patch", "automations"},
	"delete_automation": {"delete", "automations"}, "run_automation": {"create", "automationruns"},
}

// actions has the permissions of the members of "can" in the session.
var actions = map[string][2]string{
	"approve": {"approve", "postbatches"}, "connect": extra["create_connect_link"],
	"refresh_analytics": extra["refresh_analytics"],
	"read_keys":         {"list", "apikeys"}, "keys": {"create", "apikeys"}, "revoke_keys": {"update", "apikeys"},
}

// instead has the permissions that operations need instead of their scope.
var instead = map[string][2]string{
	"approve_post": {"approve", "postbatches"}, "return_post": {"approve", "postbatches"},
}

// described is an operation in the description of the API.
type described struct{ method, path, name, scope string }

// operations returns the operations of the description.
func operations(t *testing.T) []described {
	t.Helper()
	doc, err := os.ReadFile("../testdata/openapi.json")
	must(t, err)
	var api struct {
		Paths map[string]map[string]struct {
			OperationID string  `json:"operationId"`
			Scope       *string `json:"x-required-scope"`
		}
	}
	must(t, json.Unmarshal(doc, &api))
	var out []described
	for path, methods := range api.Paths {
		for method, o := range methods {
			if o.OperationID == "" || !strings.HasPrefix(path, "/api/v1/") {
				continue
			}
			scope := ""
			if o.Scope != nil {
				scope = *o.Scope
			}
			out = append(out, described{strings.ToUpper(method), path, o.OperationID, scope})
		}
	}
	if len(out) < 20 {
		t.Fatalf("got %d operations", len(out))
	}
	return out
}

// changeNothing are the operations with POST that change nothing.
var changeNothing = []string{"validate_post", "preview_slide", "preview_automation"}

// TestRights_WritesWithAScopeOfReadingHaveAPermission finds new operations that a viewer could use to write.
func TestRights_WritesWithAScopeOfReadingHaveAPermission(t *testing.T) {
	for _, o := range operations(t) {
		reads := o.method == http.MethodGet || slices.Contains(changeNothing, o.name) || !strings.HasSuffix(o.scope, ":read")
		if _, tested := extra[o.name]; !reads && !tested {
			t.Errorf("%s has no row in operationAccess, or is not tested with one", o.name)
		}
	}
}

// TestRights_EqualThoseOfKubernetes compares, for each role and each operation, whether the console allows the
// operation with whether the cluster allows what the operation stands for.
func TestRights_EqualThoseOfKubernetes(t *testing.T) {
	r := newReplica(t, nil)
	for _, role := range []string{"reelops-viewer", "reelops-editor", "reelops-publisher", "reelops-approver"} {
		account := newAccount(t, "acme")
		user := newUser(t, account, role)
		b := signedIn(t, r, user, account)
		session := b.session()
		got := map[string]bool{}
		for _, s := range session.body["scopes"].([]any) {
			got[s.(string)] = true
		}
		want := map[string]bool{}
		for scope, p := range permissions {
			if may(t, user, account, p[0], p[1]) {
				want[scope] = true
			}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: scopes of the cluster (-) and the console (+):\n%s", role, d)
		}
		can, _ := session.body["can"].(map[string]any)
		for name, p := range actions {
			if can[name] != may(t, user, account, p[0], p[1]) {
				t.Errorf("%s: can.%s is %v", role, name, can[name])
			}
		}
		for _, o := range operations(t) {
			allowed := o.scope == "" || want[o.scope]
			if p, more := extra[o.name]; more {
				allowed = allowed && may(t, user, account, p[0], p[1])
			}
			if p, other := instead[o.name]; other {
				allowed = may(t, user, account, p[0], p[1])
			}
			path := o.path
			for strings.Contains(path, "{") {
				before, rest, _ := strings.Cut(path, "{")
				_, after, _ := strings.Cut(rest, "}")
				path = before + "999999" + after
			}
			var body any
			if o.method != http.MethodGet && o.method != http.MethodDelete {
				body = map[string]string{}
			}
			out := b.call(o.method, "/console"+path, body)
			if refused := out.code() == "missing_scope"; refused == allowed || out.status == http.StatusUnauthorized ||
				out.status >= 500 {
				t.Errorf("%s: %s %s: got %d: %s", role, o.method, o.path, out.status, out.raw)
			}
		}
	}
}

func TestRights_WithdrawnWithinSeconds(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	user := newUser(t, account, "reelops-viewer")
	publishes := bind(t, account, "reelops-publisher", user)
	b := signedIn(t, r, user, account)
	b.call("POST", "/console/api/v1/posts", map[string]string{}).
		want(t, "as a publisher", http.StatusUnprocessableEntity, "validation_failed")
	must(t, cluster.Client.Delete(t.Context(), publishes))
	eventually(t, "the end of the right to post", func() (bool, error) {
		return b.call("POST", "/console/api/v1/posts", map[string]string{}).code() == "missing_scope", nil
	})
	b.get("/console/api/v1/account").want(t, "as a viewer", http.StatusOK, "")
	must(t, cluster.Client.DeleteAllOf(t.Context(), &rbacv1.RoleBinding{}, client.InNamespace(account)))
	eventually(t, "the end of all rights", func() (bool, error) {
		return b.get("/console/api/v1/account").code() == "missing_scope", nil
	})
	b.get("/console/events?short_id=1").want(t, "events without rights", http.StatusForbidden, "missing_scope")
	b.get("/console/keys").want(t, "keys without rights", http.StatusForbidden, "missing_scope")
}

func TestCalls_HaveTheRulesOfTheAPI(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme", "tea")
	user := newUser(t, account, "reelops-publisher")
	b := signedIn(t, r, user, account)

	got := b.get("/console/api/v1/account")
	got.want(t, "get_account", http.StatusOK, "")
	key, _ := got.data()["api_key"].(map[string]any)
	if key["name"] != user || key["id"] != 0.0 || got.header.Get("X-Ratelimit-Limit") == "" ||
		got.header.Get("X-Request-Id") == "" {
		t.Errorf("got %v and headers %v", key, got.header)
	}
	var brands v1beta1.BrandList
	must(t, cluster.Client.List(t.Context(), &brands, client.InNamespace(account)))
	for i := range brands.Items {
		named := b.get("/console/api/v1/brand", "X-Brand-Id", brands.Items[i].Labels[v1beta1.LabelID])
		if named.status != http.StatusOK || named.data()["name"] != brands.Items[i].Name {
			t.Errorf("brand %s: got %s", brands.Items[i].Name, named.raw)
		}
	}

	body := map[string]any{"context": "Sleep well.\nGo to bed at the same time.\nKeep the room dark."}
	first := b.call("POST", "/console/api/v1/slideshows", body, "Idempotency-Key", "once")
	first.want(t, "create_slideshow", http.StatusAccepted, "")
	// Another session of the user repeats the request.
	again := signedIn(t, r, user, account).call("POST", "/console/api/v1/slideshows", body, "Idempotency-Key", "once")
	if again.status != http.StatusAccepted || again.data()["job_id"] != first.data()["job_id"] {
		t.Errorf("got %s, then %s", first.raw, again.raw)
	}
	log := r.audit.String()
	for _, part := range []string{
		`"operation":"create_slideshow"`, `"kind":"user"`, `"user":"` + user + `"`, `"door":"console"`,
	} {
		if !strings.Contains(log, part) {
			t.Errorf("the audit log has no %s: %s", part, log)
		}
	}

	for range limit.Default()[limit.Console].Limit + 1 {
		if got = b.get("/console/api/v1/capabilities"); got.status == http.StatusTooManyRequests {
			break
		}
	}
	got.want(t, "more calls than the rate limit allows", http.StatusTooManyRequests, "rate_limited")
	other := signedIn(t, r, newUser(t, account, "reelops-viewer"), account)
	other.get("/console/api/v1/capabilities").want(t, "another user", http.StatusOK, "")
}

func TestCalls_PreviewsHaveTheirOwnRateLimit(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, account, "reelops-editor"), account)
	var got answer
	for range limit.Default()[limit.Console].Limit + 1 {
		got = b.call("POST", "/console/api/v1/slideshows/999999/preview", map[string]any{"slide_id": 1})
		if got.status == http.StatusTooManyRequests {
			break
		}
	}
	got.want(t, "more previews than the rate limit allows", http.StatusTooManyRequests, "rate_limited")
	b.call("PATCH", "/console/api/v1/slideshows/999999", map[string]any{"title": "Tea"}).
		want(t, "an edit after many previews", http.StatusNotFound, "not_found")
}

func TestCalls_AuditLogNamesTheUserWhoConnectedAnAccount(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	user := newUser(t, account, "reelops-publisher")
	allow(t, account, user, "brands", "patch")
	b := signedIn(t, r, user, account)
	got := b.call("POST", "/console/api/v1/connections/link", map[string]string{"platform": "tiktok"})
	got.want(t, "create_connect_link", http.StatusOK, "")
	at, _ := got.data()["authorize_url"].(string)
	state := mustURL(t, at).Query().Get("state")
	// The platform redirects the user to the page of the link, which has no session.
	back := newBrowser(t, r).get("/oauth/tiktok/callback?" + url.Values{"state": {state}, "code": {"1"}}.Encode())
	if back.status != http.StatusOK {
		t.Fatalf("got %d: %s", back.status, back.raw)
	}
	for line := range strings.Lines(r.audit.String()) {
		if strings.Contains(line, `"operation":"connect_account"`) && strings.Contains(line, `"kind":"link"`) &&
			strings.Contains(line, `"user":"`+user+`"`) {
			return
		}
	}
	t.Errorf("the audit log does not name the user: %s", r.audit.String())
}
