// SPDX-License-Identifier: Apache-2.0

package wordnet

import (
	"bytes"
	"slices"
	"strings"
)

// endings are what inflection puts at the end of a word, and what stood there before.
var endings = [parts][][2]string{
	Noun: {{"ches", "ch"}, {"shes", "sh"}, {"ies", "y"}, {"men", "man"}, {"ses", "s"}, {"xes", "x"}, {"zes", "z"}, {"s", ""}},
	Verb: {{"ies", "y"}, {"es", "e"}, {"es", ""}, {"ed", "e"}, {"ed", ""}, {"ing", "e"}, {"ing", ""}, {"s", ""}},
	Adjective: {
		{"est", ""}, {"est", "e"}, {"er", ""}, {"er", "e"},
	},
}

// Bases are the base forms that a word or phrase may come from, in a part of speech, itself first when it is one: of
// "leaves" leaf for the noun and leave for the verb. All of them have meanings in the database.
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

// regular are the forms that a word may come from by the rules, whether they exist or not.
func regular(key string, p Part) []string {
	var out []string
	for _, e := range endings[p] {
		root, ok := strings.CutSuffix(key, e[0])
		if !ok || root == "" || (e[0] == "s" && strings.HasSuffix(root, "s")) {
			continue
		}
		out = append(out, root+e[1])
		// running, ran by rule: the consonant was doubled.
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
