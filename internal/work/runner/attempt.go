// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/kube/naming"
	"github.com/reelops/reelops/internal/work/callback"
)

// Attempt is one attempt of the work of an owner.
type Attempt struct {
	Owner client.Object
	// Number of the attempt; the first is 1. No number of an owner is used twice.
	Number int32
	// film is set for renders.
	film bool
	// complete is set when the pod has reported that its outcome is stored.
	complete bool
}

// Film returns an attempt of a RenderJob.
func Film(j *v1beta1.RenderJob, n int32) Attempt {
	p := j.Status.Progress
	return Attempt{Owner: j, Number: n, film: true, complete: p != nil && p.Attempt == n && p.Percent == callback.Complete}
}

// Media returns an attempt of media work of an owner.
func Media(owner client.Object, n int32) Attempt { return Attempt{Owner: owner, Number: n} }

// Name returns the name of the attempt's Job and Secret. It is the ID of the order.
func (a Attempt) Name() string {
	kind := "m"
	if a.film {
		kind = "a"
	}
	return naming.Child(a.Owner.GetName(), string(a.Owner.GetUID()), fmt.Sprintf("%s%d", kind, a.Number))
}

// MediaPrefix returns the prefix of the keys of everything that is stored for an owner of media work.
func MediaPrefix(owner client.Object) string {
	return fmt.Sprintf("media/%s/%s/", owner.GetNamespace(), v1beta1.Origin(owner))
}

// FilmPrefix returns the prefix of the keys of everything that is stored for a RenderJob.
func FilmPrefix(j client.Object) string {
	return fmt.Sprintf("renders/%s/%s/", j.GetNamespace(), v1beta1.Origin(j))
}

// FilmKey returns the key of a file of an attempt of a render.
func (a Attempt) FilmKey(file string) string {
	return fmt.Sprintf("%sa%d/%s", FilmPrefix(a.Owner), a.Number, file)
}

func (a Attempt) key(document string) string {
	if a.film {
		return a.FilmKey(document + ".json")
	}
	return fmt.Sprintf("%s%s-%d.json", MediaPrefix(a.Owner), document, a.Number)
}

// OrderKey returns the key of the order, OutcomeKey that of the stored outcome.
func (a Attempt) OrderKey() string   { return a.key("order") }
func (a Attempt) OutcomeKey() string { return a.key("outcome") }

// before returns the attempt before this one.
func (a Attempt) before() Attempt {
	a.Number--
	return a
}

// clockMargin is added to the lifetime of signed URLs, because the clocks of the manager and the store may differ.
const clockMargin = 5 * time.Minute

// Valid returns the lifetime of the signed URLs of an attempt: the longest time that it may wait and then run.
func Valid(run time.Duration) time.Duration { return catalog.QueueDeadline + run + clockMargin }

// MediaValid is Valid for media work.
const MediaValid = catalog.QueueDeadline + catalog.MediaDeadline + clockMargin
