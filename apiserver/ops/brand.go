// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"reflect"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

var typeOfCreate = reflect.TypeFor[CreateSlideshow]()

var updateBrandSpec = operation.Spec{
	Name: "update_brand", Method: http.MethodPatch, Path: "/api/v1/brand", Tag: "Discovery",
	Summary: "Update a brand",
	Description: "Changes the key's own brand, or the one selected by `brand_id`. " +
		"The body is a JSON merge patch (RFC 7396): omitted members stay unchanged, null clears a member so that its default applies, objects are merged member by member, and arrays are replaced. " +
		"Shorts and posts that exist keep what they were created with. " +
		"`posting_suspended` stops every post that has not begun; a post whose publication has begun is finished. " +
		"The approval policy cannot be changed with this operation. " +
		"A brand that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`: change the manifest. " +
		"A request that changes nothing returns 200.",
	Scope: v1beta1.ScopeBrandWrite, ForBrand: true, Bucket: operation.Global,
	Errors: []catalog.Code{catalog.Conflict},
	BodyExample: map[string]any{
		"website": "https://acme.example", "time_zone": "Europe/Paris", "profile": map[string]any{"tone": "Warm and plain", "niche": nil},
		"posting_defaults": map[string]any{"youtube": map[string]any{"made_for_kids": false}},
	},
	DataExample: exampleBrand.Detail(),
}

func (s *Service) updateBrand(ctx context.Context, c *operation.Call, in struct{ Body UpdateBrand }) (*operation.Reply[view.BrandDetail], error) {
	next, warnings, err := s.changeBrand(ctx, c, &in.Body)
	if err != nil {
		return nil, err
	}
	b, err := s.viewBrand(ctx, c, next)
	if err != nil {
		return nil, err
	}
	b.PackID = s.Reader.PackID(c.Namespace(), next.Spec.SlideshowDefaults.ImageSource)
	reply := &operation.Reply[view.BrandDetail]{Data: b.Detail()}
	reply.Meta.Warnings = warnings
	return reply, nil
}

// changeBrand writes the changes of the body and returns the brand with them.
func (s *Service) changeBrand(ctx context.Context, c *operation.Call, body *UpdateBrand) (b *v1beta1.Brand, warnings []operation.Warning, err error) {
	fetch := func() (*v1beta1.Brand, error) {
		now := &v1beta1.Brand{}
		return now, s.present(ctx, c.Brand, now, "brand")
	}
	b, err = changed(ctx, s, "brand", problem.Details{}, fetch, func(next *v1beta1.Brand) (err error) {
		warnings, err = s.mergeBrand(ctx, c, body, &next.Spec)
		return err
	})
	return b, warnings, err
}

// mergeBrand applies the body to a spec.
func (s *Service) mergeBrand(ctx context.Context, c *operation.Call, body *UpdateBrand, spec *v1beta1.BrandSpec) ([]operation.Warning, error) {
	if err := body.plain(spec); err != nil {
		return nil, err
	}
	if d := spec.PostingDefaults; d != nil && d.Cover != nil && d.Cover.MediaID != nil && body.PostingDefaults.names("cover") {
		if err := s.knownImage(ctx, c, *d.Cover.MediaID, "posting_defaults.cover.media_id"); err != nil {
			return nil, err
		}
	}
	before := spec.SlideshowDefaults
	defaults, err := body.SlideshowDefaults.apply(defaultsOf(&before, s.Reader.PackID(c.Namespace(), before.ImageSource)))
	if err != nil || !body.SlideshowDefaults.given {
		return nil, err
	}
	spec.SlideshowDefaults = defaults.spec()
	spec.SlideshowDefaults.ImageSource = before.ImageSource
	if !body.SlideshowDefaults.names("image_source") {
		return nil, nil
	}
	if defaults.ImageSource == nil {
		spec.SlideshowDefaults.ImageSource = nil
		return nil, nil
	}
	if defaults.ImageSource.Type != string(v1beta1.ImageSourcePack) {
		defaults.ImageSource.MediaPackID = nil // of the former pack
	}
	source, warnings, err := s.imageSource(ctx, c, &CreateSlideshow{ImageSource: defaults.ImageSource})
	if err != nil {
		return nil, within("slideshow_defaults.", err)
	}
	spec.SlideshowDefaults.ImageSource = source
	return warnings, nil
}

// knownImage returns a problem with a field unless a media item is an image that the brand may use.
func (s *Service) knownImage(ctx context.Context, c *operation.Call, id int64, field string) error {
	asset, err := s.Reader.MediaByID(ctx, c.Namespace(), c.Brand.Name, id)
	switch {
	case errors.Is(err, read.ErrNotFound):
		return problem.Field(field, "There is no such media item.")
	case err != nil:
		return err
	case asset.Status.Probe != nil && asset.Status.Probe.Kind != view.KindImage:
		return problem.Field(field, "The media item is not an image.")
	}
	return nil
}

// within prefixes the field of a problem with the path of the member that has it.
func within(path string, err error) error {
	var p *problem.Problem
	if errors.As(err, &p) {
		if field, ok := p.Details["field"].(string); ok {
			p.Details["field"] = path + field
		}
	}
	return err
}
