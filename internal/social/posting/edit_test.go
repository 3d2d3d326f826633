// SPDX-License-Identifier: Apache-2.0

package posting_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

// editable returns a scheduled post of a video with its own caption, comment and cover.
func editable(platform string, now time.Time) *v1beta1.Post {
	p := &v1beta1.Post{Spec: v1beta1.PostSpec{
		BrandRef: v1beta1.LocalRef{Name: "acme"}, Batch: "batch-1", Account: platform + "-1", Platform: v1beta1.Platform(platform), ShortID: 7, Revision: 2,
		Media: v1beta1.PostMedia{Kind: catalog.MediaVideo, VideoKey: "film.mp4", Bytes: 1000, Width: 1080, Height: 1920, Cover: v1beta1.VideoCoverAt(1500)},
		Title: "Tea", Caption: "Five teas\n\n#tea", Tags: []string{"tea"}, PostingMode: catalog.PostDirect,
		Settings: &v1beta1.PostSettings{Cover: &v1beta1.PostCover{Slide: ptr.To[int32](2)}}, ScheduledAt: metav1.NewMicroTime(now.Add(time.Hour)),
	}}
	p.Spec.Media.SetMilliseconds(10_000)
	return p
}

// withoutComments gives a post a comment that the connection of its account does not cover any more.
func withoutComments(p *v1beta1.Post, a *v1beta1.SocialAccount) {
	p.Spec.Settings.FirstComment = ptr.To("More on our site")
	a.Status.MissingCommentScopes = []string{"comments"}
}

// withoutAudience gives a post an audience that TikTok does not offer to its account any more.
func withoutAudience(p *v1beta1.Post, a *v1beta1.SocialAccount) {
	p.Spec.Settings.TikTok = &v1beta1.TikTokSettings{PrivacyLevel: "PUBLIC_TO_EVERYONE"}
	a.Status.Creator = &v1beta1.Creator{PrivacyLevels: []string{"SELF_ONLY"}}
}

