// SPDX-License-Identifier: Apache-2.0

package workdoc

import "slices"

// Parts of the confinement of programs that open files of users, as outcomes name those that a node does not have.
const (
	Landlock = "landlock"
	Seccomp  = "seccomp"
)

// CheckLacks reports what is wrong with the list of parts in the field; the error is an *Error.
func CheckLacks(field string, parts []string) error {
	for i, p := range parts {
		if p != Landlock && p != Seccomp || slices.Contains(parts[:i], p) {
			return Wrong(field, "The parts of the confinement are landlock and seccomp, each at most once.")
		}
	}
	return nil
}
