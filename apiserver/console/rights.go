// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/singleflight"
	authorizationv1 "k8s.io/api/authorization/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
)

// access is a permission on the objects of a namespace. group is empty for the kinds of Reelops, and object is empty
// for all objects.
type access struct{ verb, resource, group, object string }

// on returns the permission for a verb on a kind of Reelops.
func on(verb, resource string) access { return access{verb: verb, resource: resource} }

// groupVersion returns the API group and version of the resource.
func (a access) groupVersion() schema.GroupVersion {
	if a.group == "" {
		return v1beta1.GroupVersion
	}
	return schema.GroupVersion{Group: a.group, Version: "v1"}
}

// scopeAccess has the permission that gives a user a scope of the API. Every published scope has a row.
var scopeAccess = map[v1beta1.Scope]access{
	v1beta1.ScopeBrandRead:     readBrands,
	v1beta1.ScopeMediaRead:     on("get", "mediaassets"),
	v1beta1.ScopeMediaWrite:    on("create", "mediaassets"),
	v1beta1.ScopeContentWrite:  on("create", "slideshows"),
	v1beta1.ScopePostsRead:     on("get", "posts"),
	v1beta1.ScopePostsWrite:    on("create", "postbatches"),
	v1beta1.ScopeAnalyticsRead: on("get", "accountanalytics"),
	v1beta1.ScopeBrandsAll:     on("list", "brands"),
	v1beta1.ScopeBrandWrite:    changeBrands,
	v1beta1.ScopeWebhooksWrite: on("create", "webhookendpoints"),
}

// operationAccess has the permissions that operations need in addition to that of their scope: those that change
// something although their scope is one of reading, and those that delete or change objects which the scope creates.
// Those of approvals are required instead of the scope: an approver may not post.
var operationAccess = map[string]access{
	"create_connect_link": changeBrands, "delete_short": on("delete", "slideshows"),
	"update_media": on("patch", "mediaassets"), "delete_media": on("delete", "mediaassets"),
	"create_media_pack": on("create", "mediapacks"), "update_media_pack": on("patch", "mediapacks"),
	"delete_media_pack": on("delete", "mediapacks"),
	"create_automation": on("create", "automations"), "update_automation": on("patch", "automations"),
	"delete_automation": on("delete", "automations"), "run_automation": on("create", "automationruns"),
	"update_webhook": changeWebhooks, "test_webhook": changeWebhooks, "rotate_webhook": changeWebhooks,
	"replay_webhook":    changeWebhooks,
	"delete_webhook":    on("delete", "webhookendpoints"),
	"refresh_analytics": refreshAnalytics, "approve_post": approvePosts, "return_post": approvePosts,
}

// actionAccess has the permissions of what is no operation, by the name in the response of GET /console/session.
// "keys" is the creation of API keys.
var actionAccess = map[string]access{
	"approve": approvePosts, "connect": changeBrands, "refresh_analytics": refreshAnalytics,
	"read_keys": readKeys, "keys": createKeys, "revoke_keys": updateKeys, "members": addMembers,
}

var (
	readBrands       = on("get", "brands")
	changeBrands     = on("patch", "brands")
	createKeys       = on("create", "apikeys")
	readKeys         = on("list", "apikeys")
	updateKeys       = on("update", "apikeys")
	refreshAnalytics = on("patch", "accountanalytics")
	changeWebhooks   = on("patch", "webhookendpoints")
	approvePosts     = on("approve", "postbatches")
)

const (
	// reviewAge is how long the result of a review is used: a change of rights has effect within this time.
	reviewAge = 5 * time.Second
	// mostReviews limits the results that are stored, and reviewsAtOnce the reviews that run at the same time.
	mostReviews   = 20_000
	reviewsAtOnce = 32
	// reviewTime is the timeout of one review.
	reviewTime = 5 * time.Second
	// mostAccounts limits the accounts that are reviewed for a user who may not read all of them.
	mostAccounts = 500
)

// reviews requests SubjectAccessReviews of users from the cluster.
type reviews struct {
	live  client.Client
	clock clock.PassiveClock

	running singleflight.Group
	slots   chan struct{}
	mu      sync.Mutex
	known   map[string]review
}

// review is the result of a review and the time until which it is used.
type review struct {
	allowed bool
	until   time.Time
}

func newReviews(live client.Client, c clock.PassiveClock) *reviews {
	return &reviews{live: live, clock: c, slots: make(chan struct{}, reviewsAtOnce), known: map[string]review{}}
}

