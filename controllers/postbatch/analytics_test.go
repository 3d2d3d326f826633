// SPDX-License-Identifier: Apache-2.0

package postbatch

import (
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/event"

	v1beta1 "github.com/reelops/reelops/api/v1beta1"
)

func TestWatch_IgnoresAnalyticsOnly(t *testing.T) {
	views := int64(7)
	post := func(changes ...func(*v1beta1.Post)) *v1beta1.Post {
		p := &v1beta1.Post{}
		p.Generation, p.Status.State = 1, v1beta1.PostSuccess
		for _, change := range changes {
			change(p)
		}
		return p
	}
	read := func(p *v1beta1.Post) { p.Status.Metrics = &v1beta1.PostMetrics{Views: &views} }
	for _, c := range []struct {
		why  string
		new  *v1beta1.Post
		want bool
	}{
		{"new analytics trigger no reconcile", post(read), true},
		{"analytics with a new link do", post(read, func(p *v1beta1.Post) { p.Status.PostURL = "x" }), false},
		{"a change of the spec does", post(read, func(p *v1beta1.Post) { p.Generation++ }), false},
		{"an update without changes does not", post(), false},
	} {
		if got := analyticsOnly(event.UpdateEvent{ObjectOld: post(), ObjectNew: c.new}); got != c.want {
			t.Errorf("%s: got %t", c.why, got)
		}
	}
}
