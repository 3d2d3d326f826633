// SPDX-License-Identifier: Apache-2.0

package posting

import (
	"github.com/reelops/reelops/api/v1beta1"
)

// ContentOfVideo returns the content of a Video of an avatar and demos: its rendered video, or nothing yet.
func ContentOfVideo(id int64, v *v1beta1.Video) *Content {
	st := &v.Status
	c := &Content{ShortID: id, Revision: st.Revision}
	if t := st.Text; t != nil {
		c.Title, c.Caption, c.Tags = t.Title, t.Caption, t.Tags
	}
	c.words(v.Spec.Title, v.Spec.Caption, v.Spec.TagText())
	switch w := st.Work; {
	case w != nil && w.State == v1beta1.WorkSucceeded && st.Output != nil:
		c.Video = st.Output
	case w == nil || w.State != v1beta1.WorkFailed: // a missing file is rendered again
		c.Rendering = !v.Spec.Suspend
	}
	return c
}
