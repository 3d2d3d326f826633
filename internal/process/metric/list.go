// SPDX-License-Identifier: Apache-2.0

package metric

// Topic is a question of an operator, which a group of metrics answers.
type Topic string

// Topics are all topics in the order of the documentation.
var Topics = []Topic{Lateness, Working, Platforms, Connections, Calls, Limits, AI, Store, Numbers, Machine}

// The topics.
const (
	Lateness    Topic = "Are posts late, lost or unknown?"
	Working     Topic = "How long do slideshows, videos and renders wait and take, and why do they fail?"
	Platforms   Topic = "Which platform fails, and why?"
	Connections Topic = "Which connections have to be renewed, and how much may still be posted?"
	Calls       Topic = "How does the API answer?"
	Limits      Topic = "Who is limited?"
	AI          Topic = "What does AI cost?"
	Store       Topic = "Does the store work?"
	Numbers     Topic = "How old are the analytics?"
	Machine     Topic = "Does a manager lead, and do the controllers keep up?"
)

// Buckets, in seconds.
var (
	workBuckets  = []float64{.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200}
	callBuckets  = []float64{.025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300}
	storeBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 30}
)

// Of posts.
var (
	PostLateness = histogram(Lateness, Manager, "reelops_post_lateness_seconds",
		"Time from a post's scheduled time to the first call that publishes it.",
		[]float64{.005, .01, .02, .05, .1, .15, .25, .5, 1, 2.5, 5, 15, 60, 300, 3600, 21600}, "platform")
	PostsEnded = counter(Lateness, Manager, "reelops_posts_total",
		"Finished posts, by platform, state (success, failed or cancelled) and error code of the catalog.", "platform", "state", "code")
	PostsUnknown = gauge(Lateness, Manager, "reelops_posts_unknown",
		"Posts whose outcome on the platform is unknown now.")
	PostsOpen = seen(Lateness, Manager, "reelops_posts_open",
		"Unfinished posts, by platform and state (pending, scheduled, draft, retrying).", "platform", "state")
	PostsOverdue = seen(Lateness, Manager, "reelops_posts_overdue",
		"Posts due for more than a minute without a call, except held and cancelled ones, by platform.", "platform")
	PostsOldestOverdue = seen(Lateness, Manager, "reelops_posts_overdue_oldest_seconds",
		"Time since the oldest overdue post became due, by platform; 0 without overdue posts.", "platform")
)

// Of webhooks.
var (
	WebhookDeliveries = counter(Lateness, Manager, "reelops_webhook_deliveries_total",
		"Attempts to deliver events to webhook endpoints, by result (succeeded, failed).", "result")
	WebhookEndpoints = seen(Lateness, Manager, "reelops_webhook_endpoints",
		"Webhook endpoints, by state (active, suspended, failing, disabled).", "state")
)

// Of work on slideshows, videos, renders, media and music.
var (
	WorkWait = histogram(Working, Manager, "reelops_work_wait_seconds",
		"Time from a request to the start of its first attempt, by kind (slideshow, video, render, media, track).", workBuckets, "kind")
	WorkRun = histogram(Working, Manager, "reelops_work_run_seconds",
		"Time from the start of the first attempt to the end of the work, retries included, by kind and outcome (succeeded, failed).", workBuckets, "kind", "outcome")
	WorkEnded = counter(Working, Manager, "reelops_work_total",
		"Finished work, by kind, outcome and error code of the catalog.", "kind", "outcome", "code")
	WorkObjects = seen(Working, Manager, "reelops_work_objects",
		"Slideshows, videos, renders, media and music in the cluster, by kind and state (new, queued, processing, succeeded, failed).", "kind", "state")
	WorkOldestWaiting = seen(Working, Manager, "reelops_work_waiting_oldest_seconds",
		"Time that the oldest waiting object has waited for its first attempt, by kind; 0 if none waits.", "kind")
	AutomationRunsEnded = counter(Working, Manager, "reelops_automation_runs_total",
		"Finished runs of automations, by state (Succeeded, Failed, Missed, Skipped).", "state")
	RenderStart = histogram(Working, Manager, "reelops_render_start_seconds",
		"Time from the creation of the Job of a render's first attempt to its running pod: scheduling, image pull, start.", workBuckets, "source")
	RenderAttempts = counter(Working, Manager, "reelops_render_attempts_total",
		"Attempts at renders, by source (slideshow, video) and reason: first, lost (the pod of the last attempt disappeared or stopped reporting), memory (it ran out of memory).", "source", "why")
	Unconfined = counter(Working, Manager, "reelops_unconfined_work_total",
		"Attempts at renders, media, music and voices on nodes that cannot confine the programs that open files of "+
			"users, by kind (render, media, track, video) and missing part (landlock, seccomp).", "kind", "part")
	RenderReports = counter(Working, APIServer, "reelops_render_reports_total",
		"Reports of render pods, by report (progress; outcome of pods that an earlier release started; none if the signature is invalid) and result: taken, forbidden (an invalid or expired signature), unreadable, stale (the attempt is over), unavailable (writing it failed).", "report", "result")
)

