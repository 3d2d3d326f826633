// SPDX-License-Identifier: Apache-2.0

package main

import "github.com/reelops/reelops/internal/kube/lease"

// row is an operator's question with the panels that answer it.
type row struct {
	title  string
	panels []panel
}

// panel shows expressions over time, or as one number.
type panel struct {
	title string
	// shows, normal and todo are the parts of its description: sentences without their first words.
	shows, normal, todo string
	// unit is a unit of Grafana: s, short, percentunit, reqps, bytes.
	unit string
	// number shows only the last value. The value is red from red on; 0 means never.
	number bool
	red    float64
	lines  []line
}

// description returns what the panel shows, which values are normal, and what to do about others.
func (p panel) description() string {
	return "Shows " + p.shows + "\n\nNormal: " + p.normal + "\n\nWhat to do: " + p.todo
}

// line is an expression without the matchers that scope adds, and its legend.
type line struct{ expr, legend string }

func one(expr, legend string) []line { return []line{{expr, legend}} }

// quantiles returns the median and the 99 % quantile of a histogram, by a label.
func quantiles(metric, by string) []line {
	return []line{
		{`histogram_quantile(0.5, sum by (` + by + `, le) (rate(` + metric + `_bucket[$__rate_interval])))`, "{{" + by + "}} median"},
		{`histogram_quantile(0.99, sum by (` + by + `, le) (rate(` + metric + `_bucket[$__rate_interval])))`, "{{" + by + "}} 99 %"},
	}
}

