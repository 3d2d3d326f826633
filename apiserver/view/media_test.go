// SPDX-License-Identifier: Apache-2.0

package view

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/content/imagery/starter"
	"github.com/reelops/reelops/internal/content/stock"
)

// signedAs returns a URL that holds the signed key and the validity.
func signedAs(key string, valid time.Duration) (string, error) {
	return "https://x.example/" + key + "?for=" + valid.String(), nil
}

func TestMediaItem_Type(t *testing.T) {
	ready := v1beta1.MediaAssetStatus{BlobKey: "file", Probe: &v1beta1.MediaProbe{Kind: "image", ContentType: "image/png"}}
	clip := v1beta1.MediaAssetStatus{BlobKey: "file", Probe: &v1beta1.MediaProbe{Kind: "video", ContentType: "video/webm", DurationMilliseconds: 1500}}
	in := &v1beta1.LocalRef{Name: "p"}
	for _, c := range []struct {
		why                                 string
		spec                                v1beta1.MediaAssetSpec
		status                              v1beta1.MediaAssetStatus
		mediaType, kind, contentType, state string
	}{
		{"without data", v1beta1.MediaAssetSpec{}, v1beta1.MediaAssetStatus{}, "user_upload", "image", "application/octet-stream", "processing"},
		{"declared", v1beta1.MediaAssetSpec{ContentType: "video/mp4"}, v1beta1.MediaAssetStatus{}, "user_upload", "video", "video/mp4", "processing"},
		{"an avatar without further data", v1beta1.MediaAssetSpec{MediaType: "avatar_video"}, v1beta1.MediaAssetStatus{}, "avatar_video", "video", "application/octet-stream", "processing"},
		{"the probed type counts, not the declared one", v1beta1.MediaAssetSpec{ContentType: "video/mp4"}, ready, "user_upload", "image", "image/png", "ready"},
		{"probed, but not stored yet", v1beta1.MediaAssetSpec{}, v1beta1.MediaAssetStatus{Probe: ready.Probe}, "user_upload", "image", "image/png", "processing"},
		{"an image in a pack", v1beta1.MediaAssetSpec{MediaType: "user_upload", PackRef: in}, ready, "pack_image", "image", "image/png", "ready"},
		{"a clip in a pack", v1beta1.MediaAssetSpec{MediaType: "user_upload", PackRef: in}, clip, "user_upload", "video", "video/webm", "ready"},
		{"a demo in a pack stays one", v1beta1.MediaAssetSpec{MediaType: "product_demo", PackRef: in}, ready, "product_demo", "image", "image/png", "ready"},
		{
			"failed",
			v1beta1.MediaAssetSpec{ContentType: "image/gif"},
			v1beta1.MediaAssetStatus{BlobKey: "file", Probe: ready.Probe, Error: &v1beta1.WorkError{Code: "validation_failed", Message: "No"}},
			"user_upload", "image", "image/png", "failed",
		},
	} {
		m, err := MediaOf(7, &v1beta1.MediaAsset{Spec: c.spec, Status: c.status}, "own", 0, signedAs)
		if err != nil {
			t.Fatal(err)
		}
		got := []string{string(m.MediaType), m.Kind, m.ContentType, m.Status}
		if d := cmp.Diff([]string{c.mediaType, c.kind, c.contentType, c.state}, got); d != "" {
			t.Errorf("%s: %s", c.why, d)
		}
		if (m.URL != nil) != (c.state == "ready") || (m.Error != nil) != (c.state == "failed") || (m.DurationSeconds != nil) != (c.status.Probe == clip.Probe) {
			t.Errorf("%s: URL %v, error %v, duration %v", c.why, m.URL, m.Error, m.DurationSeconds)
		}
	}
}

func TestMediaURLs_AreValidForADay(t *testing.T) {
	a := &v1beta1.MediaAsset{Status: v1beta1.MediaAssetStatus{BlobKey: "file", ThumbnailKey: "small", Probe: &v1beta1.MediaProbe{Kind: "image"}}}
	m, err := MediaOf(7, a, "own", 0, signedAs)
	if err != nil || *m.URL != "https://x.example/file?for=24h0m0s" || *m.ThumbnailURL != "https://x.example/small?for=24h0m0s" {
		t.Errorf("%v %v", m, err)
	}
	refused := errors.New("no key")
	if _, err := MediaOf(7, a, "own", 0, func(string, time.Duration) (string, error) { return "", refused }); !errors.Is(err, refused) {
		t.Errorf("a URL that cannot be signed: %v", err)
	}
}

func TestStockHasNoDates(t *testing.T) {
	library := &v1beta1.MediaAsset{
		ObjectMeta: metav1.ObjectMeta{Name: "clip", CreationTimestamp: metav1.NewTime(time.Now())},
		Spec:       v1beta1.MediaAssetSpec{MediaType: "avatar_video", Title: "Ann"},
		Status:     v1beta1.MediaAssetStatus{BlobKey: "file", ThumbnailKey: "small", Probe: &v1beta1.MediaProbe{Kind: "video", ContentType: "video/mp4", DurationMilliseconds: 4200}},
	}
	item := StockItem(7, library)
	if item.Ref() != "library:clip" || item.MediaType != stock.TypeAvatar {
		t.Errorf("%+v", item)
	}
	m, err := StockOf(item, signedAs)
	if err != nil {
		t.Fatal(err)
	}
	if m.CreatedAt != nil || m.Source != "stock" || m.Status != "ready" || *m.URL != "https://x.example/file?for=24h0m0s" || *m.DurationSeconds != 4.2 {
		t.Errorf("%+v", m)
	}
	library.Spec.MediaType = "product_demo"
	if got := StockItem(7, library).MediaType; got != stock.TypeVideo {
		t.Errorf("any other clip has type %s", got)
	}
	drawn := StarterPictureOf("https://r.example", starter.All()[0], 9)
	if drawn.CreatedAt != nil || drawn.MediaType != "pack_image" || drawn.Source != "packs" || *drawn.MediaPackID != 9 || drawn.URL == nil || drawn.ThumbnailURL == nil {
		t.Errorf("%+v", drawn)
	}
}

// TestEveryFieldIsThere marshals an item without any data: missing values are null, and arrays are empty.
func TestEveryFieldIsThere(t *testing.T) {
	m, err := MediaOf(7, &v1beta1.MediaAsset{}, "own", 0, signedAs)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(doc, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"id": 7.0, "title": nil, "media_type": "user_upload", "kind": "image", "source": "own", "content_type": "application/octet-stream", "url": nil,
		"thumbnail_url": nil, "width": nil, "height": nil, "duration_seconds": nil, "byte_size": nil, "tags": []any{}, "description": nil,
		"media_pack_id": nil, "attribution": nil, "status": "processing", "created_at": nil,
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestPack_NameDefaultsToTheObject(t *testing.T) {
	p := &v1beta1.MediaPack{ObjectMeta: metav1.ObjectMeta{Name: "set"}}
	out := PackOf(3, p, false, nil)
	if out.Name != "set" || out.Description != nil || out.PreviewImageURLs == nil || out.Tags == nil {
		t.Errorf("%+v", out)
	}
	p.Spec.DisplayName = "My set"
	if PackTitle(p) != "My set" {
		t.Error(PackTitle(p))
	}
}
