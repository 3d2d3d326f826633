// SPDX-License-Identifier: Apache-2.0

package guides

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/testkit"
)

const (
	// blockLimit bounds each block. On a busy machine the library has its first avatar clip after about 15 minutes.
	blockLimit = 15 * time.Minute
	// mark begins the line of output that names the block that runs.
	mark = "\x1eblock "
	// begin is the function of the shell that writes that line.
	begin = "__begin"
	// prelude fails a document at the first command that fails, also if its output goes into a pipe.
	prelude = `set -euo pipefail; ` + begin + `() { printf '\n` + mark + `%d\n' "$1"; }; `
)

// refused matches the envelope of a request that failed. A tool of MCP returns it with status 200.
var refused = regexp.MustCompile(`"success": ?false`)

func TestGuides(t *testing.T) {
	documents := read(t)
	dir := checkout(t)
	testkit.StartStack(t, dir, "bin", dataDir)
	// Every request must succeed, also of a command without --fail.
	must(t, os.WriteFile(filepath.Join(dir, ".curlrc"), []byte("fail-with-body\nshow-error\n"), 0o600))
	for _, d := range documents {
		t.Run(d.name, func(t *testing.T) {
			t.Logf("%d blocks are run, %d are not", len(d.run), len(d.skipped))
			if where, output, err := d.execute(t.Context(), dir, blockLimit); err != nil {
				t.Errorf("%s:%d: %v\n%s", d.name, where, err, output)
			}
		})
	}
}

// TestEveryDocumentCanBeRun parses the documents. It needs no stack.
func TestEveryDocumentCanBeRun(t *testing.T) {
	for _, d := range read(t) {
		if len(d.run) == 0 {
			t.Errorf("%s has no block that is run", d.name)
		}
	}
}

// read returns the documents in the order of a reader.
func read(t *testing.T) []*document {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(repository(), "docs", "guides", "*.md"))
	must(t, err)
	var out []*document
	for _, file := range append([]string{"README.md", "docs/getting-started.md"}, files...) {
		if !filepath.IsAbs(file) {
			file = filepath.Join(repository(), file)
		}
		text, err := os.ReadFile(file)
		must(t, err)
		name, err := filepath.Rel(repository(), file)
		must(t, err)
		d, err := parse(name, string(text), begin)
		must(t, err)
		out = append(out, d)
	}
	return out
}

// execute runs the blocks of a document in one shell. It returns the line and the output of the block that failed, and
// the reason. Each block has the time limit.
func (d *document) execute(ctx context.Context, dir string, limit time.Duration) (int, string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	// Commands of a string get line numbers from 1, as lines of a file do, and $0 is the name in messages.
	cmd := exec.CommandContext(ctx, "bash", "-c", prelude+d.script, d.name)
	cmd.Dir, cmd.Env = dir, environment(dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second // a process in the background keeps the output open
	timer := time.AfterFunc(limit, func() { cancel(fmt.Errorf("not done after %s", limit)) })
	defer timer.Stop()
	p := &progress{block: func() { timer.Reset(limit) }, failed: cancel}
	cmd.Stdout, cmd.Stderr = p, p
	err := cmd.Run()
	p.flush()
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.line, p.output.String(), err
}

// environment returns the environment of a new terminal. The documents set the rest from the file env.
func environment(dir string) []string {
	env := []string{"HOME=" + dir, "CURL_HOME=" + dir}
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if name != "HOME" && name != "CURL_HOME" && name != "KUBECONFIG" && !strings.HasPrefix(name, "REELOPS_") {
			env = append(env, v)
		}
	}
	return env
}

// progress reads the output of a document. It keeps the output of the block that runs.
type progress struct {
	mu      sync.Mutex
	block   func()      // is called when a block begins
	failed  func(error) // is called when a block printed the envelope of a failure
	line    int
	pending []byte
	output  bytes.Buffer
}

// Write implements io.Writer.
func (p *progress) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.pending = append(p.pending, b...)
	for {
		line, rest, whole := bytes.Cut(p.pending, []byte("\n"))
		if !whole {
			return len(b), nil
		}
		p.take(line)
		p.pending = rest
	}
}

// flush takes a last line that does not end with a newline.
func (p *progress) flush() {
	_, _ = p.Write([]byte("\n"))
}

func (p *progress) take(line []byte) {
	if at, ok := strings.CutPrefix(string(line), mark); ok {
		p.output.Reset()
		_, _ = fmt.Sscan(at, &p.line)
		p.block()
		return
	}
	p.output.Write(append(line, '\n'))
	if refused.Match(line) {
		p.failed(errors.New("a request failed"))
	}
}
