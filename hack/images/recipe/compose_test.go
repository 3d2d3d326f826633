// SPDX-License-Identifier: Apache-2.0

package recipe

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// compose has the used fields of a Compose file.
type compose struct {
	Services map[string]struct {
		Image       string            `json:"image"`
		Environment map[string]string `json:"environment"`
		Ports       []string          `json:"ports"`
		Volumes     []string          `json:"volumes"`
		CapDrop     []string          `json:"cap_drop"`
		CapAdd      []string          `json:"cap_add"`
		SecurityOpt []string          `json:"security_opt"`
		ReadOnly    bool              `json:"read_only"`
		Tmpfs       []string          `json:"tmpfs"`
		StopGrace   string            `json:"stop_grace_period"`
		Restart     string            `json:"restart"`
	} `json:"services"`
	Volumes map[string]any `json:"volumes"`
}

func TestCompose_AgreesWithTheRecipe(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../config/compose/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c compose
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(Images, func(r Image) bool { return r.Name == "standalone" })
	if i < 0 {
		t.Fatal("the recipe has no image standalone")
	}
	r, s := Images[i], c.Services["reelops"]
	if name, _, _ := strings.Cut(s.Image, ":$"); name != "ghcr.io/reelops/reelops/"+r.Name {
		t.Errorf("got image %s", s.Image)
	}
	var ports []string
	for _, p := range r.Ports {
		ports = append(ports, fmt.Sprintf("127.0.0.1:%d:%[1]d", p))
	}
	if diff := cmp.Diff(ports, s.Ports); diff != "" {
		t.Errorf("ports (- recipe, + Compose file):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"reelops:" + r.Volume}, s.Volumes); diff != "" {
		t.Errorf("volumes (- recipe, + Compose file):\n%s", diff)
	}
	if _, ok := c.Volumes["reelops"]; !ok {
		t.Error("the volume is not declared")
	}
	if want := "REELOPS_URL=" + s.Environment["REELOPS_URL"]; !slices.Contains(r.Env, want) {
		t.Errorf("the environment of the image has no %s", want)
	}
	if !slices.Equal(s.CapDrop, []string{"ALL"}) || !slices.Contains(s.SecurityOpt, "no-new-privileges:true") {
		t.Errorf("the container may gain rights: %+v", s)
	}
}