// allowed reports whether the user has a permission in a namespace, or in all namespaces if it is empty.
func (v *reviews) allowed(ctx context.Context, who subject, namespace string, a access) (bool, error) {
	of := strings.Join([]string{who.key(), namespace, a.verb, a.resource, a.group, a.object}, "/")
	v.mu.Lock()
	r, ok := v.known[of]
	v.mu.Unlock()
	if ok && v.clock.Now().Before(r.until) {
		return r.allowed, nil
	}
	asking := v.running.DoChan(of, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), reviewTime) // several requests share the review
		defer cancel()
		return v.ask(ctx, of, who, namespace, a)
	})
	select {
	case r := <-asking:
		allowed, _ := r.Val.(bool)
		return allowed, r.Err
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

func (v *reviews) ask(ctx context.Context, of string, who subject, namespace string, a access) (bool, error) {
	select {
	case v.slots <- struct{}{}:
	case <-ctx.Done():
		return false, ctx.Err()
	}
	defer func() { <-v.slots }()
	began, kind := v.clock.Now(), a.groupVersion()
	r := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
		User: who.user, Groups: who.groups,
		ResourceAttributes: &authorizationv1.ResourceAttributes{
			Group: kind.Group, Version: kind.Version, Resource: a.resource, Name: a.object, Verb: a.verb,
			Namespace: namespace,
		},
	}}
	if err := v.live.Create(ctx, r); err != nil {
		return false, fmt.Errorf("reviewing access to %s: %w", a.resource, err)
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.known) >= mostReviews {
		clear(v.known)
	}
	v.known[of] = review{r.Status.Allowed, began.Add(reviewAge)}
	return r.Status.Allowed, nil
}

// all returns which of several permissions the user has in a namespace, in their order.
func (v *reviews) all(ctx context.Context, who subject, namespace string, list []access) ([]bool, error) {
	out := make([]bool, len(list))
	var g errgroup.Group
	for i, a := range list {
		g.Go(func() (err error) {
			out[i], err = v.allowed(ctx, who, namespace, a)
			return err
		})
	}
	return out, g.Wait()
}

// scopes returns the scopes that the user has in an account, in the published order. An empty account has none.
func (v *reviews) scopes(ctx context.Context, who subject, account string) ([]v1beta1.Scope, error) {
	out := []v1beta1.Scope{}
	if account == "" {
		return out, nil
	}
	list := make([]access, len(apikey.Scopes))
	for i, s := range apikey.Scopes {
		list[i] = scopeAccess[s]
	}
	allowed, err := v.all(ctx, who, account, list)
	if err != nil {
		return nil, err
	}
	for i, ok := range allowed {
		if ok {
			out = append(out, apikey.Scopes[i])
		}
	}
	return out, nil
}

// actions reports which actions of actionAccess the user may do in an account.
func (v *reviews) actions(ctx context.Context, who subject, account string) (map[string]bool, error) {
	out := map[string]bool{}
	for name, a := range actionAccess {
		allowed := false
		if account != "" {
			var err error
			if allowed, err = v.allowed(ctx, who, account, a); err != nil {
				return nil, err
			}
		}
		out[name] = allowed
	}
	return out, nil
}

// accounts returns the accounts whose brands the user may read, by name.
func (h *Handler) accounts(ctx context.Context, who subject) ([]string, error) {
	all, err := h.namespaces(ctx)
	if err != nil {
		return nil, err
	}
	everywhere, err := h.reviews.allowed(ctx, who, "", readBrands)
	if err != nil || everywhere {
		return all, err
	}
	all = all[:min(len(all), mostAccounts)]
	allowed := make([]bool, len(all))
	var g errgroup.Group
	g.SetLimit(reviewsAtOnce)
	for i, namespace := range all {
		g.Go(func() (err error) {
			allowed[i], err = h.reviews.allowed(ctx, who, namespace, readBrands)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	var out []string
	for i, ok := range allowed {
		if ok {
			out = append(out, all[i])
		}
	}
	return out, nil
}

// mayRead reports whether a namespace holds an account whose brands the user may read.
func (h *Handler) mayRead(ctx context.Context, who subject, namespace string) (bool, error) {
	ok, err := h.hasAccount(ctx, namespace)
	if err != nil || !ok {
		return false, err
	}
	return h.reviews.allowed(ctx, who, namespace, readBrands)
}
