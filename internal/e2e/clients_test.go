// SPDX-License-Identifier: Apache-2.0

package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/reelops/reelops/internal/social/sandbox"
	"github.com/reelops/reelops/internal/social/sandbox/linkedin"
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

// TestLinkedInClient runs LinkedIn's own client through the whole flow of publishing and reading. It needs the sandbox alone.
func TestLinkedInClient(t *testing.T) {
	if os.Getenv("REELOPS_BIN") == "" {
		t.Skip("the client is installed with npm: run the tests with `make test-stack`")
	}
	clock := testclock.NewFakeClock(time.Now())
	core, err := sandbox.New(sandbox.Config{Dir: t.TempDir(), Processing: 5 * time.Minute, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = core.Close() })
	platform := linkedin.New(core)
	platform.SetRules(linkedin.Rules{Duplicates: 24 * time.Hour})
	core.Mount("linkedin", platform)
	// Each request is 30 seconds after the one before it, so media become available after some calls, not after some time.
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		clock.Step(30 * time.Second)
		core.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	core.SetBaseURL(server.URL)

	cmd := exec.CommandContext(t.Context(), filepath.Join(repository(), "hack", "clients", "linkedin", "run.sh"))
	cmd.Env = append(os.Environ(),
		"LINKEDIN_URL="+server.URL+"/linkedin", "CLIENT_ID="+sandbox.ClientID, "CLIENT_SECRET="+sandbox.ClientSecret)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "LinkedIn's client did the whole flow") {
		t.Fatalf("%v\n%s", err, out)
	}
}
