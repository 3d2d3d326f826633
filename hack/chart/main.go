// SPDX-License-Identifier: Apache-2.0

// Command chart generates the parts of the Helm chart that config/ contains: kinds, permissions, policies and
// monitoring, and the list of kinds in Chart.yaml. Each of them has one source of truth, and `make verify` fails if the chart is outdated.
//
// The parts that depend on values (Deployments, Services, NetworkPolicies) are written by hand in the chart. Tests
// compare their output without values to config/default.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// Folders of the manifests and of the chart, relative to this module.
const (
	configDir = "../../config"
	chartDir  = configDir + "/chart/reelops"
)

func main() {
	if err := write(); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func write() error {
	files, err := generate(configDir)
	if err != nil {
		return err
	}
	dir := filepath.Join(chartDir, "templates", "generated")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			return err
		}
	}
	about := filepath.Join(chartDir, "Chart.yaml")
	text, err := os.ReadFile(about)
	if err != nil {
		return err
	}
	if text, err = annotate(configDir, text); err != nil {
		return err
	}
	return os.WriteFile(about, text, 0o644)
}
