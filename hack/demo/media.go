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

// mostPictures is how many of a folder are taken: twice as many as a slideshow has slides, so that there is a choice.
const mostPictures = 24

// contentTypes of pictures, by the ending of a file's name. The service looks at the files themselves.
var contentTypes = map[string]string{
	".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png", ".webp": "image/webp", ".gif": "image/gif", ".heic": "image/heic", ".heif": "image/heif",
}

// file is a picture of the user's.
type file struct {
	name, contentType string
	bytes             []byte
}

// mediaItem and mediaPack are what is read of them.
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

// uploadFolder makes a pack of the pictures in a folder and gives its id. The pack is a manifest, its pictures go over REST, as
// a program of a user would send them. The same pictures make the same pack, and are not sent again.
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
	if pack.Images > 0 { // some of the folder's files may be none that can be used
		told("its pictures were sent by an earlier demo")
		return pack, nil
	}
	step("POST /api/v1/direct_uploads, PUT, POST /api/v1/media: %d pictures", len(files))
	var items []mediaItem
	for _, f := range files {
		item, err := upload(ctx, s.API, f, pack.ID)
		if err != nil {
			told("%-30s refused: %v", f.name, err)
			continue
		}
		items = append(items, *item)
	}
	ready, err := lookedAt(ctx, s.API, items)
	if err != nil {
		return nil, err
	}
	if ready == 0 {
		return nil, fmt.Errorf("none of the pictures in %s can be used", folder)
	}
	return packNamed(ctx, s, title, ready)
}

// pictures reads those of a folder, in the order of their names.
func pictures(folder string) ([]file, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("reading the pictures: %w", err)
	}
	var out []file
	for _, e := range entries {
		t := contentTypes[strings.ToLower(filepath.Ext(e.Name()))]
		if t == "" || e.IsDir() {
			continue
		}
		if len(out) == mostPictures {
			told("the first %d pictures of %s are taken", mostPictures, folder)
			break
		}
		b, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return nil, fmt.Errorf("reading the pictures: %w", err)
		}
		out = append(out, file{e.Name(), t, b})
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s holds no picture: JPEG, PNG, WebP, GIF, HEIC and HEIF are taken", folder)
	}
	return out, nil
}

// upload declares a file, sends it, and keeps it as a picture of the pack.
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
		return nil, fmt.Errorf("the store answered %d: %s", res.StatusCode, bytes.TrimSpace(why))
	}
	item := &mediaItem{}
	return item, api.Call(ctx, "POST", "/media", map[string]any{"file": declared.SignedID, "media_pack_id": pack}, item)
}

// lookedAt waits until the service has looked at all that was sent, and says how many pictures can be used.
func lookedAt(ctx context.Context, api *service.API, items []mediaItem) (ready int, err error) {
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
				told("%-30s failed: %s", i.Title, i.Error.Message)
			default:
				told("%-30s %s as media item %d", i.Title, i.Status, i.ID)
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

// packNamed waits until a pack is listed with at least so many pictures.
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
