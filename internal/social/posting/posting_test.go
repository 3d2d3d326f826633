// SPDX-License-Identifier: Apache-2.0

package posting_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/posting"
)

func rule(t *testing.T, platform string) catalog.PlatformRule {
	t.Helper()
	r, ok := catalog.RuleOf(platform)
	if !ok {
		t.Fatal("no rule of " + platform)
	}
	return r
}

func account(id int, platform string) *v1beta1.SocialAccount {
	return &v1beta1.SocialAccount{
		ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("%s-%d", platform, id), Labels: map[string]string{v1beta1.LabelID: fmt.Sprint(id)}},
		Spec:       v1beta1.SocialAccountSpec{Platform: v1beta1.Platform(platform)},
		Status:     v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive},
	}
}

func film(seconds int64) *v1beta1.RenderOutput {
	return &v1beta1.RenderOutput{BlobKey: "film.mp4", Bytes: 1000, DurationMilliseconds: seconds * 1000, Width: 1080, Height: 1920}
}

func photos(n int) (out []posting.Photo) {
	for i := range n {
		out = append(out, posting.Photo{Key: fmt.Sprintf("%d.png", i), AltText: fmt.Sprintf("Slide %d", i)})
	}
	return out
}

func TestTexts(t *testing.T) {
	long := strings.Repeat("x", 2200)
	for _, c := range []struct {
		why, platform, kind string
		content             posting.Content
		own                 v1beta1.PostText
		want                posting.Texts
	}{
		{
			"tags become hashtags without spaces, in a separate paragraph", "linkedin", "video",
			posting.Content{Title: "T", Caption: "C", Tags: []string{"desk", "work from home", "C++", "日本", "!!"}},
			v1beta1.PostText{},
			posting.Texts{Title: "T", Caption: "C\n\n#desk #workfromhome #C #日本"},
		},
		{
			"a caption of hashtags only", "instagram", "video",
			posting.Content{Title: "T", Tags: []string{"a"}},
			v1beta1.PostText{},
			posting.Texts{Caption: "#a"},
		},
		{
			"hashtags of the caption are not repeated", "tiktok", "photo_set",
			posting.Content{Caption: "Buy #Desk now", Tags: []string{"desk", "lamp", "Lamp"}},
			v1beta1.PostText{},
			posting.Texts{Caption: "Buy #Desk now\n\n#lamp"},
		},
		{
			"hashtags that do not fit are omitted, others are not", "instagram", "video",
			posting.Content{Caption: long[:2190], Tags: []string{"elephants", "ant"}},
			v1beta1.PostText{},
			posting.Texts{Caption: long[:2190] + "\n\n#ant"},
		},
		{
			"a full caption gets no hashtags", "instagram", "video", posting.Content{Caption: long, Tags: []string{"ant"}}, v1beta1.PostText{}, posting.Texts{Caption: long},
		},
		{
			"an own caption of the account is not changed", "instagram", "video",
			posting.Content{Caption: "C", Tags: []string{"ant"}},
			v1beta1.PostText{Caption: ptr.To("Mine")},
			posting.Texts{Caption: "Mine"},
		},
		{
			"an empty own caption is not changed", "instagram", "video", posting.Content{Caption: "C", Tags: []string{"ant"}}, v1beta1.PostText{Caption: ptr.To("")}, posting.Texts{},
		},
		{
			"YouTube has a list of tags", "youtube", "video",
			posting.Content{Title: "T", Caption: "C", Tags: []string{"work from home"}},
			v1beta1.PostText{Title: ptr.To("Mine")},
			posting.Texts{Title: "Mine", Caption: "C", Tags: []string{"work from home"}},
		},
		{
			"YouTube accepts no angle brackets, in texts of the short and of the account", "youtube", "video",
			posting.Content{Title: "I <3 bread", Caption: "C"},
			v1beta1.PostText{Caption: ptr.To("a < b > c &lt;")},
			posting.Texts{Title: "I ‹3 bread", Caption: "a ‹ b › c &lt;"},
		},
		{
			"without room for their replacement, they are omitted", "youtube", "video",
			posting.Content{Title: strings.Repeat("é", 99) + ">", Caption: strings.Repeat("a", 4998) + "<"},
			v1beta1.PostText{},
			posting.Texts{Title: strings.Repeat("é", 99) + "›", Caption: strings.Repeat("a", 4998)},
		},
		{
			"other platforms accept them", "linkedin", "video",
			posting.Content{Title: "I <3 bread", Caption: "a < b > c"},
			v1beta1.PostText{},
			posting.Texts{Title: "I <3 bread", Caption: "a < b > c"},
		},
		{"a video on TikTok has no title", "tiktok", "video", posting.Content{Title: "T", Caption: "C"}, v1beta1.PostText{Title: ptr.To("Mine")}, posting.Texts{Caption: "C"}},
		{"a photo set on TikTok has a title", "tiktok", "photo_set", posting.Content{Title: "T", Caption: "C"}, v1beta1.PostText{}, posting.Texts{Title: "T", Caption: "C"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			if diff := cmp.Diff(c.want, c.content.Texts(rule(t, c.platform), c.kind, c.own)); diff != "" {
				t.Error(diff)
			}
		})
	}
	// Instagram accepts at most thirty hashtags.
	many := posting.Content{Caption: "#mine"}
	for i := range 40 {
		many.Tags = append(many.Tags, fmt.Sprintf("t%d", i))
	}
	if n := strings.Count(many.Texts(rule(t, "instagram"), "video", v1beta1.PostText{}).Caption, "#"); n != 30 {
		t.Errorf("got %d hashtags", n)
	}
}

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		text                    string
		utf16, characters, many int
	}{{"abc", 3, 3, 3}, {"é", 1, 1, 2}, {"日本", 2, 2, 6}, {"😀", 2, 1, 4}, {"👩‍👧", 5, 3, 11}, {"", 0, 0, 0}} {
		got := []int{posting.Measure(c.text, catalog.UnitUTF16), posting.Measure(c.text, catalog.UnitCharacters), posting.Measure(c.text, catalog.UnitBytes)}
		if diff := cmp.Diff([]int{c.utf16, c.characters, c.many}, got); diff != "" {
			t.Errorf("%q: got %s", c.text, diff)
		}
	}
}

