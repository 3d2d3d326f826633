// SPDX-License-Identifier: Apache-2.0

package credential_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/testkit/socialscript"
)

var errBroken = errors.New("the connection broke")

// A renewal that rotates has the only copy of the permission: no failure of the write may lose it.
func TestRenewal_RotatedTokenIsNeverLost(t *testing.T) {
	for fault, breaks := range map[string]func(do func() error) error{
		"lost":       func(func() error) error { return errBroken },
		"unanswered": func(do func() error) error { _ = do(); return errBroken },
		"conflict": func(func() error) error {
			return apierrors.NewConflict(schema.GroupResource{Resource: "secrets"}, secret.Name, errBroken)
		},
		"throttled": func(func() error) error { return apierrors.NewTooManyRequests("slow down", 1) },
	} {
		for n := 1; n <= 9; n++ { // number of consecutive failed writes
			t.Run(fmt.Sprintf("%s %d times", fault, n), func(t *testing.T) {
				w := newWorld(t, "tiktok", nil)
				left := n
				w.onUpdate = func(do func() error) error {
					if left == 0 {
						return do()
					}
					left--
					return breaks(do)
				}
				w.clock.SetTime(start.Add(23*time.Hour + 30*time.Minute))
				tries := 0
				for {
					a, err := w.keeper.Account(t.Context(), w.account(maya.ID))
					if tries++; tries > 20 {
						t.Fatal("the writes never succeed")
					}
					if err == nil {
						is(t, a.AccessToken, "2", "expired or unstored tokens are not returned")
						break
					}
					w.kind(err, publish.Transient, "meanwhile")
				}
				w.renewals(1, "the new tokens are stored, not renewed again")
				w.keeper = w.another()
				is(t, w.token(), "2", "another manager reads them")
				w.clock.SetTime(start.Add(48 * time.Hour))
				is(t, w.token(), "3", "and can renew them")
			})
		}
	}
}

func TestRenewal_ReconnectedMeanwhile(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	other := w.another()
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		w.platform.OnRefresh = nil
		renewed, err := w.platform.Rotate(tokens)
		mine := w.keeper
		w.keeper = other
		w.connect("request-2") // pair 3
		w.keeper = mine
		return renewed, err
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	is(t, w.token(), "3", "the tokens of the last approval are used")
	is(t, w.token(), "3", "and stays")
}

func TestRenewal_ByTwoManagers(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	other := w.another() // shutting down
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		w.platform.OnRefresh = nil
		if _, err := other.Account(t.Context(), w.account(maya.ID)); err != nil {
			t.Error(err)
		}
		return w.platform.Rotate(tokens) // the other manager has used the refresh token
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	is(t, w.token(), "2", "a failure of a token that was renewed meanwhile")
	if s := w.see(maya.ID); s.Ended != nil {
		t.Errorf("the permission is recorded as ended: %+v", s.Ended)
	}
}

func TestRenewal_OverwritesAnOlderFailure(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	other := w.another()
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		w.platform.OnRefresh = nil
		renewed, err := w.platform.Rotate(tokens)
		// Before the renewal is stored, another manager fails with the old tokens and records the permission as ended.
		if _, oerr := other.Account(t.Context(), w.account(maya.ID)); publish.KindOf(oerr) != publish.Auth {
			t.Errorf("the other manager: got %v", oerr)
		}
		return renewed, err
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	is(t, w.token(), "2", "the renewal succeeded")
	if s := w.see(maya.ID); s.Ended != nil {
		t.Errorf("the permission is recorded as ended: %+v", s.Ended)
	}
}

func TestRenewal_UnrecordedFailureIsRepeated(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) { return publish.Tokens{}, socialscript.Dead }
	w.onUpdate = func(func() error) error { return errBroken }
	w.clock.SetTime(start.Add(24 * time.Hour))
	w.fails(publish.Auth, "while writes fail")
	w.onUpdate = nil
	w.fails(publish.Auth, "afterwards")
	w.renewals(2, "the platform is called again")
	if s := w.see(maya.ID); s.Ended == nil {
		t.Error("the end of the permission is not recorded")
	}
}

func TestRenewal_SecretDeletedMeanwhile(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		if err := w.client.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name}}); err != nil {
			t.Error(err)
		}
		return w.platform.Rotate(tokens)
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	w.fails(publish.Auth, "a deleted connection stays deleted")
	if err := w.client.Get(t.Context(), secret, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Secret was recreated: %v", err)
	}
}

func TestOwners(t *testing.T) {
	w := newWorld(t, "linkedin", nil)
	one, two := w.account(maya.ID), w.account(acme.ID)
	one.UID, two.UID = "u1", "u2"
	if err := w.keeper.Own(t.Context(), secret, []*v1beta1.SocialAccount{one, two}); err != nil {
		t.Fatal(err)
	}
	owners := func() []types.UID {
		s := &corev1.Secret{}
		if err := w.client.Get(t.Context(), secret, s); err != nil {
			return nil
		}
		var out []types.UID
		for _, o := range s.OwnerReferences {
			out = append(out, o.UID)
			if o.Kind != "SocialAccount" || o.APIVersion != v1beta1.GroupVersion.String() || o.Controller != nil {
				t.Errorf("got owner %+v", o)
			}
		}
		return out
	}
	if got := owners(); len(got) != 2 {
		t.Fatalf("got owners %v", got)
	}
	if err := w.keeper.Leave(t.Context(), secret, "u1"); err != nil {
		t.Fatal(err)
	}
	if got := owners(); len(got) != 1 || got[0] != "u2" {
		t.Errorf("got owners %v", got)
	}
	is(t, w.token(), "1", "the Secret stays for the other owner")
	if err := w.keeper.Leave(t.Context(), secret, "u2"); err != nil {
		t.Fatal(err)
	}
	w.fails(publish.Auth, "the Secret is deleted with its last owner")
	if err := w.keeper.Leave(t.Context(), secret, "u2"); err != nil {
		t.Errorf("leaving a deleted Secret fails: %v", err)
	}
}
