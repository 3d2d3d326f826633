// SPDX-License-Identifier: Apache-2.0

package status_test

import (
	"context"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/status"
	"github.com/reelops/reelops/internal/testkit"
)

func TestSet_IsStable(t *testing.T) {
	var list []metav1.Condition
	c := status.Conditions{List: &list, Generation: 3}
	c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, "It broke.")
	past := metav1.NewTime(time.Now().Add(-time.Hour))
	list[0].LastTransitionTime = past
	before := list[0]
	c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, "It broke.")
	if diff := cmp.Diff([]metav1.Condition{before}, list); diff != "" {
		t.Errorf("setting a condition twice gives other bytes:\n%s", diff)
	}
	c.Set(v1beta1.ConditionReady, false, v1beta1.ReasonFailed, "It broke again")
	if list[0].LastTransitionTime != past {
		t.Error("another message counts as a transition")
	}
	c.Set(v1beta1.ConditionReady, true, v1beta1.ReasonReady, "Done")
	if list[0].LastTransitionTime == past || list[0].ObservedGeneration != 3 {
		t.Errorf("a transition lacks its time or generation: %+v", list[0])
	}
	c.Remove(v1beta1.ConditionReady)
	if len(list) != 0 {
		t.Errorf("the condition still exists: %v", list)
	}
}

func TestSentence(t *testing.T) {
	long := strings.Repeat("日本", 600)
	for _, c := range []struct{ why, in, want string }{
		{"no full stop", "It broke.", "It broke"},
		{"one line", "It\nbroke  twice.\n", "It broke twice"},
		{"empty stays empty", "", ""},
	} {
		if got := status.Sentence(c.in); got != c.want {
			t.Errorf("%s: got %q, want %q", c.why, got, c.want)
		}
	}
	if got := status.Sentence(long); !utf8.ValidString(got) || len(got) > 1024 || !strings.HasSuffix(got, "…") {
		t.Errorf("a long message is truncated between characters with a mark: got %d bytes", len(got))
	}
}

func TestPersist(t *testing.T) {
	ctx := context.Background()
	writes := 0
	b := testkit.Brand("tenant", "acme")
	c := fake.NewClientBuilder().WithScheme(testkit.Scheme()).WithObjects(b).WithStatusSubresource(b).WithInterceptorFuncs(interceptor.Funcs{
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			writes++
			return c.SubResource(sub).Patch(ctx, o, p, opts...)
		},
	}).Build()
	read := func() *v1beta1.Brand {
		t.Helper()
		o := &v1beta1.Brand{}
		if err := c.Get(ctx, client.ObjectKeyFromObject(b), o); err != nil {
			t.Fatal(err)
		}
		return o
	}

	mine, other := read(), read()
	w := status.Begin(c, mine)
	if err := w.Persist(ctx); err != nil || writes != 0 {
		t.Fatalf("got %d writes without a change: %v", writes, err)
	}
	mine.Status.ObservedGeneration = 1
	if err := w.Persist(ctx); err != nil {
		t.Fatal(err)
	}
	if got := read(); got.Status.ObservedGeneration != 1 || mine.ResourceVersion != got.ResourceVersion || w.Before().Status.ObservedGeneration != 1 {
		t.Errorf("stored %d in version %s, held is %s", got.Status.ObservedGeneration, got.ResourceVersion, mine.ResourceVersion)
	}
	mine.Status.ObservedGeneration = 2
	if err := w.Persist(ctx); err != nil {
		t.Errorf("a second write of the same pass fails: %v", err)
	}

	stale := status.Begin(c, other)
	other.Status.ObservedGeneration = 9
	if err := stale.Persist(ctx); !apierrors.IsConflict(err) {
		t.Errorf("want a conflict for a stale object, got %v", err)
	}
	if other.Status.ObservedGeneration != 9 || stale.Before().Status.ObservedGeneration != 0 {
		t.Error("a failed write changes the caller's object")
	}
}