func TestEdited(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	later := now.Add(48 * time.Hour)
	for name, c := range map[string]struct {
		platform string
		edit     posting.Edit
		change   func(p *v1beta1.Post, a *v1beta1.SocialAccount)
		// want changes the spec of the post to the expected one.
		want    func(*v1beta1.PostSpec)
		refused catalog.Code
		// warned is the field of the only warning; empty for none.
		warned string
	}{
		"nothing": {want: func(*v1beta1.PostSpec) {}},
		"the time only": {
			edit: posting.Edit{ScheduledAt: &later}, want: func(s *v1beta1.PostSpec) { s.ScheduledAt = metav1.NewMicroTime(later) },
		},
		"the time of an immediate draft": {
			edit: posting.Edit{ScheduledAt: &later}, change: func(p *v1beta1.Post, _ *v1beta1.SocialAccount) { p.Spec.Immediate, p.Spec.Hold = true, true },
			want: func(s *v1beta1.PostSpec) { s.ScheduledAt, s.Immediate = metav1.NewMicroTime(later), false },
		},
		"the caption, without hashtags": {
			edit: posting.Edit{Text: v1beta1.PostText{Caption: ptr.To("Six teas")}}, want: func(s *v1beta1.PostSpec) { s.Caption = "Six teas" },
		},
		"the caption is removed": {
			edit: posting.Edit{Text: v1beta1.PostText{Caption: ptr.To("")}}, want: func(s *v1beta1.PostSpec) { s.Caption = "" },
		},
		"the title keeps the caption as it is": {
			platform: catalog.YouTube, edit: posting.Edit{Text: v1beta1.PostText{Title: ptr.To("Six teas")}}, want: func(s *v1beta1.PostSpec) { s.Title = "Six teas" },
		},
		"a caption that is too long": {
			edit: posting.Edit{Text: v1beta1.PostText{Caption: ptr.To(string(make([]rune, 5000)))}}, refused: catalog.CaptionTooLong,
		},
		"YouTube without any text": {
			platform: catalog.YouTube, edit: posting.Edit{Text: v1beta1.PostText{Title: ptr.To(""), Caption: ptr.To("")}}, refused: catalog.ValidationFailed,
		},
		"settings are completed by those of the post": {
			edit: posting.Edit{Settings: v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{AllowDuet: ptr.To(false)}}},
			change: func(p *v1beta1.Post, _ *v1beta1.SocialAccount) {
				p.Spec.Settings.TikTok = &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY"}
			},
			want: func(s *v1beta1.PostSpec) {
				s.Settings.TikTok = &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY", AllowDuet: ptr.To(false)}
			},
		},
		"settings that contradict those of the post": {
			edit: posting.Edit{Settings: v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{Commercial: &v1beta1.TikTokCommercial{BrandedContent: true}}}},
			change: func(p *v1beta1.Post, _ *v1beta1.SocialAccount) {
				p.Spec.Settings.TikTok = &v1beta1.TikTokSettings{PrivacyLevel: "SELF_ONLY"}
			},
			refused: catalog.ValidationFailed,
		},
		"an empty comment removes the comment": {
			platform: catalog.YouTube, edit: posting.Edit{Settings: v1beta1.PostSettings{FirstComment: ptr.To("")}},
			change: func(p *v1beta1.Post, _ *v1beta1.SocialAccount) {
				p.Spec.Settings.FirstComment = ptr.To("More on our site")
			},
			want: func(s *v1beta1.PostSpec) { s.Settings.FirstComment = nil },
		},
		"another cover": {
			edit: posting.Edit{Settings: v1beta1.PostSettings{Cover: &v1beta1.PostCover{OffsetMillis: ptr.To[int64](3000)}}},
			want: func(s *v1beta1.PostSpec) {
				s.Settings.Cover, s.Media.Cover = &v1beta1.PostCover{OffsetMillis: ptr.To[int64](3000)}, v1beta1.VideoCoverAt(3000)
			},
		},
		"a cover beyond the end": {
			edit: posting.Edit{Settings: v1beta1.PostSettings{Cover: &v1beta1.PostCover{OffsetMillis: ptr.To[int64](10_000)}}}, refused: catalog.ValidationFailed,
		},
		"a cover from slides that are not known any more": {
			edit: posting.Edit{Settings: v1beta1.PostSettings{Cover: &v1beta1.PostCover{Slide: ptr.To[int32](1)}}}, refused: catalog.ValidationFailed,
		},
		"the caption, while the connection does not cover the comment": {
			platform: catalog.YouTube, edit: posting.Edit{Text: v1beta1.PostText{Caption: ptr.To("Six teas")}}, change: withoutComments,
			want: func(s *v1beta1.PostSpec) { s.Caption = "Six teas" }, warned: "platform_customizations.1.first_comment",
		},
		"another setting, while the connection does not cover the comment": {
			platform: catalog.YouTube, edit: posting.Edit{Settings: v1beta1.PostSettings{YouTube: &v1beta1.YouTubeSettings{Privacy: "public"}}}, change: withoutComments,
			want: func(s *v1beta1.PostSpec) { s.Settings.YouTube = &v1beta1.YouTubeSettings{Privacy: "public"} }, warned: "platform_customizations.1.first_comment",
		},
		"another comment, while the connection does not cover it": {
			platform: catalog.YouTube, edit: posting.Edit{Settings: v1beta1.PostSettings{FirstComment: ptr.To("Buy now")}}, change: withoutComments,
			refused: catalog.ValidationFailed,
		},
		"a setting that prevents the comment": {
			platform: catalog.YouTube, edit: posting.Edit{Settings: v1beta1.PostSettings{YouTube: &v1beta1.YouTubeSettings{Privacy: catalog.YouTubePrivate}}},
			change: func(p *v1beta1.Post, _ *v1beta1.SocialAccount) {
				p.Spec.Settings.FirstComment = ptr.To("More on our site")
			}, refused: catalog.ValidationFailed,
		},
		"the caption, while the account is not offered the audience": {
			edit: posting.Edit{Text: v1beta1.PostText{Caption: ptr.To("Six teas")}}, change: withoutAudience,
			want: func(s *v1beta1.PostSpec) { s.Caption = "Six teas" }, warned: "platform_customizations.1.tiktok.privacy_level",
		},
		"an audience that the account is not offered": {
			edit:   posting.Edit{Settings: v1beta1.PostSettings{TikTok: &v1beta1.TikTokSettings{PrivacyLevel: "MUTUAL_FOLLOW_FRIENDS"}}},
			change: withoutAudience, refused: catalog.ValidationFailed,
		},
		"the connection does not matter": {
			edit:   posting.Edit{Text: v1beta1.PostText{Caption: ptr.To("Six teas")}, ScheduledAt: &later},
			change: func(_ *v1beta1.Post, a *v1beta1.SocialAccount) { a.Status.TokenStatus = v1beta1.TokenRevoked },
			want:   func(s *v1beta1.PostSpec) { s.Caption, s.ScheduledAt = "Six teas", metav1.NewMicroTime(later) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if c.platform == "" {
				c.platform = catalog.TikTok
			}
			p, a := editable(c.platform, now), account(1, c.platform)
			if c.platform != catalog.TikTok { // it takes no title with a video
				p.Spec.Settings.Cover, p.Spec.Media.Cover = nil, nil
			} else {
				p.Spec.Title = ""
			}
			if c.change != nil {
				c.change(p, a)
			}
			before := p.DeepCopy()
			ask := posting.Ask{Now: now, At: posting.DueAt(p)}
			if c.edit.ScheduledAt != nil {
				ask.At = *c.edit.ScheduledAt
			}
			got, issues := posting.Edited(p, c.edit, posting.ContentOfPost(p, nil), a, nil, ask)
			refused := posting.FirstError(issues)
			if c.refused != "" {
				if refused == nil || refused.Code != c.refused {
					t.Errorf("got %+v, want %s", refused, c.refused)
				}
				return
			}
			if refused != nil {
				t.Fatalf("refused: %+v", refused)
			}
			warned := ""
			for _, i := range issues {
				warned += fmt.Sprint(i.Details["field"])
			}
			if warned != c.warned {
				t.Errorf("got warnings %+v, want one of %q", issues, c.warned)
			}
			want := *before.Spec.DeepCopy()
			c.want(&want)
			if want.Settings != nil && *want.Settings == (v1beta1.PostSettings{}) {
				want.Settings = nil
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(before, p); d != "" {
				t.Errorf("the post itself changed: %s", d)
			}
		})
	}
}

