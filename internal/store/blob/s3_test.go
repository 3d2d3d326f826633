// SPDX-License-Identifier: Apache-2.0

package blob_test

import (
	"encoding/base64"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

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
