// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// Examples of responses about posts, created by the code that creates the real responses.

func exampleAccountOn(platform string, id int64, name string) *v1beta1.SocialAccount {
	return &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{
			Name: fmt.Sprintf("%s-%d", platform, id), Labels: map[string]string{v1beta1.LabelID: idText(id)},
		},
		Spec:   v1beta1.SocialAccountSpec{Platform: v1beta1.Platform(platform)},
		Status: v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive, AccountName: name},
	}
}

var (
	exampleTikTok    = exampleAccountOn(catalog.TikTok, 9, "Acme Sleep")
	exampleInstagram = exampleAccountOn(catalog.Instagram, 10, "acme.sleep")
	// examplePostTime is when the example's posts go out.
	examplePostTime = exampleTime.Add(30 * time.Hour)
)

// exampleBrandOfPosts has no approval policy.
var exampleBrandOfPosts = &v1beta1.Brand{}

// The bodies of the examples: their answers are those to exactly these.
var (
	examplePostBody = map[string]any{
		"short_id": 123, "social_data_ids": []int{9, 10}, "scheduled_at": view.Time{Time: examplePostTime},
		"caption": exampleCaption, "platform_customizations": map[string]any{
			"10": map[string]any{"caption": exampleOwnCaption, "cover": map[string]any{"offset_ms": 1500}},
		},
	}
	exampleEditPostBody = map[string]any{
		"scheduled_at": view.Time{Time: examplePostTime.Add(24 * time.Hour)}, "caption": exampleOwnCaption,
	}
	exampleValidateBody = map[string]any{
		"short_id": 123, "platforms": []string{catalog.TikTok, catalog.YouTube},
		"scheduled_at": view.Time{Time: examplePostTime}, "media": catalog.MediaVideo,
	}
)

const (
	exampleCaption    = "Five habits for better sleep. Which one do you keep?"
	exampleOwnCaption = "Five habits for better sleep, for parents with little time."
)

func exampleContent() *posting.Content {
	return &posting.Content{
		ShortID: 123, Revision: 1, Title: "Sleep better", Caption: "Five habits for better sleep.",
		Tags:  []string{"sleep", "habits"},
		Video: &v1beta1.RenderOutput{BlobKey: "shorts/acme/123/r1/film.mp4", Bytes: 2_400_000, DurationMilliseconds: 21_000, Width: 1080, Height: 1920},
	}
}

func exampleVerdicts(targets ...posting.Target) []posting.Verdict {
	ask := posting.Ask{Mode: catalog.PostDirect, Now: exampleTime.Time, At: examplePostTime}
	return posting.Judge(exampleContent(), ask, targets)
}

func examplePostVerdicts() []posting.Verdict {
	all := v1beta1.PostText{Caption: ptr.To(exampleCaption)}
	return exampleVerdicts(
		posting.Target{
			Platform: catalog.TikTok, Account: exampleTikTok, Own: all, Uses: []time.Time{exampleTime.Add(-time.Hour)},
		},
		posting.Target{
			Platform: catalog.Instagram, Account: exampleInstagram, Own: v1beta1.PostText{Caption: ptr.To(exampleOwnCaption)},
			Settings: v1beta1.PostSettings{Cover: &v1beta1.PostCover{OffsetMillis: ptr.To[int64](1500)}},
		},
	)
}

func examplePostBatch() *v1beta1.PostBatch {
	return &v1beta1.PostBatch{
		ObjectMeta: metav1.ObjectMeta{Name: "batch-31"},
		Spec: v1beta1.PostBatchSpec{
			ScheduledAt: &metav1.Time{Time: examplePostTime}, PostingMode: catalog.PostDirect,
			Accounts: []v1beta1.PostTarget{{Name: exampleTikTok.Name, PostID: 512}, {Name: exampleInstagram.Name, PostID: 513}},
		},
	}
}

func examplePostOf(b *v1beta1.PostBatch, v *posting.Verdict, id int64) *v1beta1.Post {
	return posting.Post(b, v.Account.Name, id, exampleContent().ShortID, posting.Accept(exampleContent(), v), false)
}

