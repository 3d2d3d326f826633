// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/media/sniff"
	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/store/upload"
)

// Reasons why an upload cannot be registered, as in details.reason.
const (
	reasonUnknown    = "unknown_signed_id"
	reasonExpired    = "expired"
	reasonIncomplete = "upload_incomplete"
	reasonChecksum   = "checksum_mismatch"
	reasonUnreadable = "unreadable"
	reasonType       = "type_mismatch"
)

var claimSpec = operation.Spec{
	Name: "create_media", Method: http.MethodPost, Path: "/api/v1/media", Tag: "Media",
	Summary: "Confirm an upload",
	Description: "Turns the upload with the `signed_id` into a media item of the brand. " +
		"It is `processing` until the file was checked, usually within seconds. " +
		"`GET /media` then shows it as `ready`, or `failed` with the reason. " +
		"The same `signed_id` again returns the same item unchanged. " +
		"If the upload cannot be confirmed, `details.reason` is one of `unknown_signed_id`, `expired` (a day after the declaration), `upload_incomplete` (the bytes are missing), `checksum_mismatch`, `unreadable` (no supported image or clip) and `type_mismatch` (not the declared type).",
	Scope: v1beta1.ScopeMediaWrite, ForBrand: true, Bucket: operation.Global, Status: http.StatusCreated,
	Errors:      []catalog.Code{catalog.Conflict, catalog.QuotaExceeded},
	BodyExample: map[string]any{"file": "q0zEyO6q3W9vN0…", "title": "Our new pillow", "media_type": catalog.MediaProductDemo, "tags": []string{"pillow", "bed"}},
	DataExample: exampleClaimed(),
}

// KeepUpload is the body of a request to register an upload.
type KeepUpload struct {
	File      string   `json:"file" minLength:"1" doc:"The signed_id of the upload."`
	Title     *string  `json:"title,omitempty" nullable:"true" doc:"Default: the file's name."`
	MediaType *string  `json:"media_type,omitempty" doc:"Purpose of the item. avatar_video accepts only clips. Default user_upload."`
	Tags      []string `json:"tags,omitempty" doc:"Search terms of the item. Default none."`
	// MediaPackID adds an image to a pack.
	MediaPackID *operation.ID `json:"media_pack_id,omitempty" doc:"A pack to add the image to. The default media_type is then pack_image. Default none."`
}

// TransformSchema adds the limits and accepted values of the catalog to the schema, which validates bodies.
func (KeepUpload) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	p := s.Properties
	length(p["title"], 0, catalog.MaxTitleCharacters)
	for _, t := range catalog.MediaTypes {
		p["media_type"].Enum = append(p["media_type"].Enum, t)
	}
	most := catalog.MaxMediaTags
	p["tags"].MaxItems = &most
	length(p["tags"].Items, 0, catalog.MaxMediaTagCharacters)
	return s
}

func (s *Service) keepUpload(ctx context.Context, c *operation.Call, in struct{ Body KeepUpload }) (*operation.Reply[view.MediaItem], error) {
	claim, err := s.Uploads.Open(in.Body.File, c.Namespace(), read.ID(c.Brand))
	switch {
	case errors.Is(err, upload.ErrUnknown):
		return nil, unkept(reasonUnknown, "There is no such upload of this brand.")
	case errors.Is(err, upload.ErrExpired):
		return nil, unkept(reasonExpired, "The upload has expired; declare and upload the file again.")
	case err != nil:
		return nil, err
	}
	asset, err := in.Body.asset(c, claim)
	if err != nil {
		return nil, err
	}
	if err := s.join(ctx, c, asset, &in.Body); err != nil {
		return nil, err
	}
	kept, err := s.keep(ctx, c, claim, asset)
	if err != nil {
		return nil, err
	}
	s.declared.drop(claim)
	pack := s.Reader.PackID(kept.Namespace, &v1beta1.ImageSource{Type: v1beta1.ImageSourcePack, PackRef: kept.Spec.PackRef})
	item, err := view.MediaOf(claim.Media, kept, catalog.LibraryOwn, pack, s.signer(ctx, c))
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.MediaItem]{Data: *item}, nil
}

