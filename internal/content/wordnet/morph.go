// SPDX-License-Identifier: Apache-2.0

package wordnet

import (
	"bytes"
	"slices"
	"strings"
)

// endings are the inflection suffixes of each part of speech, each with the suffix of the base form.
var endings = [parts][][2]string{
	Noun: {{"ches", "ch"}, {"shes", "sh"}, {"ies", "y"}, {"men", "man"}, {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"s", ""}},
	Verb: {{"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""}, {"s", ""}},
	Adjective: {
		{"est", ""}, {"est", "e"}, {"er", ""}, {"er", "e"},
	},
}

// Bases returns the base forms in the database that a word or phrase may derive from, for a part of speech. If the word
// is itself a base form, it comes first. For "leaves", the noun has the base form leaf and the verb has leave.
func (d *DB) Bases(word string, p Part) ([]string, error) {
	key, ok := keyOf(word)
	if !ok || p >= parts {
		return nil, nil
	}
	var out []string
	try := func(form string) error {
		if len(form) < 2 || slices.Contains(out, form) {
			return nil
		}
		line, err := d.index[p].find(form)
		if line != nil {
			out = append(out, form)
		}
		return err
	}
	if err := try(key); err != nil {
		return nil, err
	}
	irregular, err := d.exceptions[p].find(key)
	if err != nil {
		return nil, err
	}
	if fields := bytes.Fields(irregular); len(fields) > 1 {
		for _, f := range fields[1:] {
			if err := try(string(f)); err != nil {
				return nil, err
			}
		}
		return blanks(out), nil
	}
	for _, form := range regular(key, p) {
		if err := try(form); err != nil {
			return nil, err
		}
	}
	return blanks(out), nil
}

// regular returns the candidate base forms by the inflection rules, whether they exist or not.
func regular(key string, p Part) []string {
	var out []string
	for _, e := range endings[p] {
		root, ok := strings.CutSuffix(key, e[0])
		if !ok || root == "" || (e[0] == "s" && strings.HasSuffix(root, "s")) {
			continue
		}
		out = append(out, root+e[1])
		// For "running", the doubled consonant is removed as well: run.
		if n := len(root); e[1] == "" && e[0] != "s" && n > 2 && root[n-1] == root[n-2] {
			out = append(out, root[:n-1])
		}
	}
	return out
}

func blanks(keys []string) []string {
	for i := range keys {
		keys[i] = strings.ReplaceAll(keys[i], "_", " ")
	}
	return keys
}
