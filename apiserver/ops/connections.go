// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/consent"
	"github.com/reelops/reelops/internal/social/posting"
	"github.com/reelops/reelops/internal/social/publish"
)

var connectionsSpec = operation.Spec{
	Name: "list_connections", Method: http.MethodGet, Path: "/api/v1/connections", Tag: "Connections",
	Summary: "List connected accounts",
	Description: "Lists the connected accounts of the brand: whether the platform still accepts the connection, how many posts are still possible, and `ready_to_post`, which sums it up. " +
		"`rate_limit` counts posts of this service. If the platform reports its own count, the higher one applies. " +
		"Platforms without an account are listed with the steps to connect one. Responses never contain tokens. " +
		"Connections are renewed automatically if the platform allows it. " +
		"If `token_status` requires a person, create a new link: the id of the account stays the same, and waiting posts are published.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleConnections(),
}

func (s *Service) connections(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[view.Connections], error) {
	accounts, err := s.Reader.BrandAccounts(ctx, c.Namespace(), c.Brand.Name)
	if err != nil {
		return nil, err
	}
	now := s.Clock.Now()
	out := view.Connections{Accounts: make([]view.ConnectedAccount, 0, len(accounts)), NotConnected: []view.NotConnected{}}
	connected := map[v1beta1.Platform]bool{}
	for i := range accounts {
		a := &accounts[i]
		connected[a.Spec.Platform] = true
		uses, err := s.Reader.Uses(ctx, a, now, now)
		if err != nil {
			return nil, err
		}
		out.Accounts = append(out.Accounts, view.ConnectedAccountOf(read.ID(a), a, posting.Headroom(a, uses, now), s.Missing))
	}
	for _, p := range catalog.Platforms() {
		out.SupportedPlatforms = append(out.SupportedPlatforms, view.PlatformName(p))
		if platform := v1beta1.Platform(p); !connected[platform] {
			out.NotConnected = append(out.NotConnected, view.NotConnected{
				Platform: view.PlatformName(p), Name: catalog.PlatformName(p), Configured: len(s.missing(platform)) == 0,
				Steps: append([]string{fmt.Sprintf("Create a link with POST /api/v1/connections/link and {\"platform\": %q}.", p)}, steps(p)...),
			})
		}
	}
	return &operation.Reply[view.Connections]{Data: out}, nil
}

// missing returns the settings that a platform lacks before accounts can be connected.
func (s *Service) missing(p v1beta1.Platform) []string {
	if s.Platforms[p] == nil {
		return []string{"client_id"}
	}
	return s.Platforms[p].Missing()
}

// steps returns the steps for a person who uses a link.
func steps(platform string) []string {
	name := catalog.PlatformName(platform)
	account := map[string]string{
		catalog.TikTok:    "Log in to the TikTok account that the brand posts to.",
		catalog.YouTube:   "Log in to Google and choose the channel that the brand posts to.",
		catalog.Instagram: "Log in to the Instagram account that the brand posts to. It must be a professional account: business or creator.",
		catalog.LinkedIn:  "Log in to LinkedIn as the member who posts, or who administers the brand's pages.",
	}[platform]
	return []string{
		"Open the link in a browser, within ten minutes; it works once.",
		account,
		fmt.Sprintf("Allow all permissions that %s requests: without them nothing can be posted.", name),
		"Wait for the page that confirms the connection, and close it.",
		"Read GET /api/v1/connections again.",
	}
}

var linkSpec = operation.Spec{
	Name: "create_connect_link", Method: http.MethodPost, Path: "/api/v1/connections/link", Tag: "Connections",
	Summary: "Create a link to connect an account",
	Description: "A user opens `authorize_url` in a browser and approves on the platform's own page, which redirects back to this service. " +
		"Then read `GET /connections` again. The link is valid once, for ten minutes, for this brand and platform. " +
		"Nothing is created before the approval. " +
		"Connecting an account again, for instance when `token_status` is expired, keeps its id. " +
		"Another account does not replace it but is listed in addition. " +
		"On LinkedIn one approval connects the member and the pages that the member may post for.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global,
	Errors:      []catalog.Code{catalog.UnsupportedPlatform, catalog.PlatformNotConfigured},
	BodyExample: map[string]any{"platform": catalog.TikTok},
	DataExample: view.ConnectLink{
		Platform: catalog.TikTok, AuthorizeURL: "https://www.tiktok.com/v2/auth/authorize/?client_key=aw1x7k2m&response_type=code&state=9qk3v8zt",
		Steps: steps(catalog.TikTok), ExpiresAt: view.Time{Time: exampleTime.Add(consent.LinkTime)}, ExpiresInSeconds: int(consent.LinkTime / time.Second),
	},
}

// LinkRequest is the body of a request for a link.
type LinkRequest struct {
	Platform PlatformWish `json:"platform" doc:"The platform of the account to connect."`
}

// TransformSchema makes a missing platform a bad_request.
func (LinkRequest) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	p := s.Properties["platform"]
	if p.Extensions == nil {
		p.Extensions = map[string]any{}
	}
	p.Extensions[operation.BadRequest] = true
	return s
}

func (s *Service) connectLink(_ context.Context, c *operation.Call, in struct{ Body LinkRequest }) (*operation.Reply[view.ConnectLink], error) {
	name := strings.ToLower(strings.TrimSpace(string(in.Body.Platform)))
	if !slices.Contains(catalog.Platforms(), name) {
		return nil, problem.New(catalog.UnsupportedPlatform, problem.Details{"platform": shortened(string(in.Body.Platform)), "supported_platforms": catalog.Platforms()})
	}
	platform := v1beta1.Platform(name)
	if missing := s.missing(platform); len(missing) > 0 {
		return nil, problem.New(catalog.PlatformNotConfigured, problem.Details{"platform": name, "missing": missing}).
			Saying(catalog.PlatformName(name) + " is not set up on the server.")
	}
	state, link, err := s.Consent.Link(consent.Link{
		Namespace: c.Namespace(), Brand: c.Brand.Name, Platform: platform, Key: read.ID(c.Key), User: c.User,
	})
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.ConnectLink]{Data: view.ConnectLink{
		Platform: view.PlatformName(name),
		AuthorizeURL: s.Platforms[platform].AuthorizeURL(publish.Authorization{
			State: state, Verifier: s.Consent.Verifier(link.Nonce), RedirectURI: consent.CallbackURL(s.BaseURL, platform),
		}),
		Steps: steps(name), ExpiresAt: view.Time{Time: time.Unix(link.Expires, 0)}, ExpiresInSeconds: int(consent.LinkTime / time.Second),
	}}, nil
}
