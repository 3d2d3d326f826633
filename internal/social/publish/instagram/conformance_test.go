// SPDX-License-Identifier: Apache-2.0

package instagram_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
	"github.com/reelops/reelops/internal/social/publish/conformance"
	"github.com/reelops/reelops/internal/social/publish/instagram"
	"github.com/reelops/reelops/internal/social/sandbox"
	sandboxinstagram "github.com/reelops/reelops/internal/social/sandbox/instagram"
)

func TestConformance(t *testing.T) {
	status := func(call string, code int, name string) sandbox.Fault {
		return sandbox.Fault{Call: call, Do: sandbox.Status, Status: code, Code: name}
	}
	conformance.Run(t, conformance.Case{
		Platform: catalog.Instagram,
		Mount:    func(core *sandbox.Sandbox) sandbox.Platform { return sandboxinstagram.New(core) },
		Open: func(o conformance.Options) (publish.Platform, error) {
			c := instagram.Config{ClientID: o.ClientID, ClientSecret: o.ClientSecret, Scopes: instagram.AllScopes, HTTP: o.HTTP, Clock: o.Clock}
			return instagram.New(c.At(o.Base))
		},
		NeedsScope: instagram.ScopePublish,
		Settings: []conformance.Setting{
			{Name: "not in the feed", Settings: chosen(v1beta1.InstagramSettings{ShareToFeed: ptr.To(false)}), Reached: func(_ sandbox.Platform, l sandbox.Landing) (string, bool) {
				return fmt.Sprint(l.OffFeed), l.OffFeed
			}},
			{Name: "in the feed", Reached: func(_ sandbox.Platform, l sandbox.Landing) (string, bool) { return fmt.Sprint(l.OffFeed), !l.OffFeed }},
			{Name: "moment", Settings: chosen(v1beta1.InstagramSettings{CoverOffsetMillis: ptr.To[int64](2500)}), Reached: func(_ sandbox.Platform, l sandbox.Landing) (string, bool) {
				return l.Cover, l.Cover == "2500 ms"
			}},
		},
		Errors: []conformance.Error{
			{
				Name: "caption too long", Want: publish.Rejected, Catalog: string(catalog.CaptionTooLong),
				Change: func(d *publish.Draft) { d.Caption = strings.Repeat("é", 2201) },
			},
			{Name: "drafts", Want: publish.Rejected, Change: func(d *publish.Draft) { d.Mode = catalog.PostDraft }},
			{Name: "eleven images", Kind: catalog.MediaPhotoSet, Want: publish.Rejected, Change: func(d *publish.Draft) {
				for len(d.Photos) < 11 {
					d.Photos = append(d.Photos, d.Photos[0])
				}
			}},
			{
				Name: "caption rejected", Want: publish.Rejected, Catalog: string(catalog.CaptionTooLong),
				Fault: status(sandboxinstagram.CallCreate, 400, "36004/2207010"),
			},
			{Name: "file cannot be fetched", Want: publish.Rejected, Fault: status(sandboxinstagram.CallCreate, 400, "9004/2207052")},
			{Name: "app removed", Want: publish.Auth, Fault: status(sandboxinstagram.CallCreate, 400, "190/458"), Check: func(t *testing.T, e *publish.Error) {
				if !e.Revoked {
					t.Error("the error does not report a revocation")
				}
			}},
			{Name: "password changed", Want: publish.Auth, Fault: status(sandboxinstagram.CallStatus, 400, "190/460")},
			{Name: "token expired", Want: publish.Unauthorized, Fault: status(sandboxinstagram.CallPublish, 400, "190/463")},
			{Name: "permission missing", Want: publish.Scope, Fault: status(sandboxinstagram.CallCreate, 403, "10")},
			{Name: "account restricted", Want: publish.Rejected, Fault: status(sandboxinstagram.CallPublish, 400, "25/2207050")},
			{Name: "daily cap", Want: publish.RateLimited, Fault: status(sandboxinstagram.CallPublish, 400, "9/2207042")},
			{Name: "app throttled", Want: publish.RateLimited, Fault: status(sandboxinstagram.CallCreate, 403, "4"), Check: func(t *testing.T, e *publish.Error) {
				if !e.AppWide {
					t.Error("the error is not app-wide")
				}
			}},
			{Name: "account throttled", Want: publish.RateLimited, Fault: status(sandboxinstagram.CallPublish, 400, "80002"), Check: func(t *testing.T, e *publish.Error) {
				if e.AppWide || e.RetryAfter != 7*time.Minute {
					t.Errorf("app wide %v, retry after %v, want seven minutes for this account", e.AppWide, e.RetryAfter)
				}
			}},
			{Name: "spam", Want: publish.Rejected, Fault: status(sandboxinstagram.CallPublish, 400, "4/2207051")},
			{Name: "blocked for policy", Want: publish.RateLimited, Fault: status(sandboxinstagram.CallPublish, 400, "368")},
			{Name: "container expired", Want: publish.Expired, Fault: status(sandboxinstagram.CallPublish, 400, "-2/2207020")},
			{Name: "not ready", Want: publish.Transient, Fault: status(sandboxinstagram.CallPublish, 400, "9007/2207027")},
			{Name: "unknown error while creating", Want: publish.Transient, Fault: status(sandboxinstagram.CallCreate, 400, "1")},
			{Name: "unknown error while publishing", Want: publish.Ambiguous, Fault: status(sandboxinstagram.CallPublish, 400, "1")},
			{Name: "server error while publishing", Want: publish.Ambiguous, Fault: status(sandboxinstagram.CallPublish, 400, "-1/2207001")},
			{Name: "container not found while publishing", Want: publish.Ambiguous, Fault: status(sandboxinstagram.CallPublish, 400, "24/2207008")},
			{Name: "same post twice", Want: publish.Ambiguous, Fault: status(sandboxinstagram.CallPublish, 400, "506")},
			{Name: "app unknown", Want: publish.Misconfigured, Fault: status(sandboxinstagram.CallCreate, 400, "101")},
		},
	})
}

func chosen(s v1beta1.InstagramSettings) v1beta1.PostSettings {
	return v1beta1.PostSettings{Instagram: &s}
}
