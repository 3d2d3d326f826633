// SPDX-License-Identifier: Apache-2.0

package promises

import (
	"fmt"
	"slices"
	"strings"
)

// Check returns the faults of the rows: named files, symbols and tests that do not exist, and tests that do not run.
func Check(t *Tree, rows []Row) ([]string, error) {
	var out []string
	for _, r := range rows {
		fault := func(format string, args ...any) {
			out = append(out, fmt.Sprintf("line %d: %s", r.Line, fmt.Sprintf(format, args...)))
		}
		if r.Promise == "" {
			fault("nothing is promised")
		}
		for _, column := range []struct {
			name   string
			places []Place
			proof  bool
		}{{"where", r.Where, false}, {"proof", r.Proofs, true}} {
			if len(column.places) == 0 {
				fault("there is no %s", column.name)
			}
			for _, p := range column.places {
				f, err := t.open(p.File)
				switch {
				case err != nil:
					return nil, err
				case f == nil || p.File == "":
					fault("there is no file %q", p.File)
					continue
				case len(p.Names) == 0 && (column.proof || strings.HasSuffix(p.File, ".go")):
					fault("%s is named as the %s without saying what of it", p.File, column.name)
				}
				for _, n := range p.Names {
					if column.proof {
						if why, ok := f.tests[n]; !ok {
							fault("%s has no test %q", p.File, n)
						} else if why != "" {
							fault("%s: %q proves nothing: %s", p.File, n, why)
						}
					} else if !f.symbols[n] {
						fault("%s has no %s", p.File, n)
					}
				}
			}
		}
	}
	return out, nil
}

// Missing returns a fault for each name that no promise below the heading mentions.
func Missing(rows []Row, heading string, names []string) []string {
	spoken := Spoken(rows, heading)
	var out []string
	for _, n := range slices.Compact(slices.Sorted(slices.Values(names))) {
		if !spoken[n] {
			out = append(out, fmt.Sprintf("%s: no row speaks of `%s`", heading, n))
		}
	}
	return out
}
