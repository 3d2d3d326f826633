// SPDX-License-Identifier: Apache-2.0

package release

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const tag = "v9.8.7"

// TestPlugin builds the archive for this machine and its Krew manifest, checks the manifest with Krew's own rules, and
// runs the program of the archive.
func TestPlugin(t *testing.T) {
	if os.Getenv("REELOPS_RELEASE") == "" {
		t.Skip("REELOPS_RELEASE is not set: the build takes some minutes (make test-release)")
	}
	out := t.TempDir()
	run(t, "../..", "hack/release.sh", "plugin", tag, out, runtime.GOOS+"/"+runtime.GOARCH)
	archive := filepath.Join(out, "kubectl-reelops_"+runtime.GOOS+"_"+runtime.GOARCH+".tar.gz")

	manifest := filepath.Join(out, "reelops.yaml")
	run(t, "../..", "go", "tool", "-modfile=hack/tools/krew/go.mod", "validate-krew-manifest",
		"-skip-install", "-manifest", manifest)
	sum := strings.Fields(run(t, out, "sha256sum", archive))[0]
	text := run(t, out, "cat", manifest)
	if !strings.Contains(text, "sha256: "+sum) || !strings.Contains(text, "version: "+tag) {
		t.Errorf("the manifest lacks the version, or the checksum %s:\n%s", sum, text)
	}

	run(t, out, "tar", "-xf", archive)
	if got := run(t, out, "./kubectl-reelops", "--version"); !strings.Contains(got, tag) {
		t.Errorf("got the version %q", got)
	}
	run(t, out, "test", "-x", "kubectl_complete-reelops", "-a", "-f", "LICENSE")
}

// run runs a command in a folder, and returns its standard output.
func run(t *testing.T, folder, name string, args ...string) string {
	t.Helper()
	var errOut strings.Builder
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir, cmd.Stderr = folder, &errOut
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, errOut.String())
	}
	return string(out)
}
