// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func musical(t *testing.T) *cluster {
	t.Helper()
	return newCluster(t,
		&v1beta1.Account{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: v1beta1.AccountName}},
		&v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: "acme", Name: "coffee"}})
}

func (c *cluster) track(namespace, name string) *v1beta1.MusicTrack {
	c.t.Helper()
	o := &v1beta1.MusicTrack{}
	if err := c.Get(c.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, o); err != nil {
		c.t.Fatal(err)
	}
	return o
}

func TestMusicFromAFile(t *testing.T) {
	c := musical(t)
	file, store := filepath.Join(t.TempDir(), "Warm Up.mp3"), t.TempDir()
	sound := append([]byte("ID3\x04\x00\x00\x00\x00\x00\x00"), append([]byte("\xff\xfb\x90\x64"), make([]byte, 5000)...)...)
	if err := os.WriteFile(file, sound, 0o600); err != nil {
		t.Fatal(err)
	}
	out := c.do("music", "add", file, "--account", "acme", "--brand", "coffee", "--mood", "happy,light", "--bpm", "96",
		"--license", "CC BY 4.0", "--attribution-required", "--artist", "Ann", "--blob-url", "file://"+store)
	got := c.track("acme", "track-1")
	key := *got.Spec.Source.BlobKey
	want := v1beta1.MusicTrackSpec{
		BrandRef: &v1beta1.LocalRef{Name: "coffee"}, Title: "Warm Up", Artist: "Ann", Moods: []string{"happy", "light"}, BPM: ptr.To[int32](96),
		License: &v1beta1.MusicLicense{Name: "CC BY 4.0", AttributionRequired: true}, Source: v1beta1.MediaSource{BlobKey: &key},
	}
	if d := cmp.Diff(want, got.Spec); d != "" || got.Labels[v1beta1.LabelID] != "1" {
		t.Errorf("got labels %v, %s", got.Labels, d)
	}
	if d := cmp.Diff([]string{v1beta1.FinalizerMusicTrack}, got.Finalizers); d != "" {
		t.Errorf("the object has no finalizer: %s", d)
	}
	if !strings.HasPrefix(key, "imports/acme/") || !strings.HasSuffix(key, ".mp3") || out["blob_key"] != key {
		t.Errorf("got key %q, output %v", key, out)
	}
	if stored, err := os.ReadFile(filepath.Join(store, filepath.FromSlash(key))); err != nil || string(stored) != string(sound) {
		t.Errorf("stored %d bytes of %d: %v", len(stored), len(sound), err)
	}
	again := c.do("music", "add", file, "--account", "acme", "--blob-url", "file://"+store)
	if again["blob_key"] != key {
		t.Errorf("the same file has the keys %v and %v", key, again["blob_key"])
	}
}

func TestMusicAdd_FromAURLAndFromTheStore(t *testing.T) {
	c := musical(t)
	c.do("music", "add", "--account", "acme", "--url", "https://example.com/a/Calm%20Sea.flac", "--title", "Calm Sea")
	if s := c.track("acme", "track-1").Spec; s.Title != "Calm Sea" || *s.Source.URL != "https://example.com/a/Calm%20Sea.flac" || s.BrandRef != nil || s.License != nil || s.BPM != nil {
		t.Errorf("got spec %+v", s)
	}
	c.do("music", "add", "--all-accounts", "--blob-key", "imports/shared/calm.flac")
	if s := c.track("reelops-system", "track-2").Spec; s.Title != "calm" || *s.Source.BlobKey != "imports/shared/calm.flac" {
		t.Errorf("got spec %+v", s)
	}
	c.do("music", "add", "--all-accounts", "--library-namespace", "catalog", "--blob-key", "imports/catalog/calm.flac")
	c.track("catalog", "track-3")
}

func TestMusicAdd_RejectsInvalidInput(t *testing.T) {
	c := musical(t)
	list := filepath.Join(t.TempDir(), "list.mp3")
	if err := os.WriteFile(list, []byte("#EXTM3U\nhttp://example.com/a.mp3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for words, line := range map[string][]string{
		"exactly one of":                         {"--account", "acme"},
		"exactly one of FILE":                    {"--account", "acme", "--url", "https://a.example/x.mp3", "--blob-key", "imports/acme/x.mp3"},
		"either --account":                       {"--url", "https://a.example/x.mp3"},
		"either --account or --all-accounts":     {"--account", "acme", "--all-accounts", "--url", "https://a.example/x.mp3"},
		"belong to no brand":                     {"--all-accounts", "--brand", "coffee", "--url", "https://a.example/x.mp3"},
		`no account "nobody"`:                    {"--account", "nobody", "--url", "https://a.example/x.mp3"},
		`no brand "tea"`:                         {"--account", "acme", "--brand", "tea", "--url", "https://a.example/x.mp3"},
		"must begin with":                        {"--account", "acme", "--blob-key", "imports/other/x.mp3"},
		"need --license":                         {"--account", "acme", "--attribution-required", "--url", "https://a.example/x.mp3"},
		"--bpm":                                  {"--account", "acme", "--bpm", "500", "--url", "https://a.example/x.mp3"},
		"not an MP3, AAC, M4A, WAV, FLAC or Ogg": {list, "--account", "acme", "--blob-url", "file://" + t.TempDir()},
		"FILE needs --blob-url":                  {list, "--account", "acme", "--blob-url", ""},
		"no such file":                           {list + ".not", "--account", "acme", "--blob-url", "file://" + t.TempDir()},
	} {
		c.refuse(words, append([]string{"music", "add"}, line...)...)
	}
	var all v1beta1.MusicTrackList
	if err := c.List(t.Context(), &all); err != nil || len(all.Items) != 0 {
		t.Errorf("got %d tracks: %v", len(all.Items), err)
	}
}
