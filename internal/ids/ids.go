// SPDX-License-Identifier: Apache-2.0

// Package ids gives integer ids: positive, rising in each number space, never given twice. Processes lease blocks of them
// from a ConfigMap for each space with optimistic concurrency, so most ids cost no request. What a process that died had
// leased is not given again: gaps are normal.
package ids

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
)

// Space is a number space.
type Space string

// The number spaces. Slideshows and videos share one.
const (
	Shorts   Space = "shorts"
	Posts    Space = "posts"
	Media    Space = "media"
	Tracks   Space = "tracks"
	Packs    Space = "packs"
	Accounts Space = "accounts"
	Brands   Space = "brands"
	Keys     Space = "keys"
)

const (
	nextKey = "next"
	// blockSize is how many ids are leased at once: few enough that restarts leave small gaps.
	blockSize = 16
	// tries bounds how often a lease is tried again after another process was quicker.
	tries = 50
)

// Allocator gives ids. It is safe for concurrent use.
type Allocator struct {
	client    client.Client
	namespace string

	mu     sync.Mutex
	blocks map[Space]*block
}

type block struct {
	mu        sync.Mutex
	next, end int64
}

// New returns an allocator that keeps its state in the namespace. The client should read live, not from a cache: a cache
// would hold every ConfigMap of the cluster for the sake of eight.
func New(live client.Client, namespace string) *Allocator {
	return &Allocator{client: live, namespace: namespace, blocks: map[Space]*block{}}
}

// Next gives the next id of a space.
func (a *Allocator) Next(ctx context.Context, s Space) (int64, error) {
	a.mu.Lock()
	b := a.blocks[s]
	if b == nil {
		b = &block{}
		a.blocks[s] = b
	}
	a.mu.Unlock()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == b.end {
		start, err := a.lease(ctx, s)
		if err != nil {
			return 0, fmt.Errorf("leasing ids for %s: %w", s, err)
		}
		b.next, b.end = start, start+blockSize
	}
	id := b.next
	b.next++
	return id, nil
}

// lease takes a block. A write whose answer was lost may have taken one too: that one is never used.
func (a *Allocator) lease(ctx context.Context, s Space) (int64, error) {
	name := "reelops-ids-" + string(s)
	for range tries {
		cm := &corev1.ConfigMap{}
		err := a.client.Get(ctx, client.ObjectKey{Namespace: a.namespace, Name: name}, cm)
		switch {
		case apierrors.IsNotFound(err):
			cm = &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: a.namespace, Name: name, Labels: map[string]string{v1alpha1.LabelComponent: "ids"}},
				Data:       map[string]string{nextKey: strconv.FormatInt(1+blockSize, 10)},
			}
			if err = a.client.Create(ctx, cm); err == nil {
				return 1, nil
			}
			if apierrors.IsNotFound(err) {
				return 0, fmt.Errorf("the namespace %s does not exist: %w", a.namespace, err)
			}
		case err == nil:
			start, perr := strconv.ParseInt(cm.Data[nextKey], 10, 64)
			if perr != nil || start < 1 {
				// Guessing here could give an id twice. A person has to look.
				return 0, fmt.Errorf("the ConfigMap %s/%s holds no number in %q", a.namespace, name, nextKey)
			}
			cm.Data[nextKey] = strconv.FormatInt(start+blockSize, 10)
			if err = a.client.Update(ctx, cm); err == nil {
				return start, nil
			}
		}
		if !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
	}
	return 0, errors.New("other processes were quicker every time")
}
