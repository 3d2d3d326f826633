// SPDX-License-Identifier: Apache-2.0

package youtube_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/youtube"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/youtube"
)

// answers returns a fault that responds to a call with a status and a reason.
func answers(call string, status int, code string) sandbox.Fault {
	return sandbox.Fault{Call: call, Do: sandbox.Status, Status: status, Code: code}
}

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Case{
		Platform: catalog.YouTube,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return stand.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := youtube.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: youtube.AllScopes, HTTP: o.HTTP, Clock: o.Clock}
			return youtube.New(c.At(o.Base))
		},
		As:    []string{"maya", "acme"},
		Large: 20 << 20,
		Settings: []conformance.Setting{
			choice("unlisted", v1beta1.YouTubeSettings{Privacy: "unlisted"}, func(v stand.Video) bool { return v.Privacy == "unlisted" }),
			choice("private", v1beta1.YouTubeSettings{Privacy: "private"}, func(v stand.Video) bool { return v.Privacy == "private" }),
			choice("subscribers", v1beta1.YouTubeSettings{}, func(v stand.Video) bool { return !v.NotifiedAt.IsZero() }),
			choice("no subscribers", v1beta1.YouTubeSettings{NotifySubscribers: ptr.To(false)}, func(v stand.Video) bool { return v.NotifiedAt.IsZero() }),
			choice("for children", v1beta1.YouTubeSettings{MadeForKids: ptr.To(true)}, func(v stand.Video) bool { return v.ForKids }),
			choice("by a machine", v1beta1.YouTubeSettings{SyntheticMedia: ptr.To(true)}, func(v stand.Video) bool { return v.Synthetic == "true" }),
			choice("category", v1beta1.YouTubeSettings{Category: "27"}, func(v stand.Video) bool { return v.Category == "27" }),
		},
		Cover:    func(there sandbox.Platform, l sandbox.Landing) string { return watched(there, l).Thumbnail },
		Comments: func(there sandbox.Platform, l sandbox.Landing) []string { return watched(there, l).Comments },
		Errors: []conformance.Error{
			{Name: "daily uploads of the app", Fault: answers("videos.insert", 429, stand.PerDay), Want: publish.RateLimited, Check: holdsApp},
			{Name: "daily units of the app", Fault: answers("videos.update", 403, "quotaExceeded"), Want: publish.RateLimited, Check: holdsApp},
			{Name: "burst", Fault: sandbox.Fault{Call: "videos.insert", Do: sandbox.Status, Status: 429, RetryAfter: 30}, Want: publish.RateLimited, Check: func(t *testing.T, e *publish.Error) {
				if e.AppWide || !e.ResetsAt.IsZero() {
					t.Errorf("a burst blocks the app until %s", e.ResetsAt)
				}
			}},
			{Name: "channel's uploads", Fault: answers("videos.insert", 400, "uploadLimitExceeded"), Want: publish.RateLimited, Check: func(t *testing.T, e *publish.Error) {
				if e.AppWide || e.RetryAfter != 24*time.Hour {
					t.Errorf("app wide %v, retry after %s; want only the channel, for a day", e.AppWide, e.RetryAfter)
				}
			}},
			{Name: "scope", Fault: answers("videos.insert", 403, "insufficientPermissions"), Want: publish.Scope},
			{Name: "no channel", Fault: answers("videos.insert", 401, "youtubeSignupRequired"), Want: publish.Rejected},
			{Name: "account suspended", Fault: answers("videos.insert", 403, "authenticatedUserAccountSuspended"), Want: publish.Rejected},
			{Name: "title rejected", Fault: answers("videos.insert", 400, "invalidTitle"), Want: publish.Rejected},
			{Name: "visibility rejected", Fault: answers("videos.update", 403, "forbiddenPrivacySetting"), Want: publish.Rejected},
			{Name: "bad request", Fault: answers("videos.insert", 400, "badRequest"), Want: publish.Misconfigured},
			{Name: "trouble", Fault: answers("videos.insert", 503, ""), Want: publish.Transient},
			{Name: "server error while publishing", Fault: answers("videos.update", 503, ""), Want: publish.Ambiguous},
			{Name: "token", Fault: answers("videos.upload", 401, ""), Want: publish.Unauthorized},
			{Name: "video deleted", Fault: answers("videos.update", 404, ""), Want: publish.Expired},
			{Name: "processing fails", Fault: sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Fail, Code: "codec"}, Want: publish.Rejected},
			{Name: "moderation", Fault: sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Reject, Code: "copyright"}, Want: publish.Rejected},
			{Name: "long title", Change: func(d *publish.Draft) { d.Title = strings.Repeat("a", 101) }, Want: publish.Rejected, Catalog: "title_too_long"},
			{Name: "long caption", Change: func(d *publish.Draft) { d.Caption = strings.Repeat("é", 2501) }, Want: publish.Rejected, Catalog: "caption_too_long"},
			{Name: "no video", Change: func(d *publish.Draft) { d.Kind = catalog.MediaPhotoSet }, Want: publish.Rejected},
		},
	})
}

// watched returns the published video.
func watched(there sandbox.Platform, l sandbox.Landing) stand.Video {
	videos := there.(*stand.Platform).Videos()
	i := slices.IndexFunc(videos, func(v stand.Video) bool { return v.ID == l.ID })
	if i < 0 {
		return stand.Video{}
	}
	return videos[i]
}

func choice(name string, s v1beta1.YouTubeSettings, want func(stand.Video) bool) conformance.Setting {
	return conformance.Setting{Name: name, Settings: v1beta1.PostSettings{YouTube: &s}, Reached: func(there sandbox.Platform, l sandbox.Landing) (string, bool) {
		v := watched(there, l)
		return fmt.Sprintf("%+v", v), v.ID != "" && want(v)
	}}
}

// holdsApp checks that the whole app waits until the next day starts in California. The test's time is nine o'clock
// in London and one at night in California.
func holdsApp(t *testing.T, e *publish.Error) {
	if !e.AppWide || e.ResetsAt.Format(time.TimeOnly) != "08:00:00" {
		t.Errorf("app wide %v, until %s; want the whole app, until 08:00 UTC", e.AppWide, e.ResetsAt)
	}
}
