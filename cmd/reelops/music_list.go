// SPDX-License-Identifier: Apache-2.0

package main

import (
	"time"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func newMusicListCommand(f *factory) *cobra.Command {
	c := &cobra.Command{
		Short:   "List background music of accounts and of the library, without the loops of the starter set",
		Example: examples("music list", "music list --account acme", "music list -n reelops-system -o wide    # the library of all accounts"),
	}
	return lists(f, c, listing[*v1beta1.MusicTrack]{
		plural: "tracks", list: func() client.ObjectList { return &v1beta1.MusicTrackList{} },
		columns: []column[*v1beta1.MusicTrack]{
			{name: "ID", cell: func(x *v1beta1.MusicTrack) any { return shownID(x) }},
			{name: "Namespace", cell: func(x *v1beta1.MusicTrack) any { return x.Namespace }},
			{name: "Brand", cell: func(x *v1beta1.MusicTrack) any {
				if x.Spec.BrandRef == nil {
					return "(all)"
				}
				return x.Spec.BrandRef.Name
			}},
			{name: "Ready", cell: func(x *v1beta1.MusicTrack) any { return ready(x.Status.Conditions) }},
			{name: "Reason", cell: func(x *v1beta1.MusicTrack) any { return reason(x.Status.Conditions) }},
			{name: "Title", cell: func(x *v1beta1.MusicTrack) any { return x.Spec.Title }},
			{name: "Duration", cell: func(x *v1beta1.MusicTrack) any {
				if x.Status.Probe == nil {
					return ""
				}
				return (time.Duration(x.Status.Probe.DurationMilliseconds) * time.Millisecond).Round(time.Second)
			}},
			{name: "Age", cell: func(x *v1beta1.MusicTrack) any { return age(x) }},
			{name: "Object", wide: true, cell: func(x *v1beta1.MusicTrack) any { return x.Name }},
			{name: "Artist", wide: true, cell: func(x *v1beta1.MusicTrack) any { return x.Spec.Artist }},
			{name: "Moods", wide: true, cell: func(x *v1beta1.MusicTrack) any { return joined(x.Spec.Moods, "") }},
		},
	})
}
