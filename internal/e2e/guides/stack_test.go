// SPDX-License-Identifier: Apache-2.0

package guides

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/reelops/reelops/internal/testkit"
)

// dataDir is the data directory of `make run`, which the documents name.
const dataDir = ".local"

// checkout returns a directory with the files of the repository, the programs in bin, and nothing in dataDir.
func checkout(t *testing.T) string {
	t.Helper()
	bin := testkit.Programs(t, "test-guides")
	// The go command runs a test again when a file that the test looked at has changed.
	if _, err := os.Stat(filepath.Join(bin, "kubectl-reelops")); err != nil {
		t.Fatalf("REELOPS_BIN: %v: `make build` builds it", err)
	}
	config := filepath.Join(repository(), "config")
	must(t, filepath.WalkDir(config, func(_ string, _ os.DirEntry, err error) error { return err }))
	dir := t.TempDir()
	must(t, os.Symlink(bin, filepath.Join(dir, "bin")))
	for _, name := range []string{"Makefile", "README.md", "config", "docs", "hack"} {
		must(t, os.Symlink(filepath.Join(repository(), name), filepath.Join(dir, name)))
	}
	return dir
}

// repository returns the root folder of the repository.
func repository() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "..", "..")
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
