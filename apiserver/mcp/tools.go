// SPDX-License-Identifier: Apache-2.0

package mcp

// instructions are what an agent reads first.
const instructions = `Makes short-form posts for one brand: writes slideshows, cuts hook-and-demo videos, publishes them to TikTok, YouTube, Instagram and LinkedIn, and reads how they did.
1. get_account: who the key is, what the plan has left. get_capabilities: every accepted value (styles, ratios, limits).
2. create_slideshow with a context (or create_video with an avatar from search_media) answers at once with a job_id. Always pass an idempotency_key.
3. get_job with that job_id, waiting poll_after_seconds between calls, until status is succeeded or failed. The job_id is also the short_id.
4. list_shorts with short_id shows slides and words; update_slideshow changes them.
5. render_slideshow makes the video, followed by get_job again until result.video_url is filled. (A video of create_video needs no render.)
6. list_connections shows the social accounts; create_connect_link gives a link for a person where one is missing.
7. validate_post checks without posting; create_post publishes or schedules, which nobody can take back: ask the person first. list_posts tells how it went.
8. refresh_analytics, wait, then get_analytics reads the numbers.
Every result is {"success": true, "data", "meta"} or {"success": false, "errors": [{"code", "message", "retryable", "details"}]}: decide by errors[].code; get_capabilities with error_code explains one.`

