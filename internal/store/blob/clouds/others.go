// SPDX-License-Identifier: Apache-2.0

package clouds

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"time"

	google "cloud.google.com/go/storage"
	cdk "gocloud.dev/blob"

	"github.com/reelops/reelops/internal/store/blob"
)

// gcs is Google Cloud Storage. It keeps no parts of unfinished writes, and computes no SHA-256.
type gcs struct{}

func (gcs) signUpload(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) (string, map[string]string, error) {
	headers := map[string]string{}
	o := &cdk.SignedURLOptions{Method: http.MethodPut, Expiry: u.Valid, ContentType: u.ContentType}
	if u.ContentType != "" {
		headers["Content-Type"] = u.ContentType
	}
	o.BeforeSign = func(as func(any) bool) error {
		var g *google.SignedURLOptions
		if !as(&g) {
			return errUnknown
		}
		if u.MD5 != nil {
			g.MD5 = base64.StdEncoding.EncodeToString(u.MD5)
			headers[blob.HeaderMD5] = g.MD5
		}
		if u.Bytes >= 0 {
			exact := fmt.Sprintf("%d,%d", u.Bytes, u.Bytes)
			g.Headers = append(g.Headers, "x-goog-content-length-range:"+exact)
			headers["x-goog-content-length-range"] = exact
		}
		return nil
	}
	url, err := b.SignedURL(ctx, key, o)
	return url, headers, err
}

func (gcs) digest(context.Context, *cdk.Bucket, string, blob.Upload) ([]byte, error) { return nil, nil }

func (gcs) sweep(context.Context, *cdk.Bucket, time.Time) error { return nil }

// azblob is Azure Blob Storage. Its signed URLs bind no headers. It checks a Content-MD5 header if one is sent, and
// discards uncommitted blocks by itself.
type azblob struct{}

func (azblob) signUpload(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) (string, map[string]string, error) {
	headers := map[string]string{"x-ms-blob-type": "BlockBlob"}
	if u.ContentType != "" {
		headers["Content-Type"] = u.ContentType
	}
	if u.MD5 != nil {
		headers[blob.HeaderMD5] = base64.StdEncoding.EncodeToString(u.MD5)
	}
	url, err := b.SignedURL(ctx, key, &cdk.SignedURLOptions{Method: http.MethodPut, Expiry: u.Valid})
	return url, headers, err
}

func (azblob) digest(context.Context, *cdk.Bucket, string, blob.Upload) ([]byte, error) {
	return nil, nil
}

func (azblob) sweep(context.Context, *cdk.Bucket, time.Time) error { return nil }
