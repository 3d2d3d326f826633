// SPDX-License-Identifier: Apache-2.0

package promises

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Row is one promise.
type Row struct {
	Line int
	// Sections are the headings that it stands under, the highest first.
	Sections []string
	Promise  string
	// Where it is done: files with the symbols named after each. Proofs are files with the tests named after each.
	Where, Proofs []Place
}

// Place is a file of the tree and what of it is meant.
type Place struct {
	File  string
	Names []string
}

// columns is the head of every table.
var columns = []string{"Promised", "Where", "Proof"}

// word is a name in backquotes, or the name of a spec between quotation marks.
var word = regexp.MustCompile("`([^`]+)`|\"([^\"]+)\"")

// Parse reads the document. Its faults are lines that a reader may take for rows and that are none.
func Parse(doc string) (rows []Row, faults []string) {
	var sections []string
	var inTable bool
	for i, line := range strings.Split(doc, "\n") {
		if level := len(line) - len(strings.TrimLeft(line, "#")); level > 0 && strings.HasPrefix(line[level:], " ") {
			for len(sections) < level {
				sections = append(sections, "")
			}
			sections = append(slices.Clone(sections[:level-1]), strings.TrimSpace(line[level:]))
		}
		if !strings.HasPrefix(line, "|") {
			inTable = false
			continue
		}
		cells := split(line)
		switch {
		case !inTable:
			inTable = true
			if !slices.Equal(cells, columns) {
				faults = append(faults, fmt.Sprintf("line %d: a table has the columns %s", i+1, strings.Join(columns, ", ")))
			}
			continue
		case strings.Trim(line, "|-: ") == "":
			continue
		case len(cells) != len(columns):
			faults = append(faults, fmt.Sprintf("line %d: %d cells, not %d", i+1, len(cells), len(columns)))
			continue
		}
		rows = append(rows, Row{Line: i + 1, Sections: sections, Promise: cells[0], Where: places(cells[1]), Proofs: places(cells[2])})
	}
	return rows, faults
}

// split cuts a line of a table into its cells.
func split(line string) []string {
	line = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00")
	var out []string
	for cell := range strings.SplitSeq(line, "|") {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return out
}

// places reads a cell: a file, then what of it is meant, then the next file.
func places(cell string) []Place {
	var out []Place
	for _, m := range word.FindAllStringSubmatch(cell, -1) {
		name := m[1] + m[2]
		if m[1] != "" && strings.Contains(name, "/") {
			out = append(out, Place{File: name})
			continue
		}
		if len(out) == 0 {
			out = append(out, Place{})
		}
		last := &out[len(out)-1]
		last.Names = append(last.Names, name)
	}
	return out
}

// under says whether a row stands below a heading.
func (r Row) under(heading string) bool { return slices.Contains(r.Sections, heading) }

// Spoken are the names in backquotes of the promises below a heading.
func Spoken(rows []Row, heading string) map[string]bool {
	out := map[string]bool{}
	for _, r := range rows {
		if !r.under(heading) {
			continue
		}
		for _, m := range word.FindAllStringSubmatch(r.Promise, -1) {
			if m[1] != "" {
				out[m[1]] = true
			}
		}
	}
	return out
}
