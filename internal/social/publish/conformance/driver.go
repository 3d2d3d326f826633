// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/publish"
)

// Limits and waits of the driver. The clock is fake, so nothing really waits.
const (
	maxCalls  = 120
	grace     = 2 * time.Minute
	pause     = time.Minute
	maxUnsure = 12
)

// driver publishes one post with the same protocol as the controller. record is the state that the controller stores in
// the cluster, so it survives a crash. All other state is lost.
type driver struct {
	w      *world
	t      *testing.T
	p      publish.Platform
	conn   *connection
	draft  publish.Draft
	record record
	// crash makes a context error count as the end of the process: the error is dropped and the driver restarts.
	crash bool
	// beforeCommit is called after an attempt was recorded and before anything is sent. It reports whether the process
	// ends there.
	beforeCommit func() (dies bool)
	// afterCommit is called with a receipt that is not yet recorded. It reports whether the process ends there.
	afterCommit func() (dies bool)
	// revoked is called when the user must connect the account again. When nil, the post fails instead.
	revoked func() *connection
	ctx     context.Context
	errs    []*publish.Error
	commits int
	// others is the number of posts that existed before.
	others int
}

// record is the durable state.
type record struct {
	note    []byte
	attempt *time.Time
	receipt *publish.Receipt
}

// outcome is the result of a run.
type outcome struct {
	view    *publish.View
	unknown bool
	failed  *publish.Error
}

func (o outcome) String() string {
	switch {
	case o.unknown:
		return "cannot tell"
	case o.failed != nil:
		return "failed: " + o.failed.Error()
	case o.view == nil:
		return "nothing"
	}
	return fmt.Sprintf("%s (%s at %s)", o.view.State, o.view.PostID, o.view.URL)
}

// run repeats until the post has an outcome.
func (d *driver) run() outcome {
	unsure := 0
	for range maxCalls {
		if d.t.Failed() {
			d.t.FailNow()
		}
		if d.record.receipt != nil {
			view, err := d.look()
			if view != nil {
				return outcome{view: view, failed: view.Failed}
			}
			if o := d.after(err, nil); o != nil {
				return *o
			}
			continue
		}
		if d.record.attempt != nil {
			d.w.core.Quiet()
			d.w.clock.Step(grace)
			r, err := d.p.Find(d.ctx, d.conn.account, d.draft, d.record.note, *d.record.attempt)
			switch {
			case err == nil:
				d.accept(r)
			case errors.Is(err, publish.ErrNotFound):
				d.record.attempt = nil
			case errors.Is(err, publish.ErrCannotTell):
				if unsure++; unsure > maxUnsure {
					return outcome{unknown: true}
				}
				d.w.clock.Step(5 * time.Minute)
			default:
				// The attempt stays open after any error.
				if o := d.after(err, nil); o != nil {
					return *o
				}
			}
			continue
		}
		if o := d.send(); o != nil {
			return *o
		}
	}
	d.t.Fatalf("no outcome after %d calls; errors: %v", maxCalls, d.errs)
	return outcome{}
}

// send prepares the post and, when it is ready, commits it.
func (d *driver) send() *outcome {
	step, err := d.p.Prepare(d.ctx, d.conn.account, d.draft, d.record.note, func(note []byte) error {
		d.record.note = append([]byte(nil), note...)
		return d.ctx.Err()
	})
	if err != nil {
		return d.after(err, func() { d.record.note = nil })
	}
	if d.crashed() {
		return nil
	}
	d.record.note = step.Note
	if !step.Ready {
		d.w.clock.Step(max(step.Wait, time.Second))
		return nil
	}
	if seen := d.w.visible(d.draft); d.commits == 0 && d.draft.Mode == catalog.PostDirect && len(seen) > d.others {
		d.t.Errorf("before Commit a post exists: %+v", seen)
	}
	at := d.w.clock.Now()
	d.record.attempt = &at
	if d.beforeCommit != nil && d.beforeCommit() {
		d.restart()
		return nil
	}
	d.commits++
	receipt, err := d.p.Commit(d.ctx, d.conn.account, d.draft, d.record.note)
	switch {
	case d.crashed():
		return nil
	case err == nil:
		if d.afterCommit != nil && d.afterCommit() {
			d.restart()
			return nil
		}
		d.accept(receipt)
		return nil
	case publish.KindOf(err) == publish.Ambiguous:
		_ = d.saw(err)
		d.leave()
		return nil
	}
	if d.saw(err) == nil {
		d.t.Errorf("Commit failed with an unclassified error: %v", err)
	}
	d.record.attempt = nil
	return d.after(err, func() { d.record.note = nil })
}

