// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/json"
	"image/jpeg"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/testkit/stockapi"
)

// stockArgs returns the flags that configure a stock provider.
func stockArgs(t *testing.T, dir string) []string {
	t.Helper()
	key := filepath.Join(dir, "pexels")
	must(t, os.WriteFile(key, []byte(stockapi.Key+"\n"), 0o600))
	return []string{"--pexels-url=" + stockapi.New(t).URL, "--pexels-key-file=" + key}
}

// listsStock lists stock once, and opens one of its images as a browser would.
func listsStock(t *testing.T, public, secret string) {
	t.Helper()
	query := "?source=stock&media_type=stock_image&query=calm+evening+by+the+sea&per_page=4"
	status, body := call(t, http.MethodGet, "http://"+public+"/api/v1/media"+query, secret, "")
	var list struct {
		Data []struct {
			ID           int64   `json:"id"`
			Title        string  `json:"title"`
			URL          string  `json:"url"`
			ThumbnailURL *string `json:"thumbnail_url"`
			Attribution  *struct {
				Provider string  `json:"provider"`
				Author   *string `json:"author"`
			} `json:"attribution"`
		} `json:"data"`
		Meta struct {
			SearchMethod string `json:"search_method"`
		} `json:"meta"`
	}
	must(t, json.Unmarshal(body, &list))
	if status != http.StatusOK || len(list.Data) != 4 || list.Meta.SearchMethod != "semantic" {
		t.Fatalf("%d %+v", status, list)
	}
	drawn, photo := list.Data[0], list.Data[1]
	if a := photo.Attribution; a == nil || a.Provider != "Pexels" || a.Author == nil || *a.Author != "Ana 1" || photo.Title != "Photo 1 of calm evening by the sea" {
		t.Errorf("got %+v as the provider's image", photo)
	}
	if drawn.ThumbnailURL == nil || !strings.HasPrefix(*drawn.ThumbnailURL, "http://"+public+"/stock/starter/starter-ocean_waves-") {
		t.Fatalf("got %+v as the generated background", drawn)
	}
	picture, err := http.Get(*drawn.ThumbnailURL)
	must(t, err)
	defer func() { _ = picture.Body.Close() }()
	if img, err := jpeg.Decode(picture.Body); err != nil || img.Bounds().Dx() != 360 {
		t.Errorf("%s: %d, %v", *drawn.ThumbnailURL, picture.StatusCode, err)
	}
}
