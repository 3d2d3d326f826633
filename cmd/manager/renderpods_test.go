// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/work/pod"
)

// needed are the required flags.
var needed = []string{"--blob-url=file:///x", "--callback-url=http://x", "--renderer-image=renderer", "--signing-key-file=x"}

func TestPodSettings(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pods.yaml")
	if err := os.WriteFile(file, []byte("spec: {nodeSelector: {pool: render}, hostUsers: false}"), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := parseOptions(needed, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if p := o.renderPod(); p.Medium != pod.Memory || p.RequireConfinement || p.Queue != "" || p.Template.Spec.NodeSelector != nil || p.Image != "renderer" || p.User != pod.User || o.pods.renders < 1 {
		t.Errorf("defaults: got %+v, %d renders", p, o.pods.renders)
	}
	o, err = parseOptions(append(needed, "--render-scratch-medium=disk", "--kueue-queue=films", "--renders=3", "--require-confinement", "--render-pod-template="+file, "--media-memory=2Gi", "--render-pod-user=0"), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []pod.Options{o.renderPod(), o.mediaPod()} {
		if p.Medium != pod.Disk || !p.RequireConfinement || p.Queue != "films" || p.Template.Spec.NodeSelector["pool"] != "render" || p.User != 0 || o.pods.renders != 3 {
			t.Errorf("%+v, %d renders", p, o.pods.renders)
		}
	}
	if m := o.mediaPod().Memory; m.String() != "2Gi" {
		t.Errorf("the media pod has %s", m.String())
	}
}

func TestPodSettings_RejectInvalidValues(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pods.yaml")
	if err := os.WriteFile(file, []byte("spec: {hostNetwork: true}"), 0o600); err != nil {
		t.Fatal(err)
	}
	for flag, says := range map[string]string{
		"--render-scratch-medium=tape":       "--render-scratch-medium",
		"--renders=-1":                       "--renders",
		"--render-pod-user=-1":               "--render-pod-user",
		"--kueue-queue=a b":                  "--kueue-queue",
		"--render-pod-template=" + file:      `unknown field "hostNetwork"`,
		"--render-pod-template=/none/at/all": "--render-pod-template",
		"--render-ca-files=/none/at/all":     "--render-ca-files",
		"--render-ca-files=" + file:          "no certificate",
		"--fetch-proxy=socks5://a:hunter2@x": "--fetch-proxy",
	} {
		if _, err := parseOptions(append(needed, flag), io.Discard); err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", flag, err)
		}
	}
}
