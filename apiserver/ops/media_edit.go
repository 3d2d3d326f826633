// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/work/runner"
)

var updateMediaSpec = operation.Spec{
	Name: "update_media", Method: http.MethodPatch, Path: "/api/v1/media/{id}", Tag: "Media",
	Summary: "Update a media item",
	Description: "Changes an item of the brand or its account. Omitted members stay unchanged, and null clears a member. " +
		"Items of stock, items that all accounts share, and images that were fetched for a single short are a 404. " +
		"An item that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`: change the manifest. " +
		"A request that changes nothing returns 200.",
	Scope: v1beta1.ScopeMediaWrite, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.Conflict},
	BodyExample: map[string]any{"title": "Unboxing", "tags": []string{"desk", "product"}, "media_pack_id": nil}, DataExample: exampleMediaItem(),
}

// UpdateMedia is the body of a request to change a media item: a JSON merge patch. Absent members stay unchanged.
type UpdateMedia struct {
	Title       Clearable            `json:"title,omitempty" maxLength:"200" doc:"Display title."`
	Description Clearable            `json:"description,omitempty" maxLength:"1000" doc:"Description of the content."`
	Tags        Merge[MediaTags]     `json:"tags,omitempty" doc:"Search terms of the item, in place of the present ones."`
	MediaType   *string              `json:"media_type,omitempty" doc:"Purpose of the item. avatar_video accepts only clips."`
	MediaPackID Merge[*operation.ID] `json:"media_pack_id,omitempty" doc:"The pack of an image. null takes it out of its pack."`
}

// MediaTags are the search terms of an item.
type MediaTags []string

// Schema limits the number and the length of the tags.
func (MediaTags) Schema(huma.Registry) *huma.Schema {
	most, characters := catalog.MaxMediaTags, catalog.MaxMediaTagCharacters
	return &huma.Schema{Type: huma.TypeArray, MaxItems: &most, Items: &huma.Schema{Type: huma.TypeString, MaxLength: &characters}}
}

// TransformSchema adds the accepted values of the catalog to the schema.
func (UpdateMedia) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	for _, t := range catalog.MediaTypes {
		s.Properties["media_type"].Enum = append(s.Properties["media_type"].Enum, t)
	}
	return s
}

type updateMediaInput struct {
	ID   operation.ID `path:"id" doc:"The media item's id."`
	Body UpdateMedia
}

func (s *Service) updateMedia(ctx context.Context, c *operation.Call, in updateMediaInput) (*operation.Reply[view.MediaItem], error) {
	asset, err := s.changeMedia(ctx, c, in.ID, func(a *v1beta1.MediaAsset) error { return s.mergeMedia(ctx, c, &in.Body, a) })
	if err != nil {
		return nil, err
	}
	pack := s.Reader.PackID(asset.Namespace, &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, PackRef: asset.Spec.PackRef})
	item, err := view.MediaOf(int64(in.ID), asset, mediaSourceOf(asset), pack, s.signer(ctx, c))
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.MediaItem]{Data: *item}, nil
}

// mediaSourceOf returns the source that lists an account's item: packs, if it belongs to no brand and has a pack.
func mediaSourceOf(a *v1beta1.MediaAsset) string {
	if a.Spec.PackRef != nil && a.Spec.BrandRef == nil {
		return catalog.LibraryPacks
	}
	return catalog.LibraryOwn
}

// ownMedia reads an item that the brand may change: its own, or one of its account. The item is whole.
func (s *Service) ownMedia(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.MediaAsset, error) {
	found, err := s.Reader.MediaByID(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) || err == nil && (found.Namespace != c.Namespace() || view.ImportedForShort(found)) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, err
	}
	asset := &v1beta1.MediaAsset{}
	return asset, s.present(ctx, found, asset, "media item")
}

// changeMedia applies a change to an item that the brand may change.
func (s *Service) changeMedia(ctx context.Context, c *operation.Call, id operation.ID, change func(*v1beta1.MediaAsset) error) (*v1beta1.MediaAsset, error) {
	fetch := func() (*v1beta1.MediaAsset, error) { return s.ownMedia(ctx, c, id) }
	return changed(ctx, s, "media item", problem.Details{"media_id": int64(id)}, fetch, change)
}

// mergeMedia applies the body to an item.
func (s *Service) mergeMedia(ctx context.Context, c *operation.Call, body *UpdateMedia, a *v1beta1.MediaAsset) error {
	if body.Title.Value != nil {
		a.Spec.Title = strings.TrimSpace(*body.Title.Value)
	}
	if body.Description.Value != nil {
		a.Spec.Description = strings.TrimSpace(*body.Description.Value)
	}
	tags, err := body.Tags.apply(a.Spec.Tags)
	if err != nil {
		return err
	}
	if a.Spec.Tags, err = mediaTags(tags); err != nil {
		return err
	}
	if t := body.MediaType; t != nil {
		if *t == catalog.MediaAvatarVideo && isImage(a) {
			return problem.Field("media_type", "type avatar_video requires a clip, and this item is an image.")
		}
		a.Spec.MediaType = *t
	}
	if !body.MediaPackID.given {
		return nil
	}
	pack, err := body.MediaPackID.apply(nil)
	if err != nil {
		return err
	}
	a.Spec.PackRef = nil
	if pack == nil {
		return nil
	}
	const field = "media_pack_id"
	into, err := s.Reader.PackByID(ctx, c.Namespace(), c.Brand.Name, int64(*pack))
	switch {
	case errors.Is(err, read.ErrNotFound) || err == nil && into.Common:
		return problem.Field(field, "There is no such media pack of the brand or its account.")
	case err != nil:
		return err
	case !isImage(a):
		return problem.Field(field, "A media pack can contain only images, and this item is a clip.")
	}
	a.Spec.PackRef = &v1beta1.LocalRef{Name: into.Name()}
	return nil
}

