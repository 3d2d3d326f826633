// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png" // slides are PNG
	"io"
	"strings"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/content/overlay"
)

// includeImages is the argument that adds images to a tool's result.
const includeImages = "include_images"

const (
	// mostPictures is the maximum number of images in a result: those of the largest slideshow.
	mostPictures = catalog.MaxSlides
	// pictureWidth is the width of an image in pixels; a smaller one is not enlarged.
	pictureWidth = 360
	// mostPictureBytes is the maximum size of a JPEG before base64, in bytes.
	mostPictureBytes = 48 << 10
	// mostPixels and mostSourceBytes limit the stored image; a larger one is omitted.
	mostPixels, mostSourceBytes = 16 << 20, 32 << 20
	// mostDrawing is how many calls scale images at the same time; others wait.
	mostDrawing = 2
)

// qualities are the JPEG qualities to try, best first. The last one is used for any size.
var qualities = []int{80, 60, 40, 20}

// picture is one image of a result.
type picture struct{ what, url string }

// blobs maps the signed URLs in a response to the keys of their blobs. It is safe for concurrent use.
type blobs struct {
	mu   sync.Mutex
	keys map[string]string
}

// add records a signed URL.
func (b *blobs) add(url, key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.keys == nil {
		b.keys = map[string]string{}
	}
	b.keys[url] = key
}

func (b *blobs) key(url string) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.keys[url]
}

// pictures returns a text that names the images, and the scaled images. Images that cannot be read are omitted.
func (s *Server) pictures(ctx context.Context, all []picture, known *blobs) []sdk.Content {
	select {
	case s.drawing <- struct{}{}:
		defer func() { <-s.drawing }()
	case <-ctx.Done():
		return nil
	}
	var names []string
	var images []sdk.Content
	for _, p := range all[:min(len(all), mostPictures)] {
		doc, err := s.small(ctx, known.key(p.url))
		if err != nil {
			s.Log.Warn("reading image for a tool failed", "request_id", messageOf(ctx).RequestID(), "error", err.Error())
			continue
		}
		names = append(names, p.what)
		images = append(images, &sdk.ImageContent{MIMEType: "image/jpeg", Data: doc})
	}
	if len(images) == 0 {
		return []sdk.Content{&sdk.TextContent{Text: "There are no images yet."}}
	}
	title := &sdk.TextContent{Text: "Images, in order: " + strings.Join(names, ", ") + "."}
	return append([]sdk.Content{title}, images...)
}

// small reads a stored image and returns it as a small JPEG.
func (s *Server) small(ctx context.Context, key string) ([]byte, error) {
	if key == "" {
		return nil, fmt.Errorf("the response has no such URL")
	}
	r, err := s.Picture(ctx, key)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	doc, err := io.ReadAll(io.LimitReader(r, mostSourceBytes))
	if err != nil {
		return nil, err
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	if size.Width*size.Height > mostPixels {
		return nil, fmt.Errorf("image has %d x %d pixels", size.Width, size.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(doc))
	if err != nil {
		return nil, err
	}
	if size.Width > pictureWidth {
		img = overlay.Thumbnail(img, pictureWidth)
	}
	var out bytes.Buffer
	for _, q := range qualities {
		out.Reset()
		if err := jpeg.Encode(&out, img, &jpeg.Options{Quality: q}); err != nil {
			return nil, err
		}
		if out.Len() <= mostPictureBytes {
			break
		}
	}
	return out.Bytes(), nil
}

// imagesOfShort returns the slides of a slideshow. Without slides it returns the preview image. For a list it returns
// the thumbnail of each short.
func imagesOfShort(data any) (out []picture) {
	if list, ok := data.([]any); ok {
		for _, one := range list {
			short, _ := one.(object)
			out = add(out, fmt.Sprintf("short %v", short["id"]), short["thumbnail_url"])
		}
		return out
	}
	short, _ := data.(object)
	content, _ := short["type_data"].(object)
	slides, _ := content["slides"].([]any)
	for _, one := range slides {
		slide, _ := one.(object)
		out = add(out, fmt.Sprintf("slide id %v", slide["id"]), slide["rendered_image_url"])
	}
	if out == nil {
		out = add(out, "preview", short["preview_url"])
	}
	return out
}

// imagesOfJob returns the preview image of a succeeded job: all slides, or the video's beginning.
func imagesOfJob(data any) []picture {
	job, _ := data.(object)
	result, _ := job["result"].(object)
	return add(nil, "preview", result["preview_url"])
}

func add(to []picture, what string, url any) []picture {
	if url, ok := url.(string); ok && url != "" {
		to = append(to, picture{what, url})
	}
	return to
}
