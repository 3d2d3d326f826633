// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/reelops/reelops/internal/e2e/privilege"
)

// did contains the requests of the manager and the front end to the clusters of all tests.
var did privilege.Log

// TestMain runs the tests, then compares the permissions of the two programs with their requests to all clusters.
// Unused permissions are reported only after a run of all tests. REELOPS_UNUSED=1 reports them after any run.
func TestMain(m *testing.M) {
	code := m.Run()
	whole := code == 0 && os.Getenv("REELOPS_BIN") != "" && !testing.Short() && flagValue("test.run") == "" && flagValue("test.skip") == ""
	wrong, err := privilege.Judge(repository(), &did, whole || os.Getenv("REELOPS_UNUSED") != "")
	if err != nil {
		wrong = append(wrong, err.Error())
	}
	for _, line := range wrong {
		fmt.Fprintln(os.Stderr, line)
	}
	if len(wrong) > 0 {
		code = 1
	}
	os.Exit(code)
}

func flagValue(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// readAuditLog reads the requests to the stack's cluster. The audit log may have been rotated.
func (s *stack) readAuditLog(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(s.path("audit*.log"))
	if err != nil || len(files) == 0 {
		t.Errorf("reading the audit log: %v", err)
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := did.Read(f); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		_ = f.Close()
	}
}
