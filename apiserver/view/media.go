// SPDX-License-Identifier: Apache-2.0

package view

import (
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
)

// Statuses of a media item.
const (
	MediaProcessing = "processing"
	MediaReady      = "ready"
	MediaFailed     = "failed"
)

// Kinds of media.
const (
	KindImage = "image"
	KindVideo = "video"
)

// MediaItem is an image or a video clip.
type MediaItem struct {
	ID              int64                 `json:"id" example:"42" doc:"Media id, valid immediately in all requests that accept a media id."`
	Title           *string               `json:"title" doc:"Display title."`
	MediaType       MediaTypeName         `json:"media_type" doc:"Purpose or origin of the item."`
	Kind            string                `json:"kind" enum:"image,video" doc:"Kind of the file. Until the file was checked, the declared one."`
	Source          MediaSourceName       `json:"source" doc:"Owner of the item: the brand, a pack or stock."`
	ContentType     string                `json:"content_type" example:"image/jpeg" doc:"Content type of the file. Until the file was checked, the declared one or application/octet-stream."`
	URL             *string               `json:"url" format:"uri" doc:"URL of the file; it needs no key. For files stored by this service it is valid for 24 hours, and each read returns a new URL. null unless status is ready."`
	ThumbnailURL    *string               `json:"thumbnail_url" format:"uri" doc:"URL of a thumbnail."`
	Width           *int                  `json:"width" doc:"Pixels, as shown."`
	Height          *int                  `json:"height" doc:"Pixels, as shown."`
	DurationSeconds *float64              `json:"duration_seconds" doc:"Length of a clip; null for an image."`
	ByteSize        *int64                `json:"byte_size" doc:"null if unknown."`
	Tags            []string              `json:"tags" doc:"Search terms of the item."`
	Description     *string               `json:"description" doc:"Description of the content."`
	MediaPackID     *int64                `json:"media_pack_id" doc:"The pack of the item."`
	Attribution     Nullable[Attribution] `json:"attribution" doc:"Author and source of the item."`
	Status          string                `json:"status" enum:"processing,ready,failed" doc:"processing: the file is being checked."`
	CreatedAt       *Time                 `json:"created_at" nullable:"true" doc:"null for stock."`
	Error           *MediaError           `json:"error,omitempty" doc:"Why the file cannot be used. Only with status failed."`
}

// MediaError is the reason why a file cannot be used.
type MediaError struct {
	Code    ErrorCode         `json:"code" doc:"Stable code for programs."`
	Message string            `json:"message" doc:"Description for users; its wording may change."`
	Details map[string]string `json:"details" doc:"Machine-readable specifics."`
}

// MediaTypeName is a type of media.
type MediaTypeName string

// Schema lists the types.
func (MediaTypeName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: strings2any(catalog.ListedMediaTypes)}
}

// MediaSourceName is a source of listed media.
type MediaSourceName string

// Schema lists the sources.
func (MediaSourceName) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{Type: huma.TypeString, Enum: strings2any(catalog.LibrarySources)}
}

// MediaStatus returns the ingestion status of a file.
func MediaStatus(a *v1beta1.MediaAsset) string {
	switch {
	case a.Status.Error != nil:
		return MediaFailed
	case a.Status.Probe != nil && a.Status.BlobKey != "":
		return MediaReady
	}
	return MediaProcessing
}

// MediaType returns the type of an account's item: the declared one. An image in a pack without a declared type is a
// pack image.
func MediaType(a *v1beta1.MediaAsset) string {
	declared := a.Spec.MediaType
	if declared == "" || declared == catalog.MediaUserUpload {
		declared = catalog.MediaUserUpload
		if a.Spec.PackRef != nil && mediaKind(a) == KindImage {
			declared = catalog.MediaPackImage
		}
	}
	return declared
}

// ImportedForShort reports whether a file was fetched for one slideshow or video. Such a file is deleted with it.
func ImportedForShort(a *v1beta1.MediaAsset) bool {
	for _, o := range a.OwnerReferences {
		if o.Kind == "Slideshow" || o.Kind == "Video" {
			return true
		}
	}
	return false
}

// mediaKind returns the kind of the file, or the declared kind if the file has not been probed. It defaults to image.
func mediaKind(a *v1beta1.MediaAsset) string {
	switch {
	case a.Status.Probe != nil:
		return a.Status.Probe.Kind
	case strings.HasPrefix(a.Spec.ContentType, "video/"), a.Spec.ContentType == "" && a.Spec.MediaType == catalog.MediaAvatarVideo:
		return KindVideo
	}
	return KindImage
}

// MediaOf returns the view of an account's item. source is the listed source, pack the id of its pack or 0.
func MediaOf(id int64, a *v1beta1.MediaAsset, source string, pack int64, sign Signer) (*MediaItem, error) {
	created := v1beta1.CreatedAt(a)
	out := &MediaItem{
		ID: id, Title: nonEmpty(a.Spec.Title), MediaType: MediaTypeName(MediaType(a)), Kind: mediaKind(a), Source: MediaSourceName(source),
		ContentType: first(a.Spec.ContentType, "application/octet-stream"), Tags: slices.Clone(a.Spec.Tags), Description: nonEmpty(a.Spec.Description),
		Status: MediaStatus(a), CreatedAt: at(&created), Attribution: AttributionOf(a.Spec.Attribution),
	}
	if out.Tags == nil {
		out.Tags = []string{}
	}
	if pack != 0 {
		out.MediaPackID = &pack
	}
	if e := a.Status.Error; e != nil {
		out.Error = &MediaError{Code: ErrorCode(e.Code), Message: e.Message, Details: e.Details}
		if out.Error.Details == nil {
			out.Error.Details = map[string]string{}
		}
	}
	if p := a.Status.Probe; p != nil {
		out.ContentType, out.ByteSize = p.ContentType, &p.Bytes
		out.Width, out.Height = pixels(int(p.Width)), pixels(int(p.Height))
		if p.Kind == KindVideo {
			out.DurationSeconds = seconds(float64(p.DurationMilliseconds) / 1000)
		}
	}
	if out.Status != MediaReady {
		return out, nil
	}
	var err error
	if out.URL, err = signed(sign, a.Status.BlobKey); err != nil {
		return nil, err
	}
	out.ThumbnailURL, err = signed(sign, a.Status.ThumbnailKey)
	return out, err
}

// AttributionOf returns the view of an image's attribution.
func AttributionOf(a *v1beta1.Attribution) (out Nullable[Attribution]) {
	if a != nil {
		out.Value = &Attribution{Provider: a.Provider, Author: nonEmpty(a.Author), AuthorURL: nonEmpty(a.AuthorURL), License: nonEmpty(a.License)}
	}
	return out
}

// signed returns the signed URL of a library blob; nil for an empty key.
func signed(sign Signer, key string) (*string, error) {
	if key == "" {
		return nil, nil
	}
	u, err := sign(key, catalog.LibraryURLValidity)
	if err != nil {
		return nil, err
	}
	return &u, nil
}

func pixels(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func seconds(n float64) *float64 {
	if n == 0 {
		return nil
	}
	return &n
}
