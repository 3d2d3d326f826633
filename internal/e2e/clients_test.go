// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

// TestOthersClients does the main job with clients that others wrote: one generated from the description, and the official SDK and the
// inspector of the Model Context Protocol.
func TestOthersClients(t *testing.T) {
	log.SetLogger(logr.Discard()) // the stack's client asks for one
	s := newStack(t)
	cmd := exec.CommandContext(t.Context(), filepath.Join(repository(), "hack", "clients", "run.sh"))
	cmd.Env = append(os.Environ(), "REELOPS_URL="+s.url, "REELOPS_KEY="+s.newKey(t))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, done := range []string{"the generated client did the main job", "the SDK called all 18 tools", "the inspector called all 18 tools"} {
		if !strings.Contains(string(out), done) {
			t.Errorf("it does not say that %s:\n%s", done, out)
		}
	}
}
