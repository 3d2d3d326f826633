// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/ids"
	"github.com/reelops/reelops/internal/process/version"
	"github.com/reelops/reelops/internal/store/blob"
)

// Installation is the installation to back up or to restore into.
type Installation struct {
	// Client reads and writes the API server without a cache.
	Client client.Client
	// SystemNamespace of the installation.
	SystemNamespace string
	// Files is the blob store; nil if the files are backed up by other means.
	Files *blob.Store
	Clock clock.Clock
	// Say receives progress messages, one line per call; nil disables them.
	Say func(format string, args ...any)
}

func (i *Installation) say(format string, args ...any) {
	if i.Say != nil {
		i.Say(format, args...)
	}
}

// Take writes an archive of the installation to out. The installation may keep running meanwhile. retired reports
// whether its managers were stopped permanently.
func (i *Installation) Take(ctx context.Context, out io.Writer, retired bool) (Head, End, error) {
	h := Head{
		Format: Format, ID: string(uuid.NewUUID()), Made: i.Clock.Now().UTC(), By: version.Version, APIVersion: v1beta1.GroupVersion.String(),
		SystemNamespace: i.SystemNamespace, Files: i.Files != nil, Retired: retired,
	}
	w, err := newWriter(out, h.Made)
	if err != nil {
		return h, End{}, err
	}
	if err := w.json(headName, h); err != nil {
		return h, End{}, err
	}
	t := &taking{
		Installation: i, w: w, end: End{Objects: map[string]int{}}, in: map[string]bool{i.SystemNamespace: true}, owners: map[types.UID]bool{},
		recalled: map[types.UID]bool{}, segments: map[string]bool{}, start: h.Made,
	}
	for _, step := range []func(context.Context) error{t.objects, t.archives, t.places, t.counters, t.files} {
		if err := step(ctx); err != nil {
			return h, t.end, err
		}
	}
	return h, t.end, w.end(t.end)
}

// taking is a backup in progress.
type taking struct {
	*Installation
	w   *writer
	end End
	n   int
	// in are the namespaces of the objects that were read.
	in map[string]bool
	// owners are the uids of the objects that were read and can own other objects.
	owners map[types.UID]bool
	// start is when the backup began.
	start time.Time
	// versions are the resourceVersions of the Archives at the start, by namespace.
	versions map[string]string
	// recalled are the uids of objects that were read and had returned from the archive since the start.
	recalled map[types.UID]bool
	// segments are the keys of the files of segments that were written.
	segments map[string]bool
}

func (t *taking) page(kind string, objects []unstructured.Unstructured) error {
	if len(objects) == 0 {
		return nil
	}
	doc, err := lines(objects)
	if err != nil {
		return err
	}
	t.n++
	t.end.Objects[kind] += len(objects)
	return t.w.add(pageName(kind, t.n), int64(len(doc)), bytes.NewReader(doc))
}

func (t *taking) objects(ctx context.Context) error {
	var err error
	if t.versions, err = t.archiveVersions(ctx); err != nil {
		return err
	}
	for _, k := range kinds {
		if k.gvk.Kind == kindArchive {
			continue
		}
		err := pages(ctx, t.Client, k.gvk, func(some []unstructured.Unstructured) error {
			return t.page(k.gvk.Kind, slices.DeleteFunc(some, func(u unstructured.Unstructured) bool { return !t.keep(&u) }))
		}, client.MatchingLabels(k.labels))
		if err != nil {
			return err
		}
		t.say("%s: %d", k.gvk.Kind, t.end.Objects[k.gvk.Kind])
	}
	return nil
}

// keep reports whether an object belongs in the archive, and removes its managed fields. Objects that are being
// deleted, and those whose owners are all absent from the archive, do not belong.
func (t *taking) keep(u *unstructured.Unstructured) bool {
	if u.GetDeletionTimestamp() != nil {
		return false
	}
	if refs := u.GetOwnerReferences(); len(refs) > 0 {
		known := false
		for _, o := range refs {
			known = known || t.owners[o.UID]
		}
		if !known {
			return false
		}
	}
	if names[u.GetKind()] {
		t.owners[u.GetUID()] = true
	}
	if t.isRecalled(u) {
		t.recalled[u.GetUID()] = true
	}
	t.in[u.GetNamespace()] = true
	u.SetManagedFields(nil)
	return true
}

// places writes the namespaces of the archived objects. Their labels hold the owning account and the permissions of
// their pods.
func (t *taking) places(ctx context.Context) error {
	var out []unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(t.in)) {
		ns := bare(namespaces)
		if err := t.Client.Get(ctx, client.ObjectKey{Name: name}, ns); err != nil {
			return fmt.Errorf("reading the namespace %s: %w", name, err)
		}
		ns.SetManagedFields(nil)
		out = append(out, *ns)
	}
	return t.page(namespaces.Kind, out)
}

func (t *taking) counters(ctx context.Context) error {
	var out []unstructured.Unstructured
	for _, s := range ids.Spaces() {
		cm := bare(counters)
		err := t.Client.Get(ctx, client.ObjectKey{Namespace: t.SystemNamespace, Name: ids.Name(s)}, cm)
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("reading the counter of %s: %w", s, err)
		}
		cm.SetManagedFields(nil)
		out = append(out, *cm)
	}
	return t.page(counters.Kind, out)
}

// files writes the files of the store. A file that is deleted between listing and reading is skipped: no remaining
// object refers to it.
func (t *taking) files(ctx context.Context) error {
	if t.Files == nil {
		return nil
	}
	err := t.Files.Walk(ctx, "", func(o blob.Object) error {
		if t.segments[o.Key] {
			return nil
		}
		_, err := t.file(ctx, o.Key)
		return err
	})
	if err != nil {
		return fmt.Errorf("reading the files: %w", err)
	}
	t.say("files: %d, %d bytes", t.end.Files, t.end.Bytes)
	return nil
}

// file writes a file. It reports whether the file exists.
func (t *taking) file(ctx context.Context, key string) (bool, error) {
	in, size, err := t.Files.Open(ctx, key) // it may have been replaced since it was listed
	if errors.Is(err, blob.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer func() { _ = in.Close() }()
	if err := t.w.add(filesName+key, size, in); err != nil {
		return false, err
	}
	t.end.Files, t.end.Bytes = t.end.Files+1, t.end.Bytes+size
	return true, nil
}
