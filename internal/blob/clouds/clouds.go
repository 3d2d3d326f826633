// SPDX-License-Identifier: Apache-2.0

// Package clouds makes the store know s3://, gs:// and azblob:// URLs. Programs import it for that effect; it is apart
// from the store so that what only needs a folder does not carry three vendors' SDKs.
package clouds

import (
	_ "gocloud.dev/blob/azureblob" // azblob:// URLs
	_ "gocloud.dev/blob/gcsblob"   // gs:// URLs
	_ "gocloud.dev/blob/s3blob"    // s3:// URLs
)
