// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/index"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/catalog"
)

// mostPackChanges is the number of media items that one request can add to a pack or take out of it.
const mostPackChanges = 50

// PackItems are ids of media items.
type PackItems []operation.ID

// Schema limits the number of ids.
func (PackItems) Schema(r huma.Registry) *huma.Schema {
	most := mostPackChanges
	return &huma.Schema{Type: huma.TypeArray, MaxItems: &most, Items: operation.ID(0).Schema(r)}
}

var createPackSpec = operation.Spec{
	Name: "create_media_pack", Method: http.MethodPost, Path: "/api/v1/media_packs", Tag: "Media",
	Summary: "Create a media pack",
	Description: "Creates a pack of the brand. Its images have no order. " +
		"An image that is in another pack leaves that pack. " +
		"`image_count` follows within seconds.",
	Scope: v1beta1.ScopeMediaWrite, ForBrand: true, Bucket: operation.Global, Status: http.StatusCreated, Errors: []catalog.Code{catalog.Conflict},
	BodyExample: map[string]any{"name": "Calm mornings", "tags": []string{"calm"}, "media_ids": []int64{41}}, DataExample: exampleOwnPack(),
}

// CreatePack is the body of a request to create a pack.
type CreatePack struct {
	Name        string    `json:"name" minLength:"1" maxLength:"200" doc:"Display name."`
	Description *string   `json:"description,omitempty" nullable:"true" maxLength:"1000" doc:"Description of the pack. Default none."`
	Tags        MediaTags `json:"tags,omitempty" doc:"Tags of the pack. Default none."`
	MediaIDs    PackItems `json:"media_ids,omitempty" doc:"Images to add, at most 50. Default none."`
}

func (s *Service) createPack(ctx context.Context, c *operation.Call, in struct{ Body CreatePack }) (*operation.Reply[view.Pack], error) {
	name := strings.TrimSpace(in.Body.Name)
	if name == "" {
		return nil, problem.Field("name", "name must not be blank.")
	}
	tags, err := mediaTags(in.Body.Tags)
	if err != nil {
		return nil, err
	}
	if err := s.packable(ctx, c, in.Body.MediaIDs, "media_ids"); err != nil {
		return nil, err
	}
	p := &v1beta1.MediaPack{Spec: v1beta1.MediaPackSpec{DisplayName: name, BrandRef: &v1beta1.LocalRef{Name: c.Brand.Name}, Tags: tags}}
	if d := in.Body.Description; d != nil {
		p.Spec.Description = strings.TrimSpace(*d)
	}
	for range takenNames {
		id, err := s.NextPack(ctx)
		if err != nil {
			return nil, fmt.Errorf("reserving a pack id: %w", err)
		}
		p.ObjectMeta = metav1.ObjectMeta{
			Namespace: c.Namespace(), Name: "pack-" + strconv.FormatInt(id, 10),
			Labels: map[string]string{v1beta1.LabelID: idText(id), v1beta1.LabelBrand: c.Brand.Name},
		}
		if err = s.Client.Create(ctx, p); err == nil {
			break
		}
		if apierrors.IsInvalid(err) {
			return nil, notTaken(err)
		}
		if !apierrors.IsAlreadyExists(err) { // a pack that a manifest named like that
			return nil, fmt.Errorf("creating a media pack: %w", err)
		}
		p.ResourceVersion = ""
	}
	if p.UID == "" {
		return nil, errors.New("creating a media pack: every name is in use")
	}
	if err := s.repack(ctx, c, in.Body.MediaIDs, "media_ids", p.Name, true); err != nil {
		return nil, err
	}
	return &operation.Reply[view.Pack]{Data: *view.PackOf(read.ID(p), p, false, nil)}, nil
}

var packSpec = operation.Spec{
	Name: "get_media_pack", Method: http.MethodGet, Path: "/api/v1/media_packs/{id}", Tag: "Media",
	Summary: "Get a media pack", Description: "Returns a pack of `GET /media_packs` with its media, the newest first; `meta.pagination` is that of the media.",
	Scope: v1beta1.ScopeMediaRead, ForBrand: true, Bucket: operation.Global, DataExample: view.PackDetail{Pack: *exampleOwnPack(), Media: []view.MediaItem{}},
}

type packInput struct {
	operation.Paging
	ID operation.ID `path:"id" doc:"The pack id."`
}

type byPackID struct {
	ID operation.ID `path:"id" doc:"The pack id."`
}

