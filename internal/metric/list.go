// SPDX-License-Identifier: Apache-2.0

package metric

// Topic is a question that an operator asks.
type Topic string

// Topics are the questions, in the order in which they are asked.
var Topics = []Topic{Lateness, Working, Platforms, Connections, Calls, Limits, AI, Store, Numbers, Machine}

// The questions.
const (
	Lateness    Topic = "Are posts late, lost or unknown?"
	Working     Topic = "How long do slideshows, videos and renders wait and take, and why do they fail?"
	Platforms   Topic = "Which platform fails, and why?"
	Connections Topic = "Which connections need somebody, and how much may still be posted?"
	Calls       Topic = "How does the interface answer?"
	Limits      Topic = "Who is limited?"
	AI          Topic = "What does AI cost?"
	Store       Topic = "Does the store work?"
	Numbers     Topic = "How old are the numbers of posts?"
	Machine     Topic = "Is somebody leading, and does the machinery keep up?"
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
		"How long after its time the first call that publishes a post began.",
		[]float64{.005, .01, .02, .05, .1, .15, .25, .5, 1, 2.5, 5, 15, 60, 300, 3600, 21600}, "platform")
	PostsEnded = counter(Lateness, Manager, "reelops_posts_total",
		"Posts that came to their end, by platform, state (success, failed or cancelled) and the catalog's code of the error.", "platform", "state", "code")
	PostsUnknown = gauge(Lateness, Manager, "reelops_posts_unknown",
		"Posts of which nobody knows now whether the platform took them.")
	PostsOpen = seen(Lateness, Manager, "reelops_posts_open",
		"Posts that are not at their end, by platform and state (pending, scheduled, draft, retrying).", "platform", "state")
	PostsOverdue = seen(Lateness, Manager, "reelops_posts_overdue",
		"Posts whose time is more than a minute past and that no call was made for, though nobody holds them back, by platform.", "platform")
	PostsOldestOverdue = seen(Lateness, Manager, "reelops_posts_overdue_oldest_seconds",
		"How long the oldest overdue post has been due, by platform; 0 where none is.", "platform")
)

// Of work on slideshows, videos, renders, media and music.
var (
	WorkWait = histogram(Working, Manager, "reelops_work_wait_seconds",
		"From when something was asked for to when work on it began the first time, by kind (slideshow, video, render, media, track).", workBuckets, "kind")
	WorkRun = histogram(Working, Manager, "reelops_work_run_seconds",
		"From when work began to its end, retries included, by kind and outcome (succeeded, failed).", workBuckets, "kind", "outcome")
	WorkEnded = counter(Working, Manager, "reelops_work_total",
		"Work that came to its end, by kind, outcome and the catalog's code of the error.", "kind", "outcome", "code")
	WorkObjects = seen(Working, Manager, "reelops_work_objects",
		"Slideshows, videos, renders, media and music that there are, by kind and state (new, queued, processing, succeeded, failed).", "kind", "state")
	WorkOldestWaiting = seen(Working, Manager, "reelops_work_waiting_oldest_seconds",
		"How long the oldest one has waited for its work to begin, by kind; 0 where none waits.", "kind")
	RenderStart = histogram(Working, Manager, "reelops_render_start_seconds",
		"From when the Job of a render's first attempt was made to when its pod worked: scheduling, pulling the image, starting.", workBuckets, "source")
	RenderAttempts = counter(Working, Manager, "reelops_render_attempts_total",
		"Attempts at renders, by source (slideshow, video) and why: first, lost (its pod went away or said nothing), memory (it ran out of it).", "source", "why")
	Unconfined = counter(Working, Manager, "reelops_unconfined_work_total",
		"Attempts at renders, media, music and voices on nodes that do not confine the programs that open files of "+
			"users, by kind (render, media, track, video) and the missing part (landlock, seccomp).", "kind", "part")
	RenderReports = counter(Working, APIServer, "reelops_render_reports_total",
		"What render pods reported, by report (progress, outcome, none where the signature does not hold) and what became of it: taken, forbidden (a wrong or old signature), unreadable, stale (the attempt is over), unavailable (it could not be written).", "report", "result")
)