func examplePublished() *v1beta1.Post {
	p := examplePostOf(examplePostBatch(), &examplePostVerdicts()[0], 512)
	published := metav1.NewTime(examplePostTime.Add(2 * time.Second))
	p.CreationTimestamp = metav1.NewTime(exampleTime.Time)
	p.Status = v1beta1.PostStatus{
		State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished, PlatformPostID: "7434567890123456789",
		PostURL: "https://www.tiktok.com/@acme/video/7434567890123456789", PublishedAt: &published, FinishedAt: &published,
		Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted}},
	}
	return p
}

var examplePost = view.PostOf(512, examplePublished(), exampleBrandOfPosts, 9, exampleTikTok, examplePostTime.Add(time.Hour))

// exampleWholePost returns the example of a complete post.
func exampleWholePost(p *v1beta1.Post, brand *v1beta1.Brand, now time.Time) view.Post {
	out := view.PostOf(512, p, brand, 9, exampleTikTok, now)
	if err := out.Complete(p, exampleSign); err != nil {
		panic(err) // signing an example does not fail
	}
	return out
}

func exampleOnePost() any {
	return exampleWholePost(examplePublished(), exampleBrandOfPosts, examplePostTime.Add(time.Hour))
}

func exampleCancelled() any {
	p := examplePublished()
	p.Status, p.Spec.Cancel = v1beta1.PostStatus{}, true
	return exampleWholePost(p, exampleBrandOfPosts, exampleTime.Time)
}

func exampleEditedPost() any {
	p, at := examplePublished(), examplePostTime.Add(24*time.Hour)
	p.Status = v1beta1.PostStatus{}
	e := posting.Edit{ScheduledAt: &at, Text: v1beta1.PostText{Caption: ptr.To(exampleOwnCaption)}}
	ask := posting.Ask{Now: exampleTime.Time, At: at}
	spec, _ := posting.Edited(p, e, posting.ContentOfPost(p, nil), exampleTikTok, nil, ask)
	posting.Amend(p, &spec, exampleBrandOfPosts, "key 3", exampleTime.Time)
	p.Spec = spec
	return exampleWholePost(p, exampleBrandOfPosts, exampleTime.Time)
}

func exampleDecided(state v1beta1.ApprovalState, comment string) any {
	p, brand := examplePublished(), &v1beta1.Brand{Spec: v1beta1.BrandSpec{Approval: posting.ApprovalHold}}
	p.Status, p.Spec.Hold = v1beta1.PostStatus{}, state != v1beta1.ApprovalApproved
	p.Spec.Approval = &v1beta1.PostApproval{State: state, Comment: comment, By: "ada@example.com", At: metav1.NewTime(exampleTime.Time)}
	return exampleWholePost(p, brand, exampleTime.Time)
}

func exampleBatch() any {
	batch, content, verdicts := examplePostBatch(), exampleContent(), examplePostVerdicts()
	posts := map[string]*v1beta1.Post{}
	for i, t := range batch.Spec.Accounts {
		posts[t.Name] = examplePostOf(batch, &verdicts[i], t.PostID)
	}
	return batchResult(batch, content, verdicts, posts, nil, exampleTime.Time)
}

func exampleValidation() any {
	verdicts := exampleVerdicts(
		posting.Target{Platform: catalog.TikTok, Account: exampleTikTok}, posting.Target{Platform: catalog.YouTube},
	)
	rules := map[string]view.PlatformRule{}
	for _, v := range verdicts {
		r, _ := catalog.RuleOf(string(v.Platform))
		rules[r.Platform] = view.PlatformRuleOf(r, true)
	}
	return view.Validation{
		ShortID: 123, ScheduledAt: &view.Time{Time: examplePostTime}, Issues: view.PostIssues(verdicts[1].Issues),
		Verdicts: []view.Verdict{view.VerdictOf(&verdicts[0])}, PlatformRules: rules,
	}
}
