// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/posting"
)

// Examples of answers about posts, made by the code that makes the answers.

func exampleAccountOn(platform, name string) *v1alpha1.SocialAccount {
	return &v1alpha1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Name: platform + "-1a2b3c4d", Labels: map[string]string{v1alpha1.LabelID: "9"}},
		Spec:       v1alpha1.SocialAccountSpec{Platform: v1alpha1.Platform(platform)},
		Status:     v1alpha1.SocialAccountStatus{TokenStatus: v1alpha1.TokenActive, AccountName: name},
	}
}

func exampleContent() *posting.Content {
	return &posting.Content{
		ShortID: 123, Revision: 1, Title: "Sleep well", Caption: "Five habits of people who sleep well.", Tags: []string{"sleep", "habits"},
		Video: &v1alpha1.RenderOutput{BlobKey: "film.mp4", Bytes: 2_400_000, DurationMilliseconds: 21_000, Width: 1080, Height: 1920},
	}
}

func exampleVerdicts() []posting.Verdict {
	at := exampleTime.Add(30 * time.Hour)
	return posting.Judge(exampleContent(), posting.Ask{Mode: catalog.PostDirect, Now: exampleTime.Time, At: at}, []posting.Target{
		{Platform: catalog.TikTok, Account: exampleAccountOn(catalog.TikTok, "Acme Sleep"), Uses: []time.Time{exampleTime.Add(-time.Hour)}},
		{Platform: catalog.Instagram},
	})
}

func examplePostBatch() *v1alpha1.PostBatch {
	return &v1alpha1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Name: "batch-31"},
		Spec: v1alpha1.PostBatchSpec{
			ScheduledAt: &metav1.Time{Time: exampleTime.Add(30 * time.Hour)}, PostingMode: catalog.PostDirect,
			Accounts: []v1alpha1.PostTarget{{Name: "tiktok-1a2b3c4d", PostID: 512}},
		},
	}
}

func examplePublished() *v1alpha1.Post {
	content, verdicts := exampleContent(), exampleVerdicts()
	p := posting.Post(examplePostBatch(), content, &verdicts[0], 512, false)
	published := metav1.NewTime(exampleTime.Add(30*time.Hour + 2*time.Second))
	p.CreationTimestamp = metav1.NewTime(exampleTime.Time)
	p.Status = v1alpha1.PostStatus{
		State: v1alpha1.PostSuccess, DeliveryState: v1alpha1.DeliveryPublished, PlatformPostID: "7434567890123456789",
		PostURL: "https://www.tiktok.com/@acme/video/7434567890123456789", PublishedAt: &published, FinishedAt: &published,
		Attempts: []v1alpha1.PostAttempt{{Number: 1, State: v1alpha1.AttemptAccepted}},
	}
	return p
}

var examplePost = view.PostOf(512, examplePublished(), 9, exampleAccountOn(catalog.TikTok, "Acme Sleep"), exampleTime.Add(31*time.Hour))

func exampleCancelled() any {
	p := examplePublished()
	p.Status, p.Spec.Cancel = v1alpha1.PostStatus{}, true
	return view.PostOf(512, p, 9, exampleAccountOn(catalog.TikTok, "Acme Sleep"), exampleTime.Time)
}

func exampleBatch() any {
	return batchResult(examplePostBatch(), &v1alpha1.Brand{}, exampleContent(), exampleVerdicts(), nil, exampleTime.Time)
}

func exampleValidation() any {
	verdicts := exampleVerdicts()
	at := view.Time{Time: exampleTime.Add(30 * time.Hour)}
	rules := map[string]view.PlatformRule{}
	for _, v := range verdicts {
		r, _ := catalog.RuleOf(string(v.Platform))
		rules[r.Platform] = view.PlatformRuleOf(r, true)
	}
	return view.Validation{
		ShortID: 123, ScheduledAt: &at, Issues: view.PostIssues(verdicts[1].Issues),
		Verdicts: []view.Verdict{view.VerdictOf(&verdicts[0])}, PlatformRules: rules,
	}
}
