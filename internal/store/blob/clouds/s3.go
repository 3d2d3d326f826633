// SPDX-License-Identifier: Apache-2.0

package clouds

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	s3client "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	cdk "gocloud.dev/blob"

	"github.com/reelops/reelops/internal/store/blob"
)

// s3 is Amazon S3 and the stores that are compatible with it.
type s3 struct{ client *s3client.Client }

// errCaptured ends a signing that began only to read its parameters.
var errCaptured = errors.New("captured")

// place returns the bucket's name, and a key as the driver escapes it.
func (s3) place(ctx context.Context, b *cdk.Bucket, key string) (bucket, escaped *string, err error) {
	_, err = b.SignedURL(ctx, key, &cdk.SignedURLOptions{Method: http.MethodPut, BeforeSign: func(as func(any) bool) error {
		var in *s3client.PutObjectInput
		if !as(&in) {
			return errUnknown
		}
		bucket, escaped = in.Bucket, in.Key
		return errCaptured
	}})
	if bucket == nil {
		return nil, nil, err
	}
	return bucket, escaped, nil
}

// signUpload binds length, type and digest as signed headers. Signers usually move x-amz- headers to the query, where a
// store would not compare them with the request.
func (s s3) signUpload(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) (string, map[string]string, error) {
	bucket, escaped, err := s.place(ctx, b, key)
	if err != nil {
		return "", nil, err
	}
	in := &s3client.PutObjectInput{Bucket: bucket, Key: escaped}
	if u.ContentType != "" {
		in.ContentType = aws.String(u.ContentType)
	}
	if u.Bytes >= 0 {
		in.ContentLength = aws.Int64(u.Bytes)
	}
	if u.MD5 != nil {
		in.ContentMD5 = aws.String(base64.StdEncoding.EncodeToString(u.MD5))
	} else if u.SHA256 != nil {
		in.ChecksumSHA256 = aws.String(base64.StdEncoding.EncodeToString(u.SHA256))
	}
	p, err := s3client.NewPresignClient(s.client, s3client.WithPresignExpires(u.Valid), func(o *s3client.PresignOptions) {
		o.ClientOptions = append(o.ClientOptions, func(o *s3client.Options) {
			// Otherwise the checksum of the empty body would be signed.
			o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
		})
		o.Presigner = v4.NewSigner(func(o *v4.SignerOptions) { o.DisableURIPathEscaping, o.DisableHeaderHoisting = true, true })
	}).PresignPutObject(ctx, in)
	if err != nil {
		return "", nil, err
	}
	headers := map[string]string{}
	for name := range p.SignedHeader {
		switch http.CanonicalHeaderKey(name) {
		case "Host", "Content-Length": // every client sends these by itself
		case "Content-Md5":
			headers[blob.HeaderMD5] = p.SignedHeader.Get(name)
		case "X-Amz-Checksum-Sha256":
			headers[blob.HeaderSHA256] = p.SignedHeader.Get(name)
		default:
			headers[http.CanonicalHeaderKey(name)] = p.SignedHeader.Get(name)
		}
	}
	return p.URL, headers, nil
}

// digest requests the SHA-256 that was stored with the object. It returns nil for MD5, which the object's attributes
// hold.
func (s s3) digest(ctx context.Context, b *cdk.Bucket, key string, u blob.Upload) ([]byte, error) {
	if u.SHA256 == nil {
		return nil, nil
	}
	bucket, escaped, err := s.place(ctx, b, key)
	if err != nil {
		return nil, err
	}
	head, err := s.client.HeadObject(ctx, &s3client.HeadObjectInput{Bucket: bucket, Key: escaped, ChecksumMode: types.ChecksumModeEnabled})
	if err != nil {
		return nil, err
	}
	if head.ChecksumSHA256 == nil {
		return nil, nil
	}
	sum, err := base64.StdEncoding.DecodeString(*head.ChecksumSHA256)
	if err != nil { // the composite checksum of a multipart object, which is not the checksum of its bytes
		return nil, nil //nolint:nilerr // the store has no checksum of the bytes
	}
	return sum, nil
}

// sweep aborts abandoned multipart uploads. Their parts appear in no listing of objects, and cost money.
func (s s3) sweep(ctx context.Context, b *cdk.Bucket, before time.Time) error {
	bucket, _, err := s.place(ctx, b, "any")
	if err != nil {
		return err
	}
	pages := s3client.NewListMultipartUploadsPaginator(s.client, &s3client.ListMultipartUploadsInput{Bucket: bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return fmt.Errorf("listing multipart uploads: %w", err)
		}
		for _, u := range page.Uploads {
			if u.Initiated == nil || !u.Initiated.Before(before) {
				continue
			}
			var gone *types.NoSuchUpload
			_, err := s.client.AbortMultipartUpload(ctx, &s3client.AbortMultipartUploadInput{Bucket: bucket, Key: u.Key, UploadId: u.UploadId})
			if err != nil && !errors.As(err, &gone) {
				return fmt.Errorf("aborting a multipart upload: %w", err)
			}
		}
	}
	return nil
}
