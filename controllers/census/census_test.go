// SPDX-License-Identifier: Apache-2.0

package census

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	testclock "k8s.io/utils/clock/testing"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func named(name string, age time.Duration) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "n", Name: name, UID: types.UID(name), CreationTimestamp: metav1.NewTime(now.Add(-age))}
}

func due(name string, in time.Duration, s v1beta1.PostStatus) *v1beta1.Post {
	return &v1beta1.Post{
		ObjectMeta: named(name, time.Hour), Status: s, Spec: v1beta1.PostSpec{Platform: "tiktok", ScheduledAt: metav1.NewMicroTime(now.Add(in))},
	}
}

func TestCensus(t *testing.T) {
	c := New(testclock.NewFakePassiveClock(now))
	started := metav1.NewTime(now.Add(-time.Minute))
	account := func(name string, s v1beta1.SocialAccountStatus) {
		c.observe("SocialAccount", &v1beta1.SocialAccount{ObjectMeta: named(name, time.Hour), Spec: v1beta1.SocialAccountSpec{Platform: "tiktok"}, Status: s})
	}
	render := &v1beta1.RenderJob{ObjectMeta: named("r1", 90*time.Second)}
	c.observe("RenderJob", render)
	c.observe("RenderJob", &v1beta1.RenderJob{ObjectMeta: named("r2", time.Hour), Status: v1beta1.RenderJobStatus{Work: &v1beta1.Work{State: v1beta1.WorkProcessing, StartedAt: &started}}})
	waiting := due("p1", -5*time.Minute, v1beta1.PostStatus{State: v1beta1.PostScheduled})
	c.observe("Post", waiting)
	c.observe("Post", due("p2", -30*time.Second, v1beta1.PostStatus{State: v1beta1.PostScheduled}))
	c.observe("Post", due("p3", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostHeld}))
	c.observe("Post", due("p4", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostSuccess}))
	c.observe("Post", due("p5", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostPending, Attempts: []v1beta1.PostAttempt{{State: v1beta1.AttemptUnknown}}}))
	later := metav1.NewMicroTime(now.Add(time.Hour))
	c.observe("Post", due("p6", -time.Hour, v1beta1.PostStatus{State: v1beta1.PostRetrying, NextAttemptAt: &later}))
	soon, far := metav1.NewTime(now.Add(time.Hour)), metav1.NewTime(now.Add(48*time.Hour))
	account("a1", v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive, TokenExpiresAt: &far, Headroom: &v1beta1.Headroom{Used: 3, Max: 15}})
	account("a2", v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenActive, TokenExpiresAt: &soon, LimitedUntil: &soon})
	account("a3", v1beta1.SocialAccountStatus{TokenStatus: v1beta1.TokenRevoked, TokenExpiresAt: &started})
	failing := metav1.NewTime(now)
	for name, s := range map[string]v1beta1.WebhookEndpointStatus{
		"w1": {}, "w2": {FailingSince: &failing}, "w3": {Disabled: &v1beta1.WebhookDisabled{}}, "w4": {},
	} {
		w := &v1beta1.WebhookEndpoint{ObjectMeta: named(name, time.Hour), Status: s}
		w.Spec.Suspend = name == "w4"
		c.observe("WebhookEndpoint", w)
	}
	want := `
# HELP reelops_connection_headroom_least Posts that the connected account with the least headroom may still publish in the platform's window, as last reported by the platform, by platform.
# TYPE reelops_connection_headroom_least gauge
reelops_connection_headroom_least{platform="tiktok"} 12
# HELP reelops_connection_token_soonest_seconds Time until the first valid token expires, by platform. It stays large for platforms whose tokens the manager renews.
# TYPE reelops_connection_token_soonest_seconds gauge
reelops_connection_token_soonest_seconds{platform="tiktok"} 3600
# HELP reelops_connections Connected accounts, by platform and token status (active, expiring_soon, expired, revoked, insufficient_scope; none until the status is known).
# TYPE reelops_connections gauge
reelops_connections{platform="tiktok",token_status="active"} 2
reelops_connections{platform="tiktok",token_status="revoked"} 1
# HELP reelops_connections_limited Connected accounts whose posts the platform limits now, by platform.
# TYPE reelops_connections_limited gauge
reelops_connections_limited{platform="tiktok"} 1
# HELP reelops_posts_open Unfinished posts, by platform and state (pending, scheduled, draft, retrying).
# TYPE reelops_posts_open gauge
reelops_posts_open{platform="tiktok",state="draft"} 1
reelops_posts_open{platform="tiktok",state="pending"} 1
reelops_posts_open{platform="tiktok",state="retrying"} 1
reelops_posts_open{platform="tiktok",state="scheduled"} 2
# HELP reelops_posts_overdue Posts due for more than a minute without a call, except held and cancelled ones, by platform.
# TYPE reelops_posts_overdue gauge
reelops_posts_overdue{platform="tiktok"} 1
# HELP reelops_posts_overdue_oldest_seconds Time since the oldest overdue post became due, by platform; 0 without overdue posts.
# TYPE reelops_posts_overdue_oldest_seconds gauge
reelops_posts_overdue_oldest_seconds{platform="tiktok"} 300
# HELP reelops_webhook_endpoints Webhook endpoints, by state (active, suspended, failing, disabled).
# TYPE reelops_webhook_endpoints gauge
reelops_webhook_endpoints{state="active"} 1
reelops_webhook_endpoints{state="disabled"} 1
reelops_webhook_endpoints{state="failing"} 1
reelops_webhook_endpoints{state="suspended"} 1
# HELP reelops_work_objects Slideshows, videos, renders, media and music in the cluster, by kind and state (new, queued, processing, succeeded, failed).
# TYPE reelops_work_objects gauge
reelops_work_objects{kind="render",state="new"} 1
reelops_work_objects{kind="render",state="processing"} 1
# HELP reelops_work_waiting_oldest_seconds Time that the oldest waiting object has waited for its first attempt, by kind; 0 if none waits.
# TYPE reelops_work_waiting_oldest_seconds gauge
reelops_work_waiting_oldest_seconds{kind="render"} 90
`
	names := []string{
		"reelops_connection_headroom_least", "reelops_connection_token_soonest_seconds", "reelops_connections", "reelops_connections_limited", "reelops_posts_open",
		"reelops_posts_overdue", "reelops_posts_overdue_oldest_seconds", "reelops_webhook_endpoints", "reelops_work_objects", "reelops_work_waiting_oldest_seconds",
	}
	if err := testutil.CollectAndCompare(c, strings.NewReader(want), names...); err != nil {
		t.Error(err)
	}

	// Deleted objects are no longer counted, even if the cache missed the deletion.
	c.forget("RenderJob", render)
	c.forget("Post", cache.DeletedFinalStateUnknown{Key: "n/p1", Obj: waiting})
	if n := testutil.CollectAndCount(c, "reelops_work_objects"); n != 1 {
		t.Errorf("got %d series of reelops_work_objects, want 1", n)
	}
	if s := c.sum(); s.overdue["tiktok"] != 0 || s.waiting["render"] != 0 {
		t.Errorf("deleted objects are still counted: %+v", s)
	}
}
