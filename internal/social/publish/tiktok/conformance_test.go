// SPDX-License-Identifier: Apache-2.0

package tiktok_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/tiktok"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/tiktok"
)

func TestConformance(t *testing.T) {
	conformance.Run(t, conformance.Case{
		Platform: catalog.TikTok,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return stand.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := tiktok.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: tiktok.AllScopes, HTTP: o.HTTP, Clock: o.Clock}
			p, err := tiktok.New(c.At(o.Base))
			if err == nil {
				p.CutAbove(partSize)
			}
			return p, err
		},
		Expect: func(d publish.Draft) (title, caption string) {
			switch {
			case d.Kind == catalog.MediaPhotoSet:
				return d.Title, d.Caption
			case d.Mode == catalog.PostDraft: // the text is written in the app
				return "", ""
			}
			return "", d.Caption
		},
		Large: threeParts,
		// Only the response to this call identifies a photo set.
		CannotTell: []string{"content.init"},
		NeedsScope: "video.publish",
		Settings:   settings(),
		Cover: func(there sandbox.Platform, l sandbox.Landing) string {
			switch x := shown(there, l); {
			case l.Kind == catalog.MediaPhotoSet:
				return l.Files[x.CoverPhoto].SHA256
			case x.CoverMillis > 0:
				return fmt.Sprintf("%d ms", x.CoverMillis)
			}
			return ""
		},
		Errors: refusals(),
	})
}

// shown returns the values that a post was published with.
func shown(there sandbox.Platform, l sandbox.Landing) stand.Post {
	posts := there.(*stand.Platform).Posts()
	i := slices.IndexFunc(posts, func(x stand.Post) bool { return x.ID == l.ID })
	if i < 0 {
		return stand.Post{}
	}
	return posts[i]
}

func settings() []conformance.Setting {
	set := func(name string, s v1beta1.TikTokSettings, want func(stand.Post) bool) conformance.Setting {
		return conformance.Setting{Name: name, Settings: v1beta1.PostSettings{TikTok: &s}, Reached: func(there sandbox.Platform, l sandbox.Landing) (string, bool) {
			x := shown(there, l)
			return fmt.Sprintf("%+v", x), x.ID != "" && want(x)
		}}
	}
	out := []conformance.Setting{
		set("audience", v1beta1.TikTokSettings{PrivacyLevel: "MUTUAL_FOLLOW_FRIENDS"}, func(x stand.Post) bool { return x.Privacy == "MUTUAL_FOLLOW_FRIENDS" }),
		set("no comments", v1beta1.TikTokSettings{AllowComment: ptr.To(false)}, func(x stand.Post) bool { return x.NoComment && !x.NoDuet && !x.NoStitch }),
		set("no duets", v1beta1.TikTokSettings{AllowDuet: ptr.To(false)}, func(x stand.Post) bool { return x.NoDuet && !x.NoComment && !x.NoStitch }),
		set("no stitches", v1beta1.TikTokSettings{AllowStitch: ptr.To(false)}, func(x stand.Post) bool { return x.NoStitch && !x.NoComment && !x.NoDuet }),
		set("own business", v1beta1.TikTokSettings{Commercial: &v1beta1.TikTokCommercial{YourBrand: true}}, func(x stand.Post) bool { return x.BrandOrganic && !x.BrandContent }),
		set("paid partnership", v1beta1.TikTokSettings{Commercial: &v1beta1.TikTokCommercial{BrandedContent: true}}, func(x stand.Post) bool { return x.BrandContent && !x.BrandOrganic }),
		set("by a machine", v1beta1.TikTokSettings{AIGenerated: ptr.To(true)}, func(x stand.Post) bool { return x.AIGenerated }),
	}
	photos := out[0]
	photos.Name, photos.Kind = "audience of photos", catalog.MediaPhotoSet
	return append(out, photos)
}

