// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// operatorCRDs maps modules to the files with the CRDs of other projects whose kinds the chart renders.
var operatorCRDs = map[string][]string{
	"github.com/cert-manager/cert-manager": {"deploy/crds/cert-manager.io_certificates.yaml", "deploy/crds/cert-manager.io_issuers.yaml"},
	"github.com/prometheus-operator/prometheus-operator": {
		"example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml",
		"example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml",
	},
	"sigs.k8s.io/gateway-api": {"config/crd/standard/gateway.networking.k8s.io_httproutes.yaml"},
}

// operatorFiles returns the paths of operatorCRDs in Go's module cache, at the versions in testdata/operators/go.mod.
func operatorFiles() ([]string, error) {
	cmd := exec.Command("go", "-C", "testdata/operators", "mod", "download", "-json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("downloading the CRDs of other projects: %w", err)
	}
	var files []string
	folders := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var module struct{ Path, Dir string }
		if err := d.Decode(&module); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("downloading the CRDs of other projects: %w", err)
		}
		folders[module.Path] = module.Dir
	}
	for module, names := range operatorCRDs {
		if folders[module] == "" {
			return nil, fmt.Errorf("testdata/operators/go.mod does not require %s", module)
		}
		for _, name := range names {
			files = append(files, filepath.Join(folders[module], name))
		}
	}
	return files, nil
}

// TestOperators_TheirSchemasRejectUnknownFields checks that the server validates the kinds of other projects, so that
// the tests which apply all rendered objects detect a misspelled field.
func TestOperators_TheirSchemasRejectUnknownFields(t *testing.T) {
	for kind, values := range map[string]string{
		"Certificate": "tls-issuer", "ServiceMonitor": "metrics-certificate", "PrometheusRule": "pods", "HTTPRoute": "tls-issuer",
	} {
		o := of(t, render(t, installations(t)[values]), kind)
		if err := dryRun(t.Context(), o); err != nil {
			t.Errorf("%s: got %v", kind, err)
		}
		at(o, "spec").(object)["misspelled"] = true
		if err := dryRun(t.Context(), o); err == nil {
			t.Errorf("%s: an unknown field is accepted", kind)
		}
	}
}