// A post may be moved where the account has room at that time, however many posts it has at other times.
func TestEdited_RateLimitOfTheNewTime(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	p, a := editable(catalog.YouTube, now), account(1, catalog.YouTube)
	p.Spec.Settings, p.Spec.Media.Cover = nil, nil
	rule, _ := catalog.RuleOf(catalog.YouTube)
	full := now.Add(72 * time.Hour)
	var uses []time.Time
	for range rule.Cap.Max {
		uses = append(uses, full.Add(-time.Minute))
	}
	for at, refused := range map[time.Time]bool{full: true, now.Add(24 * time.Hour): false} {
		_, issues := posting.Edited(p, posting.Edit{ScheduledAt: &at}, posting.ContentOfPost(p, nil), a, uses, posting.Ask{Now: now, At: at})
		if i := posting.FirstError(issues); (i != nil) != refused {
			t.Errorf("at %s: %+v", at, i)
		}
	}
}

func TestAmend(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	caption := func(s *v1beta1.PostSpec) { s.Caption = "Six teas" }
	moved := func(s *v1beta1.PostSpec) { s.ScheduledAt.Time = s.ScheduledAt.Add(time.Hour) }
	approved := func(p *v1beta1.Post) { p.Spec.Approval = &v1beta1.PostApproval{State: v1beta1.ApprovalApproved} }
	for name, c := range map[string]struct {
		approval string
		post     func(*v1beta1.Post)
		edit     func(*v1beta1.PostSpec)
		number   int64
		hold     bool
		same     bool
	}{
		"nothing":                              {edit: func(*v1beta1.PostSpec) {}, same: true},
		"the time":                             {edit: moved},
		"the time of an approved post":         {approval: "hold", post: approved, edit: moved},
		"content":                              {edit: caption, number: 1},
		"content in a brand with approvals":    {approval: "hold", edit: caption, number: 1, hold: true},
		"content of an approved post":          {approval: "deny", post: approved, edit: caption, number: 1, hold: true},
		"approved content of a looser brand":   {post: approved, edit: caption, number: 1, hold: true},
		"content of a suspended post stays so": {post: func(p *v1beta1.Post) { p.Spec.Hold = true }, edit: caption, number: 1, hold: true},
		"content again": {
			post: func(p *v1beta1.Post) {
				p.Spec.Edit = &v1beta1.PostEdit{Number: 3, By: "ada", AcceptedFor: p.Spec.ScheduledAt}
			}, edit: caption, number: 4,
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := editable(catalog.TikTok, now)
			accepted := p.Spec.ScheduledAt
			if c.post != nil {
				c.post(p)
			}
			spec := *p.Spec.DeepCopy()
			c.edit(&spec)
			changed := posting.Amend(p, &spec, &v1beta1.Brand{Spec: v1beta1.BrandSpec{Approval: c.approval}}, "noor", now)
			if changed == c.same {
				t.Fatalf("changed: %t", changed)
			}
			if c.same {
				return
			}
			want := &v1beta1.PostEdit{Number: c.number, By: "noor", At: metav1.NewTime(now), AcceptedFor: accepted}
			if d := cmp.Diff(want, spec.Edit); d != "" || spec.Hold != c.hold {
				t.Errorf("hold %t, %s", spec.Hold, d)
			}
		})
	}
}

