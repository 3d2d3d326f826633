// SPDX-License-Identifier: Apache-2.0

// Package archive writes an image as one file that `ctr images import`, `podman load` and `docker load` accept. The
// file is an OCI layout, so the image keeps its digest. It also contains the manifest.json that Docker reads.
package archive

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

type blob struct {
	hash v1.Hash
	size int64
	open func() (io.ReadCloser, error)
}

// Write writes an image to a file, under a name with a tag such as reelops.dev/manager:dev.
func Write(file, name string, image v1.Image) error {
	out, err := os.CreateTemp(filepath.Dir(file), ".archive-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(out.Name()) }()
	err = write(out, name, image)
	if err := errors.Join(err, out.Chmod(0o644), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), file)
}

func write(w io.Writer, name string, image v1.Image) error {
	manifest, err := image.RawManifest()
	if err != nil {
		return err
	}
	config, err := image.RawConfigFile()
	if err != nil {
		return err
	}
	digest, err := image.Digest()
	if err != nil {
		return err
	}
	about, err := image.ConfigFile()
	if err != nil {
		return err
	}
	parsed, err := image.Manifest()
	if err != nil {
		return err
	}
	layers, err := image.Layers()
	if err != nil {
		return err
	}
	blobs := []blob{inMemory(digest, manifest), inMemory(parsed.Config.Digest, config)}
	docker := dockerImage{Config: blobName(parsed.Config.Digest), RepoTags: []string{name}}
	for i, l := range layers {
		d := parsed.Layers[i]
		blobs = append(blobs, blob{d.Digest, d.Size, l.Compressed})
		docker.Layers = append(docker.Layers, blobName(d.Digest))
	}
	index := v1.IndexManifest{
		SchemaVersion: 2, MediaType: types.OCIImageIndex,
		Manifests: []v1.Descriptor{{
			MediaType: types.OCIManifestSchema1, Size: int64(len(manifest)), Digest: digest,
			Platform: &v1.Platform{OS: about.OS, Architecture: about.Architecture},
			Annotations: map[string]string{
				"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name,
			},
		}},
	}
	t := tar.NewWriter(w)
	for _, part := range []struct {
		name string
		data any
	}{{"oci-layout", map[string]string{"imageLayoutVersion": "1.0.0"}}, {"index.json", index}, {"manifest.json", []dockerImage{docker}}} {
		b, err := json.Marshal(part.data)
		if err != nil {
			return err
		}
		if err := add(t, part.name, int64(len(b)), bytes.NewReader(b)); err != nil {
			return err
		}
	}
	written := map[v1.Hash]bool{}
	for _, b := range blobs {
		if written[b.hash] {
			continue
		}
		written[b.hash] = true
		if err := copyBlob(t, b); err != nil {
			return fmt.Errorf("%s: %w", b.hash, err)
		}
	}
	return t.Close()
}

type dockerImage struct {
	Config   string
	RepoTags []string
	Layers   []string
}

func blobName(h v1.Hash) string { return "blobs/" + h.Algorithm + "/" + h.Hex }

func inMemory(h v1.Hash, data []byte) blob {
	return blob{h, int64(len(data)), func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
}

func copyBlob(t *tar.Writer, b blob) error {
	in, err := b.open()
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	return add(t, blobName(b.hash), b.size, in)
}

func add(t *tar.Writer, name string, size int64, content io.Reader) error {
	err := t.WriteHeader(&tar.Header{
		Name: name, Size: size, Mode: 0o644, Typeflag: tar.TypeReg, ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR,
	})
	if err != nil {
		return err
	}
	_, err = io.Copy(t, content)
	return err
}