// refusals lists all errors that TikTok documents, each for the call that returns it while publishing.
func refusals() []conformance.Error {
	at := func(call string, status int, code string, want publish.Kind) conformance.Error {
		return conformance.Error{
			Name: call + " " + code, Want: want, Mode: catalog.PostDirect,
			Fault: sandbox.Fault{Call: call, Do: sandbox.Status, Status: status, Code: code},
		}
	}
	set := func(status int, code string, want publish.Kind) conformance.Error {
		e := at("content.init", status, code, want)
		e.Kind = catalog.MediaPhotoSet
		return e
	}
	failing := func(code string, want publish.Kind) conformance.Error {
		return conformance.Error{
			Name: "processing " + code, Want: want, Mode: catalog.PostDirect,
			Fault: sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Fail, Code: code},
		}
	}
	out := []conformance.Error{
		at("creator_info.query", http.StatusForbidden, "spam_risk_too_many_posts", publish.RateLimited),
		at("creator_info.query", http.StatusForbidden, "spam_risk_user_banned_from_posting", publish.Rejected),
		at("creator_info.query", http.StatusForbidden, "reached_active_user_cap", publish.RateLimited),
		at("creator_info.query", http.StatusTooManyRequests, "rate_limit_exceeded", publish.RateLimited),
		at("creator_info.query", http.StatusUnauthorized, "access_token_invalid", publish.Unauthorized),
		at("creator_info.query", http.StatusInternalServerError, "internal_error", publish.Transient),
		at("video.init", http.StatusUnauthorized, "scope_not_authorized", publish.Scope),
		at("video.init", http.StatusBadRequest, "scope_permission_missed", publish.Scope),
		at("video.init", http.StatusBadRequest, "invalid_param", publish.Rejected),
		at("video.init", http.StatusBadRequest, "invalid_params", publish.Rejected),
		at("video.init", http.StatusBadRequest, "invalid_file_upload", publish.Rejected),
		at("video.init", http.StatusForbidden, "privacy_level_option_mismatch", publish.Rejected),
		at("video.init", http.StatusForbidden, "unaudited_client_can_only_post_to_private_accounts", publish.Misconfigured),
		at("video.init", http.StatusForbidden, "spam_risk_too_many_posts", publish.RateLimited),
		at("video.init", http.StatusInternalServerError, "internal_error", publish.Transient),
		at("upload.part", http.StatusForbidden, "", publish.Expired),
		at("upload.part", http.StatusNotFound, "", publish.Expired),
		at("upload.part", http.StatusRequestedRangeNotSatisfiable, "", publish.Expired),
		at("upload.part", http.StatusBadRequest, "", publish.Rejected),
		at("upload.part", http.StatusTooManyRequests, "", publish.RateLimited),
		at("upload.part", http.StatusInternalServerError, "", publish.Ambiguous),
		set(http.StatusForbidden, "url_ownership_unverified", publish.Misconfigured),
		set(http.StatusBadRequest, "invalid_params", publish.Rejected),
		set(http.StatusForbidden, "privacy_level_option_mismatch", publish.Expired),
		set(http.StatusForbidden, "spam_risk_too_many_posts", publish.RateLimited),
		set(http.StatusTooManyRequests, "rate_limit_exceeded", publish.RateLimited),
		set(http.StatusUnauthorized, "access_token_invalid", publish.Unauthorized),
		set(http.StatusInternalServerError, "internal_error", publish.Ambiguous),
		failing("file_format_check_failed", publish.Rejected),
		failing("duration_check_failed", publish.Rejected),
		failing("frame_rate_check_failed", publish.Rejected),
		failing("picture_size_check_failed", publish.Rejected),
		failing("auth_removed", publish.Auth),
		failing("publish_cancelled", publish.Rejected),
		failing("spam_risk", publish.Rejected),
		failing("spam_risk_text", publish.Rejected),
		failing("spam_risk_user_banned_from_posting", publish.Rejected),
		failing("spam_risk_too_many_posts", publish.RateLimited),
		failing("internal", publish.Expired),
		failing("video_pull_failed", publish.Expired),
		failing("photo_pull_failed", publish.Expired),
		{
			Name: "too many drafts", Mode: catalog.PostDraft, Want: publish.RateLimited,
			Fault: sandbox.Fault{Call: "inbox.video.init", Do: sandbox.Status, Status: http.StatusForbidden, Code: "spam_risk_too_many_pending_share"},
		},
		{
			Name: "an app that is too old", Kind: catalog.MediaPhotoSet, Mode: catalog.PostDraft, Want: publish.Rejected,
			Fault: sandbox.Fault{Call: "content.init", Do: sandbox.Status, Status: http.StatusBadRequest, Code: "app_version_check_failed"},
		},
		{
			Name: "caption too long", Mode: catalog.PostDirect, Want: publish.Rejected, Catalog: "caption_too_long",
			Change: func(d *publish.Draft) { d.Caption = strings.Repeat("🥖", 1101) },
		},
		{
			Name: "title too long", Kind: catalog.MediaPhotoSet, Mode: catalog.PostDirect, Want: publish.Rejected, Catalog: "title_too_long",
			Change: func(d *publish.Draft) { d.Title = strings.Repeat("🥖", 46) },
		},
		{
			Name: "video too long", Mode: catalog.PostDirect, Want: publish.Rejected,
			Change: func(d *publish.Draft) { d.Video.Duration = 601 * time.Second },
		},
	}
	for i := range out {
		if out[i].Fault.Call == "creator_info.query" && strings.HasSuffix(out[i].Name, "reached_active_user_cap") {
			out[i].Check = func(t *testing.T, e *publish.Error) {
				if !e.AppWide {
					t.Error("the limit is app-wide")
				}
			}
		}
	}
	return out
}