// Of platforms.
var (
	PlatformCalls = counter(Platforms, Manager, "reelops_platform_calls_total",
		"Calls of platforms, by platform, operation (exchange, refresh, identify, headroom, prepare, commit, find, look), outcome (ok, absent, or the kind of the error) and the platform's own code, 60 of them at most.",
		"platform", "operation", "outcome", "code")
	PlatformSeconds = histogram(Platforms, Manager, "reelops_platform_call_seconds",
		"Duration of calls of platforms, by platform and operation. prepare uploads the video.", callBuckets, "platform", "operation")
)

// Of connected accounts.
var (
	ConnectionCount = seen(Connections, Manager, "reelops_connections",
		"Connected accounts, by platform and token status (active, expiring_soon, expired, revoked, insufficient_scope; none until the status is known).", "platform", "token_status")
	ConnectionSoonest = seen(Connections, Manager, "reelops_connection_token_soonest_seconds",
		"Time until the first valid token expires, by platform. It stays large for platforms whose tokens the manager renews.", "platform")
	ConnectionsLimited = seen(Connections, Manager, "reelops_connections_limited",
		"Connected accounts whose posts the platform limits now, by platform.", "platform")
	ConnectionHeadroom = seen(Connections, Manager, "reelops_connection_headroom_least",
		"Posts that the connected account with the least headroom may still publish in the platform's window, as last reported by the platform, by platform.", "platform")
)

// Of the interface.
var (
	Requests = counter(Calls, APIServer, "reelops_api_requests_total",
		"Answered requests, by operation, method and HTTP status.", "operation", "method", "status")
	RequestSeconds = histogram(Calls, APIServer, "reelops_api_request_seconds",
		"Duration of requests, by operation.", []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20}, "operation")
	CallsShed = counter(Calls, APIServer, "reelops_api_calls_shed_total",
		"Requests refused with 503 and Retry-After at admission, by reason: busy (the limit of concurrent requests is reached), cluster_away (a change while the cluster does not answer).", "reason")
	CallsUnderWay = seen(Calls, APIServer, "reelops_api_calls_under_way", "Requests in flight.")
	ClusterUp     = seen(Calls, APIServer, "reelops_api_cluster_up", "1 while the API server of Kubernetes answers, else 0.")

	AuditLines = counter(Calls, APIServer, "reelops_audit_lines_total",
		"Audit lines, by outcome of the change; not_written counts lines that were written to the ordinary log instead.", "outcome")
	AuditEvents = counter(Calls, APIServer, "reelops_audit_events_total",
		"Events of Kubernetes about changes, by result: written, failed, or dropped over the rate limit.", "result")
)

// Of rate limits.
var (
	Refusals = counter(Limits, APIServer, "reelops_ratelimit_refusals_total",
		"Requests refused by a rate limit, by bucket. The log has the key: status 429 with key_id.", "bucket")
	LimitSubjects = seen(Limits, APIServer, "reelops_ratelimit_subjects",
		"Keys or addresses that this replica counts in memory, by bucket.", "bucket")
	SharedUp = gauge(Limits, APIServer, "reelops_ratelimit_shared_up",
		"1 while requests are counted in Redis, shared with the other replicas; 0 while this replica counts alone because Redis does not answer. Absent without Redis.")
	LocalDecisions = counter(Limits, APIServer, "reelops_ratelimit_local_decisions_total",
		"Rate limit decisions by this replica's own count because Redis did not answer.")
	SharedSeconds = histogram(Limits, APIServer, "reelops_ratelimit_shared_seconds",
		"Duration of an answered round trip to Redis.", []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25})
)

// Of models.
var (
	AICalls = counter(AI, Manager, "reelops_ai_calls_total",
		"Calls of models, by purpose (text, picture, speech), model and outcome (ok, failed).", "purpose", "model", "outcome")
	AISeconds = histogram(AI, Manager, "reelops_ai_call_seconds",
		"Duration of calls of models, by purpose and model.", callBuckets, "purpose", "model")
	AITokens = counter(AI, Manager, "reelops_ai_tokens_total",
		"Tokens as counted by the models, by purpose, model and direction (in, out).", "purpose", "model", "direction")
	AIPictures = counter(AI, Manager, "reelops_ai_pictures_total",
		"Images drawn by models, by model.", "model")
	AISpeechCharacters = counter(AI, Manager, "reelops_ai_speech_characters_total",
		"Characters spoken by models, by model.", "model")
)