// asset returns the media item for the claim. Its name is derived from the claim. So of several requests for the same
// upload, concurrent or after a crash, one creates the item and the others find it.
func (b *KeepUpload) asset(c *operation.Call, claim *upload.Claim) (*v1beta1.MediaAsset, error) {
	key := claim.Key()
	out := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: claim.Namespace, Name: upload.Name(claim.Media), Finalizers: []string{v1beta1.FinalizerMediaAsset},
			Labels: map[string]string{v1beta1.LabelID: strconv.FormatInt(claim.Media, 10), v1beta1.LabelBrand: c.Brand.Name},
		},
		Spec: v1beta1.MediaAssetSpec{
			BrandRef: &v1beta1.LocalRef{Name: c.Brand.Name}, MediaType: catalog.MediaUserUpload, Title: claim.Title,
			ContentType: claim.ContentType, Source: v1beta1.MediaSource{BlobKey: &key},
		},
	}
	if b.Title != nil && strings.TrimSpace(*b.Title) != "" {
		out.Spec.Title = strings.TrimSpace(*b.Title)
	}
	if b.MediaType != nil {
		out.Spec.MediaType = *b.MediaType
	}
	if out.Spec.MediaType == catalog.MediaAvatarVideo && !slices.Contains(catalog.VideoContentTypes, claim.ContentType) {
		return nil, problem.Field("media_type", "type avatar_video requires a clip, and this upload is an image.")
	}
	var err error
	out.Spec.Tags, err = mediaTags(b.Tags)
	return out, err
}

// join adds an image to the pack that the body names. The brand must be allowed to use the pack, and it must not be
// shared by all accounts.
func (s *Service) join(ctx context.Context, c *operation.Call, asset *v1beta1.MediaAsset, body *KeepUpload) error {
	const field = "media_pack_id"
	if body.MediaPackID == nil {
		return nil
	}
	pack, err := s.Reader.PackByID(ctx, c.Namespace(), c.Brand.Name, int64(*body.MediaPackID))
	switch {
	case errors.Is(err, read.ErrNotFound):
		return problem.Field(field, "There is no such media pack.")
	case err != nil:
		return err
	case pack.Common:
		return problem.Field(field, "The media pack is shared by all accounts; images can be added only to your own packs.")
	case !slices.Contains(catalog.ImageContentTypes, asset.Spec.ContentType):
		return problem.Field(field, "A media pack can contain only images, and this upload is a clip.")
	}
	asset.Spec.PackRef = &v1beta1.LocalRef{Name: pack.Name()}
	if body.MediaType == nil {
		asset.Spec.MediaType = catalog.MediaPackImage
	}
	return nil
}

// mediaTags returns the tags without surrounding white space, empty tags and duplicates.
func mediaTags(in []string) (out []string, err error) {
	for i, t := range in {
		if t = strings.TrimSpace(t); t == "" || slices.Contains(out, t) {
			continue
		}
		if utf8.RuneCountInString(t) > catalog.MaxMediaTagCharacters {
			return nil, problem.Field(fmt.Sprintf("tags[%d]", i), fmt.Sprintf("A tag may have at most %d characters.", catalog.MaxMediaTagCharacters))
		}
		out = append(out, t)
	}
	return out, nil
}