// Of platforms.
var (
	PlatformCalls = counter(Platforms, Manager, "reelops_platform_calls_total",
		"Calls of platforms, by platform, operation (exchange, refresh, identify, headroom, prepare, commit, find, look), outcome (ok, absent, or the kind of the error) and the platform's own code, 60 of them at most.",
		"platform", "operation", "outcome", "code")
	PlatformSeconds = histogram(Platforms, Manager, "reelops_platform_call_seconds",
		"How long calls of platforms took, by platform and operation. Preparing a film sends it.", callBuckets, "platform", "operation")
)

// Of connected accounts.
var (
	ConnectionCount = seen(Connections, Manager, "reelops_connections",
		"Connected accounts, by platform and token status (active, expiring_soon, expired, revoked, insufficient_scope; none before it is known).", "platform", "token_status")
	ConnectionSoonest = seen(Connections, Manager, "reelops_connection_token_soonest_seconds",
		"Time until the first token ends that is still good, by platform; where platforms renew tokens by themselves it stays far away.", "platform")
	ConnectionsLimited = seen(Connections, Manager, "reelops_connections_limited",
		"Connected accounts for which the platform refuses more posts now, by platform.", "platform")
	ConnectionHeadroom = seen(Connections, Manager, "reelops_connection_headroom_least",
		"Posts that the fullest connected account may still make in the platform's window, as the platform told last, by platform.", "platform")
)

// Of the interface.
var (
	Requests = counter(Calls, APIServer, "reelops_api_requests_total",
		"Requests answered, by operation, method and HTTP status.", "operation", "method", "status")
	RequestSeconds = histogram(Calls, APIServer, "reelops_api_request_seconds",
		"Time to answer a request, by operation.", []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 20}, "operation")
	CallsShed = counter(Calls, APIServer, "reelops_api_calls_shed_total",
		"Calls refused with 503 and Retry-After at the door, by why: busy when as many are under way as may be, cluster_away while the cluster does not answer and they would change something.", "reason")
	CallsUnderWay = seen(Calls, APIServer, "reelops_api_calls_under_way", "Calls that are being answered.")
	ClusterUp     = seen(Calls, APIServer, "reelops_api_cluster_up", "1 while the cluster answers, else 0.")

	AuditLines = counter(Calls, APIServer, "reelops_audit_lines_total",
		"Changes that were written down, by what became of them; not_written counts lines that went to the ordinary log instead.", "outcome")
	AuditEvents = counter(Calls, APIServer, "reelops_audit_events_total",
		"Events of Kubernetes about changes: written, failed, or dropped because there were too many.", "result")
)

// Of ceilings.
var (
	Refusals = counter(Limits, APIServer, "reelops_ratelimit_refusals_total",
		"Requests refused because a ceiling was reached, by bucket. Which key it was stands in the log: status 429 with key_id.", "bucket")
	LimitSubjects = seen(Limits, APIServer, "reelops_ratelimit_subjects",
		"Keys or addresses whose requests are remembered in memory, by bucket.", "bucket")
	SharedUp = gauge(Limits, APIServer, "reelops_ratelimit_shared_up",
		"1 while ceilings are counted in Redis, shared with the other replicas; 0 while this replica counts alone because Redis does not answer. Absent without Redis.")
	LocalDecisions = counter(Limits, APIServer, "reelops_ratelimit_local_decisions_total",
		"Decisions that this replica made by its own count because Redis did not answer.")
	SharedSeconds = histogram(Limits, APIServer, "reelops_ratelimit_shared_seconds",
		"Time of one answered round trip to Redis.", []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25})
)

// Of models.
var (
	AICalls = counter(AI, Manager, "reelops_ai_calls_total",
		"Calls of models, by purpose (text, picture, speech), model and outcome (ok, failed).", "purpose", "model", "outcome")
	AISeconds = histogram(AI, Manager, "reelops_ai_call_seconds",
		"How long calls of models took, by purpose and model.", callBuckets, "purpose", "model")
	AITokens = counter(AI, Manager, "reelops_ai_tokens_total",
		"Tokens that models counted, by purpose, model and direction (in, out).", "purpose", "model", "direction")
	AIPictures = counter(AI, Manager, "reelops_ai_pictures_total",
		"Pictures that models made, by model.", "model")
	AISpeechCharacters = counter(AI, Manager, "reelops_ai_speech_characters_total",
		"Characters that models spoke, by model.", "model")
)

