// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/identity"
	"github.com/reelops/reelops/internal/social/posting"
)

// observed is what a decision depends on, besides the batch.
type observed struct {
	// brand is nil if it does not exist.
	brand *v1beta1.Brand
	// posts of the batch's name, also those of an earlier batch of the name.
	posts []v1beta1.Post
	// targets are those of the status, or what the spec means now. Each has its post if that exists.
	targets []target
	// content is the content of the short; nil if there is no such short. It is read while it decides about a post.
	content *posting.Content
	// ambiguous reports whether a Slideshow and a Video have the name of the short, and the spec names no kind.
	ambiguous bool
	// archived reports whether there is no such short in the cluster, but in the archive.
	archived bool
}

// target is a target of the batch with the objects that belong to it.
type target struct {
	v1beta1.TargetStatus
	// account is nil if it does not exist.
	account *v1beta1.SocialAccount
	// post is nil if it does not exist.
	post *v1beta1.Post
	// behind is why the post does not publish the newest revision of the short; empty if it does.
	behind behind
	// accepted is the content that the batch records for the post; nil if it records none.
	accepted *v1beta1.AcceptedPost
	// waits is the reason that the post of an open target cannot be created yet; nil if it can.
	waits *posting.Issue
}

// open reports whether the post is still to be created.
func (l *target) open() bool { return l.post == nil && posting.Unmade(&l.TargetStatus) }

// resolved reports whether the targets of a batch were resolved and recorded.
func resolved(b *v1beta1.PostBatch) bool { return len(b.Status.Targets) > 0 }

// begun reports whether the targets were recorded, or a post of the batch exists: the pass that created it may have ended
// before it recorded the targets.
func (o *observed) begun(b *v1beta1.PostBatch) bool {
	return resolved(b) || slices.ContainsFunc(o.targets, func(t target) bool { return t.post != nil && ours(b, t.post) })
}

func (r *Reconciler) observe(ctx context.Context, b *v1beta1.PostBatch) (*observed, error) {
	brand, err := readBrand(ctx, r.Client, b)
	if err != nil {
		return nil, err
	}
	o := &observed{brand: brand}
	var posts v1beta1.PostList
	if err := r.Client.List(ctx, &posts, client.InNamespace(b.Namespace), client.MatchingFields{IndexBatch: b.Name}); err != nil {
		return nil, fmt.Errorf("listing posts: %w", err)
	}
	o.posts = posts.Items
	accounts, err := r.accounts(ctx, b)
	if err != nil {
		return nil, err
	}
	o.targets = targetsOf(b, accounts)
	for i := range o.targets {
		l := &o.targets[i]
		l.find(b, o.posts)
		if l.accepted = posting.Accepted(b, l.Account); l.accepted != nil {
			l.Platform = l.accepted.Platform // also if the account was deleted: the post itself reports that
		} else if l.open() {
			l.waits = posting.Hindrance(l.Platform, l.Account, l.account, r.Missing)
		}
	}
	if b.DeletionTimestamp.IsZero() && !posting.Missed(b) && slices.ContainsFunc(o.targets, func(l target) bool { return l.open() && l.accepted == nil || l.movable() }) {
		o.content, o.ambiguous, err = r.short(ctx, b)
		if err == nil && o.content == nil && !o.ambiguous {
			o.archived, err = r.archived(ctx, b)
		}
	}
	return o, err
}

// readBrand returns the brand of a batch; nil if it does not exist.
func readBrand(ctx context.Context, from client.Reader, b *v1beta1.PostBatch) (*v1beta1.Brand, error) {
	brand := &v1beta1.Brand{}
	err := from.Get(ctx, client.ObjectKey{Namespace: b.Namespace, Name: b.Spec.BrandRef.Name}, brand)
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading the brand: %w", err)
	}
	return brand, nil
}

