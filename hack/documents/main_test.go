// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestCheck(t *testing.T) {
	repository := fstest.MapFS{}
	for name, text := range map[string]string{
		"README.md":      "[docs](docs/README.md) `cmd/gone`\n",
		"cmd/manager.go": "package main\n",
		"docs/README.md": "[a](a.md#first-steps-ha) [b](a.md#second) [c](gone.md) [web](https://example.com/x.md)\n" +
			"`cmd/vX.Y.Z` `cmd/manager.go` `cmd/NAME`\n\n```\n[d](also-gone.md)\n```\n",
		"docs/a.md":      "# A\n\n## First steps: `HA`\n\n```\n# second\n```\n",
		"docs/orphan.md": "[index](README.md)\n",
	} {
		repository[name] = &fstest.MapFile{Data: []byte(text)}
	}
	got, err := check(repository)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"README.md: cmd/gone does not exist",
		"docs/README.md: cmd/NAME does not exist",
		"docs/README.md: the link a.md#second leads to no heading",
		"docs/README.md: the link gone.md leads to no file",
		"docs/orphan.md: no link leads here from docs/README.md",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