// tools are all there are, in the order in which a job goes. A read is never joined with a change; what is joined is of one family.
var tools = []*tool{
	{
		name: "get_account", title: "Account, plan and brands",
		about: `Who the API key is: the account, its plan with the slideshows left in this period (plan.capabilities.slideshows_remaining), its brands, and the key's own scopes. Call it first, and again after quota_exceeded.
With include ["brands"] it returns the list of brands with counts instead; with include ["brand"] one brand in full: profile (who speaks to whom), defaults of its slideshows, connected platforms. brand_id picks another brand than the key's own for these two.
Next: get_capabilities, then create_slideshow or create_video.`,
		reads: true, repeatable: true,
		variants: []variant{
			{operation: "list_brands", given: "include", with: "brands"},
			{operation: "get_brand", given: "include", with: "brand"},
			{operation: "get_account"},
		},
		own: map[string]object{"include": {
			"type": "array", "maxItems": 1, "items": object{"type": "string", "enum": []string{"brands", "brand"}},
			"description": `["brands"] for the list of brands, ["brand"] for one brand in full. Left out: the account.`,
		}},
	},
	{
		name: "get_capabilities", title: "Accepted values and limits",
		about: `Every value that the other tools accept, from the code that enforces it: design_styles, image_worlds, overlay_fonts and overlay_limits, aspect_ratios, slide_count, image_sources, whether AI images are affordable now and what they cost (ai_images), video limits, media limits, platforms with title and caption caps (platform_rules), scheduling limits, and how long to wait between polls. Read it once before creating; version changes when a value changes.
With error_code it explains one error instead: its cause, and the fix. Use that when a call fails with a code that you do not know.`,
		reads: true, repeatable: true,
		variants: []variant{{operation: "get_error", given: "error_code", id: "error_code"}, {operation: "get_capabilities"}},
		own:      map[string]object{"error_code": said("A code of errors[].code, such as quota_exceeded. Left out: all capabilities.")},
	},
	{
		name: "search_media", title: "Find media, packs and music",
		about: `Finds what slideshows and videos are made of, by library:
- media (default): pictures and clips. source own (the brand's uploads, default), packs, or stock (found by meaning with query). For an avatar that can speak a hook: source stock, media_type avatar_video. The id goes into create_video (avatar_media_id, product_demo_media_ids) or into a slide of update_slideshow (media_id).
- packs: sets of pictures. The id goes into create_slideshow as image_source {"type": "pack", "media_pack_id": id}.
- music: background tracks. The id goes into background_music_id.
media is listed in pages (page from 1, per_page up to {page}; meta.pagination tells how many); packs and music come at once and take no filter. An item can be used when its status is ready. Files of your own: upload_media.`,
		reads: true, repeatable: true, outside: true,
		variants: []variant{
			{operation: "list_media_packs", given: "library", with: "packs"},
			{operation: "list_background_music", given: "library", with: "music"},
			{operation: "list_media", given: "library", with: "media"},
			{operation: "list_media"},
		},
		own: map[string]object{"library": {
			"type": "string", "enum": []string{"media", "packs", "music"}, "default": "media", "description": "What to look through.",
		}},
	},
	{
		name: "upload_media", title: "Upload a picture or clip",
		about: `Brings a file of your own into the brand's library, in three steps:
1. Call it with filename, byte_size, checksum and content_type. It returns signed_id and direct_upload {url, headers}.
2. Send the bytes yourself, not through this tool: curl -X PUT --data-binary @FILE -H "NAME: VALUE" "URL", with one -H for every entry of direct_upload.headers and URL = direct_upload.url. 200 or 204 is success.
3. Call it again with signed_id (and title, media_type, tags). It returns the media item; its id is used by create_video and update_slideshow. Until status is ready (seconds) look again with search_media.
checksum: base64 of the MD5 (openssl dgst -md5 -binary FILE | base64) or SHA-256 of the file. Pictures up to {image} MB (jpeg, png, webp, gif, heic, heif), clips up to {clip} MB (mp4, webm, quicktime). An upload that is never registered with step 3 is removed.`,
		variants: []variant{
			{operation: "create_media", given: "signed_id", rename: map[string]string{"signed_id": "file"}},
			{operation: "create_direct_upload"},
		},
		own: map[string]object{
			"signed_id": said("Step 3: the signed_id of step 1, once the bytes were sent (errors name it file). Left out: step 1."),
		},
		next: nextOfUpload,
	},
	{
		name: "create_slideshow", title: "Create a slideshow",
		about: `Writes and lays out a slideshow of {slides} slides from a context: who it is for and what it should say. Only context is needed; say all that the writer should know in it. What is left out comes from the brand's defaults or is chosen. Answers at once with a job (job_id, status, poll_after_seconds): call get_job with it until succeeded, usually well under a minute. The job_id is the short_id from then on.
With auto_render the video follows by itself under the same job. Otherwise look at the slides (list_shorts with short_id), change them (update_slideshow), then render_slideshow; a set of pictures can also be posted without a video where the platform takes photo sets.
Costs one slideshow of the plan (quota_exceeded when used up), and credits with image_source type ai. A key has {creations}.`,
		outside:  true,
		variants: only("create_slideshow"), next: nextOfJob,
	},
	{
		name: "update_slideshow", title: "Edit a slideshow",
		about: `Changes a finished slideshow: title, caption, tags, aspect_ratio, design_style, background_music_id, gradient_*, the text or picture of single slides, their order. What is left out stays as it is. Read it first with list_shorts and short_id: slides is an array of {id, textOverlays, image_url or media_id}; name only the slides to change, by their ids. textOverlays of a slide replaces all its text, so send every overlay that shall stay; position {x, y} is the middle of a block in percent of the canvas. slide_order lists the ids of the slides that stay, in their new order.
Returns the slideshow as it is now, drawn; meta.normalizations tells what had to be brought inside the limits. A visual change makes an existing video stale and video_url null: render_slideshow again. Changes of title, caption and tags alone keep the video.
job_in_progress while a generation, render or other edit runs: poll get_job, then repeat.`,
		destroys: true, repeatable: true,
		variants: only("update_slideshow", "short_id"),
		own:      map[string]object{"short_id": said("The slideshow: job_id of create_slideshow, or id of list_shorts.")},
	},
	{
		name: "render_slideshow", title: "Render a slideshow to video",
		about: `Makes the MP4 of a slideshow whose slides are finished. Answers at once with a job of kind render: call get_job with the same id every poll_after_seconds ({film_poll}) until status is succeeded and result.video_url is filled, usually one to a few minutes.
job_in_progress: the slides are still made or a render runs already; poll get_job. conflict: the slides as they are have a video already (details.video_url), or there are none. A key has {creations}.`,
		repeatable: true,
		variants:   only("render_slideshow", "short_id"),
		own:        map[string]object{"short_id": said("The slideshow: job_id of create_slideshow, or id of list_shorts.")},
		next:       nextOfJob,
	},
	{
		name: "create_video", title: "Create a hook-and-demo video",
		about: `Makes a video in which an avatar speaks a hook and clips show the product. Only the avatar is needed: avatar_media_id from search_media (source stock, media_type avatar_video, or an upload), or avatar_url. product_demo_media_ids or product_demo_urls follow it, at most {demos}, each used up to {demo}; the film is at most {film}. hook_text (at most {hook} characters) is written from the brand's profile when left out. Answers at once with a job of kind video_generation: call get_job every poll_after_seconds ({film_poll}) until succeeded; result.video_url is the film and nothing has to be rendered.
Costs one slideshow of the plan. A clip that cannot be fetched or read fails the job; error.details.field says which. A key has {creations}.`,
		outside:  true,
		variants: only("create_video"), next: nextOfJob,
	},
	{
		name: "get_job", title: "Wait for a job",
		about: `How far the newest work on a short has come: status queued, processing, succeeded or failed, progress in percent, status_message. While it is queued or processing wait poll_after_seconds ({slideshow_poll} for slides, {film_poll} for renders and videos) and call again; asking faster gains nothing and uses up the calls that a key has ({calls}). The second text of the answer says how long to wait.
succeeded: result has short_id, preview_url, slides.count and, once there is a video, video_url (addresses work without a key for 7 days). failed: this is still a success of the call; error {code, message, retryable} says why, and retryable whether creating it again can help.`,
		reads: true, repeatable: true,
		variants: only("get_job", "job_id"),
		own:      map[string]object{"job_id": said("job_id of the answer that began the work; the short_id is the same number.")},
		next:     nextOfJob,
	},
	{
		name: "list_shorts", title: "List shorts, or read one",
		about: `The slideshows (SLIDESHOW) and hook-and-demo videos (UGC) of the brand, newest first, in pages (per_page up to {page}; meta.pagination). Filters may be combined: short_type, status, created_after, created_before.
With short_id one short in full instead: its slides with their ids, texts and pictures (type_data), thumbnail, video, the job, and the posts made from it. Read that before update_slideshow and before posting. The filters do not apply then. Addresses of pictures and videos work without a key for 7 days; each read makes new ones.`,
		reads: true, repeatable: true,
		variants: []variant{{operation: "get_short", given: "short_id", id: "short_id"}, {operation: "list_shorts"}},
		own:      map[string]object{"short_id": said("One short in full. Left out: the list.")},
	},
	{
		name: "list_connections", title: "List connected social accounts",
		about: `The social accounts that a person connected for the brand: social_data_id (used by validate_post, create_post and the analytics tools), platform, account_name, token_status, how many posts the platform still takes (rate_limit), the posting_modes, and ready_to_post, which sums it up. not_connected lists the platforms without an account, with the steps that a person follows: create_connect_link makes the link. An account whose token_status is expired or revoked needs a new link as well; its id stays the same. Access tokens are never told.`,
		reads: true, repeatable: true,
		variants: only("list_connections"),
	},
	{
		name: "create_connect_link", title: "Make a link to connect an account",
		about:    `Makes a link by which a person connects, or connects again, an account on a platform: tiktok, youtube, instagram or linkedin. Give authorize_url and the steps to the person; you cannot open it for them. The link is good for some minutes (expires_in_seconds). When the person has approved, list_connections shows the account. platform_not_configured: the installation's operator has not set this platform up; other platforms still work.`,
		outside:  true,
		variants: only("create_connect_link"), next: nextOfLink,
	},
	{
		name: "validate_post", title: "Check a post without posting",
		about: `A dry run of create_post with the same arguments: touches nothing and posts nothing. Checks that the short is ready, the connection of each account healthy, title and caption inside the platform's caps, posting headroom left, and scheduled_at far enough ahead. Problems are reported inside a success: ok false, issues for the whole request, and verdicts with ok, issues and rate_limit for each account. Use it before create_post, correct what the issues name, and show the person what will go out.`,
		reads: true, repeatable: true,
		variants: only("validate_post"),
		own:      postArguments,
	},
	{
		name: "create_post", title: "Publish or schedule a post",
		about: `Publishes a short to social accounts, now or at scheduled_at. A public post cannot be taken back from here: ask the person first, unless they told you to post. Name the targets by social_data_ids (from list_connections), by platforms (every account of the brand there), or both. Title and caption come from the short; platform_customizations says something else for single accounts.
Accepted when at least one account can be reached: read overall_status (success, partial, failed), then each of results: share_id is the post's id, error says why an account was left out. One account failing never stops the others; when all fail the call fails with the first reason and details.results. Status pending means accepted, not yet published: list_posts with short_id tells when it became success (post_url) or failed. A brand may hold posts as draft until a person approves.
Always pass idempotency_key: repeating with the same one never posts twice. scheduled_at: at least {lead} and at most {ahead} ahead, with an offset, such as 2026-11-22T18:00:00Z. A key has {posts}.`,
		destroys: true, outside: true,
		variants: only("create_post"), own: postArguments, next: nextOfPost,
	},
	{
		name: "list_posts", title: "List posts",
		about: `The posts of the brand, newest first, in pages (per_page up to {page}; meta.pagination), each one account's part of what was published: id, short_id, social_data_id, platform, status (draft, pending, scheduled, success, failed, cancelled, retrying), scheduled_at, published_at, post_url once it is live, and error when it failed. Filter by short_id, status or platform. Use it after create_post to see what became of it, about every 15 seconds while a post is pending or retrying.`,
		reads: true, repeatable: true,
		variants: only("list_posts"),
	},
	{
		name: "cancel_post", title: "Cancel a post",
		about:    `Cancels a post that has not gone out: status draft, pending or scheduled. Returns the post, now cancelled. not_cancellable: it is published, failed, cancelled already, or being sent at this moment; a live post can only be removed on the platform, by a person.`,
		destroys: true, repeatable: true,
		variants: only("cancel_post", "post_id"),
		own:      map[string]object{"post_id": said("id of list_posts, or share_id of create_post.")},
	},
	{
		name: "get_analytics", title: "Read analytics",
		about: `Without social_data_id: the accounts whose numbers can be read, with followers, posts, views, and when they were last refreshed; supported_platforms and note say which platforms tell numbers.
With social_data_id one account in full: summary (sums over the posts of the period, follower_change, engagement_rate = (likes + comments + shares + favorites) / views) and posts, row by row, in pages. period is 24h, 7d or 30d (default); filter all or reelmoney (only posts published through this service; service means the same); sort one of posted_at, view_count, like_count, comment_count, share_count, favorite_count; dir asc or desc. null means that the platform does not report the number, which is not 0.
Numbers are a snapshot (last_refreshed_at): refresh_analytics asks the platform for new ones.`,
		reads: true, repeatable: true,
		variants: []variant{{operation: "get_account_analytics", given: "social_data_id", id: "social_data_id"}, {operation: "list_analytics"}},
		own:      map[string]object{"social_data_id": said("The account, from list_connections or from this list. Left out: the list of accounts.")},
	},
	{
		name: "refresh_analytics", title: "Refresh analytics",
		about:      `Asks the platform for an account's newest numbers. Answers at once with status refreshing: wait poll_after_seconds, then read get_analytics with the same social_data_id. Each account can be refreshed {refreshes}, whoever asks: rate_limited with details.bucket analytics_refresh and retry_after_seconds, and the snapshot that is there is recent enough. token_expired: a person must connect the account again (create_connect_link).`,
		repeatable: true, outside: true,
		variants: only("refresh_analytics", "social_data_id"),
		own:      map[string]object{"social_data_id": said("The account, from list_connections or get_analytics.")},
		next:     nextOfRefresh,
	},
}

// postArguments say more of what validate_post and create_post take.
var postArguments = map[string]object{
	"platform_customizations": said(`By account id (social_data_id as text): {"title", "caption"} for that account instead of the short's own, and platform settings (tiktok, youtube, instagram, linkedin, cover, first_comment) in place of the brand's posting defaults. Example: {"12": {"caption": "Only here", "tiktok": {"privacy_level": "SELF_ONLY"}}}.`),
}