// Of the store.
var (
	StoreCalls = counter(Store, Both, "reelops_store_calls_total",
		"Calls of the blob store, by operation (put, get, size, exists, delete, list, sign) and outcome (ok, absent, failed).", "operation", "outcome")
	StoreSeconds = histogram(Store, Both, "reelops_store_call_seconds",
		"Duration of calls of the blob store, by operation; for get until the first byte.", storeBuckets, "operation")
	ArchivedUnits = counter(Store, Manager, "reelops_archive_units_total",
		"Shorts that moved between the cluster and the archive, by result: archived, restored, kept (one that changed while it left), or deleted (its retention has ended).", "result")
	UploadsRemoved = counter(Store, Manager, "reelops_uploads_removed_total",
		"Unconfirmed uploads removed from the store.")
)

// Of analytics.
var (
	Refreshes = counter(Numbers, Manager, "reelops_analytics_refreshes_total",
		"Refreshes of accounts' analytics, by platform, requested (true for one by a caller) and outcome: ok, partial, or the error code.", "platform", "requested", "outcome")
	RefreshSeconds = histogram(Numbers, Manager, "reelops_analytics_refresh_seconds",
		"Duration of refreshes of accounts' analytics, by platform.", []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 240}, "platform")
	AnalyticsPosts  = seen(Numbers, Manager, "reelops_analytics_posts", "Posts with known analytics, by platform.", "platform")
	AnalyticsOldest = seen(Numbers, Manager, "reelops_analytics_oldest_seconds", "Age of the oldest analytics of an account, by platform.", "platform")
)

// Of the machinery.
var (
	BuildInfo = gauge(Machine, Both, "reelops_build_info",
		"1, by version of the program; dev for an unreleased build.", "version")
	ClockAhead = gauge(Machine, Both, "reelops_clock_ahead_seconds",
		"Least difference of the process's clock to the API server's; negative if the process is behind. Beyond 60 seconds either way nothing is published.")
	CacheChanged = seen(Machine, Manager, "reelops_cache_last_change_timestamp_seconds",
		"Time of the last change in this replica's cache, by kind. Replicas receive the same changes, so a replica behind the others has a stalled watch.", "kind")
)

const (
	runtimeLibrary = "controller-runtime"
	clientLibrary  = "client_golang"
)

func init() {
	library(runtimeLibrary, GaugeType, Manager, "leader_election_master_status",
		"1 on the replica that holds the Lease, 0 on the others. name is the name of the Lease.", "name")
	library(runtimeLibrary, GaugeType, Manager, "workqueue_depth",
		"Objects that wait for a reconcile, by controller and priority.", "name", "controller", "priority")
	library(runtimeLibrary, GaugeType, Manager, "workqueue_longest_running_processor_seconds",
		"Time that the longest running reconcile has taken so far, by controller.", "name", "controller")
	library(runtimeLibrary, HistogramType, Manager, "workqueue_queue_duration_seconds",
		"Time that objects waited for a reconcile, by controller.", "name", "controller")
	library(runtimeLibrary, CounterType, Manager, "controller_runtime_reconcile_total",
		"Reconciles, by controller and result (success, error, requeue, requeue_after).", "controller", "result")
	library(runtimeLibrary, CounterType, Manager, "controller_runtime_reconcile_errors_total",
		"Reconciles that ended with an error and are repeated, by controller.", "controller")
	library(runtimeLibrary, CounterType, Manager, "controller_runtime_reconcile_panics_total",
		"Reconciles that panicked, by controller.", "controller")
	library(runtimeLibrary, HistogramType, Manager, "controller_runtime_reconcile_time_seconds",
		"Duration of reconciles, by controller.", "controller")
	library(runtimeLibrary, CounterType, Both, "rest_client_requests_total",
		"Requests to the API server of Kubernetes, by HTTP status, method and host.", "code", "method", "host")
	library(clientLibrary, GaugeType, Both, "process_resident_memory_bytes", "Resident memory of the process.")
	library(clientLibrary, GaugeType, Both, "process_start_time_seconds", "Start time of the process.")
	library(clientLibrary, CounterType, Both, "process_cpu_seconds_total", "CPU time of the process.")
	library(clientLibrary, GaugeType, Both, "go_goroutines", "Number of goroutines.")
}
