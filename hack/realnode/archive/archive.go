// SPDX-License-Identifier: Apache-2.0

// Package archive writes container images with one static program as archives that a container runtime imports.
//
// It builds the two images that a node needs before it can run others. It is not used for the images of the product.
package archive

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Image is an image with one static program at /NAME.
type Image struct {
	// Ref is the image reference of pods, with a tag.
	Ref string
	// Program is the file on this machine, Name its name in the image.
	Program, Name string
	// User is the user that runs the program; empty means root.
	User string
}

// Write writes img in the format of `docker save`.
func Write(w io.Writer, img Image) error {
	layer, err := layerOf(img)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(layer)
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Entrypoint": []string{"/" + img.Name}, "User": img.User, "WorkingDir": "/"},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hex.EncodeToString(sum[:])}},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal([]any{map[string]any{"Config": "config.json", "RepoTags": []string{img.Ref}, "Layers": []string{"layer.tar"}}})
	if err != nil {
		return err
	}
	t := tar.NewWriter(w)
	for _, f := range []struct {
		name string
		raw  []byte
	}{{"layer.tar", layer}, {"config.json", config}, {"manifest.json", manifest}} {
		if err := add(t, f.name, 0o644, f.raw); err != nil {
			return err
		}
	}
	return t.Close()
}

func layerOf(img Image) ([]byte, error) {
	raw, err := os.ReadFile(img.Program)
	if err != nil {
		return nil, fmt.Errorf("the image %s: %w", img.Ref, err)
	}
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	if err := add(t, img.Name, 0o755, raw); err != nil {
		return nil, err
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func add(t *tar.Writer, name string, mode int64, raw []byte) error {
	if err := t.WriteHeader(&tar.Header{Name: name, Mode: mode, Size: int64(len(raw)), Format: tar.FormatPAX}); err != nil {
		return err
	}
	_, err := t.Write(raw)
	return err
}
