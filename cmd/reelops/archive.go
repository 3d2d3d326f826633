// SPDX-License-Identifier: Apache-2.0

package main

import (
	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newArchiveCommand(f *factory) *cobra.Command {
	return group("archive", "Archives of settled shorts", []*cobra.Command{
		newArchiveStatusCommand(f), newArchiveRestoreCommand(f), newArchiveVerifyCommand(f),
	})
}

func newArchiveStatusCommand(f *factory) *cobra.Command {
	type archive = *v1beta1.Archive
	c := lists(f, &cobra.Command{
		Short: "Show what the archives of the accounts hold",
		Long: "Show what the archives of the accounts hold. LEAVING is the number of segments whose objects are still in the cluster,\n" +
			"RESTORING the number of shorts that spec.restore requests.",
		Example: examples("archive status", "archive status --account acme -o json"),
	}, listing[archive]{
		plural: "archives", list: func() client.ObjectList { return &v1beta1.ArchiveList{} },
		columns: []column[archive]{
			{name: "Account", cell: func(x archive) any { return x.Namespace }},
			{name: "Shorts", cell: func(x archive) any { return x.Status.Shorts }},
			{name: "Posts", cell: func(x archive) any { return x.Status.Posts }},
			{name: "Segments", cell: func(x archive) any { return len(x.Status.Segments) }},
			{name: "Size", cell: func(x archive) any { return resource.NewQuantity(x.Status.Bytes, resource.BinarySI).String() }},
			{name: "Oldest", cell: func(x archive) any { return oldest(x) }},
			{name: "Leaving", cell: func(x archive) any { return leaving(x) }},
			{name: "Restoring", cell: func(x archive) any { return len(x.Spec.Restore) }},
			{name: "Reason", cell: func(x archive) any { return reason(x.Status.Conditions) }},
		},
	})
	c.Use, c.Aliases = "status", nil
	return c
}

// oldest returns the day on which the oldest short of an archive was created; empty if the archive is empty.
func oldest(a *v1beta1.Archive) string {
	if len(a.Status.Segments) == 0 {
		return ""
	}
	out := a.Status.Segments[0].From
	for i := range a.Status.Segments {
		if from := &a.Status.Segments[i].From; from.Before(&out) {
			out = *from
		}
	}
	return out.UTC().Format("2006-01-02")
}

// leaving returns the number of segments whose objects are still in the cluster.
func leaving(a *v1beta1.Archive) (n int) {
	for i := range a.Status.Segments {
		if a.Status.Segments[i].Phase != "" {
			n++
		}
	}
	return n
}
