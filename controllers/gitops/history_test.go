// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/testkit"
)

// patience is the timeout for a state; it is used up only if the state is never reached.
const patience = 10 * time.Minute

// history is one namespace with its repository and its users.
type history struct {
	stage     *stage
	seed      uint64
	number    int
	namespace string
	rand      *rand.Rand
	engine    *engine
	world     world
	// promises are the posts whose outcome was certain at the last rest, by caption and platform.
	promises map[string]promise
	// journal lists the actions, with the time since the start.
	journal []string
	began   time.Time
	tally   tally
	states  *states
}

// promise is the certain outcome of a post that is not due yet, provided that nothing changes until then.
type promise struct {
	due     time.Time
	publish bool
	// shows is the content of the post.
	shows videoSource
}

// tally counts the checks of a history.
type tally struct {
	actions, rests, promisedSent, promisedUnsent, healed int
}

func newHistory(s *stage, seed uint64, number int, states *states) *history {
	return &history{
		stage: s, seed: seed, number: number, namespace: fmt.Sprintf("history-%d", seed), rand: rand.New(rand.NewPCG(seed, 0)),
		engine: newEngine(s.kube), promises: map[string]promise{}, began: time.Now(), states: states,
		world: world{brand: true, shows: map[string]show{}, batches: map[string]batch{}, connected: map[string]bool{}},
	}
}

// run runs a history: commits and user actions in random order, with rests, and a final repair of everything.
func (h *history) run(ctx context.Context) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: h.namespace, Labels: map[string]string{v1beta1.LabelAccount: h.namespace}}}
	if err := h.stage.kube.Create(ctx, space); err != nil {
		return err
	}
	if err := h.stage.kube.Create(ctx, testkit.Account(h.namespace)); err != nil {
		return err
	}
	if err := h.sync(ctx); err != nil {
		return err
	}
	for range 8 + h.rand.IntN(7) {
		if err := h.act(ctx); err != nil {
			return err
		}
		if err := h.pause(ctx); err != nil {
			return err
		}
	}
	if err := h.heal(ctx); err != nil {
		return err
	}
	return h.leave(ctx)
}

// pause waits for a random time, rests, or rests until after the next batch is due.
func (h *history) pause(ctx context.Context) error {
	switch n := h.rand.IntN(100); {
	case n < 20:
		return h.rest(ctx)
	case n < 40:
		return h.restPastDue(ctx)
	default:
		random := time.Duration(h.rand.IntN(1200)) * time.Millisecond
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(random): // the random timing of commits, not a wait for a state
			return nil
		}
	}
}

// restPastDue rests before and after the next batch is due, with no change in between.
func (h *history) restPastDue(ctx context.Context) error {
	if err := h.rest(ctx); err != nil {
		return err
	}
	next := h.nextDue()
	if next.IsZero() {
		return nil
	}
	h.log("wait until %s", next.UTC().Format(captionTime))
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(next)):
	}
	return h.rest(ctx)
}

// restPastAllDue rests until no batch is due within a minute.
func (h *history) restPastAllDue(ctx context.Context) error {
	for next := h.nextDue(); ; next = h.nextDue() {
		if err := h.restPastDue(ctx); err != nil || next.IsZero() {
			return err
		}
	}
}

// nextDue returns the due time of the next batch within a minute; zero if there is none.
func (h *history) nextDue() time.Time {
	var next time.Time
	now := time.Now()
	for _, b := range h.world.batches {
		if b.due.After(now) && b.due.Sub(now) < time.Minute && (next.IsZero() || b.due.Before(next)) {
			next = b.due
		}
	}
	return next
}

// changed discards the certain outcomes before a change.
func (h *history) changed() { clear(h.promises) }

// sync commits the repository, and waits until the engine has applied it.
func (h *history) sync(ctx context.Context) error {
	h.changed()
	return h.engine.sync(ctx, h.manifests(h.rand), h.rand.IntN(2) == 0)
}

// connect approves the history's account on a platform, and waits for its SocialAccount.
func (h *history) connect(ctx context.Context, platform string) error {
	h.changed()
	request, err := h.stage.pages[platform].Request(ctx, h.namespace, brandName, accountName(h.number))
	if err != nil {
		return err
	}
	if err := h.stage.kube.Create(ctx, request); err != nil {
		return err
	}
	h.world.connected[platform] = true
	return h.until(ctx, func(ctx context.Context) error {
		a := &v1beta1.SocialAccount{}
		if err := h.stage.kube.Get(ctx, client.ObjectKey{Namespace: h.namespace, Name: h.socialAccount(platform)}, a); err != nil {
			return err
		}
		if a.Status.TokenStatus != v1beta1.TokenActive {
			return fmt.Errorf("the token of %s is %q", a.Name, a.Status.TokenStatus)
		}
		return nil
	})
}

// disconnect deletes the SocialAccount of a platform, and waits until it is gone.
func (h *history) disconnect(ctx context.Context, platform string) error {
	h.changed()
	h.world.connected[platform] = false
	a := &v1beta1.SocialAccount{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: h.socialAccount(platform)}}
	return h.until(ctx, func(ctx context.Context) error { return h.deleteObject(ctx, a) })
}

func (h *history) deleteObject(ctx context.Context, o client.Object) error {
	err := h.stage.kube.Delete(ctx, o)
	if client.IgnoreNotFound(err) != nil || err == nil {
		return errors.Join(err, fmt.Errorf("%T %s is not gone yet", o, o.GetName()))
	}
	return nil
}

// upload stores the file of the MediaAsset, and requests a retry at once.
func (h *history) upload(ctx context.Context) error {
	h.changed()
	h.world.assetFile = true
	file := new(bytes.Buffer)
	if err := png.Encode(file, image.NewGray(image.Rect(0, 0, 1080, 1920))); err != nil {
		return err
	}
	if err := h.stage.store.Put(ctx, assetKey(h.namespace), "image/png", file); err != nil {
		return err
	}
	retry := fmt.Sprintf(`{"metadata":{"annotations":{%q:"uploaded"}}}`, v1beta1.AnnotationRetry)
	asset := &v1beta1.MediaAsset{ObjectMeta: metav1.ObjectMeta{Namespace: h.namespace, Name: assetName}}
	return client.IgnoreNotFound(h.stage.kube.Patch(ctx, asset, client.RawPatch(types.MergePatchType, []byte(retry))))
}

// until polls for a state.
func (h *history) until(ctx context.Context, holds func(context.Context) error) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, 250*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		err := holds(ctx)
		if ctx.Err() == nil { // otherwise the error is that of a canceled read
			last = err
		}
		return err == nil, nil
	})
	if err != nil && last != nil {
		return last
	}
	return err
}

func (h *history) log(format string, args ...any) {
	at := time.Since(h.began).Round(10 * time.Millisecond)
	h.journal = append(h.journal, fmt.Sprintf("%7s %s", at, fmt.Sprintf(format, args...)))
}

func (h *history) story() string { return strings.Join(h.journal, "\n") }