func (d *driver) accept(r *publish.Receipt) {
	if r == nil || r.Handle == "" || len(r.Handle) > 1024 {
		d.t.Fatalf("got an invalid handle: %+v", r)
	}
	d.clean("handle", r.Handle)
	d.record.receipt, d.record.attempt = r, nil
}

// look polls the status of an accepted post until it is settled or failed.
func (d *driver) look() (*publish.View, error) {
	if v := d.record.receipt.View; v != nil && v.Settled {
		return v, nil
	}
	for range maxCalls {
		v, err := d.p.Look(d.ctx, d.conn.account, d.draft, d.record.receipt.Handle)
		if err != nil {
			return nil, err
		}
		if done := v.Settled || v.Failed != nil; done {
			return v, nil
		}
		d.w.clock.Step(max(v.Wait, 5*time.Second))
	}
	d.t.Fatal("the accepted post does not settle")
	return nil, nil
}

// after handles an error that is not ambiguous as the controller does. It calls expired to discard the prepared state.
// A non-nil outcome ends the run.
func (d *driver) after(err error, expired func()) *outcome {
	if d.crashed() {
		return nil
	}
	e := d.saw(err)
	d.leave()
	if e == nil {
		if errors.Is(err, publish.ErrNotFound) {
			return &outcome{failed: &publish.Error{Kind: publish.Rejected, Safe: "gone"}}
		}
		d.w.clock.Step(pause)
		return nil
	}
	switch e.Kind {
	case publish.Unauthorized:
		return d.renew()
	case publish.Auth:
		return d.reconnect(e)
	case publish.Expired:
		if expired == nil {
			return &outcome{failed: e}
		}
		expired()
	case publish.Scope, publish.Rejected, publish.Misconfigured:
		return &outcome{failed: e}
	case publish.RateLimited:
		wait := max(e.RetryAfter, pause)
		if !e.ResetsAt.IsZero() {
			wait = max(wait, e.ResetsAt.Sub(d.w.clock.Now()))
		}
		d.w.clock.Step(wait)
	default:
		d.w.clock.Step(pause)
	}
	return nil
}

func (d *driver) renew() *outcome {
	err := d.conn.renew(d.ctx, d.p)
	if err == nil {
		return nil
	}
	if e := d.saw(err); e != nil && e.Kind == publish.Auth {
		return d.reconnect(e)
	}
	d.w.clock.Step(pause)
	return nil
}

func (d *driver) reconnect(e *publish.Error) *outcome {
	if d.revoked == nil {
		return &outcome{failed: e}
	}
	d.conn = d.revoked()
	return nil
}

// crashed reports whether the process ended: crash is set and the context is done. It then restarts the driver.
func (d *driver) crashed() bool {
	if !d.crash || d.ctx.Err() == nil {
		return false
	}
	d.restart()
	return true
}

// restart opens a new adapter and keeps only the record.
func (d *driver) restart() {
	d.w.core.Quiet()
	d.p = d.w.open(d.t)
	d.ctx = d.t.Context()
}

// leave replaces a context that has ended.
func (d *driver) leave() {
	if d.ctx.Err() != nil {
		d.w.core.Quiet()
		d.ctx = d.t.Context()
	}
}

// saw checks that the error is safe to show, and records it. It returns nil for an error without a kind.
func (d *driver) saw(err error) *publish.Error {
	var e *publish.Error
	if !errors.As(err, &e) {
		return nil
	}
	d.errs = append(d.errs, e)
	if e.Safe == "" {
		d.t.Errorf("an error of kind %s has no message for users: %v", e.Kind, err)
	}
	d.clean("sentence", e.Safe)
	return e
}

// clean fails the test if a user-visible text contains a secret or an address. A handle may contain an address.
func (d *driver) clean(what, text string) {
	for _, secret := range []string{d.conn.tokens.AccessToken, d.conn.tokens.RefreshToken, "sandbox-secret"} {
		if secret != "" && strings.Contains(text, secret) {
			d.t.Errorf("the %s contains a secret", what)
		}
	}
	if what != "handle" && strings.Contains(text, "127.0.0.1") {
		d.t.Errorf("the %s contains an address: %s", what, quiet(text))
	}
}
