// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/reelops/reelops/internal/testkit"
)

// fieldOwner is the field manager of Flux. The engine applies and prunes like Flux.
const fieldOwner = "kustomize-controller"

// engine syncs a namespace with a repository: it applies each manifest with server-side apply, and deletes objects
// that are no longer in the repository.
type engine struct {
	kube client.Client
	// change changes each manifest before it is applied, if set.
	change  func(*unstructured.Unstructured) error
	applied map[string]*unstructured.Unstructured
}

func newEngine(kube client.Client) *engine {
	return &engine{kube: kube, applied: map[string]*unstructured.Unstructured{}}
}

// sync applies the manifests in order and prunes, first or last, until the namespace matches the repository. It
// retries failures: an object that is being deleted is created again afterwards, as in the next interval of an
// engine.
func (e *engine) sync(ctx context.Context, manifests []client.Object, pruneFirst bool) error {
	wanted := map[string]*unstructured.Unstructured{}
	var order []*unstructured.Unstructured
	for _, m := range manifests {
		u, err := bare(m)
		if err != nil {
			return err
		}
		if e.change != nil {
			if err := e.change(u); err != nil {
				return err
			}
		}
		wanted[nameOf(u)] = u
		order = append(order, u)
	}
	var last error
	err := wait.PollUntilContextTimeout(ctx, 100*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		var pruned, applied error
		if pruneFirst {
			pruned = e.prune(ctx, wanted)
		}
		order, applied = e.apply(ctx, order)
		if !pruneFirst {
			pruned = e.prune(ctx, wanted)
		}
		err := errors.Join(applied, pruned)
		if ctx.Err() == nil {
			last = err
		}
		return err == nil, nil
	})
	if err != nil && last != nil {
		return fmt.Errorf("syncing: %w", last)
	}
	return err
}

// apply applies the manifests, and returns those that must be retried, with the reasons.
func (e *engine) apply(ctx context.Context, order []*unstructured.Unstructured) (again []*unstructured.Unstructured, err error) {
	var errs []error
	for _, u := range order {
		live := u.DeepCopy()
		err := e.kube.Apply(ctx, client.ApplyConfigurationFromUnstructured(live), client.ForceOwnership, client.FieldOwner(fieldOwner))
		if err == nil && live.GetDeletionTimestamp() != nil {
			err = fmt.Errorf("%s is being deleted", nameOf(u))
		}
		if err != nil {
			again, errs = append(again, u), append(errs, err)
		}
		e.applied[nameOf(u)] = u
	}
	return again, errors.Join(errs...)
}

func (e *engine) prune(ctx context.Context, wanted map[string]*unstructured.Unstructured) error {
	var errs []error
	for name, u := range e.applied {
		if wanted[name] != nil {
			continue
		}
		err := e.kube.Delete(ctx, u.DeepCopy())
		if apierrors.IsNotFound(err) {
			delete(e.applied, name)
			continue
		}
		errs = append(errs, errors.Join(err, fmt.Errorf("%s still exists", name)))
	}
	return errors.Join(errs...)
}

var scheme = testkit.Scheme()

// bare returns an object in the form of a manifest.
func bare(o client.Object) (*unstructured.Unstructured, error) {
	gvk, err := apiutil.GVKForObject(o, scheme)
	if err != nil {
		return nil, err
	}
	doc, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return nil, err
	}
	delete(doc, "status")
	u := &unstructured.Unstructured{Object: doc}
	u.SetGroupVersionKind(gvk)
	unstructured.RemoveNestedField(u.Object, "metadata", "creationTimestamp")
	return u, nil
}

func nameOf(u *unstructured.Unstructured) string { return u.GetKind() + "/" + u.GetName() }
