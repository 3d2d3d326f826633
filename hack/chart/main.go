// SPDX-License-Identifier: Apache-2.0

// Command chart writes the parts of the Helm chart that config/ has already: kinds, permissions and policies, and what is watched.
// There is one source of truth for each of them, and `make verify` notices when the chart was not written anew.
//
// What depends on values (Deployments, Services, NetworkPolicies) is written by hand in the chart; tests compare what it renders
// with nothing set to config/default.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	config := flag.String("config", "../../config", "folder with the manifests; the chart is in chart/reelops of it")
	flag.Parse()
	if err := write(*config); err != nil {
		fmt.Fprintln(os.Stderr, "chart:", err)
		os.Exit(1)
	}
}

func write(config string) error {
	files, err := generate(config)
	if err != nil {
		return err
	}
	dir := filepath.Join(config, "chart", "reelops", "templates", "generated")
	if err := os.RemoveAll(dir); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}