func TestEditState(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		change func(*v1beta1.Post)
		state  v1beta1.PostState
		ok     bool
	}{
		"scheduled": {func(*v1beta1.Post) {}, v1beta1.PostScheduled, true},
		"held":      {func(p *v1beta1.Post) { p.Spec.Hold, p.Spec.ScheduledAt.Time = true, now.Add(-time.Hour) }, v1beta1.PostHeld, true},
		"due, which its status does not show yet": {func(p *v1beta1.Post) {
			p.Status.State, p.Spec.ScheduledAt.Time = v1beta1.PostScheduled, now
		}, v1beta1.PostPending, false},
		"in flight": {func(p *v1beta1.Post) {
			p.Status.State, p.Status.Attempts = v1beta1.PostPending, []v1beta1.PostAttempt{{State: v1beta1.AttemptIntended}}
		}, v1beta1.PostPending, false},
		"a retry":   {func(p *v1beta1.Post) { p.Status.State = v1beta1.PostRetrying }, v1beta1.PostRetrying, false},
		"published": {func(p *v1beta1.Post) { p.Status.State = v1beta1.PostSuccess }, v1beta1.PostSuccess, false},
		"cancelled": {func(p *v1beta1.Post) { p.Spec.Cancel = true }, v1beta1.PostCancelled, false},
	} {
		p := editable(catalog.TikTok, now)
		c.change(p)
		if state, ok := posting.EditState(p, now); state != c.state || ok != c.ok {
			t.Errorf("%s: %s, %t", name, state, ok)
		}
	}
}

func TestApprovalOf(t *testing.T) {
	decided := func(s v1beta1.ApprovalState, edit, edits int64) func(*v1beta1.Post) {
		return func(p *v1beta1.Post) {
			p.Spec.Approval = &v1beta1.PostApproval{State: s, Edit: edit}
			if edits > 0 {
				p.Spec.Edit = &v1beta1.PostEdit{Number: edits}
			}
			p.Spec.Hold = s != v1beta1.ApprovalApproved || edit != edits
		}
	}
	const yes, no = v1beta1.ApprovalApproved, v1beta1.ApprovalReturned
	for name, c := range map[string]struct {
		approval string
		change   func(*v1beta1.Post)
		state    posting.ApprovalState
		required bool
	}{
		"none":                       {"none", func(*v1beta1.Post) {}, "", false},
		"suspended":                  {"none", func(p *v1beta1.Post) { p.Spec.Hold = true }, "", false},
		"accepted before the rule":   {"hold", func(*v1beta1.Post) {}, "", false},
		"waiting":                    {"deny", func(p *v1beta1.Post) { p.Spec.Hold = true }, "waiting", true},
		"approved":                   {"hold", decided(yes, 0, 0), "approved", true},
		"approved, then edited":      {"hold", decided(yes, 0, 1), "waiting", true},
		"approved after an edit":     {"hold", decided(yes, 2, 2), "approved", true},
		"returned":                   {"hold", decided(no, 1, 1), "returned", true},
		"returned, then edited":      {"hold", decided(no, 1, 2), "waiting", true},
		"returned, no rule any more": {"none", decided(no, 1, 1), "", false},
		"required by the batch":      {"none", func(p *v1beta1.Post) { p.Spec.RequireApproval, p.Spec.Hold = true, true }, "waiting", true},
		"approved and published": {"hold", func(p *v1beta1.Post) {
			decided(yes, 0, 0)(p)
			p.Status.State = v1beta1.PostSuccess
		}, "approved", false},
	} {
		p := editable(catalog.TikTok, time.Now())
		c.change(p)
		if state, required := posting.ApprovalOf(p, &v1beta1.Brand{Spec: v1beta1.BrandSpec{Approval: c.approval}}); state != c.state || required != c.required {
			t.Errorf("%s: %q, %t", name, state, required)
		}
	}
}

