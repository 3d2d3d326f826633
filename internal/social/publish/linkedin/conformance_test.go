// SPDX-License-Identifier: Apache-2.0

package linkedin_test

import (
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/linkedin"
	"github.com/reelops/reelops/internal/social/sandbox"
	stand "github.com/reelops/reelops/internal/social/sandbox/linkedin"
)

// A member's posts cannot be read, so the outcome of a lost response stays unknown. A page's posts can be read, so all
// of them are found.
func TestConformance(t *testing.T) {
	c := conformance.Case{
		Platform: catalog.LinkedIn,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return stand.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := linkedin.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Pages: true, HTTP: o.HTTP, Clock: o.Clock}
			p, err := linkedin.New(c.At(o.Base))
			if err == nil {
				p.SaveEvery(8 << 20)
			}
			return p, err
		},
		Expect: func(d publish.Draft) (title, caption string) {
			if d.Kind == catalog.MediaVideo {
				return d.Title, d.Caption
			}
			return "", d.Caption
		},
		Errors: refusals(),
	}
	t.Run("member", func(t *testing.T) {
		c := c
		c.As, c.CannotTell = []string{"maya"}, []string{"posts.create", "comments.create"}
		for name, want := range map[string]string{"connections": "CONNECTIONS", "public": ""} {
			c.Settings = append(c.Settings, conformance.Setting{
				Name: name, Settings: v1beta1.PostSettings{LinkedIn: &v1beta1.LinkedInSettings{Visibility: name}},
				Reached: func(_ sandbox.Platform, l sandbox.Landing) (string, bool) { return l.Audience, l.Audience == want },
			})
		}
		conformance.Run(t, c)
	})
	t.Run("page", func(t *testing.T) {
		c := c
		c.As, c.Large = []string{"acme"}, 21<<20+1234
		conformance.Run(t, c)
	})
}

// refusals lists all errors that LinkedIn documents or that were observed, each for the call that returns it while
// publishing.
func refusals() []conformance.Error {
	at := func(call string, status int, code string, want publish.Kind) conformance.Error {
		return conformance.Error{Name: call + " " + code, Want: want, Fault: sandbox.Fault{Call: call, Do: sandbox.Status, Status: status, Code: code}}
	}
	throttled := func(code string, check func(*testing.T, *publish.Error)) conformance.Error {
		e := at("posts.create", 429, code, publish.RateLimited)
		e.Check = check
		return e
	}
	out := []conformance.Error{
		{
			Name: "caption too long", Want: publish.Rejected, Catalog: string(catalog.CaptionTooLong),
			Change: func(d *publish.Draft) { d.Caption = strings.Repeat("é", 3001) },
		},
		{
			Name: "title too long", Want: publish.Rejected, Catalog: string(catalog.TitleTooLong),
			Change: func(d *publish.Draft) { d.Title = strings.Repeat("é", 201) },
		},
		{Name: "drafts", Want: publish.Rejected, Change: func(d *publish.Draft) { d.Mode = catalog.PostDraft }},
		{Name: "video too short", Want: publish.Rejected, Change: func(d *publish.Draft) { d.Video.Duration = 2 * time.Second }},
		{Name: "video too long", Want: publish.Rejected, Change: func(d *publish.Draft) { d.Video.Duration = 1801 * time.Second }},
		{Name: "video too large", Want: publish.Rejected, Change: func(d *publish.Draft) { d.Video.Bytes = 501 << 20 }},
		{Name: "21 images", Kind: catalog.MediaPhotoSet, Want: publish.Rejected, Change: func(d *publish.Draft) {
			for len(d.Photos) < 21 {
				d.Photos = append(d.Photos, d.Photos[0])
			}
		}},
		{Name: "no images", Kind: catalog.MediaPhotoSet, Want: publish.Rejected, Change: func(d *publish.Draft) { d.Photos = nil }},

		at("videos.initializeUpload", 401, "EXPIRED_ACCESS_TOKEN", publish.Unauthorized),
		at("videos.initializeUpload", 401, "INVALID_ACCESS_TOKEN", publish.Unauthorized),
		at("videos.initializeUpload", 401, "EMPTY_ACCESS_TOKEN", publish.Unauthorized),
		at("videos.initializeUpload", 401, "REVOKED_ACCESS_TOKEN", publish.Auth),
		at("videos.initializeUpload", 403, "ACCESS_DENIED", publish.Scope),
		at("videos.initializeUpload", 400, "VERSION_MISSING", publish.Misconfigured),
		at("videos.initializeUpload", 426, "NONEXISTENT_VERSION", publish.Misconfigured),
		at("videos.initializeUpload", 400, "INVALID_VALUE_FOR_FIELD", publish.Rejected),
		at("videos.initializeUpload", 500, "INTERNAL_SERVER_ERROR", publish.Transient),
		at("upload.part", 400, "EXPIRED_UPLOAD_URL", publish.Expired),
		at("upload.part", 403, "", publish.Expired),
		at("upload.part", 503, "SERVICE_UNAVAILABLE", publish.Transient),
		at("videos.finalizeUpload", 400, "UPDATING_ASSET_FAILED", publish.Expired),
		at("videos.get", 404, "NOT_FOUND", publish.Expired),
		at("videos.get", 403, "ACCESS_DENIED", publish.Scope),
		at("posts.create", 400, "MEDIA_ASSET_WAITING_UPLOAD", publish.Transient),
		at("posts.create", 400, "MEDIA_ASSET_PROCESSING_FAILED", publish.Rejected),
		at("posts.create", 400, "INVALID_VIDEO_ID", publish.Expired),
		at("posts.create", 401, "EXPIRED_ACCESS_TOKEN", publish.Unauthorized),
		at("posts.create", 401, "REVOKED_ACCESS_TOKEN", publish.Auth),
		// The files were new, so the call is retried once.
		at("posts.create", 403, "ACCESS_DENIED", publish.Transient),
		at("posts.create", 409, "CONFLICT", publish.Transient),
		at("posts.create", 422, "DUPLICATE_POST", publish.Rejected),
		at("posts.create", 400, "FIELD_LENGTH_TOO_LONG", publish.Rejected),
		at("posts.create", 422, "UNPROCESSABLE_ENTITY", publish.Rejected),
		at("posts.create", 500, "INTERNAL_SERVER_ERROR", publish.Ambiguous),
		at("posts.create", 504, "", publish.Ambiguous),
		throttled("MEMBER", func(t *testing.T, e *publish.Error) {
			if e.AppWide || e.RetryAfter <= 0 {
				t.Errorf("app wide %v, retry after %v", e.AppWide, e.RetryAfter)
			}
		}),
		throttled("MEMBER DAY", func(t *testing.T, e *publish.Error) {
			if midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC); e.AppWide || !e.ResetsAt.Equal(midnight) {
				t.Errorf("app wide %v, resets at %v, want %v", e.AppWide, e.ResetsAt, midnight)
			}
		}),
		throttled("APPLICATION DAY", func(t *testing.T, e *publish.Error) {
			if !e.AppWide || e.ResetsAt.IsZero() {
				t.Errorf("app wide %v, resets at %v", e.AppWide, e.ResetsAt)
			}
		}),
	}
	return append(out, conformance.Error{
		Name: "processing fails", Want: publish.Rejected, Fault: sandbox.Fault{Call: sandbox.CallProcessing, Do: sandbox.Fail},
	})
}
