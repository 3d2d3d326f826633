// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

// drop removes segments with damaged files that are in the phase Hiding, and shows their objects: none of them was
// deleted yet. The shorts are archived again when they are old enough.
func (p *pass) drop(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	p.archive.Status.Segments = slices.DeleteFunc(p.archive.Status.Segments, func(s v1beta1.ArchiveSegment) bool {
		return slices.Contains(names, s.Name)
	})
	if err := p.persist(ctx); err != nil {
		return err
	}
	for _, name := range names {
		p.Events.Eventf(p.archive, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), "Archive",
			"segment %s has damaged files: its shorts stay in the cluster", name)
	}
	_, err := p.showOrphans(ctx, client.InNamespace(p.archive.Namespace))
	return err
}

// showOrphans shows the hidden objects that no segment holds, and returns their number. Their segment was dropped, or a
// manager that had lost its lease hid them. Their controllers add the finalizers again.
func (r *Reconciler) showOrphans(ctx context.Context, opts ...client.ListOption) (int, error) {
	// What belongs to a short becomes visible before it.
	lists := append(
		[]client.ObjectList{&v1beta1.PostList{}, &v1beta1.RenderJobList{}, &v1beta1.MediaAssetList{}}, ownerLists()...)
	hidden, err := hiddenObjects(ctx, r.Live, lists, opts...)
	if err != nil {
		return 0, err
	}
	// A segment is listed before it hides an object, so the archives must be read after the objects.
	archives, shown := map[string]*v1beta1.Archive{}, 0
	for _, o := range hidden {
		namespace := o.GetNamespace()
		if archives[namespace] == nil {
			a := &v1beta1.Archive{}
			err := r.Live.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.ArchiveName}, a)
			if client.IgnoreNotFound(err) != nil {
				return shown, fmt.Errorf("reading the archive of %s: %w", namespace, err)
			}
			archives[namespace] = a
		}
		mark := o.GetLabels()[v1beta1.LabelArchived]
		if hides(archives[namespace], mark) {
			continue
		}
		if err := unhide(ctx, r.Client, o, mark, o.GetFinalizers()); err != nil {
			return shown, fmt.Errorf("showing %T %s: %w", o, o.GetName(), err)
		}
		shown++
	}
	if shown > 0 {
		ctrl.LoggerFrom(ctx).Info("showed hidden objects that no segment of an archive holds", "objects", shown)
	}
	return shown, nil
}

// hiddenObjects returns the hidden objects of the kinds of lists, in their order.
func hiddenObjects(
	ctx context.Context, live client.Reader, lists []client.ObjectList, opts ...client.ListOption,
) (hidden []client.Object, err error) {
	for _, l := range lists {
		if err := live.List(ctx, l, append(opts, client.HasLabels{v1beta1.LabelArchived})...); err != nil {
			return nil, fmt.Errorf("listing hidden objects: %w", err)
		}
		_ = meta.EachListItem(l, func(o runtime.Object) error { // f returns no error
			hidden = append(hidden, o.(client.Object))
			return nil
		})
	}
	return hidden, nil
}

// markOf returns the value of LabelArchived for the objects of a short that a segment hides.
func markOf(s *v1beta1.ArchiveSegment, id int64) string {
	return path.Base(s.Name) + "." + strconv.FormatInt(id, 10)
}

// hides reports whether the objects with a value of LabelArchived are those of a short that an archive holds.
func hides(a *v1beta1.Archive, mark string) bool {
	segment, short, _ := strings.Cut(mark, ".")
	id, err := strconv.ParseInt(short, 10, 64)
	return err == nil && slices.ContainsFunc(a.Status.Segments, func(s v1beta1.ArchiveSegment) bool {
		return path.Base(s.Name) == segment && a.Holds(&s, id)
	})
}