// A batch can require an approval that its brand does not require, and that a deleted brand cannot either.
func TestHolds_BatchRequiresApproval(t *testing.T) {
	p := editable(catalog.TikTok, time.Now())
	for _, brand := range []*v1beta1.Brand{nil, {}} {
		b := &v1beta1.PostBatch{Spec: v1beta1.PostBatchSpec{RequireApproval: true}}
		if !posting.Holds(b, brand) || !posting.HoldsPost(b, brand, p) {
			t.Error("a post without an approval is not held")
		}
		b.Spec.Approved = true
		if posting.Holds(b, brand) || posting.HoldsPost(b, brand, p) {
			t.Error("the posts of an approved batch are held")
		}
	}
	was, changed := editable(catalog.TikTok, time.Now()), editable(catalog.TikTok, time.Now())
	was.Spec.RequireApproval, changed.Spec.RequireApproval = true, true
	changed.Spec.Caption += "!"
	if posting.Amend(was, &changed.Spec, &v1beta1.Brand{}, "ada", time.Now()); !changed.Spec.Hold {
		t.Error("an edited post is not held")
	}
}

// Of two posts of one batch, one as it was accepted and one edited, the approval of the batch releases the first.
func TestHoldsPost(t *testing.T) {
	brand, b := &v1beta1.Brand{Spec: v1beta1.BrandSpec{Approval: "hold"}}, &v1beta1.PostBatch{}
	p, edited := editable(catalog.TikTok, time.Now()), editable(catalog.TikTok, time.Now())
	edited.Spec.Edit = &v1beta1.PostEdit{Number: 1}
	check := func(why string, first, second bool) {
		t.Helper()
		if posting.HoldsPost(b, brand, p) != first || posting.HoldsPost(b, brand, edited) != second {
			t.Error(why)
		}
	}
	check("not approved", true, true)
	b.Spec.Approved = true
	check("the batch is approved", false, true)
	b.Spec.ApprovedEdits = []v1beta1.EditApproval{{Account: edited.Spec.Account, Edit: 2}, {Account: "another", Edit: 1}}
	check("an approval of another edit", false, true)
	b.Spec.ApprovedEdits[0].Edit = 1
	check("the edit is approved", false, false)
	b.Spec.ApprovedEdits = nil
	edited.Spec.Approval = &v1beta1.PostApproval{State: v1beta1.ApprovalApproved}
	check("an approval of other content", false, true)
	edited.Spec.Approval.Edit = 1
	check("an approval of this content", false, false)
	p.Spec.Approval = &v1beta1.PostApproval{State: v1beta1.ApprovalReturned}
	edited.Spec.Approval = &v1beta1.PostApproval{State: v1beta1.ApprovalReturned, Edit: 1}
	b.Spec.ApprovedEdits = []v1beta1.EditApproval{{Account: edited.Spec.Account, Edit: 1}}
	check("both were returned before the batch was approved", true, true)
	edited.Spec.Edit.Number, b.Spec.ApprovedEdits[0].Edit = 2, 2
	check("one was edited after its return", true, false)
	p.Spec.Approval.State = v1beta1.ApprovalApproved
	check("the other was approved after its return", false, false)
	b.Spec.Suspend = true
	check("suspended", true, true)
}

func TestMissedPost(t *testing.T) {
	made := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	b := &v1beta1.PostBatch{Spec: v1beta1.PostBatchSpec{ScheduledAt: &metav1.Time{Time: made.Add(-time.Hour)}}}
	b.CreationTimestamp = metav1.NewTime(made)
	p := &v1beta1.Post{Spec: v1beta1.PostSpec{ScheduledAt: metav1.NewMicroTime(made.Add(time.Hour))}}
	if !posting.MissedPost(b, p) {
		t.Error("a post of a restored batch is sent")
	}
	p.Spec.Edit = &v1beta1.PostEdit{}
	if posting.MissedPost(b, p) {
		t.Error("a restored post that was moved to a later time is not sent")
	}
	b.Spec.ScheduledAt.Time, p.Spec.ScheduledAt.Time = made.Add(2*time.Hour), made.Add(-time.Hour)
	if !posting.MissedPost(b, p) {
		t.Error("a restored post that was moved to an earlier time is sent")
	}
}
