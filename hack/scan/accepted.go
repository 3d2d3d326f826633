// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// acceptance justifies a finding.
type acceptance struct {
	// Rule is a rule of the scanner.
	Rule string
	// Place is a file, or a folder with all files below it, relative to the root of the repository, or a module.
	Place string
	// Text is a part of the finding's text; empty matches every text.
	Text string
	// Reason explains why the finding is acceptable.
	Reason string
}

// entry is an entry of the file: one acceptance per place.
type entry struct {
	Rule   string   `json:"rule"`
	Places []string `json:"places"`
	Text   string   `json:"text,omitempty"`
	Reason string   `json:"reason"`
}

func readAccepted(file string) ([]acceptance, error) {
	doc, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var entries []entry
	if err := yaml.UnmarshalStrict(doc, &entries); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var list []acceptance
	for _, e := range entries {
		if e.Rule == "" || len(e.Places) == 0 || slices.Contains(e.Places, "") || len(strings.Fields(e.Reason)) < 4 {
			return nil, fmt.Errorf("%s: an entry needs a rule, places and a reason in words: %+v", file, e)
		}
		for _, place := range e.Places {
			list = append(list, acceptance{e.Rule, place, e.Text, e.Reason})
		}
	}
	return list, nil
}

func (a acceptance) fits(f finding) bool {
	return a.Rule == f.Rule && (f.File == a.Place || strings.HasPrefix(f.File, strings.TrimSuffix(a.Place, "/")+"/")) && strings.Contains(f.Text, a.Text)
}

var vulnerability = regexp.MustCompile(`^GO-\d+-\d+$`)

// judge returns the findings without an acceptance, and the acceptances without a finding. Unused acceptances of
// vulnerabilities are only returned if vulnerabilities were searched for.
func judge(found []finding, list []acceptance, vulnerabilities bool) (left []finding, unused []acceptance) {
	used := make([]bool, len(list))
	for _, f := range found {
		ok := false
		for i, a := range list {
			if a.fits(f) {
				ok, used[i] = true, true
			}
		}
		if !ok {
			left = append(left, f)
		}
	}
	for i, a := range list {
		if !used[i] && (vulnerabilities || !vulnerability.MatchString(a.Rule)) {
			unused = append(unused, a)
		}
	}
	return left, unused
}
