// SPDX-License-Identifier: Apache-2.0

// Command monitoring writes docs/metrics.md from the list of metrics, and the dashboard for Grafana, from the folder of the project.
package main

import (
	"fmt"
	"os"

	"github.com/reelops/reelops/internal/metric"
)

// files that are written.
func files() (map[string][]byte, error) {
	board, err := dashboard()
	return map[string][]byte{"docs/metrics.md": metric.Document(), "config/monitoring/dashboard.json": board}, err
}

func main() {
	all, err := files()
	for name, text := range all {
		if err == nil {
			err = os.WriteFile(name, text, 0o644)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "monitoring:", err)
		os.Exit(1)
	}
}
