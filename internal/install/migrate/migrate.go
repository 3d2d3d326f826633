// SPDX-License-Identifier: Apache-2.0

// Package migrate rewrites the objects of every kind in the version that the API server stores now, so that an earlier version can
// stop being served. It also renames the field managers of earlier releases.
package migrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	authorizationv1 "k8s.io/api/authorization/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/fieldowner"
)

const (
	// pageSize is how many objects one list request returns.
	pageSize = 500
	// writers is how many objects are written at a time.
	writers = 8
	// maxReasons is how many failures of a kind are kept.
	maxReasons = 5
)

// crdGroup is the API group of CustomResourceDefinitions.
const crdGroup = "apiextensions.k8s.io"

// Migration rewrites the objects of an installation.
type Migration struct {
	// Client reads and writes the cluster. It should not limit its own rate: every object costs one request.
	Client client.Client
	// DryRun sends every write as a dry run: the API server validates it and stores nothing.
	DryRun bool
	// Progress is called after each page of objects, and once more when a kind is complete.
	Progress func(Kind)
}

// Kind is the result for one kind.
type Kind struct {
	// Resource is the plural name, such as posts.
	Resource string `json:"resource"`
	// Version that objects are stored in now.
	Version string `json:"version"`
	// Objects that were written. An object that was stored in the version already is not stored again by the API server.
	Objects int64 `json:"objects"`
	// Failed counts the objects that the API server rejected.
	Failed int64 `json:"failed"`
	// Reasons of the first failures, each with the object's name.
	Reasons []string `json:"reasons,omitempty"`
	// Removed are the versions that were removed from status.storedVersions of the definition. In a dry run they would be.
	Removed []string `json:"removed,omitempty"`
	// Complete reports whether no object of the kind is stored in another version.
	Complete bool `json:"complete"`
}

// Run rewrites the objects of every kind. A kind with failures keeps its status.storedVersions, and the others go on. Run can be
// repeated at any time, also after an interruption. It returns an error if it could not start, if a kind is not complete, or if ctx
// ended.
func (m *Migration) Run(ctx context.Context) ([]Kind, error) {
	if err := m.allowed(ctx); err != nil {
		return nil, err
	}
	definitions, err := m.definitions(ctx)
	if err != nil {
		return nil, err
	}
	var out []Kind
	var errs []error
	for i := range definitions {
		k, err := m.kind(ctx, &definitions[i])
		out = append(out, k)
		if err != nil {
			errs = append(errs, fmt.Errorf("migrating %s: %w", k.Resource, err))
		}
		if ctx.Err() != nil {
			break
		}
	}
	return out, errors.Join(errs...)
}

// definitions returns those of Reelops' kinds, which all store the version of this program.
func (m *Migration) definitions(ctx context.Context) ([]apiextensionsv1.CustomResourceDefinition, error) {
	list := &apiextensionsv1.CustomResourceDefinitionList{}
	if err := m.Client.List(ctx, list); err != nil {
		return nil, fmt.Errorf("listing CustomResourceDefinitions: %w", err)
	}
	list.Items = slices.DeleteFunc(list.Items, func(d apiextensionsv1.CustomResourceDefinition) bool {
		return d.Spec.Group != v1beta1.GroupVersion.Group
	})
	if len(list.Items) == 0 {
		return nil, fmt.Errorf("the cluster has no kinds of %s: install Reelops first", v1beta1.GroupVersion.Group)
	}
	for i := range list.Items {
		if d := &list.Items[i]; storedIn(d) != v1beta1.GroupVersion.Version {
			return nil, fmt.Errorf("%s are stored in %s, not in %s: apply config/crd of this release first", d.Spec.Names.Plural, storedIn(d), v1beta1.GroupVersion.Version)
		}
	}
	return list.Items, nil
}

// storedIn returns the version in which new objects are stored.
func storedIn(d *apiextensionsv1.CustomResourceDefinition) string {
	for _, v := range d.Spec.Versions {
		if v.Storage {
			return v.Name
		}
	}
	return ""
}

func (m *Migration) kind(ctx context.Context, d *apiextensionsv1.CustomResourceDefinition) (Kind, error) {
	k := Kind{Resource: d.Spec.Names.Plural, Version: storedIn(d)}
	err := m.rewrite(ctx, d, &k)
	if err == nil && k.Failed > 0 {
		err = fmt.Errorf("%d objects were not written: correct them and run it again", k.Failed)
	}
	if err == nil {
		err = m.finish(ctx, d, &k)
	}
	m.Progress(k)
	return k, err
}

