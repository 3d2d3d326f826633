// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"time"

	"gocloud.dev/blob"
)

// Cloud contains what each cloud store does in its own way. Package clouds implements it. A program that only opens
// folders needs no Cloud.
type Cloud interface {
	// SignUpload returns a URL for one PUT, and the headers that the PUT must carry besides its length.
	SignUpload(ctx context.Context, b *blob.Bucket, key string, u Upload) (url string, headers map[string]string, err error)
	// Digest returns the digest of an object as the store has computed it, of the same kind as the upload's. It returns
	// nil when the store does not report one.
	Digest(ctx context.Context, b *blob.Bucket, key string, u Upload) ([]byte, error)
	// Sweep removes unfinished writes that began before the time.
	Sweep(ctx context.Context, b *blob.Bucket, before time.Time) error
}
