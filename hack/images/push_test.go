// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"log"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	"github.com/google/go-containerregistry/pkg/v1/random"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/reelops/reelops/hack/images/assemble"
)

func image(t *testing.T, imageName, arch string) *made {
	t.Helper()
	i, err := random.Image(100, 2)
	if err != nil {
		t.Fatal(err)
	}
	digest, err := i.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return &made{Image: &assemble.Image{Image: i, Arch: arch}, name: imageName, tag: "v1", digest: digest, bill: []byte(`{"of":"` + imageName + arch + `"}`)}
}

func TestPush_ImagesWithSBOMs(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	to := strings.TrimPrefix(server.URL, "http://") + "/reelops"
	single, amd, arm := image(t, "cli", "amd64"), image(t, "manager", "amd64"), image(t, "manager", "arm64")
	if err := push(t.Context(), to+"/", []*made{single, amd, arm}); err != nil {
		t.Fatal(err)
	}
	ref := func(s string) name.Reference {
		r, err := name.ParseReference(to + "/" + s)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	if got, err := remote.Head(ref("cli:v1")); err != nil || got.Digest != single.digest {
		t.Errorf("got %+v, %v", got, err)
	}
	index, err := remote.Index(ref("manager:v1"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Manifests) != 2 || list.Manifests[0].Digest != amd.digest || list.Manifests[1].Digest != arm.digest ||
		list.Manifests[1].Platform.Architecture != "arm64" {
		t.Errorf("got %+v", list.Manifests)
	}
	for _, m := range []*made{single, arm} {
		checkBill(t, ref(m.name+":v1").Context().Digest(m.digest.String()), string(m.bill))
	}
}

func checkBill(t *testing.T, of name.Digest, want string) {
	t.Helper()
	referrers, err := remote.Referrers(of)
	if err != nil {
		t.Fatal(err)
	}
	list, err := referrers.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Manifests) != 1 || list.Manifests[0].ArtifactType != string(spdxType) {
		t.Fatalf("%s has the referrers %+v", of, list.Manifests)
	}
	bill, err := remote.Image(of.Context().Digest(list.Manifests[0].Digest.String()))
	if err != nil {
		t.Fatal(err)
	}
	layers, err := bill.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatal(len(layers), err)
	}
	r, err := layers[0].Compressed()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if got, err := io.ReadAll(r); err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}
