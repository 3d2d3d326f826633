// SPDX-License-Identifier: Apache-2.0

package runner

import (
	"fmt"
	"strings"
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
	// Number of the attempt, from 1. An owner never uses a number twice.
	Number int32
	// film is true for renders.
	film bool
	// complete is true once the pod has reported that its outcome is stored.
	complete bool
}

// Film returns attempt n of a RenderJob.
func Film(j *v1beta1.RenderJob, n int32) Attempt {
	p := j.Status.Progress
	return Attempt{Owner: j, Number: n, film: true, complete: p != nil && p.Attempt == n && p.Percent == callback.Complete}
}

// Media returns attempt n of the media work of an owner.
func Media(owner client.Object, n int32) Attempt { return Attempt{Owner: owner, Number: n} }

// Name returns the name of the attempt's Job and Secret. It is the ID of the order.
func (a Attempt) Name() string {
	kind := "m"
	if a.film {
		kind = "a"
	}
	return naming.Child(a.Owner.GetName(), string(a.Owner.GetUID()), fmt.Sprintf("%s%d", kind, a.Number))
}

// MediaPrefix returns the prefix of all blob keys of an owner of media work.
func MediaPrefix(owner client.Object) string {
	return fmt.Sprintf("media/%s/%s/", owner.GetNamespace(), v1beta1.Origin(owner))
}

// Films is the prefix of all blob keys of all RenderJobs.
const Films = "renders/"

// FilmPrefix returns the prefix of all blob keys of a RenderJob.
func FilmPrefix(j client.Object) string {
	return fmt.Sprintf("%s%s/%s/", Films, j.GetNamespace(), v1beta1.Origin(j))
}

// pack is the last part of the blob key of a segment cache.
const pack = "pack"

// PackKey returns the blob key of the segment cache of a RenderJob.
func PackKey(j client.Object) string { return FilmPrefix(j) + pack }

// IsPack reports whether a blob key is that of a segment cache.
func IsPack(key string) bool {
	parts := strings.Split(key, "/")
	return strings.HasPrefix(key, Films) && len(parts) == 4 && parts[3] == pack
}

// FilmKey returns the blob key of a file of an attempt of a render.
func (a Attempt) FilmKey(file string) string {
	return fmt.Sprintf("%sa%d/%s", FilmPrefix(a.Owner), a.Number, file)
}

// key returns the blob key of a document of the attempt.
func (a Attempt) key(document string) string {
	if a.film {
		return a.FilmKey(document + ".json")
	}
	return fmt.Sprintf("%s%s-%d.json", MediaPrefix(a.Owner), document, a.Number)
}

// OrderKey returns the blob key of the order.
func (a Attempt) OrderKey() string { return a.key("order") }

// OutcomeKey returns the blob key of the stored outcome.
func (a Attempt) OutcomeKey() string { return a.key("outcome") }

// previous returns the attempt before this one.
func (a Attempt) previous() Attempt {
	a.Number--
	return a
}

// clockMargin is added to the lifetime of signed URLs, because the clocks of the manager and the store may differ.
const clockMargin = 5 * time.Minute

// Valid returns the lifetime of the signed URLs of an attempt: the longest time that it may wait and then run.
func Valid(run time.Duration) time.Duration { return catalog.QueueDeadline + run + clockMargin }

// MediaValid is Valid for media work.
const MediaValid = catalog.QueueDeadline + catalog.MediaDeadline + clockMargin
