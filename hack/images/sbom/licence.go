// SPDX-License-Identifier: Apache-2.0

package sbom

import (
	"slices"
	"strings"
)

// phrases identify licences. All phrases of an entry have to be in the text, which is in lower case with single spaces.
var phrases = []struct {
	id   string
	all  []string
	none []string
}{
	{"Apache-2.0", []string{"apache license", "version 2.0, january 2004"}, nil},
	{"AGPL-3.0-or-later", []string{"gnu affero general public license", "version 3, 19 november 2007"}, nil},
	{"MPL-2.0", []string{"mozilla public license", "version 2.0", "covered software"}, nil},
	{"MIT", []string{"permission is hereby granted, free of charge, to any person obtaining a copy"}, nil},
	{"ISC", []string{"permission to use, copy, modify, and", "distribute this software for any purpose with or without fee is hereby granted", "isc"}, nil},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "endorse or promote products"}, nil},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}, []string{"endorse or promote products"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}, nil},
	{"CC0-1.0", []string{"creative commons", "cc0 1.0 universal"}, nil},
}

// licence returns an SPDX expression for the licences of a module, found by their texts, or NOASSERTION. It is only
// informative: the image contains the texts themselves.
func licence(texts ...string) string {
	var found []string
	for _, text := range texts {
		text = strings.ToLower(strings.Join(strings.Fields(text), " "))
		has := func(phrase string) bool { return strings.Contains(text, phrase) }
		for _, p := range phrases {
			if !slices.ContainsFunc(p.all, func(s string) bool { return !has(s) }) && !slices.ContainsFunc(p.none, has) {
				found = append(found, p.id)
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	if len(found) == 0 {
		return unknown
	}
	return strings.Join(found, " AND ")
}
