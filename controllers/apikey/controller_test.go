// SPDX-License-Identifier: Apache-2.0

package apikey

import (
	"context"
	"errors"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// ended returns a key that is not ready since a time.
func ended(since time.Time, reason v1beta1.Reason) *v1beta1.APIKey {
	return &v1beta1.APIKey{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "acme", Name: "key-1", UID: "key-1", Generation: 1,
			Labels: map[string]string{v1beta1.LabelID: "1", v1beta1.LabelBrand: "acme"},
		},
		Spec: v1beta1.APIKeySpec{BrandRef: v1beta1.LocalRef{Name: "acme"}},
		Status: v1beta1.APIKeyStatus{ObservedGeneration: 1, Conditions: []metav1.Condition{{
			Type: string(v1beta1.ConditionReady), Status: metav1.ConditionFalse, Reason: string(reason),
			LastTransitionTime: metav1.NewTime(since),
		}}},
	}
}

func revoked(k *v1beta1.APIKey) *v1beta1.APIKey {
	k.Spec.Revoked = true
	return k
}

func expiring(k *v1beta1.APIKey, at time.Time) *v1beta1.APIKey {
	k.Spec.ExpiresAt = &metav1.Time{Time: at}
	return k
}

func cluster(k *v1beta1.APIKey) client.WithWatch {
	return fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithStatusSubresource(k).
		WithObjects(k, testkit.Brand("acme", "acme")).Build()
}

func TestReconcile_DeletesKeysAfterTheirRetention(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	old, recent := now.Add(-Retention), now.Add(-Retention+time.Minute)
	for _, c := range []struct {
		why     string
		key     *v1beta1.APIKey
		wait    time.Duration
		deleted bool
	}{
		{"a key without an end", ended(old, v1beta1.ReasonBrandNotFound), 0, false},
		{"a key that expires later", expiring(ended(old, v1beta1.ReasonBrandNotFound), now.Add(time.Hour)), time.Hour, false},
		{"revoked recently", revoked(ended(recent, v1beta1.ReasonRevoked)), time.Minute, false},
		{"revoked long ago", revoked(ended(old, v1beta1.ReasonRevoked)), 0, true},
		{"expired recently", expiring(ended(recent, v1beta1.ReasonExpired), recent), time.Minute, false},
		{"expired long ago", expiring(ended(old, v1beta1.ReasonExpired), old), 0, true},
		{"expired recently, without its brand for longer", expiring(ended(old, v1beta1.ReasonExpired), recent), time.Minute, false},
		{"created when its expiry had passed", expiring(ended(recent, v1beta1.ReasonExpired), old), time.Minute, false},
		{"revoked after its expiry", revoked(expiring(ended(old, v1beta1.ReasonExpired), old)), 0, true},
		{"revoked long before its expiry", revoked(expiring(ended(old, v1beta1.ReasonRevoked), now.Add(time.Hour))), 0, true},
	} {
		t.Run(c.why, func(t *testing.T) {
			cl := cluster(c.key)
			k := get(t, cl)
			r := &Reconciler{Client: cl, Live: cl, Clock: clocktesting.NewFakeClock(now)}
			result, err := r.Reconcile(t.Context(), k)
			if err != nil || result.RequeueAfter != c.wait {
				t.Errorf("got %v, %v; want a requeue after %s", result, err, c.wait)
			}
			if err := cl.Get(t.Context(), client.ObjectKeyFromObject(k), k); apierrors.IsNotFound(err) != c.deleted {
				t.Errorf("got %v; want it deleted: %t", err, c.deleted)
			}
		})
	}
}

func TestReconcile_KeepsEndedKeys(t *testing.T) {
	now := time.Now().Truncate(time.Second)
	lost := errors.New("no answer")
	for _, c := range []struct {
		why string
		// live changes the key that the API server returns, remove is called instead of its deletion.
		live   func(*v1beta1.APIKey) error
		remove func(context.Context, client.WithWatch, client.Object) error
		want   error
		wait   time.Duration
	}{
		{why: "of a manifest", live: func(k *v1beta1.APIKey) error {
			k.ManagedFields = []metav1.ManagedFieldsEntry{{
				Manager: "argocd", Operation: metav1.ManagedFieldsOperationApply, FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:displayName":{}}}`),
			}}
			return nil
		}},
		{why: "that cannot be read", live: func(*v1beta1.APIKey) error { return lost }, want: lost},
		{
			why: "that cannot be deleted", want: lost,
			remove: func(context.Context, client.WithWatch, client.Object) error { return lost },
		},
		{
			why: "that changed in the meantime", wait: 100 * time.Millisecond,
			remove: func(ctx context.Context, cl client.WithWatch, o client.Object) error {
				other := get(t, cl)
				other.Annotations = map[string]string{"changed": "true"}
				if err := cl.Update(ctx, other); err != nil {
					return err
				}
				uid, version := o.GetUID(), o.GetResourceVersion()
				return cl.Delete(ctx, o, client.Preconditions{UID: &uid, ResourceVersion: &version})
			},
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			plain := cluster(revoked(ended(now.Add(-Retention), v1beta1.ReasonRevoked)))
			cl := interceptor.NewClient(plain, interceptor.Funcs{
				Delete: func(ctx context.Context, cl client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
					if c.remove != nil {
						return c.remove(ctx, cl, o)
					}
					return cl.Delete(ctx, o, opts...)
				},
			})
			live := interceptor.NewClient(plain, interceptor.Funcs{
				Get: func(
					ctx context.Context, cl client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption,
				) error {
					if err := cl.Get(ctx, key, o, opts...); err != nil || c.live == nil {
						return err
					}
					return c.live(o.(*v1beta1.APIKey))
				},
			})
			r := &Reconciler{Client: cl, Live: live, Clock: clocktesting.NewFakeClock(now)}
			result, err := r.Reconcile(t.Context(), get(t, plain))
			if !errors.Is(err, c.want) || result.RequeueAfter != c.wait {
				t.Errorf("got %v, %v", result, err)
			}
			get(t, plain) // it is still there
		})
	}
}

func get(t *testing.T, c client.Reader) *v1beta1.APIKey {
	t.Helper()
	k := &v1beta1.APIKey{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "key-1"}, k); err != nil {
		t.Fatal(err)
	}
	return k
}
