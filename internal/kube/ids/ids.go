// SPDX-License-Identifier: Apache-2.0

package ids

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// Space is one sequence of numbers.
type Space string

// The number spaces. Slideshows and videos share Shorts, so that a short id names one of them.
const (
	Shorts      Space = "shorts"
	Posts       Space = "posts"
	Media       Space = "media"
	Tracks      Space = "tracks"
	Packs       Space = "packs"
	Accounts    Space = "accounts"
	Brands      Space = "brands"
	Keys        Space = "keys"
	Social      Space = "social"
	Batches     Space = "batches"
	Automations Space = "automations"
	Webhooks    Space = "webhooks"
)

var spaces = []Space{Shorts, Posts, Media, Tracks, Packs, Accounts, Brands, Keys, Social, Batches, Automations, Webhooks}

const (
	// Max is the highest id: programs that read JSON numbers as floating point represent it exactly.
	Max = 1<<53 - 1
	// DefaultBlock is how many ids one lease takes. A burst of creations then writes the ConfigMap rarely.
	DefaultBlock = 16

	namePrefix = "reelops-ids-"
	nextKey    = "next"
	component  = "ids"
	// maxTries bounds the retries of a lease. Each conflict means that another process succeeded, so only many
	// processes that lease without pause could use them up.
	maxTries = 64
)

// ErrExhausted means that a space has no ids left.
var ErrExhausted = errors.New("no ids are left in this number space")

// Option changes an allocator at New.
type Option func(*Allocator)

// BlockSize sets how many ids one lease takes; at least 1. A program that creates one object and ends takes 1.
func BlockSize(n int64) Option {
	return func(a *Allocator) { a.block = max(n, 1) }
}

// Allocator allocates ids. It is safe for concurrent use.
type Allocator struct {
	client    client.Client
	namespace string
	block     int64
	leases    map[Space]*lease
}

// lease is the rest of the block that this process holds.
type lease struct {
	// sem is a lock whose wait ends with the context: it holds a token while the lock is free.
	sem chan struct{}
	// next is the next id to return; end is the first id that is not leased. The block is used up when they are equal.
	next, end int64
}

// New returns an allocator with its ConfigMaps in the namespace.
func New(c client.Client, namespace string, opts ...Option) *Allocator {
	a := &Allocator{client: c, namespace: namespace, block: DefaultBlock, leases: map[Space]*lease{}}
	for _, s := range spaces {
		l := &lease{sem: make(chan struct{}, 1), next: 1, end: 1}
		l.sem <- struct{}{}
		a.leases[s] = l
	}
	for _, o := range opts {
		o(a)
	}
	return a
}

// Next returns an id of the space that was never returned before. It fails if the ConfigMap cannot be read or written
// or holds no number, or if the namespace is missing. After a failure no id was allocated.
func (a *Allocator) Next(ctx context.Context, s Space) (int64, error) {
	l, ok := a.leases[s]
	if !ok {
		return 0, fmt.Errorf("unknown number space %q: choose one of %v", s, spaces)
	}
	select {
	case <-ctx.Done():
		return 0, fmt.Errorf("waiting for an id of %s: %w", s, ctx.Err())
	case <-l.sem:
	}
	defer func() { l.sem <- struct{}{} }()

	if l.next == l.end {
		if err := a.renew(ctx, s, l); err != nil {
			return 0, fmt.Errorf("leasing ids of %s: %w", s, err)
		}
	}
	id := l.next
	l.next++
	return id, nil
}

// renew leases a block. After an error it is unknown whether a write was applied; the block is then dropped, never
// used.
func (a *Allocator) renew(ctx context.Context, s Space, l *lease) error {
	var err error
	for range maxTries {
		if err = ctx.Err(); err != nil {
			return err
		}
		var start, end int64
		start, end, err = a.lease(ctx, s, l.end)
		if err == nil {
			l.next, l.end = start, end
			return nil
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return fmt.Errorf("%d tries were lost to other processes: %w", maxTries, err)
}

// lease advances the next id of the space once and returns the block [start, end). floor is an id below which this
// process knows all ids to be leased. It prevents reuse after the ConfigMap was deleted or set back.
func (a *Allocator) lease(ctx context.Context, s Space, floor int64) (start, end int64, err error) {
	key := client.ObjectKey{Namespace: a.namespace, Name: namePrefix + string(s)}
	cm := &corev1.ConfigMap{}
	err = a.client.Get(ctx, key, cm)
	missing := apierrors.IsNotFound(err)
	if err != nil && !missing {
		return 0, 0, fmt.Errorf("reading ConfigMap %s: %w", key, err)
	}

	start = floor
	if !missing {
		next, err := parseNext(cm)
		if err != nil {
			return 0, 0, err
		}
		start = max(start, next)
	}
	if start > Max {
		return 0, 0, ErrExhausted
	}
	end = min(start+a.block, Max+1)

	if missing {
		return start, end, a.create(ctx, key, end)
	}
	cm.Data[nextKey] = strconv.FormatInt(end, 10)
	// The update carries the resourceVersion that was read: the second writer gets a conflict.
	if err := a.client.Update(ctx, cm); err != nil {
		return 0, 0, fmt.Errorf("updating ConfigMap %s: %w", key, err)
	}
	return start, end, nil
}

func (a *Allocator) create(ctx context.Context, key client.ObjectKey, next int64) error {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: key.Namespace, Name: key.Name,
			Labels: map[string]string{v1beta1.LabelComponent: component},
		},
		Data: map[string]string{nextKey: strconv.FormatInt(next, 10)},
	}
	err := a.client.Create(ctx, cm)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("namespace %q does not exist: create it, or name the namespace Reelops is installed in: %w", key.Namespace, err)
	}
	if err != nil {
		return fmt.Errorf("creating ConfigMap %s: %w", key, err)
	}
	return nil
}

// parseNext returns the lowest free id. An invalid value is an error and never repaired, because a guess could allocate
// an id twice.
func parseNext(cm *corev1.ConfigMap) (int64, error) {
	next, err := strconv.ParseInt(cm.Data[nextKey], 10, 64)
	if err != nil || next < 1 || next > Max+1 {
		return 0, fmt.Errorf("ConfigMap %s/%s: data.%s is %q, not a whole number from 1 to %d: set it to a number above every id in use",
			cm.Namespace, cm.Name, nextKey, cm.Data[nextKey], int64(Max)+1)
	}
	return next, nil
}

// Name returns the name of the ConfigMap that records the used ids of a space.
func Name(s Space) string { return namePrefix + string(s) }

// Spaces returns the number spaces.
func Spaces() []Space { return slices.Clone(spaces) }
