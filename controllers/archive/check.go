// SPDX-License-Identifier: Apache-2.0

package archive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/store/archive"
)

// check requests the restore of the units that are in the archive although an object of them is in the cluster, if a
// restore from a backup requests it. The backup was written while they left, and may have only some of their objects.
// The annotation then has the highest id that was requested, and is removed after the last one.
func (p *pass) check(ctx context.Context) error {
	value := p.archive.Annotations[v1beta1.AnnotationCheckArchive]
	if value == "" || len(p.archive.Spec.Restore) > 0 {
		return nil
	}
	ids, err := p.inBoth(ctx)
	if err != nil {
		return err
	}
	requested, _ := strconv.ParseInt(value, 10, 64) // 0 at first
	ids = slices.DeleteFunc(ids, func(id int64) bool { return id <= requested })
	ids = ids[:min(len(ids), v1beta1.MaxArchiveRestores)]
	err = p.request(ctx, func(a *v1beta1.Archive) {
		if len(ids) > 0 {
			a.Spec.Restore = ids
			a.Annotations[v1beta1.AnnotationCheckArchive] = strconv.FormatInt(ids[len(ids)-1], 10)
		} else {
			delete(a.Annotations, v1beta1.AnnotationCheckArchive)
		}
	})
	if err != nil {
		return fmt.Errorf("requesting the restore of shorts in both places: %w", err)
	}
	return nil
}

// inBoth returns the sorted ids of the units that a segment holds and of which an object is in the cluster.
func (p *pass) inBoth(ctx context.Context) ([]int64, error) {
	live, err := gather(ctx, p.Client, p.archive.Namespace)
	if err != nil {
		return nil, err
	}
	var out []int64
	for i := range p.archive.Status.Segments {
		s := &p.archive.Status.Segments[i]
		keys, err := p.Store.ShortKeys(ctx, p.archive.Namespace, s)
		switch {
		case errors.Is(err, archive.ErrDamaged):
			p.Events.Eventf(p.archive, nil, corev1.EventTypeWarning, string(v1beta1.ReasonFailed), "Check",
				"segment %s was not checked: %v", s.Name, err)
		case err != nil:
			return nil, fmt.Errorf("reading the segment %s: %w", s.Name, err)
		}
		for _, k := range keys {
			if live[k.ID] != nil && p.archive.Holds(s, k.ID) {
				out = append(out, k.ID)
			}
		}
	}
	return compactIDs(out), nil
}