// isImage reports whether an item is an image, or declared to be one until its file is checked.
func isImage(a *v1beta1.MediaAsset) bool {
	if p := a.Status.Probe; p != nil {
		return p.Kind == view.KindImage
	}
	return slices.Contains(catalog.ImageContentTypes, a.Spec.ContentType)
}

var deleteMediaSpec = operation.Spec{
	Name: "delete_media", Method: http.MethodDelete, Path: "/api/v1/media/{id}", Tag: "Media",
	Summary: "Delete a media item",
	Description: "Deletes an item of the brand or its account with its file, also from its pack. " +
		"Shorts and videos that exist stay as they are; a slide with the item as background cannot be laid out again. " +
		"While a short that uses it is being created, or a post that is not published has it as cover, the item is a 409 `conflict` with `details.reason` `in_use`, and the users in `details.short_ids`, `details.post_ids` and `details.batch_ids`. " +
		"Items of stock, items that all accounts share, and images that were fetched for a single short are a 404. " +
		"An item that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`. " +
		"A deleted item is a 404.",
	Scope: v1beta1.ScopeMediaWrite, ForBrand: true, Bucket: operation.Global,
	Errors: []catalog.Code{catalog.Conflict}, DataExample: view.Deleted{ID: 42, Deleted: true},
}

func (s *Service) deleteMedia(ctx context.Context, c *operation.Call, in byMediaID) (*operation.Reply[view.Deleted], error) {
	id := int64(in.ID)
	asset, err := s.ownMedia(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	details := problem.Details{"media_id": id}
	if err := undeclaredObject(asset, "media item", details); err != nil {
		return nil, err
	}
	used, err := s.posting(ctx, c, mediaUse{id, runner.MediaPrefix(asset)})
	if err != nil {
		return nil, err
	}
	used.shorts, err = s.creating(ctx, c, func(show *v1beta1.Slideshow, video *v1beta1.Video) bool {
		return showsMedia(show, asset.Name) || filmsMedia(video, asset.Name)
	})
	if err != nil {
		return nil, err
	}
	if p := used.problem(details, "The media item"); p != nil {
		return nil, p
	}
	return s.remove(ctx, asset, id)
}

// creating returns the ids of the account's shorts that are being created or laid out and match a condition, of all
// brands. One of show and video is nil.
func (s *Service) creating(ctx context.Context, c *operation.Call, match func(show *v1beta1.Slideshow, video *v1beta1.Video) bool) ([]int64, error) {
	brands, err := s.Reader.Brands(ctx, c.Namespace())
	if err != nil {
		return nil, err
	}
	var out []int64
	for i := range brands {
		busy, err := s.Reader.Shorts(ctx, c.Namespace(), brands[i].Name, index.Filter{Status: view.StatusProcessing, Live: true}, func(n int) (int, int) { return 0, n })
		if err != nil {
			return nil, err
		}
		for _, one := range busy {
			whole, err := s.Reader.WholeShort(ctx, c.Namespace(), brands[i].Name, one.ID)
			if errors.Is(err, read.ErrNotFound) {
				continue
			}
			if err != nil {
				return nil, err
			}
			if match(whole.Show, whole.Video) {
				out = append(out, one.ID)
			}
		}
	}
	return out, nil
}

// showsMedia reports whether a slide of a slideshow has a media item as its background.
func showsMedia(show *v1beta1.Slideshow, name string) bool {
	return show != nil && slices.ContainsFunc(show.Spec.Slides, func(sl v1beta1.SlideSpec) bool {
		return sl.Image != nil && sl.Image.MediaRef != nil && sl.Image.MediaRef.Name == name
	})
}

// filmsMedia reports whether a clip of a video is a media item.
func filmsMedia(video *v1beta1.Video, name string) bool {
	is := func(c *v1beta1.ClipSource) bool { return c.MediaRef != nil && c.MediaRef.Name == name }
	return video != nil && (is(&video.Spec.Avatar) || slices.ContainsFunc(video.Spec.Demos, func(d v1beta1.DemoClip) bool { return is(&d.ClipSource) }))
}

// mediaUse selects what has a media item, with files below a prefix, as cover.
type mediaUse struct {
	id     int64
	prefix string
}

func (mediaUse) options() []client.ListOption { return nil }

func (u mediaUse) post(p *v1beta1.Post) bool { return u.content(p.Spec.Settings, &p.Spec.Media) }

func (u mediaUse) batch(b *v1beta1.PostBatch) bool {
	return slices.ContainsFunc(b.Spec.Accounts, func(t v1beta1.PostTarget) bool {
		return u.content(&t.PostSettings, &v1beta1.PostMedia{}) || t.Accepted != nil && u.content(t.Accepted.Settings, &t.Accepted.Media)
	})
}

func (u mediaUse) content(settings *v1beta1.PostSettings, media *v1beta1.PostMedia) bool {
	chosen := settings != nil && settings.Cover != nil && settings.Cover.MediaID != nil && *settings.Cover.MediaID == u.id
	return chosen || media.Cover != nil && strings.HasPrefix(media.Cover.ImageKey, u.prefix)
}
