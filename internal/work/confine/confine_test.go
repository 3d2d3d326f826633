// SPDX-License-Identifier: Apache-2.0

package confine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	testingclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/reelops/reelops/internal/testkit"
	"github.com/reelops/reelops/internal/work/confine"
)

type bound struct{ err error }

func (b bound) Bind(context.Context, string) error { return b.err }

func policy(namespace string, port networkingv1.NetworkPolicyPort) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: confine.Policy},
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"reelops.dev/component": "renderer"}},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeEgress},
			Egress:      []networkingv1.NetworkPolicyEgressRule{{Ports: []networkingv1.NetworkPolicyPort{port}}},
		},
	}
}

func port(p corev1.Protocol) networkingv1.NetworkPolicyPort {
	return networkingv1.NetworkPolicyPort{Protocol: &p}
}

func TestConfine(t *testing.T) {
	clock := testingclock.NewFakePassiveClock(time.Unix(0, 0))
	writes := 0
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(policy("system", port(corev1.ProtocolTCP))).WithInterceptorFuncs(interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			writes++
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			writes++
			return c.Update(ctx, o, opts...)
		},
	}).Build()
	f := confine.New(bound{}, c, "system", clock)
	pass := func(what string, want *networkingv1.NetworkPolicy, times int) {
		t.Helper()
		if err := f.Bind(t.Context(), "acme"); err != nil {
			t.Fatalf("%s: got %v", what, err)
		}
		got := &networkingv1.NetworkPolicy{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: confine.Policy}, got); err != nil {
			t.Fatalf("%s: got %v", what, err)
		}
		if d := cmp.Diff(want.Spec, got.Spec); d != "" {
			t.Errorf("%s: %s", what, d)
		}
		if writes != times {
			t.Errorf("%s: got %d writes, want %d", what, writes, times)
		}
	}
	pass("a new account", policy("", port(corev1.ProtocolTCP)), 1)
	pass("again at once", policy("", port(corev1.ProtocolTCP)), 1)
	clock.SetTime(clock.Now().Add(time.Hour))
	pass("later", policy("", port(corev1.ProtocolTCP)), 1)

	for _, in := range []string{"acme", "system"} {
		p := &networkingv1.NetworkPolicy{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: in, Name: confine.Policy}, p); err != nil {
			t.Fatal(err)
		}
		p.Spec = policy("", port(map[string]corev1.Protocol{"acme": corev1.ProtocolSCTP, "system": corev1.ProtocolUDP}[in])).Spec
		if err := c.Update(t.Context(), p); err != nil {
			t.Fatal(err)
		}
	}
	clock.SetTime(clock.Now().Add(time.Hour))
	pass("after both changed, the policy of the installation is used", policy("", port(corev1.ProtocolUDP)), 4)
}

func TestConfine_WithoutAPolicy(t *testing.T) {
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).Build()
	if err := confine.New(bound{}, c, "system", testingclock.NewFakePassiveClock(time.Now())).Bind(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	all := &networkingv1.NetworkPolicyList{}
	if err := c.List(t.Context(), all); err != nil || len(all.Items) != 0 {
		t.Errorf("got %d policies, %v", len(all.Items), err)
	}
}

func TestConfine_Errors(t *testing.T) {
	no := apierrors.NewForbidden(corev1.Resource("networkpolicies"), confine.Policy, errors.New("no"))
	refusing := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithInterceptorFuncs(interceptor.Funcs{
		Get: func(context.Context, client.WithWatch, client.ObjectKey, client.Object, ...client.GetOption) error {
			return no
		},
	}).Build()
	clock := testingclock.NewFakePassiveClock(time.Now())
	if err := confine.New(bound{no}, refusing, "system", clock).Bind(t.Context(), "acme"); !apierrors.IsForbidden(err) {
		t.Errorf("namespace that is not an account's: got %v", err)
	}
	if err := confine.New(bound{}, refusing, "system", clock).Bind(t.Context(), "acme"); err == nil || apierrors.IsForbidden(err) {
		t.Errorf("permissions that are not effective yet: got %v, want a retryable error", err)
	}
}
