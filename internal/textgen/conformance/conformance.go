// SPDX-License-Identifier: Apache-2.0

// Package conformance tries the promises of package textgen on real texts. Every writer runs it.
package conformance

import (
	"embed"
	"path"
	"strings"
)

//go:embed testdata/*.txt
var files embed.FS

// Corpus is the texts by name.
func Corpus() map[string]string {
	entries, err := files.ReadDir("testdata")
	if err != nil {
		panic(err) // embedded above
	}
	texts := map[string]string{}
	for _, e := range entries {
		data, err := files.ReadFile(path.Join("testdata", e.Name()))
		if err != nil {
			panic(err)
		}
		texts[strings.TrimSuffix(e.Name(), ".txt")] = string(data)
	}
	return texts
}
