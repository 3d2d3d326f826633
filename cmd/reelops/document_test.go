// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// TestDocument_ListsCommandsAndExitCodes compares docs/reference/plugin.md with the program.
func TestDocument_ListsCommandsAndExitCodes(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "plugin.md"))
	must(t, err)
	page := string(text)
	streams, _, _, _ := genericiooptions.NewTestIOStreams()
	root := newRootCommand(newFactory(streams))
	var check func(c *cobra.Command)
	check = func(c *cobra.Command) {
		if c.HasSubCommands() {
			for _, sub := range c.Commands() {
				check(sub)
			}
			return
		}
		line := strings.TrimPrefix(strings.TrimSuffix(c.UseLine(), " [flags]"), c.Root().DisplayName()+" ")
		if !strings.Contains(page, "| `"+line+"` |") {
			t.Errorf("docs/reference/plugin.md has no row for `%s`", line)
		}
	}
	check(root)
	for _, code := range []int{0, exitFailed, exitUsage, exitNotFound, exitInterrupted} {
		if !strings.Contains(page, fmt.Sprintf("\n| %d | ", code)) {
			t.Errorf("docs/reference/plugin.md has no row for the exit code %d", code)
		}
	}
}
