// SPDX-License-Identifier: Apache-2.0

package overlay

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// Texts returns the values of a change as shown in a status, each of at most 500 characters.
func (c Change) Texts() (from, to string) { return shown(c.From), shown(c.To) }

func shown(v any) string {
	var s string
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		s = strconv.FormatFloat(v, 'f', -1, 64)
	case Position:
		s = shown(v.X) + ", " + shown(v.Y)
	default:
		s = fmt.Sprint(v)
	}
	if utf8.RuneCountInString(s) > 500 {
		s = string([]rune(s)[:499]) + "…"
	}
	return s
}
