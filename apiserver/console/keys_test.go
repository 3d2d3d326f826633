// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
)

// newKeeper returns the name of a user who may manage the API keys of an account.
func newKeeper(t *testing.T, account string) string {
	t.Helper()
	user := newUser(t, account, "reelops-editor")
	allow(t, account, user, "apikeys", "list", "create", "update")
	return user
}

func TestKeys_AreCreatedUsedAndRevoked(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme", "tea")
	b := signedIn(t, r, newKeeper(t, account), account)
	tea := &v1beta1.Brand{}
	must(t, cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: account, Name: "tea"}, tea))
	expires := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	made := b.call("POST", "/console/keys", map[string]any{
		"display_name": " Website ", "scopes": []string{"brand:read", "brand:read", "content:write"},
		"brand_id": mustID(t, tea), "expires_at": expires.Format(time.RFC3339),
	})
	key := made.data()
	secret, _ := key["secret"].(string)
	if made.status != http.StatusCreated || apikey.CheckShape(apikey.DefaultPrefix, secret) != nil ||
		key["display_name"] != "Website" || key["brand_id"] != float64(mustID(t, tea)) ||
		key["expires_at"] != expires.Format(time.RFC3339) ||
		key["revoked"] != false ||
		key["last_used_at"] != nil || key["request_count"] != 0.0 || len(key["scopes"].([]any)) != 2 {
		t.Fatalf("got %d: %s", made.status, strings.ReplaceAll(made.raw, secret, "SECRET"))
	}
	if log := r.audit.String(); !strings.Contains(log, `"operation":"create_key"`) || strings.Contains(log, secret) {
		t.Error("the audit log has no line of the key, or has its secret")
	}
	use := func() answer {
		return newBrowser(t, r).get("/api/v1/account", "Authorization", "Bearer "+secret)
	}
	use().want(t, "the new key", http.StatusOK, "")
	name, _ := key["name"].(string)
	eventually(t, "the key in the list", func() (bool, error) {
		list := b.get("/console/keys")
		return list.status == http.StatusOK && strings.Contains(list.raw, `"name":"`+name+`"`) &&
			!strings.Contains(list.raw, "secret"), nil
	})
	b.call("DELETE", "/console/keys/"+name, nil).want(t, "revoke", http.StatusNoContent, "")
	use().want(t, "the revoked key", http.StatusUnauthorized, "key_revoked")
	b.call("DELETE", "/console/keys/"+name, nil).want(t, "revoke again", http.StatusNoContent, "")
	b.call("DELETE", "/console/keys/key-999999", nil).want(t, "an unknown key", http.StatusNotFound, "not_found")
}

func TestKeys_ScopesThatTheUserLacksAreRefused(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme", "tea")
	user := newUser(t, account, "reelops-viewer")
	allow(t, account, user, "apikeys", "list", "create")
	b := signedIn(t, r, user, account)
	create := func(scopes ...v1beta1.Scope) answer {
		return b.call("POST", "/console/keys", map[string]any{"display_name": "Website", "scopes": scopes})
	}
	create(v1beta1.ScopeBrandRead).want(t, "a key that reads", http.StatusCreated, "")
	for _, scope := range []v1beta1.Scope{
		v1beta1.ScopeBrandWrite, v1beta1.ScopeMediaWrite, v1beta1.ScopeContentWrite, v1beta1.ScopePostsWrite,
	} {
		refused := create(v1beta1.ScopeBrandRead, scope)
		refused.want(t, "a key with "+string(scope), http.StatusForbidden, "missing_scope")
		if !strings.Contains(refused.raw, `"required_scope":"`+string(scope)+`"`) {
			t.Errorf("the problem does not name the scope %s: %s", scope, refused.raw)
		}
	}
	var keys v1beta1.APIKeyList
	must(t, cluster.Client.List(t.Context(), &keys, client.InNamespace(account)))
	if len(keys.Items) != 1 {
		t.Errorf("the account has %d keys, want 1", len(keys.Items))
	}
}

func TestKeys_SessionNamesEachRight(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	for verb, name := range map[string]string{"list": "read_keys", "create": "keys", "update": "revoke_keys"} {
		user := newUser(t, account, "reelops-viewer")
		allow(t, account, user, "apikeys", verb)
		can, _ := signedIn(t, r, user, account).session().body["can"].(map[string]any)
		for _, other := range []string{"read_keys", "keys", "revoke_keys"} {
			if can[other] != (other == name) {
				t.Errorf("a user who may %s API keys: can.%s is %v", verb, other, can[other])
			}
		}
	}
}

func TestKeys_InvalidRequestsAreRefused(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme")
	b := signedIn(t, r, newKeeper(t, account), account)
	for field, body := range map[string]map[string]any{
		"display_name": {"display_name": "  ", "scopes": []string{"brand:read"}},
		"scopes":       {"display_name": "a", "scopes": []string{"everything"}},
		"brand_id":     {"display_name": "a", "scopes": []string{"brand:read"}, "brand_id": 999_999},
		"expires_at":   {"display_name": "a", "scopes": []string{"brand:read"}, "expires_at": "2020-01-01T00:00:00Z"},
	} {
		got := b.call("POST", "/console/keys", body)
		got.want(t, field, http.StatusUnprocessableEntity, "validation_failed")
		if !strings.Contains(got.raw, `"field":"`+field+`"`) {
			t.Errorf("%s: got %s", field, got.raw)
		}
	}
	b.call("POST", "/console/keys", map[string]any{"display_name": "a"}).
		want(t, "no scopes", http.StatusUnprocessableEntity, "validation_failed")
	b.call("POST", "/console/keys", []string{}).want(t, "a list", http.StatusBadRequest, "bad_request")
	for range v1beta1.MaxKeysPerBrand {
		b.call("POST", "/console/keys", map[string]any{"display_name": "a", "scopes": []string{"brand:read"}}).
			want(t, "a key", http.StatusCreated, "")
	}
	b.call("POST", "/console/keys", map[string]any{"display_name": "a", "scopes": []string{"brand:read"}}).
		want(t, "one key more", http.StatusConflict, "conflict")
}

func TestKeys_NeedTheRightsOnThem(t *testing.T) {
	r := newReplica(t, nil)
	account, other := newAccount(t, "acme"), newAccount(t, "acme")
	b := signedIn(t, r, newUser(t, account, "reelops-publisher", "reelops-approver"), account)
	b.get("/console/keys").want(t, "list", http.StatusForbidden, "missing_scope")
	b.call("POST", "/console/keys", map[string]any{"display_name": "a", "scopes": []string{"brand:read"}}).
		want(t, "create", http.StatusForbidden, "missing_scope")
	b.call("DELETE", "/console/keys/key-1", nil).want(t, "revoke", http.StatusForbidden, "missing_scope")

	// A user who may manage the keys of one account does not reach those of another.
	keeper := signedIn(t, r, newKeeper(t, other), other)
	made := keeper.call("POST", "/console/keys", map[string]any{"display_name": "a", "scopes": []string{"brand:read"}})
	name, _ := made.data()["name"].(string)
	signedIn(t, r, newKeeper(t, account), account).call("DELETE", "/console/keys/"+name, nil).
		want(t, "a key of another account", http.StatusNotFound, "not_found")
}