func TestTargets(t *testing.T) {
	all := []v1beta1.SocialAccount{*account(5, "tiktok"), *account(2, "tiktok"), *account(3, "linkedin")}
	named := []*v1beta1.SocialAccount{&all[0], &all[2], &all[0]}
	var got []string
	for _, x := range posting.Targets(named, []v1beta1.Platform{"instagram", "tiktok", "linkedin", "instagram"}, all) {
		got = append(got, fmt.Sprintf("%s %d", x.Platform, x.ID()))
	}
	if diff := cmp.Diff([]string{"tiktok 5", "linkedin 3", "instagram 0", "tiktok 2"}, got); diff != "" {
		t.Error(diff)
	}
}

// judged returns the issues of one account, with warnings marked.
func judged(c *posting.Content, ask posting.Ask, target posting.Target) string {
	var out []string
	for _, i := range posting.Judge(c, ask, []posting.Target{target})[0].Issues {
		s := string(i.Code)
		if i.Warning {
			s += "!"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestJudge(t *testing.T) {
	ask := posting.Ask{Mode: "direct", Now: noon, At: noon}
	on := func(platform string, change ...func(*posting.Target)) posting.Target {
		x := posting.Target{Platform: v1beta1.Platform(platform), Account: account(1, platform)}
		for _, f := range change {
			f(&x)
		}
		return x
	}
	whole := posting.Content{Title: "T", Caption: "C", Video: film(20), Photos: photos(5)}
	with := func(change func(*posting.Content)) *posting.Content {
		c := whole
		change(&c)
		return &c
	}
	asking := func(change func(*posting.Ask)) posting.Ask {
		a := ask
		change(&a)
		return a
	}
	full := func(x *posting.Target) {
		for i := range 15 {
			x.Uses = append(x.Uses, noon.Add(-time.Duration(i)*time.Minute))
		}
	}
	for _, c := range []struct {
		why     string
		content *posting.Content
		ask     posting.Ask
		target  posting.Target
		want    string
	}{
		{"valid", &whole, ask, on("tiktok"), ""},
		{"missing account", &whole, ask, posting.Target{Platform: "tiktok"}, "platform_not_connected"},
		{"not configured", &whole, asking(func(a *posting.Ask) { a.Missing = func(v1beta1.Platform) []string { return []string{"client_id"} } }), on("tiktok"), "platform_not_configured"},
		{"ended", &whole, ask, on("tiktok", func(x *posting.Target) { x.Account.Status.TokenStatus = v1beta1.TokenRevoked }), "token_expired"},
		{"token expires soon", &whole, ask, on("tiktok", func(x *posting.Target) { x.Account.Status.TokenStatus = v1beta1.TokenExpiringSoon }), ""},
		{"just connected", &whole, ask, on("tiktok", func(x *posting.Target) { x.Account.Status.TokenStatus = "" }), ""},
		{"unknown mode", &whole, asking(func(a *posting.Ask) { a.Mode = "draft" }), on("linkedin"), "validation_failed"},
		{"a mode of the platform", &whole, asking(func(a *posting.Ask) { a.Mode = "draft" }), on("youtube"), ""},
		{"photos on YouTube", with(func(c *posting.Content) { c.Video = nil }), ask, on("youtube"), "short_not_postable"},
		{"more photos than the limit", with(func(c *posting.Content) { c.Video, c.Photos = nil, photos(12) }), ask, on("instagram"), "short_not_postable"},
		{"a video longer than the limit", with(func(c *posting.Content) { c.Video = film(601) }), ask, on("tiktok"), "short_not_postable"},
		{"missing content is reported only once", with(func(c *posting.Content) { c.Video, c.Photos = nil, nil }), ask, on("tiktok"), ""},
		{"caption too long", with(func(c *posting.Content) { c.Caption = strings.Repeat("x", 2201) }), ask, on("tiktok"), "caption_too_long"},
		{"caption valid for photos", with(func(c *posting.Content) { c.Video, c.Caption = nil, strings.Repeat("x", 2201) }), ask, on("tiktok"), ""},
		{"title too long", with(func(c *posting.Content) { c.Title = strings.Repeat("x", 101) }), ask, on("youtube"), "title_too_long"},
		{"title ignored without a limit", with(func(c *posting.Content) { c.Title = strings.Repeat("x", 1000) }), ask, on("instagram"), ""},
		{"no text on YouTube", with(func(c *posting.Content) { c.Title, c.Caption = "", "" }), ask, on("youtube"), "validation_failed"},
		{"a caption is sufficient", with(func(c *posting.Content) { c.Title = "" }), ask, on("youtube"), ""},
		{"too many hashtags", with(func(c *posting.Content) {
			for i := range 31 {
				c.Caption += fmt.Sprintf(" #t%d", i)
			}
		}), ask, on("instagram"), "validation_failed"},
		{"escapes that exceed LinkedIn's limit", with(func(c *posting.Content) { c.Caption = strings.Repeat("(", 1501) }), ask, on("linkedin"), "caption_too_long!"},
		{"escapes within the limit", with(func(c *posting.Content) { c.Caption = strings.Repeat("(", 1500) }), ask, on("linkedin"), ""},
		{"no escapes on other platforms", with(func(c *posting.Content) { c.Caption = strings.Repeat("(", 1501) }), ask, on("instagram"), ""},
		{"limit reached", &whole, ask, on("tiktok", full), "platform_rate_limited"},
		{"limit reached, due tomorrow", &whole, asking(func(a *posting.Ask) { a.At = noon.Add(25 * time.Hour) }), on("tiktok", full), ""},
		{"planned posts of the day count", &whole, asking(func(a *posting.Ask) { a.At = noon.Add(48 * time.Hour) }), on("tiktok", func(x *posting.Target) {
			for i := range 15 {
				x.Uses = append(x.Uses, noon.Add(47*time.Hour).Add(time.Duration(i)*time.Minute))
			}
		}), "platform_rate_limited"},
		{"music on a video", &whole, asking(func(a *posting.Ask) { a.AutoAddMusic = true }), on("tiktok"), "validation_failed!"},
		{"music on photos", with(func(c *posting.Content) { c.Video = nil }), asking(func(a *posting.Ask) { a.AutoAddMusic = true }), on("tiktok"), ""},
		{"an equal post", &whole, ask, on("tiktok", func(x *posting.Target) { x.Same = []int64{7} }), "conflict!"},
		{
			"several issues, in order", with(func(c *posting.Content) { c.Title, c.Caption = strings.Repeat("x", 201), strings.Repeat("x", 3001) }),
			asking(func(a *posting.Ask) { a.Mode = "draft" }), on("linkedin", func(x *posting.Target) { x.Account.Status.TokenStatus = v1beta1.TokenExpired }),
			"token_expired validation_failed title_too_long caption_too_long",
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			if got := judged(c.content, c.ask, c.target); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestContent(t *testing.T) {
	show := func(change func(*v1beta1.Slideshow)) *v1beta1.Slideshow {
		s := &v1beta1.Slideshow{ObjectMeta: metav1.ObjectMeta{Name: "s", Generation: 1}}
		s.Status = v1beta1.SlideshowStatus{
			Revision: 2, WorkedOn: 1, Work: &v1beta1.Work{State: v1beta1.WorkSucceeded},
			Text:   &v1beta1.Text{Title: "Written", Caption: "Words", Tags: []string{"a"}},
			Slides: []v1beta1.Slide{{ID: 1, PictureKey: "1.png", AltText: "One"}},
		}
		change(s)
		return s
	}
	render := func(revision int64, state v1beta1.WorkState) v1beta1.RenderJob {
		r := v1beta1.RenderJob{Spec: v1beta1.RenderJobSpec{Revision: &revision}, Status: v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: state}}}
		if state == v1beta1.WorkSucceeded {
			r.Status.Output = film(20)
		}
		return r
	}
	for _, c := range []struct {
		why      string
		show     *v1beta1.Slideshow
		renders  []v1beta1.RenderJob
		want     string // video, photos, or nothing; then the content in progress
		problems string
	}{
		{"slides only", show(func(*v1beta1.Slideshow) {}), nil, "photos", ""},
		{"the video of this revision", show(func(*v1beta1.Slideshow) {}), []v1beta1.RenderJob{render(2, v1beta1.WorkSucceeded)}, "video", ""},
		{"the video of an older revision is stale", show(func(*v1beta1.Slideshow) {}), []v1beta1.RenderJob{render(1, v1beta1.WorkSucceeded)}, "photos", "conflict"},
		{"a failed video of an older revision", show(func(*v1beta1.Slideshow) {}), []v1beta1.RenderJob{render(1, v1beta1.WorkFailed)}, "photos", ""},
		{
			"a stale video while another is in progress", show(func(*v1beta1.Slideshow) {}),
			[]v1beta1.RenderJob{render(2, v1beta1.WorkProcessing), render(1, v1beta1.WorkSucceeded)},
			"photos rendering", "job_in_progress",
		},
		{
			"the videos of this revision and of an older one", show(func(*v1beta1.Slideshow) {}),
			[]v1beta1.RenderJob{render(2, v1beta1.WorkSucceeded), render(1, v1beta1.WorkSucceeded)},
			"video", "",
		},
		{"a video in progress", show(func(*v1beta1.Slideshow) {}), []v1beta1.RenderJob{render(2, v1beta1.WorkProcessing)}, "photos rendering", "job_in_progress!"},
		{"a video not requested yet", show(func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }), nil, "photos rendering", "job_in_progress!"},
		{"a failed video", show(func(s *v1beta1.Slideshow) { s.Spec.AutoRender = true }), []v1beta1.RenderJob{render(2, v1beta1.WorkFailed)}, "photos", ""},
		{"slides in progress", show(func(s *v1beta1.Slideshow) { s.Status = v1beta1.SlideshowStatus{} }), nil, "nothing drawing", "short_not_postable"},
		{"slides in progress again", show(func(s *v1beta1.Slideshow) { s.Status.Work.State = v1beta1.WorkProcessing }), nil, "photos drawing", "job_in_progress"},
		{"slides that are not in progress", show(func(s *v1beta1.Slideshow) { s.Spec.Suspend, s.Status = true, v1beta1.SlideshowStatus{} }), nil, "nothing", "short_not_postable"},
	} {
		t.Run(c.why, func(t *testing.T) {
			got := posting.ContentOf(9, c.show, c.renders)
			words := "nothing"
			switch {
			case got.Video != nil:
				words = "video"
			case len(got.Photos) > 0:
				words = "photos"
			}
			if got.Drawing {
				words += " drawing"
			}
			if got.Rendering {
				words += " rendering"
			}
			var problems []string
			for _, i := range got.Problems() {
				p := string(i.Code)
				if i.Warning {
					p += "!"
				}
				problems = append(problems, p)
			}
			if words != c.want || strings.Join(problems, " ") != c.problems {
				t.Errorf("got %q with %v", words, problems)
			}
		})
	}
	empty, tags := "", " a, ,b "
	got := posting.ContentOf(9, show(func(s *v1beta1.Slideshow) { s.Spec.Caption, s.Spec.Tags = &empty, &tags }), nil)
	if got.Title != "Written" || got.Caption != "" || cmp.Diff([]string{"a", "b"}, got.Tags) != "" {
		t.Errorf("got texts %+v", got)
	}
	got = posting.ContentOf(9, show(func(s *v1beta1.Slideshow) { s.Spec.Hashtags = &[]string{"a", "b"} }), nil)
	if cmp.Diff([]string{"a", "b"}, got.Tags) != "" {
		t.Errorf("got hashtags %v", got.Tags)
	}
}

func TestContent_IsPublishedAsWanted(t *testing.T) {
	photos := []posting.Photo{{Key: "1.png"}}
	for _, c := range []struct {
		why     string
		content posting.Content
		// the kind, then the code of the problem, for auto, video and photo_set
		auto, video, photoSet string
	}{
		{"a video and slides", posting.Content{Video: film(20), Photos: photos}, "video", "video", "photo_set"},
		{"only a video", posting.Content{Video: film(20)}, "video", "video", " short_not_postable"},
		{"slides that were never rendered", posting.Content{Photos: photos}, "photo_set", " short_not_postable", "photo_set"},
		{"slides that are being rendered for the first time", posting.Content{Photos: photos, Rendering: true}, "photo_set job_in_progress!", " job_in_progress", "photo_set"},
		{"slides that were edited after the render", posting.Content{Photos: photos, Stale: true}, " conflict", " conflict", "photo_set"},
		{"slides that are being rendered again", posting.Content{Photos: photos, Stale: true, Rendering: true}, " job_in_progress", " job_in_progress", "photo_set"},
		{"slides with a layout in progress", posting.Content{Photos: photos, Drawing: true}, "photo_set job_in_progress", " job_in_progress", "photo_set job_in_progress"},
		{"nothing", posting.Content{}, " short_not_postable", " short_not_postable", " short_not_postable"},
	} {
		for media, want := range map[string]string{"": c.auto, "auto": c.auto, "video": c.video, "photo_set": c.photoSet} {
			c.content.Wanted = media
			got := c.content.Kind()
			for _, i := range c.content.Problems() {
				got += " " + string(i.Code)
				if i.Warning {
					got += "!"
				}
				if stale := i.Details["reason"] == posting.ReasonVideoStale; stale != (i.Code == "conflict") {
					t.Errorf("%s as %q: got %+v", c.why, media, i)
				}
			}
			if got != want {
				t.Errorf("%s as %q: got %q, want %q", c.why, media, got, want)
			}
		}
	}
}

func TestOwn_PrefersTheTextsOfTheAccount(t *testing.T) {
	text := func(s string) *string { return &s }
	b := &v1beta1.PostBatch{Spec: v1beta1.PostBatchSpec{
		PostText: v1beta1.PostText{Title: text("for all"), Caption: text("for all")},
		Accounts: []v1beta1.PostTarget{{Name: "a", PostText: v1beta1.PostText{Caption: text("own")}}},
	}}
	for account, want := range map[string]string{"a": "for all, own", "b": "for all, for all"} {
		if got, _ := posting.Own(b, account); *got.Title+", "+*got.Caption != want {
			t.Errorf("%s: got %s, %s", account, *got.Title, *got.Caption)
		}
	}
}

func TestSchedule(t *testing.T) {
	now := noon.Add(300 * time.Millisecond)
	for _, c := range []struct {
		at   time.Time
		soon bool
	}{{now, true}, {now.Add(-time.Hour), true}, {now.Add(5*time.Minute - time.Millisecond), true}, {now.Add(5 * time.Minute), false}, {now.Add(time.Hour), false}} {
		i := posting.TooSoon(c.at, now, 5*time.Minute)
		if (i != nil) != c.soon {
			t.Errorf("%v: got %+v", c.at, i)
		}
		if i != nil {
			earliest := i.Details["earliest_at"].(time.Time)
			if earliest.Nanosecond() != 0 || posting.TooSoon(earliest, now, 5*time.Minute) != nil {
				t.Errorf("the earliest reported time %v would be rejected", earliest)
			}
		}
	}
	made := func(after time.Duration) bool {
		return posting.Missed(&v1beta1.PostBatch{
			ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(noon.Add(after))}, Spec: v1beta1.PostBatchSpec{ScheduledAt: &metav1.Time{Time: noon}},
		})
	}
	if made(-time.Hour) || made(0) || made(2*time.Minute) || !made(2*time.Minute+time.Second) {
		t.Error("a batch is late before two minutes after its time")
	}
}

func TestPostName(t *testing.T) {
	batch := func(name string, at time.Time) *v1beta1.PostBatch {
		return &v1beta1.PostBatch{ObjectMeta: metav1.ObjectMeta{Name: name, UID: "any"}, Spec: v1beta1.PostBatchSpec{ScheduledAt: &metav1.Time{Time: at}}}
	}
	long := strings.Repeat("a", 200)
	names := map[string]string{}
	for why, name := range map[string]string{
		"one":           posting.PostName(batch("promo", noon), "tiktok", "a", 0),
		"other account": posting.PostName(batch("promo", noon), "tiktok", "b", 0),
		"other time":    posting.PostName(batch("promo", noon.Add(time.Hour)), "tiktok", "a", 0),
		"long":          posting.PostName(batch(long, noon), "tiktok", "a", 0),
		"other short":   posting.PostName(batch(long+"b", noon), "tiktok", "a", 0),
	} {
		if len(name) > 63 || names[name] != "" {
			t.Errorf("%s: got %s, same as %s", why, name, names[name])
		}
		names[name] = why
	}
	again := batch("promo", noon.In(time.FixedZone("", 3600)))
	again.UID = "restored"
	if got := posting.PostName(again, "tiktok", "a", 0); names[got] != "one" {
		t.Errorf("a restored batch names its post %s", got)
	}
	if got := posting.PostName(batch("batch-3", noon), "tiktok", "a", 12); got != "post-12" {
		t.Error(got)
	}
}

func TestState_FollowsTheSpecBeforeItsControllerDoes(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	attempts := []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptNotSent}}
	for _, c := range []struct {
		why          string
		state        v1beta1.PostState
		hold, cancel bool
		attempts     []v1beta1.PostAttempt
		in           time.Duration
		want         v1beta1.PostState
	}{
		{"new", "", false, false, nil, time.Hour, v1beta1.PostScheduled},
		{"new and due", "", false, false, nil, 0, v1beta1.PostPending},
		{"just held", v1beta1.PostScheduled, true, false, nil, time.Hour, v1beta1.PostHeld},
		{"held while it is retried", v1beta1.PostRetrying, true, false, attempts, 0, v1beta1.PostRetrying},
		{"just released", v1beta1.PostHeld, false, false, nil, time.Hour, v1beta1.PostScheduled},
		{"released when it was due", v1beta1.PostHeld, false, false, nil, -time.Hour, v1beta1.PostPending},
		{"just canceled", v1beta1.PostScheduled, true, true, nil, time.Hour, v1beta1.PostCancelled},
		{"ended", v1beta1.PostSuccess, true, true, attempts, 0, v1beta1.PostSuccess},
	} {
		p := &v1beta1.Post{
			Spec:   v1beta1.PostSpec{Hold: c.hold, Cancel: c.cancel, ScheduledAt: metav1.NewMicroTime(now.Add(c.in))},
			Status: v1beta1.PostStatus{State: c.state, Attempts: c.attempts},
		}
		if got := posting.State(p, now); got != c.want {
			t.Errorf("%s: got %s, want %s", c.why, got, c.want)
		}
	}
}