func (s *Service) getPack(ctx context.Context, c *operation.Call, in packInput) (*operation.Reply[view.PackDetail], error) {
	p, err := s.Reader.PackByID(ctx, c.Namespace(), c.Brand.Name, int64(in.ID))
	if errors.Is(err, read.ErrNotFound) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, err
	}
	sign := s.signer(ctx, c)
	previews, err := s.previews(p, sign)
	if err != nil {
		return nil, err
	}
	reply := &operation.Reply[view.PackDetail]{Data: view.PackDetail{Media: []view.MediaItem{}}}
	if p.Drawn != nil {
		reply.Data.Pack = *view.StarterPackOf(p.Drawn, previews)
	} else {
		reply.Data.Pack = *view.PackOf(p.ID, p.Object, p.Common, previews)
	}
	members := s.Reader.Media.Members(p)
	var from, to int
	from, to, reply.Meta.Pagination = in.Of(len(members))
	for _, one := range members[from:to] {
		item, err := s.mediaItem(one, catalog.LibraryPacks, sign)
		if err != nil {
			return nil, err
		}
		reply.Data.Media = append(reply.Data.Media, *item)
	}
	return reply, nil
}

var updatePackSpec = operation.Spec{
	Name: "update_media_pack", Method: http.MethodPatch, Path: "/api/v1/media_packs/{id}", Tag: "Media",
	Summary: "Update a media pack",
	Description: "Changes a pack of the brand or its account. Omitted members stay unchanged, and null clears a member. " +
		"`add_media_ids` and `remove_media_ids` change its images one by one: after an error, send the same request again. " +
		"An image that is in another pack leaves that pack. `image_count` follows within seconds. " +
		"Packs that all accounts share are a 404. " +
		"A pack or an image that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`: change the manifest.",
	Scope: v1beta1.ScopeMediaWrite, ForBrand: true, Bucket: operation.Global, Errors: []catalog.Code{catalog.Conflict},
	BodyExample: map[string]any{"description": "Light and mist.", "add_media_ids": []int64{41}}, DataExample: exampleOwnPack(),
}

// UpdatePack is the body of a request to change a pack. Absent members stay unchanged.
type UpdatePack struct {
	Name           *string          `json:"name,omitempty" minLength:"1" maxLength:"200" doc:"Display name."`
	Description    Clearable        `json:"description,omitempty" maxLength:"1000" doc:"Description of the pack."`
	Tags           Merge[MediaTags] `json:"tags,omitempty" doc:"Tags of the pack, in place of the present ones."`
	AddMediaIDs    PackItems        `json:"add_media_ids,omitempty" doc:"Images to add, at most 50."`
	RemoveMediaIDs PackItems        `json:"remove_media_ids,omitempty" doc:"Images to take out, at most 50. Those that are not in the pack are ignored."`
}

type updatePackInput struct {
	ID   operation.ID `path:"id" doc:"The pack id."`
	Body UpdatePack
}

func (s *Service) updatePack(ctx context.Context, c *operation.Call, in updatePackInput) (*operation.Reply[view.Pack], error) {
	p, err := s.changePack(ctx, c, in.ID, &in.Body)
	if err != nil {
		return nil, err
	}
	if err := s.repack(ctx, c, in.Body.AddMediaIDs, "add_media_ids", p.Name, true); err != nil {
		return nil, err
	}
	if err := s.repack(ctx, c, in.Body.RemoveMediaIDs, "remove_media_ids", p.Name, false); err != nil {
		return nil, err
	}
	previews, err := s.previews(index.Pack{ID: int64(in.ID), Object: p}, s.signer(ctx, c))
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.Pack]{Data: *view.PackOf(int64(in.ID), p, false, previews)}, nil
}

// ownPack reads a pack that the brand may change: its own, or one of its account.
func (s *Service) ownPack(ctx context.Context, c *operation.Call, id operation.ID) (*v1beta1.MediaPack, error) {
	found, err := s.Reader.PackByID(ctx, c.Namespace(), c.Brand.Name, int64(id))
	if errors.Is(err, read.ErrNotFound) || err == nil && (found.Object == nil || found.Object.Namespace != c.Namespace()) {
		return nil, problem.New(catalog.NotFound, nil)
	}
	if err != nil {
		return nil, err
	}
	p := &v1beta1.MediaPack{}
	return p, s.present(ctx, found.Object, p, "media pack")
}

