// SPDX-License-Identifier: Apache-2.0

// Package mediaasset fetches the pictures that manifests bring, looks at what they really are, and keeps them in the blob
// store under a name of their own. It takes pictures only; a clip is refused with a sentence that says so.
package mediaasset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1alpha1 "github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/internal/blob"
	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/fetch"
	"github.com/reelops/reelops/internal/finalize"
	"github.com/reelops/reelops/internal/identity"
	"github.com/reelops/reelops/internal/imagery"
	"github.com/reelops/reelops/internal/outcome"
	"github.com/reelops/reelops/internal/status"
)

// Finalizer holds a MediaAsset until its file is gone from the store.
const Finalizer = "reelops.dev/media-blobs"

const (
	// patience is how long a server that does not answer, or answers with a fault of its own, is asked again.
	patience = 10 * time.Minute
)

// Reconciler keeps media.
type Reconciler struct {
	Client client.Client
	Clock  clock.Clock
	Store  *blob.Store
	Fetch  *fetch.Client
	NextID func(context.Context) (int64, error)
}

// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets,verbs=get;list;watch;patch
// +kubebuilder:rbac:groups=reelops.dev,resources=mediaassets/status,verbs=patch

// SetupWithManager wires the controller.
func (r *Reconciler) SetupWithManager(mgr ctrl.Manager) error {
	deleted := predicate.Funcs{UpdateFunc: func(e event.UpdateEvent) bool {
		return e.ObjectOld.GetDeletionTimestamp().IsZero() != e.ObjectNew.GetDeletionTimestamp().IsZero()
	}}
	return ctrl.NewControllerManagedBy(mgr).Named("mediaasset").
		For(&v1alpha1.MediaAsset{}, builder.WithPredicates(predicate.Or(predicate.GenerationChangedPredicate{}, deleted))).
		WithOptions(controller.Options{MaxConcurrentReconciles: 2}).
		Complete(reconcile.AsReconciler(mgr.GetClient(), r))
}

// Reconcile is one pass.
func (r *Reconciler) Reconcile(ctx context.Context, m *v1alpha1.MediaAsset) (ctrl.Result, error) {
	key := fmt.Sprintf("media/%s/%s", m.Namespace, m.UID)
	if !m.DeletionTimestamp.IsZero() {
		return outcome.Result(finalize.Release(ctx, r.Client, m, Finalizer, func() error { return r.Store.Delete(ctx, key) }))
	}
	if err := finalize.Ensure(ctx, r.Client, m, Finalizer); err != nil {
		return outcome.Result(err)
	}
	if err := identity.Ensure(ctx, r.Client, m, r.NextID, m.Spec.BrandRef); err != nil {
		return outcome.Result(err)
	}
	w := status.Begin(r.Client, m)
	m.Status.ObservedGeneration = m.Generation
	if m.Status.Probe == nil && m.Status.Error == nil {
		probe, err := r.take(ctx, m, key)
		var refused *refusal
		switch {
		case err == nil:
			m.Status.Probe, m.Status.BlobKey = probe, key
		case errors.As(err, &refused):
			m.Status.Error = &v1alpha1.WorkError{Code: string(refused.code), Message: refused.say, Retryable: false}
			if refused.code == catalog.ValidationFailed && errors.Is(err, fetch.ErrForbidden) {
				m.Status.Error.Details = map[string]string{"reason": fetch.ReasonForbidden}
			}
		case ctx.Err() != nil: // the manager is stopping: the next one asks
			return outcome.Result(err)
		case r.Clock.Now().Sub(m.CreationTimestamp.Time) > patience:
			m.Status.Error = &v1alpha1.WorkError{Code: string(catalog.ValidationFailed), Message: "The file could not be fetched", Retryable: true}
		default:
			return outcome.Result(err)
		}
	}
	c := status.Conditions{List: &m.Status.Conditions, Generation: m.Generation}
	if e := m.Status.Error; e != nil {
		c.Set(v1alpha1.ConditionReady, false, v1alpha1.ReasonFailed, e.Message)
		c.Set(v1alpha1.ConditionStalled, true, v1alpha1.ReasonFailed, "Make a new MediaAsset for another file")
	} else {
		p := m.Status.Probe
		c.Set(v1alpha1.ConditionReady, true, v1alpha1.ReasonReady, fmt.Sprintf("%s, %dx%d, %d bytes", p.ContentType, p.Width, p.Height, p.Bytes))
	}
	return outcome.Result(w.Persist(ctx))
}

// refusal is a fault of the file or its address: asking again gives the same answer.
type refusal struct {
	code  catalog.Code
	say   string
	cause error // nil, or what the client that fetches said
}

func (r *refusal) Error() string { return r.say }

func (r *refusal) Unwrap() error { return r.cause }

// take gets the bytes, decodes them whole, and stores them.
func (r *Reconciler) take(ctx context.Context, m *v1alpha1.MediaAsset, key string) (*v1alpha1.MediaProbe, error) {
	data, err := r.read(ctx, m.Spec.Source)
	if err != nil {
		return nil, err
	}
	img, format, err := imagery.DecodeLimited(bytes.NewReader(data), catalog.MaxImagePixels)
	var large *imagery.TooLargeError
	switch {
	case errors.As(err, &large):
		return nil, &refusal{code: catalog.ValidationFailed, say: fmt.Sprintf("The picture has %dx%d pixels, more than %d million", large.Width, large.Height, catalog.MaxImagePixels/1_000_000)}
	case err != nil:
		return nil, &refusal{code: catalog.UnsupportedMediaType, say: "The file is not a picture that can be read: JPEG, PNG, WebP and GIF are taken"}
	}
	p := &v1alpha1.MediaProbe{
		Kind: "image", ContentType: "image/" + format, Bytes: int64(len(data)),
		Width: int32(img.Bounds().Dx()), Height: int32(img.Bounds().Dy()),
	}
	return p, r.Store.Put(ctx, key, p.ContentType, bytes.NewReader(data))
}

func (r *Reconciler) read(ctx context.Context, src v1alpha1.MediaSource) ([]byte, error) {
	var body io.ReadCloser
	var err error
	if src.URL != nil {
		body, err = r.Fetch.Get(ctx, *src.URL, catalog.MaxImageBytes)
	} else if body, err = r.Store.Get(ctx, *src.BlobKey); errors.Is(err, blob.ErrNotFound) {
		return nil, &refusal{code: catalog.ValidationFailed, say: "The blob store has no such object"}
	}
	if err == nil {
		defer func() { _ = body.Close() }()
		var data []byte
		if data, err = io.ReadAll(io.LimitReader(body, catalog.MaxImageBytes+1)); err == nil && len(data) <= catalog.MaxImageBytes {
			return data, nil
		} else if err == nil {
			err = fetch.ErrTooLarge
		}
	}
	var answer fetch.StatusError
	switch {
	case errors.Is(err, fetch.ErrForbidden):
		return nil, &refusal{catalog.ValidationFailed, "The URL leads where files may not be fetched from: only https to public addresses", err}
	case errors.Is(err, fetch.ErrTooLarge):
		return nil, &refusal{code: catalog.MediaTooLarge, say: fmt.Sprintf("The picture is larger than %d bytes", catalog.MaxImageBytes)}
	case errors.As(err, &answer) && answer < 500 && answer != 429:
		return nil, &refusal{code: catalog.ValidationFailed, say: fmt.Sprintf("The server answered %d instead of the file", int(answer))}
	}
	return nil, err
}
