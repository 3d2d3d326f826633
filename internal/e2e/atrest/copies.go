// SPDX-License-Identifier: Apache-2.0

package atrest

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
)

// model lets the manager create a slideshow and returns it in its final state.
func (s *Stack) model(ctx context.Context, manager *program) (*v1beta1.Slideshow, error) {
	show := &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: "model"},
		Spec: v1beta1.SlideshowSpec{
			BrandRef: v1beta1.LocalRef{Name: tenant},
			Context:  "Walk to work. You arrive awake. You save the gym. You see your town. Start tomorrow.", SlideCount: 3,
		},
	}
	if err := s.Client.Create(ctx, show); err != nil {
		return nil, err
	}
	err := poll(ctx, manager, func() (bool, error) {
		if err := s.Client.Get(ctx, client.ObjectKeyFromObject(show), show); err != nil {
			return false, err
		}
		w := show.Status.Work
		if w != nil && w.State == v1beta1.WorkFailed {
			return false, fmt.Errorf("the manager failed to create the slideshow: %+v", w.Error)
		}
		return w != nil && w.State == v1beta1.WorkSucceeded && show.Status.ObservedGeneration == show.Generation, nil
	})
	if err != nil {
		return nil, err
	}
	// Wait for the writes that follow the end of the work (settlement, events) before the manager stops.
	if err := s.quiet(ctx, manager); err != nil {
		return nil, err
	}
	return show, s.Client.Get(ctx, client.ObjectKeyFromObject(show), show)
}

// firstCopy is the ID of the first copy, above the IDs that are assigned.
const firstCopy = 1_000_000

// Model returns a copy of the slideshow that the manager created, in its final state.
func (s *Stack) Model() *v1beta1.Slideshow { return s.shown.DeepCopy() }

// copies creates copies of the model. Every tenth one is a suspended draft that was never processed.
func (s *Stack) copies(ctx context.Context, model *v1beta1.Slideshow, n int) error {
	return each(ctx, n, func(ctx context.Context, i int64) error { return s.copy(ctx, model, i) })
}

// each calls one for the numbers 1 to n, eight at a time, until a call fails.
func each(ctx context.Context, n int, one func(ctx context.Context, i int64) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(n) && ctx.Err() == nil; i = next.Add(1) {
				if err := one(ctx, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}

func (s *Stack) copy(ctx context.Context, model *v1beta1.Slideshow, i int64) error {
	id := strconv.FormatInt(firstCopy+i, 10)
	show := &v1beta1.Slideshow{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: tenant, Name: "slideshow-" + id, Finalizers: model.Finalizers,
			Labels: map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: tenant},
		},
		Spec: *model.Spec.DeepCopy(),
	}
	if show.Spec.Suspend = i%10 == 0; show.Spec.Suspend {
		return s.Client.Create(ctx, show)
	}
	if err := s.Client.Create(ctx, show); err != nil {
		return err
	}
	show.Status = *model.Status.DeepCopy()
	if j := show.Status.Job; j != nil { // as the manager derives it
		j.RequestedAt = show.CreationTimestamp
	}
	return s.Client.Status().Update(ctx, show)
}
