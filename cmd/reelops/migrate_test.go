// SPDX-License-Identifier: Apache-2.0

package main

import (
	"testing"

	"github.com/reelops/reelops/internal/install/migrate"
)

func TestMigrateReport(t *testing.T) {
	kinds := []migrate.Kind{
		{Resource: "brands", Version: "v1beta1", Objects: 2, Removed: []string{"v1alpha1"}, Complete: true},
		{Resource: "posts", Version: "v1beta1", Objects: 7, Complete: true},
		{Resource: "videos", Version: "v1beta1", Objects: 4, Failed: 1, Reasons: []string{"acme/tea: rejected by a policy"}},
	}
	want := "brands v1beta1: 2 objects, complete, removed v1alpha1 from the stored versions\n" +
		"posts v1beta1: 7 objects, complete\n" +
		"videos v1beta1: 4 objects, not complete, 1 objects failed\n  acme/tea: rejected by a policy\n"
	if got := migrated(kinds, false); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	kinds[0].Complete = false
	if got := migrated(kinds[:1], true); got != "brands v1beta1: 2 objects, would remove v1alpha1 from the stored versions\n" {
		t.Errorf("dry run: %s", got)
	}
}
