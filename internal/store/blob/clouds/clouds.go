// SPDX-License-Identifier: Apache-2.0

// Package clouds supports s3://, gs:// and azblob:// URLs in the store, and implements what each of these stores does
// in its own way. It is a separate package so that programs that only need a folder do not link three vendors' SDKs.
package clouds

import (
	"context"
	"errors"
	"time"

	google "cloud.google.com/go/storage"
	azure "github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	s3client "github.com/aws/aws-sdk-go-v2/service/s3"
	cdk "gocloud.dev/blob"
	_ "gocloud.dev/blob/azureblob" // azblob:// URLs
	_ "gocloud.dev/blob/gcsblob"   // gs:// URLs
	_ "gocloud.dev/blob/s3blob"    // s3:// URLs

	"github.com/reelops/reelops/internal/store/blob"
)

// vendor implements blob.Cloud for one of the stores.
type vendor interface {
	signUpload(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) (string, map[string]string, error)
	digest(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) ([]byte, error)
	sweep(ctx context.Context, b *cdk.Bucket, before time.Time) error
}

// Stores implements blob.Cloud for every store of this package.
type Stores struct{}

var _ blob.Cloud = Stores{}

var errUnknown = errors.New("unsupported blob store")

// of returns the vendor of a bucket, found by the type of the bucket's client.
func of(b *cdk.Bucket) (vendor, error) {
	var s *s3client.Client
	if b.As(&s) {
		return s3{client: s}, nil
	}
	var g *google.Client
	if b.As(&g) {
		return gcs{}, nil
	}
	var a *azure.Client
	if b.As(&a) {
		return azblob{}, nil
	}
	return nil, errUnknown
}

// SignUpload returns a URL for one PUT, and the headers that the PUT must carry besides its length.
func (Stores) SignUpload(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) (url string, headers map[string]string, err error) {
	v, err := of(b)
	if err != nil {
		return "", nil, err
	}
	return v.signUpload(ctx, b, key, u)
}

// Digest returns the digest of an object as the store has computed it, or nil when the store does not report one.
func (Stores) Digest(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) ([]byte, error) {
	v, err := of(b)
	if err != nil {
		return nil, err
	}
	return v.digest(ctx, b, key, u)
}

// Sweep removes unfinished writes that began before the time.
func (Stores) Sweep(ctx context.Context, b *cdk.Bucket, before time.Time) error {
	v, err := of(b)
	if err != nil {
		return err
	}
	return v.sweep(ctx, b, before)
}
