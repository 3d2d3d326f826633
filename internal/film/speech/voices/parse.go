// SPDX-License-Identifier: Apache-2.0

package voices

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// nameForm is the form of a voice name in a request.
var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.:+-]{0,63}$`)

// Parse parses the voices of a speech service, comma separated. Each is a name, then, after slashes and in any order,
// its gender and the languages it speaks as BCP 47 tags: "alloy,nova/female,jf_alpha/female/ja". A voice without
// languages speaks all.
func Parse(list string) ([]Voice, error) {
	var out []Voice
	for _, entry := range strings.Split(list, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		parts := strings.Split(entry, "/")
		v := Voice{Name: parts[0], Source: SourceService}
		if !nameForm.MatchString(v.Name) {
			return nil, fmt.Errorf("%q is no name of a voice: letters, digits and _.:+- only, at most 64", v.Name)
		}
		if slices.ContainsFunc(out, func(o Voice) bool { return o.Name == v.Name }) {
			return nil, fmt.Errorf("the voice %s is listed twice", v.Name)
		}
		for _, fact := range parts[1:] {
			if fact == female || fact == male {
				v.Gender = fact
				continue
			}
			tag, err := language.Parse(fact)
			if err != nil || tag == language.Und {
				return nil, fmt.Errorf("voice %s: %q is neither female or male nor a BCP 47 tag", v.Name, fact)
			}
			v.Languages = append(v.Languages, tag.String())
		}
		out = append(out, v)
	}
	return out, nil
}
