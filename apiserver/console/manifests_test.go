// SPDX-License-Identifier: Apache-2.0

package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/reelops/reelops/api/v1beta1"
)

// newPost creates a post of a batch, scheduled on an account, in a state.
func newPost(t *testing.T, account, brand, batch, on, caption string, at time.Time, state v1beta1.PostState) {
	t.Helper()
	id := nextID()
	p := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: account, Name: "post-" + id, Labels: map[string]string{v1beta1.LabelID: id},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, Batch: batch, Account: on, Platform: "tiktok", ShortID: 7,
			Media: v1beta1.PostMedia{Kind: "video", VideoKey: "secret/key.mp4"}, Caption: caption, PostingMode: "direct",
			ScheduledAt: metav1.NewMicroTime(at),
		},
	}
	must(t, cluster.Client.Create(t.Context(), p))
	before := p.DeepCopy()
	p.Status.State = state
	must(t, cluster.Client.Status().Patch(t.Context(), p, client.MergeFrom(before)))
}

func TestManifests_HaveThePostsAsTheyAreNow(t *testing.T) {
	r := newReplica(t, nil)
	account := newAccount(t, "acme", "tea")
	user := newUser(t, account, "reelops-viewer")
	b := signedIn(t, r, user, account)
	acme := &v1beta1.Brand{}
	must(t, cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: account, Name: "acme"}, acme))
	at := time.Date(2027, 3, 1, 9, 0, 0, 0, time.UTC)
	newPost(t, account, "acme", "launch", "tiktok-1", "One", at, v1beta1.PostScheduled)
	newPost(t, account, "acme", "launch", "tiktok-2", "Two: \"quoted\"", at, v1beta1.PostHeld)
	newPost(t, account, "acme", "launch", "tiktok-3", "Moved", at.Add(time.Hour), v1beta1.PostScheduled)
	newPost(t, account, "acme", "done", "tiktok-1", "Published", at, v1beta1.PostSuccess)
	newPost(t, account, "tea", "other", "tiktok-1", "Of another brand", at, v1beta1.PostScheduled)
	newPost(t, account, "acme", "later", "tiktok-1", "Out of the period", at.AddDate(0, 1, 0), v1beta1.PostScheduled)

	path := "/console/manifests?" + url.Values{
		"brand_id":        {fmt.Sprint(mustID(t, acme))},
		"scheduled_after": {"2027-03-01T00:00:00Z"}, "scheduled_before": {"2027-03-31T00:00:00Z"},
	}.Encode()
	var got answer
	eventually(t, "the posts in the index", func() (bool, error) {
		got = b.get(path)
		return got.status == http.StatusOK && strings.Count(got.raw, "caption:") == 3, nil
	})
	if kind := got.header.Get("Content-Type"); !strings.HasPrefix(kind, "application/yaml") {
		t.Errorf("the content type is %s", kind)
	}
	var all []v1beta1.PostBatch
	for _, doc := range strings.Split(got.raw, "---\n")[1:] {
		var one v1beta1.PostBatch
		must(t, yaml.UnmarshalStrict([]byte(doc), &one))
		// The manifests are valid for the cluster, apart from the reference to a short.
		must(t, cluster.Client.Create(t.Context(), &one, client.DryRunAll))
		// Their posts still exist. Applied as they are, they publish nothing a second time.
		if !one.Spec.Suspend || !strings.HasPrefix(doc, "# A copy of posts that are not published yet.") {
			t.Errorf("the manifest publishes, or does not say that it is suspended: %s", doc)
		}
		all = append(all, one)
	}
	if len(all) != 2 || all[0].Name != "launch" || all[1].Name != "launch-2" || len(all[0].Spec.Accounts) != 2 ||
		*all[0].Spec.Accounts[1].Caption != "Two: \"quoted\"" || all[1].Spec.ScheduledAt.UTC() != at.Add(time.Hour) ||
		all[0].Spec.ShortRef.ID != 7 || all[0].Spec.BrandRef.Name != "acme" {
		t.Errorf("got %s", got.raw)
	}
	for _, absent := range []string{"status", "creationTimestamp", "secret", "postID", "accepted"} {
		if strings.Contains(got.raw, absent) {
			t.Errorf("the manifests have %s: %s", absent, got.raw)
		}
	}
}

func TestManifests_InvalidRequestsAreRefused(t *testing.T) {
	r := newReplica(t, nil)
	account, other := newAccount(t, "acme"), newAccount(t, "tea")
	b := signedIn(t, r, newUser(t, account, "reelops-viewer"), account)
	tea := &v1beta1.Brand{}
	must(t, cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: other, Name: "tea"}, tea))
	period := "&scheduled_after=2027-03-01T00:00:00Z&scheduled_before=2027-03-31T00:00:00Z"
	b.get("/console/manifests?brand_id=x"+period).want(t, "no brand", http.StatusBadRequest, "bad_request")
	b.get(fmt.Sprintf("/console/manifests?brand_id=%d%s", mustID(t, tea), period)).
		want(t, "a brand of another account", http.StatusBadRequest, "bad_request")
	acme := &v1beta1.Brand{}
	must(t, cluster.Client.Get(t.Context(), client.ObjectKey{Namespace: account, Name: "acme"}, acme))
	b.get(fmt.Sprintf("/console/manifests?brand_id=%d&scheduled_after=soon", mustID(t, acme))).
		want(t, "no time", http.StatusBadRequest, "bad_request")
	newBrowser(t, r).get("/console/manifests").want(t, "no session", http.StatusUnauthorized, "invalid_token")

	guest := newUser(t, account)
	allow(t, account, guest, "consolelinks", "create")
	signedIn(t, r, guest, account).get("/console/manifests").want(t, "no right", http.StatusForbidden, "missing_scope")
}