// keep creates the media item, or returns the one that an earlier request created.
func (s *Service) keep(ctx context.Context, c *operation.Call, claim *upload.Claim, asset *v1beta1.MediaAsset) (*v1beta1.MediaAsset, error) {
	// Ingestion removes the upload, so look for an existing media item first.
	if kept, err := s.kept(ctx, asset); kept != nil || err != nil {
		return kept, err
	}
	if err := s.checkFile(ctx, claim); err != nil {
		if reasonOf(err) == reasonIncomplete { // the item may have been created and ingested between the two look-ups
			if kept, err := s.kept(ctx, asset); kept != nil || err != nil {
				return kept, err
			}
		}
		return nil, err
	}
	if err := s.admit(ctx, c, quota.Stored{Objects: 1, Bytes: claim.Bytes}); err != nil {
		return nil, err
	}
	err := s.Client.Create(ctx, asset)
	if apierrors.IsAlreadyExists(err) {
		kept, err := s.kept(ctx, asset)
		if kept == nil && err == nil { // created and deleted in the meantime
			err = unkept(reasonIncomplete, "The media item of this upload was deleted.")
		}
		return kept, err
	}
	if err != nil {
		return nil, fmt.Errorf("creating a media item: %w", err)
	}
	return asset, nil
}

// kept returns the item that an earlier request with the same claim created; nil if there is none.
func (s *Service) kept(ctx context.Context, want *v1beta1.MediaAsset) (*v1beta1.MediaAsset, error) {
	kept := &v1beta1.MediaAsset{}
	err := s.Reader.Live.Get(ctx, client.ObjectKeyFromObject(want), kept)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking for a media item: %w", err)
	case kept.Spec.Source.BlobKey == nil || *kept.Spec.Source.BlobKey != *want.Spec.Source.BlobKey ||
		kept.Spec.BrandRef == nil || kept.Spec.BrandRef.Name != want.Spec.BrandRef.Name:
		return nil, problem.New(catalog.Conflict, problem.Details{"status": "name_taken"}).
			Saying("Another object already uses the name of this media item; declare and upload the file again.")
	case !kept.DeletionTimestamp.IsZero():
		return nil, unkept(reasonIncomplete, "The media item of this upload is being deleted.")
	}
	return kept, nil
}

// checkFile checks that the upload exists, matches its declaration and has the declared file type.
func (s *Service) checkFile(ctx context.Context, claim *upload.Claim) error {
	err := s.Store.CheckUpload(ctx, claim.Key(), claim.Declared(0))
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return unkept(reasonIncomplete, "The file has not been uploaded, or the upload did not succeed.")
	case errors.Is(err, blob.ErrSize):
		return unkept(reasonIncomplete, "The length of the uploaded file differs from the declared one.")
	case errors.Is(err, blob.ErrDigest):
		return unkept(reasonChecksum, "The checksum of the uploaded file differs from the declared one.")
	case err != nil:
		return err
	}
	head, err := s.Store.Head(ctx, claim.Key(), sniff.Bytes)
	if errors.Is(err, blob.ErrNotFound) {
		return unkept(reasonIncomplete, "The file has not been uploaded, or the upload did not succeed.")
	}
	if err != nil {
		return err
	}
	switch found := sniff.ContentType(head); {
	case found == "":
		return unkept(reasonUnreadable, "The file is not an image or a clip of a supported format.")
	case !sniff.Agree(claim.ContentType, found):
		return unkept(reasonType, fmt.Sprintf("The file is %s but was declared as %s.", found, claim.ContentType))
	}
	return nil
}

func unkept(reason, message string) *problem.Problem {
	p := problem.Field("file", message)
	p.Details["reason"] = reason
	return p
}

func reasonOf(err error) string {
	var p *problem.Problem
	if !errors.As(err, &p) {
		return ""
	}
	reason, _ := p.Details["reason"].(string)
	return reason
}

// exampleClaimed is an item that was just created.
func exampleClaimed() any {
	a := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(exampleTime.Time)},
		Spec: v1beta1.MediaAssetSpec{
			MediaType: catalog.MediaProductDemo, Title: "Our new pillow", Tags: []string{"pillow", "bed"}, ContentType: catalog.VideoContentTypes[0],
		},
	}
	item, err := view.MediaOf(42, a, catalog.LibraryOwn, 0, exampleSign)
	if err != nil {
		panic(err) // nothing is signed
	}
	return item
}
