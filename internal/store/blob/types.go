// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"path"
	"strings"
)

// types maps the extension of a key to the content type. Every stored object has one of these extensions.
var types = map[string]string{
	".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".webp": "image/webp", ".gif": "image/gif",
	".heic": "image/heic", ".heif": "image/heif",
	".mp4": "video/mp4", ".webm": "video/webm", ".mov": "video/quicktime",
	".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".aac": "audio/aac", ".wav": "audio/wav", ".flac": "audio/flac", ".ogg": "audio/ogg", ".opus": "audio/ogg",
	".json": "application/json", ".vtt": "text/vtt", ".parquet": "application/vnd.apache.parquet",
}

// ContentType returns the content type for the extension of a key.
func ContentType(key string) string {
	if t, ok := types[strings.ToLower(path.Ext(key))]; ok {
		return t
	}
	return "application/octet-stream"
}
