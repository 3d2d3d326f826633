// SPDX-License-Identifier: Apache-2.0

// Command monitoring writes docs/reference/metrics.md from the list of metrics, and the Grafana dashboard. It runs in
// the folder hack:
//
//	go -C hack run ./monitoring
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/reelops/reelops/internal/process/metric"
)

// root is the root of the repository, relative to the folder hack.
const root = ".."

// files returns the generated files by their path in the repository.
func files() (map[string][]byte, error) {
	board, err := dashboard()
	return map[string][]byte{"docs/reference/metrics.md": metric.Document(), "config/monitoring/dashboard.json": board}, err
}

func main() {
	all, err := files()
	for name, text := range all {
		if err == nil {
			err = os.WriteFile(filepath.Join(root, name), text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "monitoring:", err)
		os.Exit(1)
	}
}
