// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"time"

	"gocloud.dev/blob"
)

// Cloud is what the cloud stores each do in their own way. Package clouds has it; a program that only ever opens folders
// needs none.
type Cloud interface {
	// SignUpload makes a URL for one PUT, and the headers that the PUT must carry besides its length.
	SignUpload(ctx context.Context, b *blob.Bucket, key string, u Upload) (url string, headers map[string]string, err error)
	// Digest tells the digest of an object as the store has computed it, of the same kind as the upload's; nil when the
	// store cannot tell.
	Digest(ctx context.Context, b *blob.Bucket, key string, u Upload) ([]byte, error)
	// Sweep removes unfinished writes that were begun before the time.
	Sweep(ctx context.Context, b *blob.Bucket, before time.Time) error
}
