// SPDX-License-Identifier: Apache-2.0

package fieldowner

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Rename returns the entries of managedFields with the current names of Reelops' field managers, and whether any name
// changed. An entry whose new name is taken is merged into the entry that has the name: two entries for one manager
// would leave fields owned twice. Times are kept; a merged entry has the newer time.
func Rename(entries []metav1.ManagedFieldsEntry) (out []metav1.ManagedFieldsEntry, changed bool, err error) {
	at := map[metav1.ManagedFieldsEntry]int{} // by everything but the fields and the time
	for i := range entries {
		e := *entries[i].DeepCopy()
		if name := former[e.Manager]; name != "" {
			e.Manager, changed = name, true
		}
		key := metav1.ManagedFieldsEntry{Manager: e.Manager, Operation: e.Operation, APIVersion: e.APIVersion, FieldsType: e.FieldsType, Subresource: e.Subresource}
		j, taken := at[key]
		if !taken {
			at[key] = len(out)
			out = append(out, e)
			continue
		}
		if err := merge(&out[j], &e); err != nil {
			return nil, false, err
		}
	}
	return out, changed, nil
}

// merge adds the fields of an entry to another.
func merge(into, from *metav1.ManagedFieldsEntry) error {
	a, err := fieldsOf(into)
	if err != nil {
		return err
	}
	b, err := fieldsOf(from)
	if err != nil {
		return err
	}
	raw, err := a.Union(b).ToJSON()
	if err != nil {
		return fmt.Errorf("writing the fields of %s: %w", into.Manager, err)
	}
	into.FieldsV1 = metav1.NewFieldsV1(string(raw))
	if into.Time.Before(from.Time) {
		into.Time = from.Time
	}
	return nil
}

func fieldsOf(e *metav1.ManagedFieldsEntry) (*fieldpath.Set, error) {
	set := &fieldpath.Set{}
	if e.FieldsV1 == nil {
		return set, nil
	}
	if err := set.FromJSON(e.FieldsV1.GetRawReader()); err != nil {
		return nil, fmt.Errorf("reading the fields of %s: %w", e.Manager, err)
	}
	return set, nil
}
