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

// A renewal that rotates is the only copy of the permission: whatever the cluster does to the write, it is not lost.
func TestARotatedTokenIsNeverLost(t *testing.T) {
	for fault, breaks := range map[string]func(do func() error) error{
		"lost":       func(func() error) error { return errBroken },
		"unanswered": func(do func() error) error { _ = do(); return errBroken },
		"conflict": func(func() error) error {
			return apierrors.NewConflict(schema.GroupResource{Resource: "secrets"}, secret.Name, errBroken)
		},
		"throttled": func(func() error) error { return apierrors.NewTooManyRequests("slow down", 1) },
	} {
		for n := 1; n <= 9; n++ { // so many writes fail in a row
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
						t.Fatal("it never comes right")
					}
					if err == nil {
						is(t, a.AccessToken, "2", "nobody gets tokens that the platform has forgotten, or that are not stored")
						break
					}
					w.kind(err, publish.Transient, "meanwhile")
				}
				w.asked(1, "the new tokens are stored, not renewed again")
				w.keeper = w.another()
				is(t, w.token(), "2", "another manager reads them")
				w.clock.SetTime(start.Add(48 * time.Hour))
				is(t, w.token(), "3", "and can renew them")
			})
		}
	}
}

func TestConnectedAgainDuringARenewal(t *testing.T) {
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
	is(t, w.token(), "3", "what the person gave last wins")
	is(t, w.token(), "3", "and stays")
}

func TestTwoManagersRenewAtOnce(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	other := w.another() // on its way out
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		w.platform.OnRefresh = nil
		if _, err := other.Account(t.Context(), w.account(maya.ID)); err != nil {
			t.Error(err)
		}
		return w.platform.Rotate(tokens) // with what the other has used up
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	is(t, w.token(), "2", "the refusal is about a token that was renewed meanwhile")
	if s := w.see(maya.ID); s.Ended != nil {
		t.Errorf("the permission stands: %+v", s.Ended)
	}
}

func TestAVerdictFromOlderTokensIsOverwritten(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	other := w.another()
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		w.platform.OnRefresh = nil
		renewed, err := w.platform.Rotate(tokens)
		// Before it is stored, another manager is refused with the old ones and says that all is over.
		if _, oerr := other.Account(t.Context(), w.account(maya.ID)); publish.KindOf(oerr) != publish.Auth {
			t.Errorf("the other one: %v", oerr)
		}
		return renewed, err
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	is(t, w.token(), "2", "the renewal came through")
	if s := w.see(maya.ID); s.Ended != nil {
		t.Errorf("the permission stands: %+v", s.Ended)
	}
}

func TestAVerdictThatIsNotStoredIsFoundAgain(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	w.platform.OnRefresh = func(publish.Tokens) (publish.Tokens, error) { return publish.Tokens{}, socialscript.Dead }
	w.onUpdate = func(func() error) error { return errBroken }
	w.clock.SetTime(start.Add(24 * time.Hour))
	w.fails(publish.Auth, "while nothing can be written")
	w.onUpdate = nil
	w.fails(publish.Auth, "afterwards")
	w.asked(2, "the platform says it again")
	if s := w.see(maya.ID); s.Ended == nil {
		t.Error("and it is recorded")
	}
}

func TestTheSecretGoesDuringARenewal(t *testing.T) {
	w := newWorld(t, "tiktok", nil)
	w.platform.OnRefresh = func(tokens publish.Tokens) (publish.Tokens, error) {
		if err := w.client.Delete(t.Context(), &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: secret.Namespace, Name: secret.Name}}); err != nil {
			t.Error(err)
		}
		return w.platform.Rotate(tokens)
	}
	w.clock.SetTime(start.Add(24 * time.Hour))
	w.fails(publish.Auth, "a connection that was removed stays removed")
	if err := w.client.Get(t.Context(), secret, &corev1.Secret{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Secret is back: %v", err)
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
				t.Errorf("%+v", o)
			}
		}
		return out
	}
	if got := owners(); len(got) != 2 {
		t.Fatalf("owned by %v", got)
	}
	if err := w.keeper.Leave(t.Context(), secret, "u1"); err != nil {
		t.Fatal(err)
	}
	if got := owners(); len(got) != 1 || got[0] != "u2" {
		t.Errorf("owned by %v", got)
	}
	is(t, w.token(), "1", "it is there for the other one")
	if err := w.keeper.Leave(t.Context(), secret, "u2"); err != nil {
		t.Fatal(err)
	}
	w.fails(publish.Auth, "it went with its last owner")
	if err := w.keeper.Leave(t.Context(), secret, "u2"); err != nil {
		t.Errorf("what is gone may be left again: %v", err)
	}
}
