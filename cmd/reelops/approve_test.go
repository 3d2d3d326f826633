// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func TestApprove(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 11, 22, 18, 0, 0, 0, time.UTC))
	c := newCluster(t, &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "batch-31"}, Spec: v1beta1.PostBatchSpec{ScheduledAt: &at},
	})
	approved := func() bool {
		t.Helper()
		b := &v1beta1.PostBatch{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "batch-31"}, b); err != nil {
			t.Fatal(err)
		}
		return b.Spec.Approved
	}
	c.refuse(`there is no batch "batch-9"`, "approve", "batch-9", "--account", "acme")
	c.refuse("name the account with --account or --namespace", "approve", "batch-31")
	whole := c.WithWatch
	c.WithWatch = interceptor.NewClient(whole, interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return apierrors.NewForbidden(v1beta1.GroupVersion.WithResource("postbatches").GroupResource(), "batch-31", errors.New("no"))
		},
	})
	c.refuse("the role reelops-approver", "approve", "batch-31", "--account", "acme")
	if approved() {
		t.Fatal("approved by a user without the permission")
	}
	c.WithWatch = whole
	if out := c.do("approve", "batch-31", "--account", "acme"); out["approved"] != true || !approved() {
		t.Errorf("the batch is not approved: %v", out)
	}
	if out := c.do("approve", "batch-31", "--account", "acme"); out["approved"] != true {
		t.Errorf("approving again: %v", out)
	}
}

// The approval of a batch whose posts were edited names the edits, so that later ones stay held.
func TestApprove_EditedPosts(t *testing.T) {
	at := metav1.NewTime(time.Date(2026, 11, 26, 18, 0, 0, 0, time.UTC))
	post := func(name, batch, account string, edits int64) *v1beta1.Post {
		p := &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: name}, Spec: v1beta1.PostSpec{Batch: batch, Account: account}}
		if edits > 0 {
			p.Spec.Edit = &v1beta1.PostEdit{Number: edits}
		}
		return p
	}
	c := newCluster(t, &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "batch-31"},
		Spec:       v1beta1.PostBatchSpec{ScheduledAt: &at, Approved: true, ApprovedEdits: []v1beta1.EditApproval{{Account: "b", Edit: 1}, {Account: "c", Edit: 4}}},
	}, post("post-1", "batch-31", "a", 0), post("post-2", "batch-31", "b", 2), post("post-3", "batch-31", "c", 4), post("post-4", "batch-7", "a", 1))
	for range 2 {
		c.do("approve", "batch-31", "--account", "acme")
		b := &v1beta1.PostBatch{}
		if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "batch-31"}, b); err != nil {
			t.Fatal(err)
		}
		if got := b.Spec.ApprovedEdits; len(got) != 2 || got[0] != (v1beta1.EditApproval{Account: "c", Edit: 4}) || got[1] != (v1beta1.EditApproval{Account: "b", Edit: 2}) {
			t.Errorf("got %+v", got)
		}
	}
}

// A post that an approver returned is named, and its edit is not approved.
func TestApprove_SkipsReturnedPosts(t *testing.T) {
	post := func(name, account string, edits int64, approval *v1beta1.PostApproval) *v1beta1.Post {
		return &v1beta1.Post{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: name}, Spec: v1beta1.PostSpec{
			Batch: "batch-31", Account: account, Edit: &v1beta1.PostEdit{Number: edits}, Approval: approval,
		}}
	}
	returned := func(edit int64) *v1beta1.PostApproval {
		return &v1beta1.PostApproval{State: v1beta1.ApprovalReturned, Edit: edit}
	}
	cancelled := post("post-5", "e", 0, returned(0))
	cancelled.Spec.Cancel = true
	c := newCluster(t, &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "batch-31"}},
		post("post-3", "c", 2, returned(2)), post("post-1", "a", 0, returned(0)), post("post-2", "b", 2, returned(1)), post("post-4", "d", 0, nil), cancelled)
	for _, again := range []bool{false, true} {
		out, err := (&admin{client: c}).approve(t.Context(), "acme", "batch-31")
		if err != nil || !strings.HasSuffix(out.text, "\nnot approved, because an approver returned them: post-1, post-3") {
			t.Errorf("again %t: got text %q, error %v", again, out.text, err)
		}
	}
	b := &v1beta1.PostBatch{}
	if err := c.Get(t.Context(), client.ObjectKey{Namespace: "acme", Name: "batch-31"}, b); err != nil {
		t.Fatal(err)
	}
	if got := b.Spec.ApprovedEdits; !b.Spec.Approved || len(got) != 1 || got[0] != (v1beta1.EditApproval{Account: "b", Edit: 2}) {
		t.Errorf("got approved %t, edits %+v", b.Spec.Approved, got)
	}
}

const outdatedMessage = "The short has revision 3, and revision 2 is published: spec.revisionPolicy is pinned"

// batchWithContent returns a batch of the account acme with a condition ContentCurrent.
func batchWithContent(name string, current metav1.ConditionStatus) *v1beta1.PostBatch {
	b := &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: name}}
	b.Status.Conditions = []metav1.Condition{{Type: string(v1beta1.ConditionContentCurrent), Status: current, Message: outdatedMessage}}
	return b
}

func TestApprove_WarnsOfAnOlderRevision(t *testing.T) {
	c := newCluster(t, batchWithContent("outdated", metav1.ConditionFalse), batchWithContent("current", metav1.ConditionTrue))
	for _, again := range []bool{false, true} {
		if out := c.do("approve", "outdated", "--account", "acme"); out["warning"] != outdatedMessage || out["approved"] != true {
			t.Errorf("already approved %t: %v", again, out)
		}
	}
	if out := c.do("approve", "current", "--account", "acme"); out["warning"] != nil {
		t.Errorf("a batch with the newest revision: %v", out)
	}
	again, err := (&admin{client: c}).approve(t.Context(), "acme", "outdated")
	if err != nil || !strings.HasSuffix(again.text, "\nwarning: "+outdatedMessage) {
		t.Errorf("got text %q, error %v", again.text, err)
	}
}
