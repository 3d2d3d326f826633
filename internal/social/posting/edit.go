// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Editable lists the states in which a post can be edited, in published order, unless it is in flight.
var Editable = []v1beta1.PostState{v1beta1.PostHeld, v1beta1.PostScheduled}

// EditState returns the state of a post as far as an edit is concerned, and whether the post can be edited. A scheduled
// post that is due is pending, also before its controller has observed that.
func EditState(p *v1beta1.Post, now time.Time) (v1beta1.PostState, bool) {
	state := State(p, now)
	if state == v1beta1.PostScheduled && !DueAt(p).After(now) {
		state = v1beta1.PostPending
	}
	return state, !p.InFlight() && p.DeletionTimestamp.IsZero() && slices.Contains(Editable, state)
}

// Edit is a requested change of a post. What it leaves out stays as it is.
type Edit struct {
	// ScheduledAt is the new time of publication; nil for the present one.
	ScheduledAt *time.Time
	// Text has the new texts. An empty text removes it.
	Text v1beta1.PostText
	// Settings replace those of the post field by field.
	Settings v1beta1.PostSettings
}

// Content reports whether the edit changes more than the time.
func (e *Edit) Content() bool {
	return e.Text != (v1beta1.PostText{}) || e.Settings != (v1beta1.PostSettings{})
}

// ContentOfPost returns the content of a post: its media and the texts as they are sent. slides may be the content of
// its short, and nil otherwise. The slides in it are used for a cover, if the post publishes the video of these slides.
func ContentOfPost(p *v1beta1.Post, slides *Content) *Content {
	m := &p.Spec.Media
	c := &Content{
		ShortID: p.Spec.ShortID, Revision: p.Spec.Revision, Title: p.Spec.Title, Caption: p.Spec.Caption, Tags: p.Spec.Tags, Wanted: m.Kind,
	}
	if m.Kind != catalog.MediaVideo {
		for i, key := range m.PhotoKeys {
			photo := Photo{Key: key}
			if i < len(m.AltTexts) {
				photo.AltText = m.AltTexts[i]
			}
			c.Photos = append(c.Photos, photo)
		}
		return c
	}
	c.Video = &v1beta1.RenderOutput{
		BlobKey: m.VideoKey, Bytes: m.Bytes, SHA256: m.SHA256, DurationMilliseconds: m.Milliseconds(), Width: m.Width, Height: m.Height,
	}
	if slides != nil && slides.Video != nil && slides.Video.BlobKey == m.VideoKey {
		c.Photos, c.SlideMillis = slides.Photos, slides.SlideMillis
	}
	return c
}

// Edited returns the spec of a post with an edit, and the issues of the result by the rules of POST /posts. c is the
// content of the post. account is nil if it does not exist. uses are the times of other posts that count against the
// account's rate limit. ask.At is the time of the edited post.
//
// Settings that the edit does not name stay as they were accepted. If the account does not accept them any more, that is
// a warning: the connection may be renewed before the post is due. It is an error if another setting of the edit is the
// reason.
//
// The state of the connection is no issue: an edit publishes nothing, and the account may be connected again before the
// post is due. The rate limit is checked only for a new time.
func Edited(p *v1beta1.Post, e Edit, c *Content, account *v1beta1.SocialAccount, uses []time.Time, ask Ask) (v1beta1.PostSpec, []Issue) {
	spec := *p.Spec.DeepCopy()
	var issues []Issue
	if e.ScheduledAt != nil {
		spec.ScheduledAt, spec.Immediate = metav1.NewMicroTime(*e.ScheduledAt), false
		if account != nil {
			if i := room(&Verdict{Target: Target{Platform: p.Spec.Platform, Account: account, Uses: uses}}, ask); i != nil {
				issues = append(issues, *i)
			}
		}
	}
	if !e.Content() {
		return spec, issues
	}
	if account == nil {
		return spec, append(issues, NotConnected(p.Spec.Platform))
	}
	ask.Mode, ask.AutoAddMusic, ask.Defaults = p.Spec.PostingMode, p.Spec.AutoAddMusic, nil
	verdict := func(edit v1beta1.PostSettings) Verdict {
		return judge(c, ask, Target{
			Platform: p.Spec.Platform, Account: account, Settings: ownSettings(p, edit),
			Own: Texted(e.Text, v1beta1.PostText{Title: &p.Spec.Title, Caption: &p.Spec.Caption}),
		})
	}
	v, before := verdict(e.Settings), verdict(v1beta1.PostSettings{})
	for _, i := range v.Issues {
		if slices.Contains(ofAccounts, i.Code) {
			continue
		}
		if unnamed(&v.Target, &e.Settings, &i) && slices.ContainsFunc(before.Issues, func(was Issue) bool { return equality.Semantic.DeepEqual(was, i) }) {
			i.Warning = true
		}
		issues = append(issues, i)
	}
	spec.Title, spec.Caption, spec.Settings = v.Texts.Title, v.Texts.Caption, keepUnnamed(v.Effective, p.Spec.Settings, &e.Settings)
	if e.Settings.Cover != nil {
		spec.Media.Cover = v.Media.Cover
	}
	return spec, issues
}

