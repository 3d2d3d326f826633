// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/partial"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/static"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// spdxType is the media type of an SBOM in registries.
const spdxType = types.MediaType("application/spdx+json")

// push pushes the images below a path of a registry with their tags. An image that was built for several architectures
// is pushed as an index. The SBOM of each image is pushed as an artifact that refers to the image, where registries and
// scanners look for it.
func push(ctx context.Context, to string, all []*made) error {
	options := []remote.Option{remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain)}
	byName := map[string][]*made{}
	var order []string
	for _, m := range all {
		if byName[m.name] == nil {
			order = append(order, m.name)
		}
		byName[m.name] = append(byName[m.name], m)
	}
	for _, n := range order {
		images := byName[n]
		ref, err := name.ParseReference(strings.TrimSuffix(to, "/") + "/" + n + ":" + images[0].tag)
		if err != nil {
			return fmt.Errorf("parsing the image reference: %w", err)
		}
		digest, err := pushOne(ref, images, options)
		if err != nil {
			return fmt.Errorf("pushing %s: %w", ref, err)
		}
		fmt.Printf("pushed %s@%s\n", ref, digest)
	}
	return nil
}

func pushOne(ref name.Reference, images []*made, options []remote.Option) (v1.Hash, error) {
	if len(images) == 1 {
		if err := remote.Write(ref, images[0], options...); err != nil {
			return v1.Hash{}, err
		}
		return images[0].digest, pushBill(ref, images[0], options)
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, m := range images {
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: m, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: m.Arch}},
		})
	}
	if err := remote.WriteIndex(ref, index, options...); err != nil {
		return v1.Hash{}, err
	}
	for _, m := range images {
		if err := pushBill(ref, m, options); err != nil {
			return v1.Hash{}, err
		}
	}
	return index.Digest()
}

// pushBill attaches the SBOM to a pushed image.
func pushBill(ref name.Reference, m *made, options []remote.Option) error {
	about, err := partial.Descriptor(m)
	if err != nil {
		return err
	}
	bill := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), spdxType)
	if bill, err = mutate.AppendLayers(bill, static.NewLayer(m.bill, spdxType)); err != nil {
		return err
	}
	attached, ok := mutate.Subject(bill, *about).(v1.Image)
	if !ok {
		return fmt.Errorf("adding a subject changed the type of the bill of materials")
	}
	digest, err := attached.Digest()
	if err != nil {
		return err
	}
	return remote.Write(ref.Context().Digest(digest.String()), attached, options...)
}