// changePack writes the texts of a pack. Before that it checks the images to add.
func (s *Service) changePack(ctx context.Context, c *operation.Call, id operation.ID, body *UpdatePack) (*v1beta1.MediaPack, error) {
	fetch := func() (*v1beta1.MediaPack, error) { return s.ownPack(ctx, c, id) }
	return changed(ctx, s, "media pack", problem.Details{"media_pack_id": int64(id)}, fetch, func(p *v1beta1.MediaPack) error {
		if body.Name != nil {
			if p.Spec.DisplayName = strings.TrimSpace(*body.Name); p.Spec.DisplayName == "" {
				return problem.Field("name", "name must not be blank.")
			}
		}
		if body.Description.Value != nil {
			p.Spec.Description = strings.TrimSpace(*body.Description.Value)
		}
		tags, err := body.Tags.apply(p.Spec.Tags)
		if err != nil {
			return err
		}
		if p.Spec.Tags, err = mediaTags(tags); err != nil {
			return err
		}
		return s.packable(ctx, c, body.AddMediaIDs, "add_media_ids")
	})
}

// packable returns a problem for the first id that is no image which the brand may change.
func (s *Service) packable(ctx context.Context, c *operation.Call, ids PackItems, field string) error {
	for i, id := range ids {
		asset, err := s.ownMedia(ctx, c, id)
		if err == nil && !isImage(asset) {
			return problem.Field(fmt.Sprintf("%s[%d]", field, i), "A media pack can contain only images, and this item is a clip.")
		}
		if err := missingItem(err, field, i); err != nil {
			return err
		}
	}
	return nil
}

// missingItem returns the problem of a list's element for an item that does not exist; another error as it is.
func missingItem(err error, field string, i int) error {
	var p *problem.Problem
	if errors.As(err, &p) && p.Code == catalog.NotFound {
		return problem.Field(fmt.Sprintf("%s[%d]", field, i), "There is no such media item of the brand or its account.")
	}
	return err
}

// repack adds items to a pack, or takes them out of it. Each is one write, and repeating all of them changes nothing.
func (s *Service) repack(ctx context.Context, c *operation.Call, ids PackItems, field, pack string, add bool) error {
	for i, id := range ids {
		_, err := s.changeMedia(ctx, c, id, func(a *v1beta1.MediaAsset) error {
			switch in := a.Spec.PackRef; {
			case add:
				a.Spec.PackRef = &v1beta1.LocalRef{Name: pack}
			case in != nil && in.Name == pack:
				a.Spec.PackRef = nil
			}
			return nil
		})
		if err := missingItem(err, field, i); err != nil {
			return err
		}
	}
	return nil
}

var deletePackSpec = operation.Spec{
	Name: "delete_media_pack", Method: http.MethodDelete, Path: "/api/v1/media_packs/{id}", Tag: "Media",
	Summary: "Delete a media pack",
	Description: "Deletes a pack of the brand or its account. Its images stay in the library. " +
		"While a slideshow that takes its backgrounds from the pack is being created, or the defaults of a brand name the pack, the pack is a 409 `conflict` with `details.reason` `in_use`, and the users in `details.short_ids` and `details.brand_ids`. " +
		"Packs that all accounts share are a 404. " +
		"A pack that Argo CD, Flux, Helm or `kubectl apply` manages is a 409 `conflict` with `details.reason` `declared_elsewhere` and the tool in `details.managed_by`. " +
		"A deleted pack is a 404.",
	Scope: v1beta1.ScopeMediaWrite, ForBrand: true, Bucket: operation.Global,
	Errors: []catalog.Code{catalog.Conflict}, DataExample: view.Deleted{ID: 9, Deleted: true},
}

func (s *Service) deletePack(ctx context.Context, c *operation.Call, in byPackID) (*operation.Reply[view.Deleted], error) {
	id := int64(in.ID)
	p, err := s.ownPack(ctx, c, in.ID)
	if err != nil {
		return nil, err
	}
	details := problem.Details{"media_pack_id": id}
	if err := undeclaredObject(p, "media pack", details); err != nil {
		return nil, err
	}
	names := func(source *v1beta1.ImageSource) bool {
		return source != nil && source.PackRef != nil && source.PackRef.Name == p.Name
	}
	used := &users{}
	brands, err := s.Reader.Brands(ctx, c.Namespace())
	if err != nil {
		return nil, err
	}
	for i := range brands {
		if names(brands[i].Spec.SlideshowDefaults.ImageSource) {
			used.brands = append(used.brands, read.ID(&brands[i]))
		}
	}
	used.shorts, err = s.creating(ctx, c, func(show *v1beta1.Slideshow, _ *v1beta1.Video) bool {
		return show != nil && names(show.Spec.ImageSource)
	})
	if err != nil {
		return nil, err
	}
	if p := used.problem(details, "The media pack"); p != nil {
		return nil, p
	}
	// The images keep the name of the pack. An image whose pack does not exist counts as being in none.
	return s.remove(ctx, p, id)
}
