// SPDX-License-Identifier: Apache-2.0

// Command chart writes the parts of the Helm chart that config/ has already: kinds, permissions and policies, and what is watched.
// There is one source of truth for each of them, and `make verify` notices when the chart was not written anew.
//
// What depends on values (Deployments, Services, NetworkPolicies) is written by hand in the chart; tests compare what it renders
// with nothing set to config/default.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// The folders of the manifests and of the chart, from this module's.
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
	return nil
}
