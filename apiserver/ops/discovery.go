// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
)

var capabilitiesSpec = operation.Spec{
	Name: "get_capabilities", Method: http.MethodGet, Path: "/api/v1/capabilities", Tag: "Discovery",
	Summary: "List accepted values",
	Description: "Lists styles, image worlds, fonts, aspect ratios, limits and platform rules, from the code that enforces them. " +
		"Cache the response and send `If-None-Match`. `version` changes when an accepted value changes.",
	Bucket: operation.Global, Tagged: true, DataExample: exampleCapabilities(),
}

func (s *Service) capabilities(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[view.Capabilities], error) {
	var purse view.Purse
	brand, err := s.Reader.Brand(ctx, c.Namespace(), c.Key.Spec.BrandRef.Name)
	if err != nil && !errors.Is(err, read.ErrNotFound) {
		return nil, err
	}
	if err == nil {
		purse.SlideCount = int(brand.Spec.SlideshowDefaults.SlideCount)
	}
	account, err := s.Reader.Account(ctx, c.Namespace())
	if err != nil && !errors.Is(err, read.ErrNotFound) {
		return nil, err
	}
	if err == nil {
		purse.Credits = quota.Of(account, s.Clock.Now()).CurrentCredits()
	}
	out, err := view.CapabilitiesOf(s.AIImages, purse, s.Voices)
	if err != nil {
		return nil, err
	}
	out.SetUp(func(p string) bool { return len(s.missing(v1beta1.Platform(p))) == 0 })
	tag, err := out.Tag()
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.Capabilities]{Data: *out, ETag: tag}, nil
}

var errorSpec = operation.Spec{
	Name: "get_error", Method: http.MethodGet, Path: "/api/v1/errors/{code}", Tag: "Discovery",
	Summary: "Get an error code", Description: "Returns the cause of an error and its remedy.",
	Bucket: operation.Global, Errors: []catalog.Code{catalog.UnknownErrorCode}, DataExample: exampleError(),
}

type byCode struct {
	Code string `path:"code" doc:"An error code."`
}

func (s *Service) errorEntry(_ context.Context, _ *operation.Call, in byCode) (*operation.Reply[view.ErrorEntry], error) {
	e, ok := catalog.LookupError(catalog.Code(in.Code))
	if !ok {
		return nil, problem.New(catalog.UnknownErrorCode, problem.Details{"code": in.Code, "known_codes": catalog.ErrorCodes()})
	}
	return &operation.Reply[view.ErrorEntry]{Data: *view.ErrorEntryOf(e, s.BaseURL)}, nil
}

var brandsSpec = operation.Spec{
	Name: "list_brands", Method: http.MethodGet, Path: "/api/v1/brands", Tag: "Discovery",
	Summary: "List brands",
	Description: "Lists all brands of the account, including those that the key does not belong to. " +
		"With `brand_id` the list has only that brand, which requires `brands:all` unless it is the key's own.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: []view.BrandSummary{exampleBrand.Summary()},
}

func (s *Service) brands(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[[]view.BrandSummary], error) {
	brands := []v1beta1.Brand{*c.Brand}
	if !c.BrandNamed {
		var err error
		if brands, err = s.Reader.Brands(ctx, c.Namespace()); err != nil {
			return nil, err
		}
	}
	out := make([]view.BrandSummary, 0, len(brands))
	for i := range brands {
		if read.ID(&brands[i]) == 0 {
			continue // just created by a manifest; it can be referred to once it has its id
		}
		b, err := s.viewBrand(ctx, c, &brands[i])
		if err != nil {
			return nil, err
		}
		out = append(out, b.Summary())
	}
	return &operation.Reply[[]view.BrandSummary]{Data: out}, nil
}

var brandSpec = operation.Spec{
	Name: "get_brand", Method: http.MethodGet, Path: "/api/v1/brand", Tag: "Discovery",
	Summary: "Get a brand", Description: "Returns the key's own brand, or the one selected by `brand_id`.",
	Scope: v1beta1.ScopeBrandRead, ForBrand: true, Bucket: operation.Global, DataExample: exampleBrand.Detail(),
}

func (s *Service) brand(ctx context.Context, c *operation.Call, _ struct{}) (*operation.Reply[view.BrandDetail], error) {
	b, err := s.viewBrand(ctx, c, c.Brand)
	if err != nil {
		return nil, err
	}
	b.PackID = s.Reader.PackID(c.Namespace(), c.Brand.Spec.SlideshowDefaults.ImageSource)
	return &operation.Reply[view.BrandDetail]{Data: b.Detail()}, nil
}

func (s *Service) viewBrand(ctx context.Context, c *operation.Call, b *v1beta1.Brand) (*view.Brand, error) {
	out := &view.Brand{ID: read.ID(b), Brand: b, Current: b.Name == c.Key.Spec.BrandRef.Name}
	var err error
	if out.Stats.TotalShorts, err = s.countShorts(ctx, b, index.Filter{}); err != nil {
		return nil, err
	}
	if out.Stats.TotalHooks, err = s.countShorts(ctx, b, index.Filter{Type: catalog.ShortUGC}); err != nil {
		return nil, err
	}
	if out.Stats.TotalProductDemos, err = s.Reader.ProductDemos(ctx, c.Namespace(), b.Name); err != nil {
		return nil, err
	}
	accounts, err := s.Reader.BrandAccounts(ctx, c.Namespace(), b.Name)
	out.Stats.ConnectedSocialAccounts = len(accounts)
	for _, p := range catalog.Platforms() {
		if slices.ContainsFunc(accounts, func(a v1beta1.SocialAccount) bool { return string(a.Spec.Platform) == p }) {
			out.Platforms = append(out.Platforms, p)
		}
	}
	return out, err
}

// countShorts returns the number of matching shorts. The cost does not depend on it.
func (s *Service) countShorts(ctx context.Context, b *v1beta1.Brand, f index.Filter) (total int, err error) {
	_, err = s.Reader.Shorts(ctx, b.Namespace, b.Name, f, func(n int) (from, to int) {
		total = n
		return 0, 0
	})
	return total, err
}
