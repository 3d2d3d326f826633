// SPDX-License-Identifier: Apache-2.0

package postbatch_test

import (
	"context"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// The front end may patch posts, because it cancels them. It must not replace content that a user approved.
func TestPolicy_FrontEndChangesNoContentOfPosts(t *testing.T) {
	own, manager := testkit.ManagerCluster(t, "tenant")
	front, err := own.AsServiceAccount("reelops-apiserver")
	if err != nil {
		t.Fatal(err)
	}
	if err := own.Apply(t.Context(), "policy/posts.yaml"); err != nil {
		t.Fatal(err)
	}
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
