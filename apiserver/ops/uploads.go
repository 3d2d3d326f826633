// SPDX-License-Identifier: Apache-2.0

package ops

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/operation"
	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/apiserver/read"
	"github.com/reelops/reelops/apiserver/view"
	"github.com/reelops/reelops/internal/account/quota"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/store/upload"
)

var uploadSpec = operation.Spec{
	Name: "create_direct_upload", Method: http.MethodPost, Path: "/api/v1/direct_uploads", Tag: "Media",
	Summary: "Declare an upload",
	Description: "This is step one of three. Step two: " +
		"`PUT` exactly the declared bytes to `direct_upload.url` with the headers `direct_upload.headers`; success is 200 or 204. " +
		"The store itself rejects a different length, type or checksum and then stores nothing. Step three: " +
		"`POST /media` with the `signed_id`. " +
		"Nothing is created before that, and an unconfirmed upload is deleted after a day. " +
		"The file's name becomes the title, without folders, extension and invisible characters. " +
		"No name is rejected for its form.",
	Scope: v1beta1.ScopeMediaWrite, ForBrand: true, Bucket: operation.Global, Status: http.StatusCreated,
	Errors: []catalog.Code{catalog.UnsupportedMediaType, catalog.MediaTooLarge, catalog.QuotaExceeded},
	BodyExample: map[string]any{
		"filename": "pillow.mp4", "byte_size": 8388608, "checksum": "XUFAKrxLKna5cZ2REBfFkg==", "content_type": "video/mp4",
	},
	DataExample: view.Upload{
		SignedID: "q0zEyO6q3W9vN0…",
		DirectUpload: view.DirectUpload{
			URL:       "http://127.0.0.1:8080/blobs/uploads/demo/42?bytes=8388608&expires=1795263300&md5=5d41402abc4b2a76b9719d911017c592&method=PUT&signature=w0yeC0hhw0A-8T1jAKdg7jEtRgBLFz3PQl_emcMeFm0&type=video%2Fmp4",
			Headers:   map[string]string{"Content-Type": "video/mp4", "Content-MD5": "XUFAKrxLKna5cZ2REBfFkg=="},
			ExpiresAt: exampleTime,
		},
	},
}

// DeclareUpload is the body of a request to declare a file.
type DeclareUpload struct {
	Filename    string `json:"filename" minLength:"1" doc:"The file's name, used only as a title."`
	ByteSize    int64  `json:"byte_size" minimum:"1" doc:"Exact size in bytes."`
	Checksum    string `json:"checksum" doc:"Base64 of the file's MD5 (24 characters) or SHA-256 (44 characters)."`
	ContentType string `json:"content_type" doc:"One of image/jpeg, image/png, image/webp, image/gif, image/heic, image/heif, video/mp4, video/webm and video/quicktime. The content of the file must match."`
}

// TransformSchema adds the limits of the catalog to the descriptions only, because exceeding them has error codes of
// its own.
func (DeclareUpload) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	s.Properties["byte_size"].Description += fmt.Sprintf(" At most %d for an image, %d for a clip.", catalog.MaxImageBytes, catalog.MaxVideoBytes)
	s.Properties["content_type"].Examples = []any{catalog.ImageContentTypes[0], catalog.VideoContentTypes[0]}
	return s
}

func (s *Service) declareUpload(ctx context.Context, c *operation.Call, in struct{ Body DeclareUpload }) (*operation.Reply[view.Upload], error) {
	claim, err := in.Body.claim()
	if err != nil {
		return nil, err
	}
	claim.Namespace, claim.Brand = c.Namespace(), read.ID(c.Brand)
	if err := s.admit(ctx, c, quota.Stored{Objects: 1, Bytes: claim.Bytes}); err != nil {
		return nil, err
	}
	if claim.Media, err = s.NextMedia(ctx); err != nil {
		return nil, fmt.Errorf("reserving a media id: %w", err)
	}
	if err := s.admitUpload(ctx, c, claim); err != nil {
		return nil, err
	}
	token, err := s.Uploads.Seal(*claim)
	if err != nil {
		return nil, err
	}
	expires := s.Clock.Now().Add(catalog.UploadURLValidity)
	url, headers, err := s.Store.SignedUpload(ctx, claim.Key(), claim.Declared(catalog.UploadURLValidity))
	if err != nil {
		return nil, err
	}
	return &operation.Reply[view.Upload]{Data: view.Upload{
		SignedID: token, DirectUpload: view.DirectUpload{URL: url, Headers: headers, ExpiresAt: view.Time{Time: expires}},
	}}, nil
}

// claim returns the declared upload.
func (b *DeclareUpload) claim() (*upload.Claim, error) {
	out := &upload.Claim{
		Title: upload.Title(b.Filename), Bytes: b.ByteSize, ContentType: strings.ToLower(strings.TrimSpace(b.ContentType)),
	}
	kind, limit := view.KindImage, int64(catalog.MaxImageBytes)
	switch {
	case slices.Contains(catalog.ImageContentTypes, out.ContentType):
	case slices.Contains(catalog.VideoContentTypes, out.ContentType):
		kind, limit = view.KindVideo, catalog.MaxVideoBytes
	default:
		return nil, problem.New(catalog.UnsupportedMediaType, problem.Details{
			"content_type": shortened(b.ContentType), "allowed": slices.Concat(catalog.ImageContentTypes, catalog.VideoContentTypes),
		})
	}
	sum, err := base64.StdEncoding.Strict().DecodeString(b.Checksum)
	switch {
	case err == nil && len(sum) == md5.Size:
		out.MD5 = sum
	case err == nil && len(sum) == sha256.Size:
		out.SHA256 = sum
	default:
		return nil, problem.Field("checksum", "checksum must be the base64 of the file's MD5 (24 characters) or SHA-256 (44 characters).")
	}
	if b.ByteSize > limit {
		return nil, problem.New(catalog.MediaTooLarge, problem.Details{"byte_size": b.ByteSize, "limit_bytes": limit, "kind": kind}).
			Saying(fmt.Sprintf("The file is too large: %s files may have at most %d bytes.", kind, limit))
	}
	return out, nil
}

// shortened cuts a text to at most 200 characters, so that the response does not grow with the request.
func shortened(text string) string {
	const most = 200
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}
