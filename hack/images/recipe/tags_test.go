// SPDX-License-Identifier: Apache-2.0

package recipe

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// tagged are the files that name the build tags, from the top directory.
var tagged = []string{
	".devcontainer/Dockerfile", ".devcontainer/devcontainer.json", ".pre-commit-config.yaml", "CONTRIBUTING.md", "Makefile",
	"config/images/Dockerfile", "docs/development/testing.md", "hack/release.sh",
}

func TestTags_AreTheSameInAllFiles(t *testing.T) {
	t.Parallel()
	tags := regexp.MustCompile(`-tags=([\w,]+)`)
	for _, name := range tagged {
		text, err := os.ReadFile(filepath.Join("../../..", name))
		if err != nil {
			t.Fatal(err)
		}
		found := tags.FindAllSubmatch(text, -1)
		if len(found) == 0 {
			t.Errorf("%s names no build tags", name)
		}
		for _, m := range found {
			if got := string(m[1]); got != Tags {
				t.Errorf("%s: got tags %s, want %s", name, got, Tags)
			}
		}
	}
}
