// SPDX-License-Identifier: Apache-2.0

package posting_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

func TestPolicy(t *testing.T) {
	for name, c := range map[string]struct {
		spec v1beta1.PostBatchSpec
		want v1beta1.RevisionPolicy
	}{
		"a manifest":                          {v1beta1.PostBatchSpec{Accounts: []v1beta1.PostTarget{{Name: "a"}}}, v1beta1.RevisionLatest},
		"a manifest with platforms":           {v1beta1.PostBatchSpec{Platforms: []v1beta1.Platform{catalog.TikTok}}, v1beta1.RevisionLatest},
		"a manifest that is pinned":           {v1beta1.PostBatchSpec{RevisionPolicy: v1beta1.RevisionPinned}, v1beta1.RevisionPinned},
		"the front end of an earlier release": {v1beta1.PostBatchSpec{Accounts: []v1beta1.PostTarget{{Name: "a", PostID: 7}}}, v1beta1.RevisionPinned},
		"the front end, changed by a user": {
			v1beta1.PostBatchSpec{Accounts: []v1beta1.PostTarget{{Name: "a", PostID: 7}}, RevisionPolicy: v1beta1.RevisionLatest}, v1beta1.RevisionLatest,
		},
	} {
		if got := posting.Policy(&v1beta1.PostBatch{Spec: c.spec}); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestMoved(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC)
	first := &posting.Content{ShortID: 7, Revision: 1, Title: "Tea", Caption: "Three teas", Photos: photos(3)}
	batch := func() *v1beta1.PostBatch {
		return &v1beta1.PostBatch{Spec: v1beta1.PostBatchSpec{
			BrandRef: v1beta1.LocalRef{Name: "acme"}, Accounts: []v1beta1.PostTarget{{Name: "tiktok-1"}, {Name: "youtube-1"}},
			ScheduledAt: &metav1.Time{Time: now.Add(time.Hour)}, PostingMode: catalog.PostDirect,
		}}
	}
	defaults := &v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY"}}
	ask := posting.Ask{Mode: catalog.PostDirect, Now: now, At: now.Add(time.Hour), Defaults: defaults}
	second := func(change func(*posting.Content)) *posting.Content {
		c := *first
		c.Revision, c.Caption, c.Photos = 2, "Four teas", photos(4)
		if change != nil {
			change(&c)
		}
		return &c
	}
	four := []string{"0.png", "1.png", "2.png", "3.png"}
	type got struct {
		short, revision int64
		caption         string
		photos          []string
	}
	same := got{7, 1, "Three teas", four[:3]}
	for name, c := range map[string]struct {
		content *posting.Content
		change  func(b *v1beta1.PostBatch, a *v1beta1.SocialAccount, ask *posting.Ask)
		want    got
		refused catalog.Code
	}{
		"unchanged":            {content: first, want: same},
		"a newer revision":     {content: second(nil), want: got{7, 2, "Four teas", four}},
		"only another caption": {content: &posting.Content{ShortID: 7, Revision: 1, Title: "Tea", Caption: "Best teas", Photos: photos(3)}, want: got{7, 1, "Best teas", four[:3]}},
		"recreated":            {content: second(func(c *posting.Content) { c.ShortID, c.Revision = 9, 1 }), want: got{9, 1, "Four teas", four}},
		"an own caption of the account": {
			content: second(nil), change: func(b *v1beta1.PostBatch, _ *v1beta1.SocialAccount, _ *posting.Ask) {
				b.Spec.Accounts[0].Caption = ptr.To("Mine")
			}, want: got{7, 2, "Mine", four},
		},
		"changed defaults of the brand": {
			content: first, change: func(_ *v1beta1.PostBatch, _ *v1beta1.SocialAccount, ask *posting.Ask) {
				ask.Defaults = &v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"}}
			}, want: same,
		},
		"an expired connection is an issue of the account": {
			content: second(nil), change: func(_ *v1beta1.PostBatch, a *v1beta1.SocialAccount, _ *posting.Ask) {
				a.Status.TokenStatus = v1beta1.TokenRevoked
			}, want: got{7, 2, "Four teas", four},
		},
		"nothing to publish": {content: second(func(c *posting.Content) { c.Photos = nil }), want: same, refused: catalog.ShortNotPostable},
		"rejected by the platform": {
			content: second(func(c *posting.Content) { c.Photos = photos(40) }), want: same, refused: catalog.ShortNotPostable,
		},
	} {
		t.Run(name, func(t *testing.T) {
			b, a, ask := batch(), account(1, catalog.TikTok), ask
			v := posting.Judge(first, ask, []posting.Target{{Platform: catalog.TikTok, Account: a}})[0]
			p := posting.Post(b, a.Name, 3, first.ShortID, posting.Accept(first, &v), false)
			before := p.DeepCopy()
			if c.change != nil {
				c.change(b, a, &ask)
			}
			spec, refused := posting.Moved(b, p, c.content, a, ask)
			if diff := cmp.Diff(c.want, got{spec.ShortID, spec.Revision, spec.Caption, spec.Media.PhotoKeys}, cmp.AllowUnexported(got{})); diff != "" {
				t.Error(diff)
			}
			if (refused == nil) != (c.refused == "") || refused != nil && refused.Code != c.refused {
				t.Errorf("got rejection %+v", refused)
			}
			if diff := cmp.Diff(before.Spec.Settings, spec.Settings); diff != "" {
				t.Errorf("got settings: %s", diff)
			}
			if diff := cmp.Diff(before, p); diff != "" {
				t.Errorf("the post was changed: %s", diff)
			}
		})
	}
}