var rows = []row{
	{"At a glance", []panel{
		{
			title: "Leaders", unit: "short", number: true,
			shows:  "how many managers hold the Lease " + lease.Manager + ".",
			normal: "1; for a few seconds during a restart 0.",
			todo:   "at 0 nothing is generated, rendered or published: follow the runbook ReelopsNoLeader.",
			lines:  one(`sum(leader_election_master_status)`, ""),
		},
		{
			title: "Posts overdue", unit: "short", number: true, red: 1,
			shows:  "posts that are due for more than a minute and that the manager has not begun to publish.",
			normal: "0.",
			todo:   "check Leaders and Queues, then follow the runbook ReelopsPostsOverdue.",
			lines:  one(`sum(max by (platform) (reelops_posts_overdue))`, ""),
		},
		{
			title: "Posts of unknown outcome", unit: "short", number: true, red: 1,
			shows:  "posts that were sent without an answer, so that the platform may have published them.",
			normal: "0; after a lost connection 1 or 2 for some minutes, until the manager finds them on the platform.",
			todo:   "never send them again by hand; follow the runbook ReelopsPostsUnknown.",
			lines:  one(`max(reelops_posts_unknown)`, ""),
		},
		{
			title: "Renders waiting", unit: "short", number: true, red: 50,
			shows:  "renders whose Job has not started work.",
			normal: "near 0; after an import as many as the cluster renders in some minutes.",
			todo:   "if the number stays, add nodes or quota, or follow the runbook ReelopsRendersWaiting.",
			lines:  one(`sum(max by (state) (reelops_work_objects{kind="render",state=~"new|queued"}))`, ""),
		},
		{
			title: "Connections to renew", unit: "short", number: true, red: 1,
			shows:  "connected accounts whose token is expired or revoked, or lacks a scope.",
			normal: "0.",
			todo:   "the account's owner connects again; for several at once follow the runbook ReelopsConnectionsLost.",
			lines:  one(`sum(max by (platform, token_status) (reelops_connections{token_status=~"expired|revoked|insufficient_scope"}))`, ""),
		},
		{
			title: "Requests answered with 5xx", unit: "percentunit", number: true, red: 0.01,
			shows:  "the share of API requests that failed on the server's side.",
			normal: "0 %; some 503 while the cluster or a replica restarts.",
			todo:   "from 1 % on follow the runbook ReelopsAPIErrors.",
			lines:  one(`sum(rate(reelops_api_requests_total{status=~"5.."}[$__rate_interval])) / sum(rate(reelops_api_requests_total[$__rate_interval]))`, ""),
		},
	}},
	{"Are posts late, lost or unknown?", []panel{
		{
			title: "Lateness of posts", unit: "s", lines: quantiles("reelops_post_lateness_seconds", "platform"),
			shows:  "the time from a post's scheduled time to the first call that publishes it.",
			normal: "below one second.",
			todo:   "from 5 s on check Queues and the manager's processor limit, then follow the runbook ReelopsPostsLate.",
		},
		{
			title: "Posts that ended", unit: "short",
			shows:  "posts that were published, failed or were cancelled, by platform.",
			normal: "success follows the schedule; few failures.",
			todo:   "if failures rise, see Why posts failed.",
			lines:  one(`sum by (platform, state) (increase(reelops_posts_total[$__rate_interval]))`, "{{platform}} {{state}}"),
		},
		{
			title: "Why posts failed", unit: "short",
			shows:  "failed posts by platform and error code.",
			normal: "empty.",
			todo:   "look the code up with GET /api/v1/errors/{code}; from one failure in five on follow the runbook ReelopsPostsFailing.",
			lines:  one(`sum by (platform, code) (increase(reelops_posts_total{state="failed"}[$__rate_interval]))`, "{{platform}} {{code}}"),
		},
		{
			title: "Open posts", unit: "short",
			shows:  "posts that are scheduled, being published, retried, or drafts on the platform.",
			normal: "scheduled follows the plans of the accounts; retrying is near 0.",
			todo:   "if retrying stays up, see Failed calls.",
			lines:  one(`max by (platform, state) (reelops_posts_open)`, "{{platform}} {{state}}"),
		},
		{
			title: "Oldest overdue post", unit: "s",
			shows:  "how long the oldest post is due that the manager has not begun to publish.",
			normal: "0.",
			todo:   "from 5 minutes on follow the runbook ReelopsPostsOverdue.",
			lines:  one(`max by (platform) (reelops_posts_overdue_oldest_seconds)`, "{{platform}}"),
		},
	}},
	{"How long do renders wait and take?", []panel{
		{
			title: "Wait for the first attempt", unit: "s", lines: quantiles("reelops_work_wait_seconds", "kind"),
			shows:  "the time from a request to the start of its first attempt, by kind of work.",
			normal: "seconds for text and media, below a minute for renders.",
			todo:   "if renders wait for minutes, add nodes or quota; see Render pod start.",
		},
		{
			title: "Duration of work", unit: "s", lines: quantiles("reelops_work_run_seconds", "kind"),
			shows:  "the time from the first attempt to the end, retries included, by kind of work.",
			normal: "seconds for slideshows, one to three times the video's length for renders.",
			todo:   "if it rises, see Render attempts, Store call duration and the processor limit of render pods.",
		},
		{
			title: "Render pod start", unit: "s", lines: quantiles("reelops_render_start_seconds", "source"),
			shows:  "the time from the creation of a render Job to its running pod: scheduling, image pull, start.",
			normal: "2 to 10 s; longer for the first pod on a node, which pulls the image.",
			todo:   "if it stays long, preload the image or keep spare nodes.",
		},
		{
			title: "Work in progress", unit: "short",
			shows:  "slideshows, videos, renders, media and music that wait or are processed.",
			normal: "falls to near 0 between imports.",
			todo:   "if queued grows and processing does not, follow the runbook ReelopsRendersWaiting.",
			lines:  one(`max by (kind, state) (reelops_work_objects{state=~"new|queued|processing"})`, "{{kind}} {{state}}"),
		},
		{
			title: "Why work failed", unit: "short",
			shows:  "failed work by kind and error code.",
			normal: "empty, or single failures by unusable files of users.",
			todo:   "look the code up with GET /api/v1/errors/{code}; from one failure in ten on follow the runbook ReelopsRendersFailing.",
			lines:  one(`sum by (kind, code) (increase(reelops_work_total{outcome="failed"}[$__rate_interval]))`, "{{kind}} {{code}}"),
		},
		{
			title: "Render attempts", unit: "short",
			shows:  "attempts by reason: first, lost (the pod disappeared or stopped reporting) or memory (it ran out of memory).",
			normal: "nearly all are first; lost during node upgrades.",
			todo:   "for lost follow the runbook ReelopsRenderPodsLost, for memory ReelopsRendersOutOfMemory.",
			lines:  one(`sum by (source, why) (increase(reelops_render_attempts_total[$__rate_interval]))`, "{{source}} {{why}}"),
		},
		{
			title: "Reports of render pods", unit: "short",
			shows:  "progress and results that render pods sent to the front end, by result.",
			normal: "taken; a few stale after a retry.",
			todo:   "for forbidden or unavailable follow the runbook ReelopsReportsRefused.",
			lines:  one(`sum by (result) (increase(reelops_render_reports_total[$__rate_interval]))`, "{{result}}"),
		},
	}},
	{"Which platform fails, and why?", []panel{
		{
			title: "Failed calls", unit: "short",
			shows:  "failed calls by platform, operation, kind of error and the platform's own code.",
			normal: "single transient errors.",
			todo:   "for misconfigured follow the runbook ReelopsPlatformMisconfigured, for the others ReelopsPlatformFailing.",
			lines:  one(`sum by (platform, operation, outcome, code) (increase(reelops_platform_calls_total{outcome!~"ok|absent",platform=~"$platform"}[$__rate_interval]))`, "{{platform}} {{operation}}: {{outcome}} {{code}}"),
		},
		{
			title: "Share of failed calls", unit: "percentunit",
			shows:  "the share of calls that failed, by platform.",
			normal: "below 5 %.",
			todo:   "from 30 % on check the platform's status page, then follow the runbook ReelopsPlatformFailing.",
			lines:  one(`sum by (platform) (rate(reelops_platform_calls_total{outcome!~"ok|absent"}[$__rate_interval])) / sum by (platform) (rate(reelops_platform_calls_total[$__rate_interval]))`, "{{platform}}"),
		},
		{
			title: "Call duration, 99 %", unit: "s",
			shows:  "the time that all but one in a hundred calls stay below, by platform and operation. prepare uploads the video.",
			normal: "below 2 s; for prepare as long as the upload takes.",
			todo:   "if one platform is slow, wait; if all are, check the egress of the manager's nodes.",
			lines:  one(`histogram_quantile(0.99, sum by (platform, operation, le) (rate(reelops_platform_call_seconds_bucket{platform=~"$platform"}[$__rate_interval])))`, "{{platform}} {{operation}}"),
		},
	}},
	{"Which connections have to be renewed?", []panel{
		{
			title: "Connected accounts", unit: "short",
			shows:  "connected accounts by platform and token status.",
			normal: "nearly all are active.",
			todo:   "for expiring_soon follow the runbook ReelopsConnectionsExpiring, for several expired or revoked ReelopsConnectionsLost.",
			lines:  one(`max by (platform, token_status) (reelops_connections)`, "{{platform}} {{token_status}}"),
		},
		{
			title: "Time to the first expiry", unit: "s",
			shows:  "the time until the first valid token expires, by platform.",
			normal: "far away where the platform renews tokens; else days.",
			todo:   "below three days the account's owner has to connect again.",
			lines:  one(`min by (platform) (reelops_connection_token_soonest_seconds)`, "{{platform}}"),
		},
		{
			title: "Least headroom of an account", unit: "short",
			shows:  "how many posts the account with the least headroom may still publish in the platform's window, and how many accounts the platform limits now.",
			normal: "headroom above 0, no limited account.",
			todo:   "spread the account's posts; if most accounts are limited, follow the runbook ReelopsConnectionsLimited.",
			lines: []line{
				{`min by (platform) (reelops_connection_headroom_least)`, "{{platform}}"}, {`max by (platform) (reelops_connections_limited)`, "{{platform}} accounts limited"},
			},
		},
	}},
	{"How does the API answer, and who is limited?", []panel{
		{
			title: "Requests", unit: "reqps",
			shows:  "answered API requests per second, by HTTP status.",
			normal: "nearly all 2xx; some 4xx by callers' mistakes.",
			todo:   "for 5xx follow the runbook ReelopsAPIErrors; for 429 see Requests over the rate limit.",
			lines:  one(`sum by (status) (rate(reelops_api_requests_total[$__rate_interval]))`, "{{status}}"),
		},
		{
			title: "Request duration, 99 %", unit: "s",
			shows:  "the time that all but one in a hundred requests stay below, by operation.",
			normal: "below 0.5 s; operations that wait for a result take as long as the caller allows.",
			todo:   "above 2 s follow the runbook ReelopsAPISlow.",
			lines:  one(`histogram_quantile(0.99, sum by (operation, le) (rate(reelops_api_request_seconds_bucket[$__rate_interval])))`, "{{operation}}"),
		},
		{
			title: "Requests over the rate limit", unit: "short",
			shows:  "requests refused with 429, by bucket of the rate limiter.",
			normal: "near 0.",
			todo:   "find the key in the log: status 429 with key_id; for the bucket unauthenticated follow the runbook ReelopsKeysGuessed.",
			lines:  one(`sum by (bucket) (increase(reelops_ratelimit_refusals_total[$__rate_interval]))`, "{{bucket}}"),
		},
		{
			title: "Shared rate limits", unit: "short",
			shows:  "1 while all replicas count requests in Redis, 0 while one counts alone, and the requests per second that were counted alone. Empty without Redis.",
			normal: "1 and 0 per second.",
			todo:   "check Redis and the way to it; follow the runbook ReelopsSharedCeilingsDown.",
			lines: []line{
				{`min(reelops_ratelimit_shared_up)`, "shared"}, {`sum(rate(reelops_ratelimit_local_decisions_total[$__rate_interval]))`, "counted alone, per second"},
			},
		},
	}},
	{"What does AI cost?", []panel{
		{
			title: "Tokens per hour", unit: "short",
			shows:  "tokens that the models charged, in and out, as a rate per hour.",
			normal: "follows the slideshows and videos that are written.",
			todo:   "multiply by the model's price; if the cost is too high, choose another model or lower the accounts' credits.",
			lines:  one(`sum by (purpose, model, direction) (rate(reelops_ai_tokens_total[1h])) * 3600`, "{{purpose}} {{model}} {{direction}}"),
		},
		{
			title: "Images and spoken characters per hour", unit: "short",
			shows:  "images that models drew and characters that they spoke, as a rate per hour.",
			normal: "follows the slideshows and videos that are created.",
			todo:   "multiply by the model's price; --ai-image-credits sets what an account pays for an image.",
			lines: []line{
				{`sum by (model) (rate(reelops_ai_pictures_total[1h])) * 3600`, "{{model}} images"}, {`sum by (model) (rate(reelops_ai_speech_characters_total[1h])) * 3600`, "{{model}} characters"},
			},
		},
		{
			title: "Calls of models", unit: "short",
			shows:  "calls by purpose, model and outcome.",
			normal: "nearly all ok.",
			todo:   "if calls fail, check the key, the quota and the status page of the provider; follow the runbook ReelopsAIFailing.",
			lines:  one(`sum by (purpose, model, outcome) (increase(reelops_ai_calls_total[$__rate_interval]))`, "{{purpose}} {{model}} {{outcome}}"),
		},
	}},
	{"Do the store and the controllers keep up?", []panel{
		{
			title: "Failed store calls", unit: "short",
			shows:  "failed calls of the blob store, by operation. A blob that does not exist is no failure.",
			normal: "0.",
			todo:   "check the store, its credentials and free space; follow the runbook ReelopsStoreFailing.",
			lines:  one(`sum by (operation) (increase(reelops_store_calls_total{outcome="failed"}[$__rate_interval]))`, "{{operation}}"),
		},
		{
			title: "Store call duration, 99 %", unit: "s",
			shows:  "the time that all but one in a hundred calls of the blob store stay below, by operation; for get up to the first byte.",
			normal: "milliseconds for a folder, below 0.5 s for object stores; put takes as long as the upload.",
			todo:   "if it rises, check the store's own metrics and the network to it.",
			lines:  one(`histogram_quantile(0.99, sum by (operation, le) (rate(reelops_store_call_seconds_bucket[$__rate_interval])))`, "{{operation}}"),
		},
		{
			title: "Queues", unit: "short",
			shows:  "objects that wait for a reconcile, by controller.",
			normal: "near 0; after a start or an import it falls within minutes.",
			todo:   "if one grows, follow the runbook ReelopsQueueGrowing.",
			lines:  one(`sum by (controller) (workqueue_depth)`, "{{controller}}"),
		},
		{
			title: "Failed reconciles", unit: "short",
			shows:  "reconciles that ended with an error and are repeated, by controller.",
			normal: "single conflicts.",
			todo:   "if one controller fails all the time, read its errors in the manager's log by the key controller.",
			lines:  one(`sum by (controller) (increase(controller_runtime_reconcile_errors_total[$__rate_interval]))`, "{{controller}}"),
		},
		{
			title: "Memory", unit: "bytes",
			shows:  "resident memory of every pod of the manager and the front end.",
			normal: "level; the manager's grows with the number of objects.",
			todo:   "near the limit raise resources.limits.memory; docs/operations/install.md has the sizes.",
			lines:  one(`process_resident_memory_bytes`, "{{pod}}"),
		},
		{
			title: "Age of analytics", unit: "s",
			shows:  "the age of the oldest analytics of an account, by platform.",
			normal: "below two days.",
			todo:   "above three days follow the runbook ReelopsNumbersOld.",
			lines:  one(`max by (platform) (reelops_analytics_oldest_seconds)`, "{{platform}}"),
		},
	}},
}
