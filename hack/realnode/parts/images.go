// SPDX-License-Identifier: Apache-2.0

package parts

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/reelops/reelops/hack/realnode/archive"
)

// The images that a node provides itself.
const (
	PauseImage = "realnode.local/pause:1"
	DNSImage   = "realnode.local/dns:1"
)

var ownImages = []string{"pause", "dns"}

// Furnish copies the files that the node provides itself into home. Its own images go into the folder "images"; they
// are built from the programs PROGRAM-pause and PROGRAM-dns next to program. The plugin PROGRAM-cni is copied into the
// folder "cni".
func Furnish(home, program string) error {
	plugin, err := os.ReadFile(program + "-cni")
	if err != nil {
		return fmt.Errorf("%w; build.sh builds it", err)
	}
	if err := os.MkdirAll(filepath.Join(home, "cni"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, "cni", "realnode-policy"), plugin, 0o755); err != nil {
		return err
	}
	dir := filepath.Join(home, "images")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for i, img := range []archive.Image{
		{Ref: PauseImage, Name: "pause", User: "65535:65535"},
		{Ref: DNSImage, Name: "coredns", User: "65532:65532"},
	} {
		name := ownImages[i]
		img.Program = program + "-" + name
		var b bytes.Buffer
		if err := archive.Write(&b, img); err != nil {
			return fmt.Errorf("%w; build.sh builds it", err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".tar"), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
