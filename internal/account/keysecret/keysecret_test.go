// SPDX-License-Identifier: Apache-2.0

package keysecret_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/keysecret"
	"github.com/reelops/reelops/internal/store/envelope"
	"github.com/reelops/reelops/internal/testkit"
)

const system = "reelops-system"

var manager = types.NamespacedName{Namespace: system, Name: "reelops-manager"}

func cluster(objects ...client.Object) *fake.ClientBuilder {
	return fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(objects...)
}

func secret(namespace, name, key, value string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string][]byte{key: []byte(value)}}
}

func connected(namespace, name string) *v1beta1.SocialAccount {
	a := &v1beta1.SocialAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	a.Spec.TokenSecretRef.Name = name + "-tokens"
	return a
}

func TestKeys_AreCreatedOnce(t *testing.T) {
	c := cluster().Build()
	first, err := keysecret.Open(t.Context(), c, manager)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envelope.Parse(first.Token); err != nil || len(first.Signing) < 32 {
		t.Errorf("the keys are invalid: %v, signing key of %d bytes", err, len(first.Signing))
	}
	second, err := keysecret.Open(t.Context(), c, manager)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(first, second); d != "" {
		t.Errorf("the second start has other keys: %s", d)
	}
	other, err := keysecret.Open(t.Context(), cluster().Build(), manager)
	if err != nil || string(other.Signing) == string(first.Signing) || string(other.Token) == string(first.Token) {
		t.Errorf("two installations have the same keys: %v", err)
	}
	s := &corev1.Secret{}
	for name, key := range map[string]string{keysecret.SigningSecret: keysecret.SigningKey, keysecret.TokenSecret: keysecret.TokenKey} {
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: system, Name: name}, s); err != nil || len(s.Data) != 1 || len(s.Data[key]) == 0 {
			t.Errorf("%s has %d keys, without %s: %v", name, len(s.Data), key, err)
		}
	}
}

// The second manager finds no Secret and cannot create one, because the first one has created it since.
func TestKeys_TwoManagersGetTheSame(t *testing.T) {
	both := make(chan struct{})
	var mu sync.Mutex
	missed := map[string]int{}
	c := cluster().WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			mu.Lock()
			missed[o.GetName()]++
			if len(missed) == 1 && missed[keysecret.SigningSecret] == 2 {
				close(both)
			}
			mu.Unlock()
			select {
			case <-both:
			case <-ctx.Done():
				return ctx.Err()
			}
			return c.Create(ctx, o, opts...)
		},
	}).Build()
	var got [2]keysecret.Keys
	var errs [2]error
	var all sync.WaitGroup
	for i := range got {
		all.Go(func() { got[i], errs[i] = keysecret.Open(t.Context(), c, manager) })
	}
	all.Wait()
	if err := errors.Join(errs[:]...); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(got[0], got[1]); d != "" {
		t.Errorf("two managers have different keys: %s", d)
	}
}

func TestKeys_Existing(t *testing.T) {
	const signing, token = "0123456789abcdef0123456789abcdef", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for _, c := range []struct {
		why     string
		objects []client.Object
		err     string
	}{
		{"brought", []client.Object{secret(system, keysecret.SigningSecret, keysecret.SigningKey, signing), secret(system, keysecret.TokenSecret, keysecret.TokenKey, token)}, ""},
		{"a short signing key", []client.Object{secret(system, keysecret.SigningSecret, keysecret.SigningKey, "short")}, "fewer than 32 bytes"},
		{"another key in the Secret", []client.Object{secret(system, keysecret.SigningSecret, "key", signing)}, "has no key signing.key"},
		{"no token key", []client.Object{secret(system, keysecret.TokenSecret, keysecret.TokenKey, "hunter2")}, "line 1 is not a key"},
	} {
		k, err := keysecret.Open(t.Context(), cluster(c.objects...).Build(), manager)
		switch {
		case c.err == "" && (err != nil || string(k.Signing) != signing || string(k.Token) != token):
			t.Errorf("%s: got %v", c.why, err)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "hunter2")):
			t.Errorf("%s: got %v, want %q", c.why, err, c.err)
		}
	}
}

func TestKeys_LostKeyIsNotReplacedWhileTokensNeedIt(t *testing.T) {
	tokens := secret("acme", "tiktok-1-tokens", "sealed", "x")
	for _, c := range []struct {
		why     string
		objects []client.Object
		err     string
	}{
		{"tokens exist", []client.Object{connected("acme", "gone"), connected("acme", "tiktok-1"), tokens}, "acme/tiktok-1-tokens"},
		{"accounts without tokens", []client.Object{connected("acme", "tiktok-1")}, ""},
		{"a Secret without an account", []client.Object{tokens}, ""},
		{"the key exists", []client.Object{connected("acme", "tiktok-1"), tokens, secret(system, keysecret.TokenSecret, keysecret.TokenKey, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")}, ""},
	} {
		k := cluster(c.objects...).Build()
		_, err := keysecret.Open(t.Context(), k, manager)
		if (c.err == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %v, want %q", c.why, err, c.err)
		}
		if c.err == "" {
			continue
		}
		if err := k.Get(t.Context(), client.ObjectKey{Namespace: system, Name: keysecret.TokenSecret}, &corev1.Secret{}); !apierrors.IsNotFound(err) {
			t.Errorf("%s: a key was created: %v", c.why, err)
		}
	}
}

func TestKeys_AreNotCreatedAfterAReadError(t *testing.T) {
	c := cluster(connected("acme", "tiktok-1")).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if key.Namespace == "acme" {
				return apierrors.NewForbidden(corev1.Resource("secrets"), key.Name, errors.New("no"))
			}
			return c.Get(ctx, key, o, opts...)
		},
	}).Build()
	if _, err := keysecret.Open(t.Context(), c, manager); !apierrors.IsForbidden(err) {
		t.Errorf("got %v, want the error of the cluster", err)
	}
}
