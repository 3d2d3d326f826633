// SPDX-License-Identifier: Apache-2.0

package release

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestSubjects lists what the logs of the pushes report.
func TestSubjects(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"checksums.txt": "aaa  reelops-crds.yaml\n",
		"images.log": "building manager\n" +
			"pushed ghcr.io/reelops/reelops/manager:v9.8.7@sha256:bbb\npushed localhost:5000/apiserver:v9.8.7@sha256:ccc\n",
		"chart.log": "Pushed: ghcr.io/reelops/reelops/charts/reelops:9.8.7\nDigest: sha256:ddd\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got := run(t, "../..", "hack/release.sh", "subjects", folder,
		filepath.Join(folder, "images.log"), filepath.Join(folder, "chart.log"))
	want := "aaa  reelops-crds.yaml\n" +
		"bbb  ghcr.io/reelops/reelops/manager\nccc  localhost:5000/apiserver\nddd  ghcr.io/reelops/reelops/charts/reelops\n"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
