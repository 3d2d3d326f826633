// SPDX-License-Identifier: Apache-2.0

package blob_test

import (
	"encoding/base64"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/reelops/reelops/internal/store/blob"
	"github.com/reelops/reelops/internal/testkit/s3server"
)

func base64Of(b []byte) string { return base64.StdEncoding.EncodeToString(b) }

// begin begins a multipart upload and abandons it.
func begin(t *testing.T, server *s3server.Server, key string) {
	t.Helper()
	if _, err := server.Client().CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{
		Bucket: aws.String(s3server.Bucket), Key: &key,
	}); err != nil {
		t.Fatal(err)
	}
}

// unfinished returns the number of unfinished multipart uploads of a key. The server lists them only for the whole
// key.
func unfinished(t *testing.T, server *s3server.Server, key string) int {
	t.Helper()
	l, err := server.Client().ListMultipartUploads(t.Context(), &s3.ListMultipartUploadsInput{Bucket: aws.String(s3server.Bucket), Prefix: &key})
	if err != nil {
		t.Fatal(err)
	}
	return len(l.Uploads)
}

// TestStore_InstallationsShareABucket gives two stores a bucket, each with a prefix. Neither sees, changes or deletes
// what the other one has.
func TestStore_InstallationsShareABucket(t *testing.T) {
	server := s3server.Start(t)
	eu, us := onCloud(t, server.URL()+"&prefix=eu/"), onCloud(t, server.URL()+"&prefix=us/")
	const key, upload = "shorts/acme/1/film.mp4", "uploads/acme/1"
	text := func(s *blob.Store, key string) string {
		t.Helper()
		url, err := s.SignedGet(t.Context(), key, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.Get(url)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = res.Body.Close() }()
		b, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			return res.Status
		}
		return string(b)
	}
	for name, s := range map[string]*blob.Store{"eu": eu, "us": us} {
		if err := s.Put(t.Context(), key, "video/mp4", strings.NewReader("film of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	url, headers, err := eu.SignedUpload(t.Context(), upload, blob.Upload{ContentType: "image/png", Bytes: 5, Valid: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	if code, body := send(t, url, headers, strings.NewReader("photo"), 5); code != http.StatusOK {
		t.Fatalf("an upload: %d, %s", code, body)
	}
	if got := text(eu, upload); got != "photo" {
		t.Errorf("the upload is %q", got)
	}
	keys := func(s *blob.Store) (out []string) {
		t.Helper()
		if err := s.Walk(t.Context(), "", func(o blob.Object) error { out = append(out, o.Key); return nil }); err != nil {
			t.Fatal(err)
		}
		slices.Sort(out)
		return out
	}
	if got := keys(eu); !slices.Equal(got, []string{key, upload}) {
		t.Errorf("one store has %q", got)
	}
	if got := keys(us); !slices.Equal(got, []string{key}) {
		t.Errorf("the other store has %q", got)
	}
	if err := eu.DeletePrefix(t.Context(), "shorts/"); err != nil {
		t.Fatal(err)
	}
	if got := text(us, key); got != "film of us" {
		t.Errorf("after the deletion in the other store: %q", got)
	}
}
