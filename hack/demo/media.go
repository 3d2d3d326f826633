// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/reelops/reelops/hack/service"
)

// mostPictures is how many images of a folder are used: twice the number of slides of a slideshow, so that there is a
// choice.
const mostPictures = 24

// contentTypes maps file extensions to content types. The service checks the files themselves.
var contentTypes = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp", ".gif": "image/gif", ".heic": "image/heic", ".heif": "image/heif",
}

// file is an image of the user.
type file struct {
	name, contentType string
	bytes             []byte
}

// mediaItem and mediaPack hold the used fields of the API's objects.
type mediaItem struct {
	ID     int64  `json:"id"`
	Title  string `json:"title"`
	Status string `json:"status"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

type mediaPack struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Images int    `json:"image_count"`
	Global bool   `json:"is_global"`
}

// uploadFolder creates a pack with the images in a folder and returns it. The pack is created from a manifest, the
// images are uploaded over REST, as by a client program. The same images give the same pack and are not uploaded again.
func uploadFolder(ctx context.Context, s *service.Service, folder, scratch string) (*mediaPack, error) {
	files, err := pictures(folder)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, f := range files {
		_, _ = sum.Write(f.bytes)
	}
	name := "demo-" + hex.EncodeToString(sum.Sum(nil))[:10]
	title := filepath.Base(filepath.Clean(folder)) + " (" + name + ")"
	step("kubectl apply: a MediaPack for %s", folder)
	manifest := filepath.Join(scratch, "pack.yaml")
	doc := fmt.Sprintf("apiVersion: reelops.dev/v1beta1\nkind: MediaPack\nmetadata:\n  name: %s\n  namespace: demo\nspec:\n  displayName: %q\n", name, title)
	if err := os.WriteFile(manifest, []byte(doc), 0o644); err != nil {
		return nil, err
	}
	if err := show(ctx, s, "apply", "-f", manifest); err != nil {
		return nil, err
	}
	pack, err := packNamed(ctx, s, title, 0)
	if err != nil {
		return nil, err
	}
	if pack.Images > 0 { // the number may be lower than that of the files, because some may be unusable
		info("an earlier demo uploaded its images")
		return pack, nil
	}
	step("POST /api/v1/direct_uploads, PUT, POST /api/v1/media: %d images", len(files))
	var items []mediaItem
	for _, f := range files {
		item, err := upload(ctx, s.API, f, pack.ID)
		if err != nil {
			info("%-30s rejected: %v", f.name, err)
			continue
		}
		items = append(items, *item)
	}
	ready, err := processed(ctx, s.API, items)
	if err != nil {
		return nil, err
	}
	if ready == 0 {
		return nil, fmt.Errorf("none of the images in %s can be used", folder)
	}
	return packNamed(ctx, s, title, ready)
}

// pictures reads the images of a folder, in the order of their names.
func pictures(folder string) ([]file, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("reading the images: %w", err)
	}
	var out []file
	for _, e := range entries {
		t := contentTypes[strings.ToLower(filepath.Ext(e.Name()))]
		if t == "" || e.IsDir() {
			continue
		}
		if len(out) == mostPictures {
			info("only the first %d images of %s are used", mostPictures, folder)
			break
		}
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the images: %w", err)
		}
		out = append(out, file{e.Name(), t, b})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no images: JPEG, PNG, WebP, GIF, HEIC and HEIF are supported", folder)
	}
	return out, nil
}

// upload declares a file, sends it, and adds it as an image to the pack.
func upload(ctx context.Context, api *service.API, f file, pack int64) (*mediaItem, error) {
	sum := md5.Sum(f.bytes)
	var declared struct {
		SignedID string `json:"signed_id"`
		Direct   struct {
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers"`
		} `json:"direct_upload"`
	}
	if err := api.Call(ctx, "POST", "/direct_uploads", map[string]any{
		"filename": f.name, "byte_size": len(f.bytes), "checksum": base64.StdEncoding.EncodeToString(sum[:]), "content_type": f.contentType,
	}, &declared); err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPut, declared.Direct.URL, bytes.NewReader(f.bytes))
	if err != nil {
		return nil, err
	}
	for name, value := range declared.Direct.Headers {
		req.Header.Set(name, value)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode/100 != 2 {
		why, _ := io.ReadAll(io.LimitReader(res.Body, 300))
		return nil, fmt.Errorf("uploading to the store: status %d: %s", res.StatusCode, bytes.TrimSpace(why))
	}
	item := &mediaItem{}
	return item, api.Call(ctx, "POST", "/media", map[string]any{"file": declared.SignedID, "media_pack_id": pack}, item)
}

// processed waits until the service has processed all uploads, and returns how many images can be used.
func processed(ctx context.Context, api *service.API, items []mediaItem) (ready int, err error) {
	waiting := map[int64]bool{}
	for _, i := range items {
		waiting[i.ID] = true
	}
	for len(waiting) > 0 {
		var page []mediaItem
		if err := api.Call(ctx, "GET", "/media?source=own&per_page=50", nil, &page); err != nil {
			return 0, err
		}
		for _, i := range page {
			switch {
			case !waiting[i.ID] || i.Status == "processing":
				continue
			case i.Status == "failed" && i.Error != nil:
				info("%-30s failed: %s", i.Title, i.Error.Message)
			default:
				info("%-30s %s as media item %d", i.Title, i.Status, i.ID)
				ready++
			}
			delete(waiting, i.ID)
		}
		if err := pause(ctx); err != nil {
			return 0, err
		}
	}
	return ready, nil
}

// packNamed waits until a pack is listed with at least the given number of images.
func packNamed(ctx context.Context, s *service.Service, title string, images int) (*mediaPack, error) {
	for range 120 {
		var packs []mediaPack
		if err := s.API.Call(ctx, "GET", "/media_packs", nil, &packs); err != nil {
			return nil, err
		}
		i := slices.IndexFunc(packs, func(p mediaPack) bool { return p.Name == title && !p.Global && p.Images >= images })
		if i >= 0 {
			return &packs[i], nil
		}
		if err := pause(ctx); err != nil {
			return nil, err
		}
	}
	return nil, errors.New("the pack is not listed: is the manager running?")
}

func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Second):
		return nil
	}
}
