// SPDX-License-Identifier: Apache-2.0

package mcp

// instructions is the introduction for agents.
const instructions = `Creates short-form posts for one brand: generates slideshows, builds hook-and-demo videos, publishes them to TikTok, YouTube, Instagram and LinkedIn, and reads their analytics.
1. get_account: plan and scopes. get_capabilities: every accepted value.
2. create_slideshow with a context (or create_video with an avatar of search_media) returns a job_id, which is also the short_id. Always pass an idempotency_key.
3. get_job with wait 25 until status is succeeded or failed.
4. list_shorts with short_id and include_images shows the slides; update_slideshow changes them.
5. render_slideshow makes the video; get_job again until result.video_url is filled. (A video of create_video needs no render.)
6. list_connections shows the social accounts; create_connect_link returns a link with which a person connects a missing one.
7. validate_post checks without posting; create_post publishes or schedules, which cannot be undone: ask the person first. list_posts shows the outcome.
8. refresh_analytics, wait, then get_analytics.
Every result is {"success": true, "data", "meta"} or {"success": false, "errors": [{"code", "message", "retryable", "details"}]}: decide by errors[].code; get_capabilities with error_code explains one.
URLs of images and videos work without a key for 7 days.`

// tools lists all tools, in the order of a typical workflow. No tool combines reads with changes, and combined
// operations are of one kind.
var tools = []*tool{
	{
		name: "get_account", title: "Get the account, its plan and brands",
		about: `The account of the key: plan with the slideshows left in this period (plan.capabilities.slideshows_remaining), brands, the key's scopes. Call it first, and after quota_exceeded.
include ["brands"]: the list of brands instead. include ["brand"]: one brand in full: profile, slideshow defaults, connected platforms.`,
		gives: []string{"user", "plan", "brands", "api_key", "id", "name", "profile", "connected_platforms"},
		reads: true, repeatable: true,
		variants: []variant{
			{operation: "list_brands", given: "include", with: "brands"},
			{operation: "get_brand", given: "include", with: "brand"},
			{operation: "get_account"},
		},
		own: map[string]object{"include": {
			"type": "array", "maxItems": 1, "items": object{"type": "string", "enum": []string{"brands", "brand"}},
			"description": "Default: the account.",
		}},
	},
	{
		name: "get_capabilities", title: "Get accepted values and limits",
		about: `The values that the other tools accept: design_styles, image_worlds, overlay_fonts and overlay_limits, aspect_ratios, slide_count, image_sources, ai_images (whether they are affordable, and what they cost), limits of videos, media and schedules, platforms with title and caption limits (platform_rules). Read it once before creating; version changes when a value changes.
error_code: the cause and fix of one error instead.`,
		gives: []string{"version", "design_styles", "image_worlds", "overlay_fonts", "aspect_ratios", "platform_rules", "cause", "fix"},
		reads: true, repeatable: true,
		variants: []variant{{operation: "get_error", given: "error_code", id: "error_code"}, {operation: "get_capabilities"}},
		own:      map[string]object{"error_code": withText("An errors[].code, such as quota_exceeded.")},
	},
	{
		name: "search_media", title: "Find media, packs and music",
		about: `Lists media for slideshows and videos.
- library media (default): images and clips of source own (the brand's), packs or stock (query searches by meaning). Avatars that can speak: source stock, media_type avatar_video. The id is accepted by create_video and as media_id of a slide. media_id: one item. An item is usable when its status is ready.
- library packs: sets of images for create_slideshow: image_source {"type": "pack", "media_pack_id": id}.
- library music: tracks for background_music_id.
Only media has pages (per_page up to {page}) and filters. Your own files: upload_media.`,
		gives: []string{"id", "title", "kind", "status", "url", "tags"},
		reads: true, repeatable: true, outside: true,
		variants: []variant{
			{operation: "list_media_packs", given: "library", with: "packs"},
			{operation: "list_background_music", given: "library", with: "music"},
			{operation: "get_media", given: "media_id", id: "media_id"},
			{operation: "list_media", given: "library", with: "media"},
			{operation: "list_media"},
		},
		own: map[string]object{"library": {
			"type": "string", "enum": []string{"media", "packs", "music"}, "default": "media", "description": "What to list.",
		}, "media_id": withText("One item.")},
	},
	{
		name: "upload_media", title: "Upload an image or clip",
		about: `Uploads a file to the brand's library, in three steps:
1. Call it with filename, byte_size, checksum and content_type. It returns signed_id and direct_upload {url, headers}.
2. Send the bytes yourself: curl -X PUT --data-binary @FILE -H "NAME: VALUE" "URL", one -H for each of direct_upload.headers. 200 or 204 is success.
3. Call it with signed_id (and title, media_type, tags). It returns the media item; search_media with media_id shows when its status is ready.
Images up to {image} MB, clips up to {clip} MB. Without step 3 the file is deleted.`,
		gives: []string{"signed_id", "direct_upload", "id", "status", "url"},
		variants: []variant{
			{operation: "create_media", given: "signed_id", rename: map[string]string{"signed_id": "file"}},
			{operation: "create_direct_upload"},
		},
		own: map[string]object{
			"signed_id": withText("Step 3: the signed_id of step 1 (errors name it file)."),
		},
		next: nextOfUpload,
	},
	{
		name: "create_slideshow", title: "Create a slideshow",
		about: `Writes and lays out a slideshow of {slides} slides from a context, or lays out slides with your own texts; all other arguments have defaults. Returns a job: call get_job with wait 25. The job_id is the short_id. auto_render adds the video under the same job. Otherwise review (list_shorts with short_id and include_images), edit (update_slideshow), then render_slideshow; platforms with photo sets take the slides without a video.
Costs one slideshow of the plan, and credits with image_source type ai. A key has {creations}.`,
		gives:    []string{"job_id", "kind", "status", "progress", "poll_after_seconds", "result", "error"},
		outside:  true,
		variants: only("create_slideshow"), next: nextOfJob,
	},
	{
		name: "update_slideshow", title: "Edit a slideshow",
		about: `Changes a finished slideshow; omitted fields stay unchanged. Read it first (list_shorts with short_id). slides: the slides to change, by id. position {x, y} is the center of a text block in percent of the canvas.
Returns the changed slideshow with its images; meta.normalizations lists the values that were adjusted to the limits. A visual change makes its video stale: render_slideshow again.
job_in_progress: work on it is still running; get_job with wait 25, then repeat.`,
		gives:    []string{"id", "status", "title", "caption", "tags", "video_url", "render_status", "type_data"},
		images:   imagesOfShort,
		destroys: true, repeatable: true,
		variants: only("update_slideshow", "short_id"),
		own:      map[string]object{"short_id": withText("The slideshow.")},
	},
	{
		name: "render_slideshow", title: "Render a slideshow to video",
		about: `Renders the MP4 of a slideshow whose slides are finished. Returns a job of kind render: call get_job with wait 25 until result.video_url is filled.
job_in_progress: work on it is still running. conflict: the slides already have a video (details.video_url), or there are no slides. A key has {creations}.`,
		gives:      []string{"job_id", "kind", "status", "progress", "poll_after_seconds", "result", "error"},
		repeatable: true,
		variants:   only("render_slideshow", "short_id"),
		own:        map[string]object{"short_id": withText("The slideshow.")},
		next:       nextOfJob,
	},
	{
		name: "create_video", title: "Create a hook-and-demo video",
		about: `Creates a video in which an avatar speaks a hook and demo clips show the product. Needs avatar_media_id (search_media with source stock and media_type avatar_video, or an upload) or avatar_url. Demos: product_demo_media_ids, product_demo_urls, or clips with fit, trim and texts; at most {demos}, each used up to {demo}, the video at most {film}. voice.name: a voice of get_capabilities. Returns a job: call get_job with wait 25; result.video_url needs no render.
Costs one slideshow of the plan. error.details.field names a clip that failed the job. A key has {creations}.`,
		gives:    []string{"job_id", "kind", "status", "progress", "poll_after_seconds", "result", "error"},
		outside:  true,
		variants: only("create_video"), next: nextOfJob,
	},
	{
		name: "get_job", title: "Get a job, or wait for it",
		about: `The latest job of a short: status queued, processing, succeeded or failed, progress in percent. With wait (up to 25) the call returns when the job succeeds or fails, or after that many seconds. Without it, poll no faster than poll_after_seconds: each call counts ({calls}).
succeeded: result has short_id, preview_url, slides.count and, once there is one, video_url (URLs work for 7 days). failed: the call itself succeeds; error {code, message, retryable} is the cause.`,
		gives:  []string{"job_id", "kind", "status", "progress", "poll_after_seconds", "status_message", "result", "error"},
		images: imagesOfJob,
		reads:  true, repeatable: true,
		variants: only("get_job", "job_id"),
		own:      map[string]object{"job_id": withText("The same number as the short_id.")},
		next:     nextOfJob,
	},
	{
		name: "list_shorts", title: "List shorts, or get one",
		about: `The brand's slideshows (SLIDESHOW) and hook-and-demo videos (UGC), newest first, in pages (per_page up to {page}), by filters.
short_id: one short in full instead, with slides (type_data: ids, texts, images), video, job and posts. Read that before update_slideshow and before posting. URLs work without a key for 7 days.`,
		gives:  []string{"id", "short_type", "status", "title", "caption", "slide_count", "video_url", "render_status", "type_data", "job", "posts"},
		images: imagesOfShort,
		reads:  true, repeatable: true,
		variants: []variant{{operation: "get_short", given: "short_id", id: "short_id"}, {operation: "list_shorts"}},
		own:      map[string]object{"short_id": withText("One short in full.")},
	},
	{
		name: "list_connections", title: "List connected social accounts",
		about: `The social accounts that a person connected for the brand: social_data_id (for posting and analytics), platform, account_name, token_status, posts left (rate_limit), posting_modes, and ready_to_post, which is true if it can post now. not_connected: platforms without an account. An account whose token_status is expired or revoked needs a new link (create_connect_link); its id stays.`,
		gives: []string{"accounts", "not_connected", "supported_platforms"},
		reads: true, repeatable: true,
		variants: only("list_connections"),
	},
	{
		name: "create_connect_link", title: "Create a link to connect an account",
		about:    `Returns a link with which a person connects, or reconnects, an account on tiktok, youtube, instagram or linkedin. Give authorize_url and the steps to the person: you cannot open it for them, and it expires (expires_in_seconds). Afterwards list_connections shows the account. platform_not_configured: this installation does not support the platform.`,
		gives:    []string{"authorize_url", "expires_in_seconds", "steps"},
		outside:  true,
		variants: only("create_connect_link"), next: nextOfLink,
	},
	{
		name: "validate_post", title: "Check a post without posting",
		about: `A dry run of create_post with the same arguments: posts nothing. Checks the short, the accounts, title and caption against the platform's limits, posts left, and scheduled_at. The call succeeds even with problems: ok false, issues of the request, and verdicts with ok and issues of each account. Use it before create_post, correct the problems, and show the person what will be posted.`,
		gives: []string{"ok", "issues", "verdicts"},
		reads: true, repeatable: true,
		variants: only("validate_post"),
		own: map[string]object{
			"platform_customizations": {"type": "object", "description": asInCreatePost},
			"media":                   withText(asInCreatePost), "title": withText(asInCreatePost), "caption": withText(asInCreatePost),
		},
	},
	{
		name: "create_post", title: "Publish or schedule a post",
		about: `Publishes a short to social accounts, now or at scheduled_at. It cannot be undone: ask the person first, unless they told you to post. Targets: social_data_ids (from list_connections), platforms (every account on them), or both. Title and caption are the short's unless given, for all accounts or in platform_customizations for single ones; media: video or photo_set.
overall_status (success, partial, failed) and results: share_id is the post's id, error is the reason if an account was rejected. pending means accepted, not yet published: list_posts shows when it becomes success (post_url) or failed. A brand may hold posts as draft until a person approves.
scheduled_at: {lead} to {ahead} ahead, with an offset: 2026-11-22T18:00:00Z. A key has {posts}.`,
		gives:    []string{"overall_status", "results", "short_id"},
		destroys: true, outside: true,
		variants: only("create_post"),
		own: map[string]object{
			"platform_customizations": withText(`By social_data_id: {"12": {"caption": "Only here", "tiktok": {"privacy_level": "SELF_ONLY"}}}. Default: the short's title and caption, and the brand's posting defaults.`),
		},
		next: nextOfPost,
	},
	{
		name: "list_posts", title: "List posts, or get one",
		about: `The brand's posts with their media_kind, title and caption, newest first, in pages (per_page up to {page}), one for each account: status (draft, pending, scheduled, success, failed, cancelled, retrying), post_url once it is published, error if it failed. post_id: one post instead. After create_post call it about every 15 seconds while a post is pending or retrying.`,
		gives: []string{"id", "short_id", "social_data_id", "platform", "status", "scheduled_at", "post_url", "error"},
		reads: true, repeatable: true,
		variants: []variant{{operation: "get_post", given: "post_id", id: "post_id"}, {operation: "list_posts"}},
		own:      map[string]object{"post_id": withText("One post.")},
	},
	{
		name: "cancel_post", title: "Cancel a post",
		about:    `Cancels a post that is draft, pending or scheduled. Returns the cancelled post. not_cancellable: it is published, failed, cancelled, or being sent; a live post can only be removed on the platform, by a person.`,
		gives:    []string{"id", "status"},
		destroys: true, repeatable: true,
		variants: only("cancel_post", "post_id"),
		own:      map[string]object{"post_id": withText("id of list_posts, share_id of create_post.")},
	},
	{
		name: "get_analytics", title: "Get analytics",
		about: `The accounts with analytics: followers, posts, views, last refresh; supported_platforms and note name the platforms that report them.
social_data_id: one account in full: summary (sums of the period, follower_change, engagement_rate = (likes + comments + shares + favorites) / views) and posts, in pages. null means that the platform does not report the metric; it is not 0. All values are as of last_refreshed_at: refresh_analytics reads newer ones.`,
		gives: []string{"accounts", "note", "account", "summary", "posts"},
		reads: true, repeatable: true,
		variants: []variant{{operation: "get_account_analytics", given: "social_data_id", id: "social_data_id"}, {operation: "list_analytics"}},
		own:      map[string]object{"social_data_id": withText("One account in full.")},
	},
	{
		name: "refresh_analytics", title: "Refresh analytics",
		about:      `Reads the current analytics of an account from the platform. Wait poll_after_seconds, then call get_analytics with the same social_data_id. Each account can be refreshed {refreshes}: rate_limited means that the stored analytics are recent. token_expired: a person must reconnect the account (create_connect_link).`,
		gives:      []string{"status", "poll_after_seconds"},
		repeatable: true, outside: true,
		variants: only("refresh_analytics", "social_data_id"),
		own:      map[string]object{"social_data_id": withText("The account.")},
		next:     nextOfRefresh,
	},
}

// asInCreatePost describes arguments of validate_post.
const asInCreatePost = "As in create_post."
