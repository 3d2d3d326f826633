// SPDX-License-Identifier: Apache-2.0

package credential

import (
	"context"

	"k8s.io/apimachinery/pkg/types"
)

// cell serializes the work on one Secret.
type cell struct {
	turn chan struct{} // holds one token
	// users is the number of callers that hold the cell or wait for it.
	users int
	// unstored holds renewed tokens that are not stored in the cluster yet.
	unstored *Grant
}

// hold waits until the caller has exclusive use of the Secret's cell.
func (k *Keeper) hold(ctx context.Context, key types.NamespacedName) (*cell, error) {
	k.mu.Lock()
	c := k.cells[key]
	if c == nil {
		c = &cell{turn: make(chan struct{}, 1)}
		c.turn <- struct{}{}
		k.cells[key] = c
	}
	c.users++
	k.mu.Unlock()
	select {
	case <-c.turn:
		return c, nil
	case <-ctx.Done():
		k.leave(key, c)
		return nil, notRenewed(ctx.Err())
	}
}

func (k *Keeper) release(key types.NamespacedName, c *cell) {
	c.turn <- struct{}{}
	k.leave(key, c)
}

func (k *Keeper) leave(key types.NamespacedName, c *cell) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.users--
	if c.users == 0 && c.unstored == nil {
		delete(k.cells, key)
	}
}

// pending reports whether renewed tokens wait to be stored.
func (k *Keeper) pending(key types.NamespacedName) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.cells[key]
	return c != nil && c.unstored != nil
}

func (k *Keeper) setUnstored(c *cell, g *Grant) {
	k.mu.Lock()
	defer k.mu.Unlock()
	c.unstored = g
}