// unnamed reports whether an issue is about a setting of the post that an edit does not name.
func unnamed(t *Target, edit *v1beta1.PostSettings, i *Issue) bool {
	path, _ := i.Details["field"].(string)
	name, own := strings.CutPrefix(path, ownPath(t))
	if !own {
		return false
	}
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case catalog.TikTok:
		return edit.TikTok == nil
	case catalog.YouTube:
		return edit.YouTube == nil
	case catalog.Instagram:
		return edit.Instagram == nil
	case catalog.LinkedIn:
		return edit.LinkedIn == nil
	case "cover":
		return edit.Cover == nil
	case "first_comment":
		return edit.FirstComment == nil
	}
	return false
}

// keepUnnamed returns settings with those of a post that an edit does not name; nil for none.
func keepUnnamed(settings, post, edit *v1beta1.PostSettings) *v1beta1.PostSettings {
	out := ptr.Deref(settings, v1beta1.PostSettings{})
	was := ptr.Deref(post.DeepCopy(), v1beta1.PostSettings{})
	if edit.TikTok == nil {
		out.TikTok = was.TikTok
	}
	if edit.YouTube == nil {
		out.YouTube = was.YouTube
	}
	if edit.Instagram == nil {
		out.Instagram = was.Instagram
	}
	if edit.LinkedIn == nil {
		out.LinkedIn = was.LinkedIn
	}
	if edit.Cover == nil {
		out.Cover = was.Cover
	}
	if edit.FirstComment == nil {
		out.FirstComment = was.FirstComment
	}
	if out == (v1beta1.PostSettings{}) {
		return nil
	}
	return &out
}

// ownSettings returns the settings of an edit, completed by those of the post, without a cover that the edit does not
// choose. Settings for another platform are those of the edit alone: they are reported, and ignored.
func ownSettings(p *v1beta1.Post, edit v1beta1.PostSettings) v1beta1.PostSettings {
	out := v1beta1.PostSettings{}
	if all := Effective(edit, p.Spec.Settings, p.Spec.Platform); all != nil {
		out = *all
	}
	out.Cover = edit.Cover
	out.TikTok, out.YouTube = absent(out.TikTok, edit.TikTok), absent(out.YouTube, edit.YouTube)
	out.Instagram, out.LinkedIn = absent(out.Instagram, edit.Instagram), absent(out.LinkedIn, edit.LinkedIn)
	return out
}

// Amend records an edit in the edited spec of a post, and reports whether it changes anything. by describes the caller.
// New content needs another approval: it is held if one is required, and if the post has one. In the second case the
// batch's controller releases a post that requires none.
func Amend(p *v1beta1.Post, spec *v1beta1.PostSpec, brand *v1beta1.Brand, by string, now time.Time) bool {
	content := !equality.Semantic.DeepEqual(sent(&p.Spec), sent(spec))
	if !content && spec.Immediate == p.Spec.Immediate && spec.ScheduledAt.Equal(&p.Spec.ScheduledAt) {
		return false
	}
	record := v1beta1.PostEdit{AcceptedFor: p.Spec.ScheduledAt}
	if p.Spec.Edit != nil {
		record = *p.Spec.Edit
	}
	record.By, record.At = by, metav1.NewTime(now.Truncate(time.Second))
	if content {
		record.Number++
		spec.Hold = spec.Hold || RequiresApproval(brand, p.Spec.RequireApproval) || p.Spec.Approval != nil
	}
	spec.Edit = &record
	return true
}

// sent returns the part of a spec that an edit of the content can change.
func sent(s *v1beta1.PostSpec) []any { return []any{s.Title, s.Caption, s.Settings, s.Media.Cover} }
