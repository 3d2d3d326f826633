// SPDX-License-Identifier: Apache-2.0

package assemble

import (
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/reelops/reelops/hack/images/layer"
)

// Notices is the folder of the licences of the modules in a program, by module.
const Notices = "/usr/share/doc/reelops"

// noticesLayer returns a layer with the licences of the project and of the modules, as their terms require, and the
// size of the licences in bytes. It fails if a dependency has no licence file, except in images for tests.
func (b *Builder) noticesLayer(out *Image) (*layer.Layer, int64, error) {
	files := map[string]string{path.Join(Notices, "LICENSE"): filepath.Join(b.Root, "LICENSE")}
	for _, m := range out.Modules {
		if len(m.Licences) == 0 && !m.Main && !out.Recipe.Test {
			return nil, 0, fmt.Errorf("%s %s of %s has no licence file in Go's module cache, so it cannot be distributed", m.Path, m.Version, out.Recipe.Name)
		}
		for _, l := range m.Licences {
			at := path.Join(Notices, "modules", m.Path, filepath.Base(l))
			if files[at] != "" { // another program has another version
				at = path.Join(Notices, "modules", m.Path+"@"+m.Version, filepath.Base(l))
			}
			files[at] = l
		}
	}
	var entries []layer.Entry
	texts := map[string][]byte{}
	var size int64
	for at, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, 0, err
		}
		texts[at] = data
		size += int64(len(data))
		entries = append(entries, layer.Entry{Path: at, Mode: 0o644, Data: data})
	}
	key, err := layer.Key("notices", texts)
	if err != nil {
		return nil, 0, err
	}
	l, err := b.layers().Get(key, nil, func() ([]layer.Entry, any, error) { return entries, nil, nil })
	return l, size, err
}
