// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"context"
	"strconv"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// TestPolicy has a cluster of its own, because the policy also concerns posts of other tests.
func TestPolicy(t *testing.T) {
	own, manager := testkit.ManagerCluster(t, "tenant")
	front, err := own.AsServiceAccount("reelops-apiserver")
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Apply(t.Context(), "policy/posts.yaml"); err != nil {
		t.Fatal(err)
	}
	t.Run("the front end changes no content of posts", func(t *testing.T) { changesNoContent(t, own, front, manager) })
	t.Run("the front end edits posts under a hold", func(t *testing.T) { editsUnderAHold(t, own, front) })
}

// The front end may patch posts, because it cancels them. It must not replace content that a user approved.
func changesNoContent(t *testing.T, own *testkit.Cluster, front, manager client.Client) {
	t.Helper()
	p := testkit.ScheduledPost("tenant", v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{"1.png"}})
	if err := own.Client.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	patch := func(c client.Client, change func(*v1beta1.PostSpec)) error {
		changed := p.DeepCopy()
		change(&changed.Spec)
		return c.Patch(t.Context(), changed, client.MergeFrom(p), client.DryRunAll)
	}
	denied := func(err error) bool {
		return apierrors.IsForbidden(err) && strings.Contains(err.Error(), "the verb revise on posts")
	}
	caption := func(s *v1beta1.PostSpec) { s.Caption = "Other words" }
	// The cluster enforces a policy some time after its creation.
	if err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 2*time.Minute, true, func(context.Context) (bool, error) {
		return denied(patch(front, caption)), nil
	}); err != nil {
		t.Fatal("the policy is not enforced:", patch(front, caption))
	}
	for name, change := range map[string]func(*v1beta1.PostSpec){
		"caption":  caption,
		"title":    func(s *v1beta1.PostSpec) { s.Title = "Another" },
		"media":    func(s *v1beta1.PostSpec) { s.Media.PhotoKeys = []string{"2.png"} },
		"revision": func(s *v1beta1.PostSpec) { s.Revision = 2 },
		"short":    func(s *v1beta1.PostSpec) { s.ShortID++ },
		"tags":     func(s *v1beta1.PostSpec) { s.Tags = []string{"tea"} },
		"settings": func(s *v1beta1.PostSpec) { s.Settings = &v1beta1.PostSettings{FirstComment: new(string)} },
	} {
		if err := patch(front, change); !denied(err) {
			t.Errorf("the front end changes %s: %v", name, err)
		}
		if err := patch(manager, change); err != nil {
			t.Errorf("the manager changes %s: %v", name, err)
		}
	}
	for name, change := range map[string]func(*v1beta1.PostSpec){
		"cancel": func(s *v1beta1.PostSpec) { s.Cancel = true },
		"hold":   func(s *v1beta1.PostSpec) { s.Hold = true },
	} {
		if err := patch(front, change); err != nil {
			t.Errorf("the front end sets %s: %v", name, err)
		}
	}
}

// The front end may edit posts. Content that was approved is held by an edit, and only the manager or an approval ends a
// hold.
func editsUnderAHold(t *testing.T, own *testkit.Cluster, front client.Client) {
	t.Helper()
	type changes []func(*v1beta1.PostSpec)
	caption := func(s *v1beta1.PostSpec) { s.Caption = "Other words" }
	moved := func(s *v1beta1.PostSpec) { s.ScheduledAt.Time = s.ScheduledAt.Add(24 * time.Hour) }
	held := func(s *v1beta1.PostSpec) { s.Hold = true }
	released := func(s *v1beta1.PostSpec) { s.Hold = false }
	edited := func(n int64) func(*v1beta1.PostSpec) {
		return func(s *v1beta1.PostSpec) {
			s.Edit = &v1beta1.PostEdit{Number: n, At: metav1.Now(), AcceptedFor: s.ScheduledAt}
		}
	}
	approved := func(n int64) func(*v1beta1.PostSpec) {
		return func(s *v1beta1.PostSpec) {
			s.Approval = &v1beta1.PostApproval{State: v1beta1.ApprovalApproved, Edit: n, At: metav1.Now()}
		}
	}
	unapproved := func(s *v1beta1.PostSpec) { s.Approval = nil }
	write := func(name string, post, edit changes) error {
		p := testkit.ScheduledPost("tenant", v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{"1.png"}})
		p.Name = name
		for _, f := range post {
			f(&p.Spec)
		}
		if err := client.IgnoreAlreadyExists(own.Client.Create(t.Context(), p)); err != nil {
			t.Fatal(err)
		}
		if err := own.Client.Get(t.Context(), client.ObjectKeyFromObject(p), p); err != nil {
			t.Fatal(err)
		}
		changed := p.DeepCopy()
		for _, f := range edit {
			f(&changed.Spec)
		}
		return front.Patch(t.Context(), changed, client.MergeFrom(p), client.DryRunAll)
	}
	if err := wait.PollUntilContextTimeout(t.Context(), 100*time.Millisecond, 2*time.Minute, true, func(context.Context) (bool, error) {
		return apierrors.IsForbidden(write("probe", nil, changes{caption})), nil
	}); err != nil {
		t.Fatal("the policy is not enforced")
	}
	for i, c := range []struct {
		name       string
		post, edit changes
		denied     bool
	}{
		{"content with a new number", nil, changes{caption, edited(1)}, false},
		{"content with the present number", changes{edited(1)}, changes{caption}, true},
		{"approved content without a hold", changes{approved(0)}, changes{caption, edited(1)}, true},
		{"approved content with a hold", changes{approved(0)}, changes{caption, edited(1), held}, false},
		{"approved content whose approval is removed", changes{approved(0)}, changes{caption, edited(1), unapproved}, true},
		{"the approval is removed first", changes{approved(0)}, changes{unapproved}, true},
		{"the approval is renewed in the same write", changes{approved(0)}, changes{caption, edited(1), held, approved(1)}, true},
		{"the time", changes{approved(0)}, changes{moved, edited(0)}, false},
		{"a hold ends without an approval", changes{held}, changes{released}, true},
		{"a hold ends with an approval of other content", changes{held, approved(0), edited(1)}, changes{released}, true},
		{"a hold ends with an approval", changes{held, approved(1), edited(1)}, changes{released}, false},
	} {
		err := write("post-"+strconv.Itoa(i), c.post, c.edit)
		if c.denied && !apierrors.IsForbidden(err) || !c.denied && err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	fresh := testkit.ScheduledPost("tenant", v1beta1.PostMedia{Kind: "photo_set", PhotoKeys: []string{"1.png"}})
	fresh.Name = "fresh"
	if err := front.Create(t.Context(), fresh.DeepCopy(), client.DryRunAll); err != nil {
		t.Errorf("the front end creates a post: %v", err)
	}
	approved(0)(&fresh.Spec)
	if err := front.Create(t.Context(), fresh, client.DryRunAll); !apierrors.IsForbidden(err) {
		t.Errorf("the front end creates an approved post: %v", err)
	}
}
