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
	// Sections are the headings above the row, the highest first.
	Sections []string
	Promise  string
	// Where lists the implementing files with their symbols. Proofs lists the test files with their tests.
	Where, Proofs []Place
}

// Place is a file of the tree and the names in it that a row refers to.
type Place struct {
	File  string
	Names []string
}

// columns are the column titles of every table.
var columns = []string{"Promised", "Where", "Proof"}

// word matches a name in backquotes, or the name of a spec in quotation marks.
var word = regexp.MustCompile("`([^`]+)`|\"([^\"]+)\"")

// Parse reads the document. faults lists malformed lines: tables with other columns and rows with a wrong number of
// cells.
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

// split returns the cells of a table row.
func split(line string) []string {
	line = strings.ReplaceAll(strings.Trim(strings.TrimSpace(line), "|"), `\|`, "\x00")
	var out []string
	for cell := range strings.SplitSeq(line, "|") {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return out
}

// places parses a cell: a file, the names in it, then the next file.
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

// under reports whether a row is below a heading.
func (r Row) under(heading string) bool { return slices.Contains(r.Sections, heading) }

// Spoken returns the names in backquotes in the promises below a heading.
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
