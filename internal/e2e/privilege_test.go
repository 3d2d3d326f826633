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

// did is what the manager and the front end asked of the clusters of all tests.
var did privilege.Log

// TestMain runs the tests, and then holds what the two programs may do in a cluster against what they did in all of them. Whether
// everything was used is asked of a run of all tests alone. REELOPS_UNUSED=1 has any run say what it did not use.
func TestMain(m *testing.M) {
	code := m.Run()
	whole := code == 0 && os.Getenv("REELOPS_BIN") != "" && !testing.Short() && given("test.run") == "" && given("test.skip") == ""
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

func given(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// audited takes in what was asked of the stack's cluster. Its log may have been split.
func (s *stack) audited(t *testing.T) {
	t.Helper()
	files, err := filepath.Glob(s.path("audit*.log"))
	if err != nil || len(files) == 0 {
		t.Errorf("there is no audit log: %v", err)
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