// accounts returns the accounts of the brand that have an id. The cache owns them: they must not be changed.
func (r *Reconciler) accounts(ctx context.Context, b *v1beta1.PostBatch) ([]v1beta1.SocialAccount, error) {
	var list v1beta1.SocialAccountList
	if err := r.Client.List(ctx, &list, client.InNamespace(b.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("listing social accounts: %w", err)
	}
	return slices.DeleteFunc(list.Items, func(a v1beta1.SocialAccount) bool {
		_, ok := identity.Of(&a)
		return !ok || a.Spec.BrandRef.Name != b.Spec.BrandRef.Name || !a.DeletionTimestamp.IsZero()
	}), nil
}

// targetsOf returns the targets of a batch: the recorded ones, or those that the spec means now.
func targetsOf(b *v1beta1.PostBatch, accounts []v1beta1.SocialAccount) []target {
	var out []target
	named := func(name string) *v1beta1.SocialAccount {
		if i := slices.IndexFunc(accounts, func(a v1beta1.SocialAccount) bool { return a.Name == name }); i >= 0 {
			return &accounts[i]
		}
		return nil
	}
	if resolved(b) {
		for _, t := range b.Status.Targets {
			l := target{TargetStatus: t, account: named(t.Account)}
			if l.Account == "" && l.open() {
				out = append(out, connected(b, l, accounts)...)
				continue
			}
			if l.Platform == "" && l.account != nil {
				l.Platform = l.account.Spec.Platform
			}
			out = append(out, l)
		}
		return out
	}
	// Missing accounts keep their place; the accounts of the platforms follow.
	there := []*v1beta1.SocialAccount{}
	for _, t := range b.Spec.Accounts {
		l := target{TargetStatus: v1beta1.TargetStatus{Account: t.Name}, account: named(t.Name)}
		if l.account != nil {
			l.Platform = l.account.Spec.Platform
			there = append(there, l.account)
		}
		out = append(out, l)
	}
	for _, t := range posting.Targets(there, b.Spec.Platforms, accounts)[len(there):] {
		l := target{TargetStatus: v1beta1.TargetStatus{Platform: t.Platform}, account: t.Account}
		if t.Account != nil {
			l.Account = t.Account.Name
		}
		out = append(out, l)
	}
	return out
}

// connected returns a target for each account that was connected since on the platform of a target without an account; the target itself
// while there are none.
func connected(b *v1beta1.PostBatch, l target, accounts []v1beta1.SocialAccount) []target {
	var out []target
	for _, t := range posting.Targets(nil, []v1beta1.Platform{l.Platform}, accounts) {
		if t.Account == nil || slices.ContainsFunc(b.Status.Targets, func(o v1beta1.TargetStatus) bool { return o.Account == t.Account.Name }) {
			continue
		}
		one := l
		one.Account, one.account = t.Account.Name, t.Account
		out = append(out, one)
	}
	if len(out) == 0 {
		return []target{l}
	}
	return out
}

// find sets the target's post, which is found by its name.
func (l *target) find(b *v1beta1.PostBatch, posts []v1beta1.Post) {
	for i := range posts {
		p := &posts[i]
		if !p.DeletionTimestamp.IsZero() && !ours(b, p) && !maybeSent(p) {
			continue // of a deleted batch: the name is free in a moment
		}
		if l.Account != "" && p.Spec.Account == l.Account && p.Name == posting.PostName(b, p.Spec.Platform, l.Account, posting.Reserved(b, l.Account)) {
			l.post, l.Platform = p, p.Spec.Platform
		}
	}
}

// maybeSent reports whether a post was sent, or may have been.
func maybeSent(p *v1beta1.Post) bool {
	if len(p.Status.Attempts) == 0 {
		return false
	}
	last := p.Status.Attempts[len(p.Status.Attempts)-1].State
	return last == v1beta1.AttemptAccepted || last.Open()
}

// usesOf returns the key of IndexAccount of the posts that count against the same limit.
func usesOf(platform v1beta1.Platform, namespace, account string) string {
	if r, ok := catalog.RuleOf(string(platform)); ok && r.Cap.AppWide {
		return string(platform)
	}
	return namespace + "/" + account
}

func digits(id int64) string { return strconv.FormatInt(id, 10) }
