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

// TestThirdPartyClients runs the main workflow with clients that others wrote: one generated from the OpenAPI document,
// and the official SDK and inspector of the Model Context Protocol, with a key and with OAuth. It also runs the
// TypeScript client of this project, and the receiver of webhooks with the library of Standard Webhooks.
func TestThirdPartyClients(t *testing.T) {
	t.Parallel()
	log.SetLogger(logr.Discard()) // the client of the stack requires a logger
	s := newStack(t, withEnv("REELOPS_WEBHOOK_HOSTS=127.0.0.1"))
	cmd := exec.CommandContext(t.Context(), filepath.Join(repository(), "hack", "clients", "run.sh"))
	link, err := s.program("", "reelops", "console", "--account", tenant, "--url", s.url, "-o", "jsonpath={.url}")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "REELOPS_URL="+s.url, "REELOPS_KEY="+s.newKey(t), "REELOPS_LINK="+link)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, done := range []string{
		"the generated client did the main job", "the SDK called all 18 tools", "the inspector called all 18 tools",
		"the receiver in TypeScript verified the webhooks",
		"the SDK signed in, requested a scope, refreshed and was revoked", "the inspector signed in",
		"the TypeScript client did the main workflow",
	} {
		if !strings.Contains(string(out), done) {
			t.Errorf("the output lacks %s:\n%s", done, out)
		}
	}
}

// TestN8n checks the nodes for n8n with n8n's own linter, and runs workflows in a real n8n, from a prompt to a published
// post and back by the webhook trigger. It is not part of `make test-stack`, because the installation of the linter and
// of n8n takes more than five minutes.
func TestN8n(t *testing.T) {
	if os.Getenv("REELOPS_N8N") == "" {
		t.Skip("the installation of n8n takes more than five minutes: run the test with `make test-n8n`")
	}
	log.SetLogger(logr.Discard()) // the client of the stack requires a logger
	s := newStack(t, withEnv("REELOPS_WEBHOOK_HOSTS=127.0.0.1"))
	cmd := exec.CommandContext(t.Context(), filepath.Join(repository(), "hack", "clients", "n8n", "run.sh"))
	cmd.Env = append(os.Environ(), "REELOPS_URL="+s.url, "REELOPS_KEY="+s.newKey(t))
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "n8n ran the workflow from a prompt to a post and back") {
		t.Fatalf("%v\n%s", err, out)
	}
}

// TestLinkedInClient publishes and reads with LinkedIn's own client. It needs only the sandbox.
func TestLinkedInClient(t *testing.T) {
	if os.Getenv("REELOPS_BIN") == "" {
		t.Skip("npm installs the client: run the tests with `make test-stack`")
	}
	t.Parallel()
	clock := testclock.NewFakeClock(time.Now())
	core, err := sandbox.New(sandbox.Config{Dir: t.TempDir(), Processing: 5 * time.Minute, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = core.Close() })
	platform := linkedin.New(core)
	platform.SetRules(linkedin.Rules{Duplicates: 24 * time.Hour})
	core.Mount("linkedin", platform)
	// Each request advances the clock by 30 seconds, so media become available after a number of calls.
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
