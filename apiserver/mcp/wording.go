// SPDX-License-Identifier: Apache-2.0

package mcp

import "strings"

// words replaces the paths in API texts by tool names. Longer patterns precede shorter ones.
var words = strings.NewReplacer(
	"GET /media?source=stock&media_type=avatar_video", "search_media with source stock and media_type avatar_video",
	"source=stock&media_type=avatar_video", "source stock and media_type avatar_video",
	"GET /api/v1/background_music", "search_media with library music",
	"GET /background_music", "search_media with library music",
	"GET /api/v1/media_packs", "search_media with library packs",
	"GET /media_packs", "search_media with library packs",
	"GET /api/v1/media", "search_media",
	"GET /media", "search_media",
	"GET /api/v1/capabilities", "get_capabilities",
	"GET /capabilities", "get_capabilities",
	"GET /api/v1/connections", "list_connections",
	"GET /connections", "list_connections",
	"POST /api/v1/connections/link", "create_connect_link",
	"POST /connections/link", "create_connect_link",
	"GET /api/v1/jobs/{id}", "get_job",
	"GET /jobs/{id}", "get_job",
	"GET /api/v1/account", "get_account",
	"GET /account", "get_account",
	"POST /api/v1/posts/validate", "validate_post",
	"POST /posts/validate", "validate_post",
	"POST /api/v1/posts", "create_post",
	"POST /posts", "create_post",
	"GET /api/v1/posts", "list_posts",
	"GET /posts", "list_posts",
	"DELETE /posts/{id}", "cancel_post",
	"POST /api/v1/media", "upload_media",
	"POST /media", "upload_media",
	"POST /direct_uploads", "upload_media",
	"POST /api/v1/slideshows", "create_slideshow",
	"POST /slideshows/{id}/render", "render_slideshow",
	"POST /slideshows", "create_slideshow",
	"POST /videos", "create_video",
	"GET /shorts/{id}", "list_shorts with short_id",
	"GET /shorts", "list_shorts",
	"GET /analytics", "get_analytics",
)

// spoken returns an API text with tool names in place of paths.
func spoken(text string) string { return words.Replace(text) }