// Of the store.
var (
	StoreCalls = counter(Store, Both, "reelops_store_calls_total",
		"Calls of the blob store, by operation (put, get, size, exists, delete, list, sign) and outcome (ok, absent, failed).", "operation", "outcome")
	StoreSeconds = histogram(Store, Both, "reelops_store_call_seconds",
		"How long calls of the blob store took, by operation; of get until the first byte.", storeBuckets, "operation")
	UploadsRemoved = counter(Store, Manager, "reelops_uploads_removed_total",
		"Uploads that nobody kept and that were removed from the store.")
)

// Of analytics.
var (
	Refreshes = counter(Numbers, Manager, "reelops_analytics_refreshes_total",
		"Refreshes of accounts' numbers, by platform, whether somebody asked for it, and how it ended: ok, partial, or the code of the error.", "platform", "requested", "outcome")
	RefreshSeconds = histogram(Numbers, Manager, "reelops_analytics_refresh_seconds",
		"How long refreshes of accounts' numbers took, by platform.", []float64{.1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 240}, "platform")
	AnalyticsPosts  = seen(Numbers, Manager, "reelops_analytics_posts", "Posts whose numbers are known, by platform.", "platform")
	AnalyticsOldest = seen(Numbers, Manager, "reelops_analytics_oldest_seconds", "Age of the oldest numbers of an account, by platform.", "platform")
)

// Of the machinery.
var (
	BuildInfo = gauge(Machine, Both, "reelops_build_info",
		"1, by the version of the program; dev for a build that is no release.", "version")
	ClockAhead = gauge(Machine, Both, "reelops_clock_ahead_seconds",
		"By how much the process's clock is at least ahead of the API server's; negative if it is behind. Beyond 60 seconds either way nothing is published.")
	CacheChanged = seen(Machine, Manager, "reelops_cache_last_change_timestamp_seconds",
		"When this replica's cache last saw a change, by kind. Replicas see the same changes: one that is behind the others has a watch that stands still.", "kind")
)

const (
	runtimeLibrary = "controller-runtime"
	clientLibrary  = "client_golang"
)

func init() {
	library(runtimeLibrary, GaugeType, Manager, "leader_election_master_status",
		"1 on the replica that leads, 0 on the others.", "name")
	library(runtimeLibrary, GaugeType, Manager, "workqueue_depth",
		"Objects that wait for a pass, by controller and priority.", "name", "controller", "priority")
	library(runtimeLibrary, GaugeType, Manager, "workqueue_longest_running_processor_seconds",
		"How long the longest pass that is under way has taken, by controller.", "name", "controller")
	library(runtimeLibrary, HistogramType, Manager, "workqueue_queue_duration_seconds",
		"How long objects waited for a pass, by controller.", "name", "controller")
	library(runtimeLibrary, CounterType, Manager, "controller_runtime_reconcile_total",
		"Passes, by controller and result (success, error, requeue, requeue_after).", "controller", "result")
	library(runtimeLibrary, CounterType, Manager, "controller_runtime_reconcile_errors_total",
		"Passes that ended with an error and come again, by controller.", "controller")
	library(runtimeLibrary, CounterType, Manager, "controller_runtime_reconcile_panics_total",
		"Passes that panicked, by controller.", "controller")
	library(runtimeLibrary, HistogramType, Manager, "controller_runtime_reconcile_time_seconds",
		"How long passes took, by controller.", "controller")
	library(runtimeLibrary, CounterType, Both, "rest_client_requests_total",
		"Requests to the API server of Kubernetes, by HTTP status, method and host.", "code", "method", "host")
	library(clientLibrary, GaugeType, Both, "process_resident_memory_bytes", "Memory that the process holds.")
	library(clientLibrary, GaugeType, Both, "process_start_time_seconds", "When the process began.")
	library(clientLibrary, CounterType, Both, "process_cpu_seconds_total", "Processor time that the process took.")
	library(clientLibrary, GaugeType, Both, "go_goroutines", "Goroutines that there are.")
}