// rewrite writes every object of a kind. Objects that are created meanwhile are stored in the new version anyway.
func (m *Migration) rewrite(ctx context.Context, d *apiextensionsv1.CustomResourceDefinition, k *Kind) error {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: d.Spec.Group, Version: k.Version, Kind: d.Spec.Names.ListKind})
	for next := ""; ; {
		err := m.Client.List(ctx, list, client.Limit(pageSize), client.Continue(next))
		var expired apierrors.APIStatus
		switch {
		case apierrors.IsResourceExpired(err) && errors.As(err, &expired) && expired.Status().Continue != "":
			next = expired.Status().Continue // the snapshot has expired: continue with the current state
			continue
		case err != nil:
			return fmt.Errorf("listing: %w", err)
		}
		if err := m.page(ctx, list.Items, k); err != nil {
			return err
		}
		if next = list.Continue; next == "" {
			return nil
		}
		m.Progress(*k)
	}
}

// page writes the objects of one page.
func (m *Migration) page(ctx context.Context, items []metav1.PartialObjectMetadata, k *Kind) error {
	errs := make([]error, len(items))
	var written atomic.Int64
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(writers)
	for i := range items {
		group.Go(func() error {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			gone, err := m.write(ctx, &items[i])
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if errs[i] = err; err == nil && !gone {
				written.Add(1)
			}
			return nil
		})
	}
	err := group.Wait()
	k.Objects += written.Load()
	for i, failed := range errs {
		if failed == nil {
			continue
		}
		if k.Failed++; len(k.Reasons) < maxReasons {
			k.Reasons = append(k.Reasons, fmt.Sprintf("%s: %s", client.ObjectKeyFromObject(&items[i]), failed))
		}
	}
	return err
}

// write makes the API server read an object and store it again.
func (m *Migration) write(ctx context.Context, o *metav1.PartialObjectMetadata) (gone bool, err error) {
	patch, err := patchFor(o)
	if err != nil {
		return false, err
	}
	var options []client.PatchOption
	if m.DryRun {
		options = append(options, client.DryRunAll)
	}
	err = m.Client.Patch(ctx, o, client.RawPatch(types.MergePatchType, patch), options...)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return false, err
}

// patchFor returns the merge patch of an object. It renames the field managers of earlier releases, if the object has
// not changed since it was listed. The patch is empty if there are none: it has no value that could overwrite another
// program's write, and the API server repeats it after a conflict.
func patchFor(o *metav1.PartialObjectMetadata) ([]byte, error) {
	entries, renamed, err := fieldowner.Rename(o.ManagedFields)
	if err != nil || !renamed {
		return []byte("{}"), err
	}
	return json.Marshal(map[string]any{"metadata": map[string]any{"resourceVersion": o.ResourceVersion, "managedFields": entries}})
}

// finish removes the other versions from status.storedVersions. The write fails if the definition was changed since the
// objects were listed, because the stored version may have been another meanwhile.
func (m *Migration) finish(ctx context.Context, d *apiextensionsv1.CustomResourceDefinition, k *Kind) error {
	for _, v := range d.Status.StoredVersions {
		if v != k.Version {
			k.Removed = append(k.Removed, v)
		}
	}
	if k.Complete = len(k.Removed) == 0; k.Complete || m.DryRun {
		return nil
	}
	d.Status.StoredVersions = []string{k.Version}
	err := m.Client.Status().Update(ctx, d)
	switch k.Complete = err == nil; {
	case apierrors.IsConflict(err):
		k.Removed = nil
		return errors.New("its CustomResourceDefinition was changed during the migration: run it again")
	case err != nil:
		k.Removed = nil
		return fmt.Errorf("recording the stored version: %w", err)
	}
	return nil
}

// allowed returns an error that names the rights that are missing.
func (m *Migration) allowed(ctx context.Context) error {
	want := []authorizationv1.ResourceAttributes{
		{Group: crdGroup, Resource: "customresourcedefinitions", Verb: "list"},
		{Group: v1beta1.GroupVersion.Group, Resource: "*", Verb: "list"},
		{Group: v1beta1.GroupVersion.Group, Resource: "*", Verb: "patch"},
	}
	if !m.DryRun {
		want = append(want, authorizationv1.ResourceAttributes{Group: crdGroup, Resource: "customresourcedefinitions", Subresource: "status", Verb: "update"})
	}
	var missing []string
	for i := range want {
		w := &want[i]
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: w}}
		if err := m.Client.Create(ctx, review); err != nil {
			return fmt.Errorf("reading your rights: %w", err)
		}
		if review.Status.Allowed {
			continue
		}
		name := w.Resource
		if w.Subresource != "" {
			name += "/" + w.Subresource
		}
		missing = append(missing, fmt.Sprintf("%s %s.%s", w.Verb, name, w.Group))
	}
	if len(missing) > 0 {
		return fmt.Errorf("you may not do this in all namespaces: %s; docs/operations/upgrade.md has a ClusterRole for it", missing)
	}
	return nil
}
