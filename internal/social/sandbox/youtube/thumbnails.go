// SPDX-License-Identifier: Apache-2.0

package youtube

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxThumbnail is the largest thumbnail that YouTube accepts, in bytes.
const maxThumbnail = 50 << 20

// picture is a custom thumbnail.
type picture struct {
	// sum is its SHA-256 in hexadecimal digits.
	sum string
}

// thumbnail sets the custom thumbnail of a video. The image is the whole body, or the second part of a multipart body.
func (p *Platform) thumbnail(w http.ResponseWriter, r request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxThumbnail)
	var media io.Reader = r.Body
	kind := r.Header.Get("Content-Type")
	var e *problem
	if r.URL.Query().Get("uploadType") == "multipart" {
		_, media, kind, e = related(r)
	}
	var image []byte
	if e == nil {
		image, e = readImage(media, kind)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	v := p.videos[r.URL.Query().Get("videoId")]
	switch {
	case v == nil || v.account.Name != r.account.Name:
		e = reason(http.StatusNotFound, "videoNotFound", "The video that you are trying to insert a thumbnail image for cannot be found.")
	case e != nil:
	case p.rules.NoThumbnails[v.account.Name]:
		e = reason(http.StatusForbidden, "forbidden", "The authenticated user doesn't have permissions to upload and set custom video thumbnails.")
	case v.isShort() && p.core.Now().Before(v.uploaded.Add(p.core.Processing())):
		e = reason(http.StatusForbidden, "forbidden", "The thumbnail can't be set for the specified video. The request might not be properly authorized.")
	}
	if e != nil {
		e.write(w)
		return
	}
	sum := sha256.Sum256(image)
	v.picture = picture{sum: hex.EncodeToString(sum[:])}
	writeJSON(w, http.StatusOK, map[string]any{
		"kind":  "youtube#thumbnailSetResponse",
		"items": []map[string]any{{"default": map[string]any{"url": v.account.Avatar, "width": 120, "height": 90}}},
	})
}

// readImage reads a JPEG or PNG image.
func readImage(media io.Reader, kind string) ([]byte, *problem) {
	image, err := io.ReadAll(media)
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, reason(http.StatusRequestEntityTooLarge, "uploadTooLarge", "The thumbnail is too large.")
	case err != nil:
		return nil, invalid("parseError", "Parse Error")
	case len(image) == 0:
		return nil, invalid("mediaBodyRequired", "The request does not include the image content.")
	case !slices.Contains([]string{"image/jpeg", "image/png", "application/octet-stream"}, strings.ToLower(kind)),
		!slices.Contains([]string{"image/jpeg", "image/png"}, http.DetectContentType(image)):
		return nil, invalid("invalidImage", "The provided image content is invalid.")
	}
	return image, nil
}
