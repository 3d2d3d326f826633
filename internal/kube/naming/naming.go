// SPDX-License-Identifier: Apache-2.0

// Package naming derives the names of children from their parent. A controller that crashed after creating a child
// finds the child again instead of creating a second one.
package naming

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// Slideshow returns the name of a slideshow that the front end creates with an id.
func Slideshow(id int64) string { return "slideshow-" + strconv.FormatInt(id, 10) }

var byFrontEnd = regexp.MustCompile(`^slideshow-[0-9]+$`)

// ByFrontEnd reports whether the name of a slideshow is one that the front end gives.
func ByFrontEnd(name string) bool { return byFrontEnd.MatchString(name) }

// Render returns the name of the next RenderJob for a revision of a slideshow: the first one that is not taken.
func Render(slideshow string, revision int64, taken func(name string) bool) string {
	base := slideshow + "-r" + strconv.FormatInt(revision, 10)
	name := base
	for n := 2; taken(name); n++ {
		name = base + "-" + strconv.Itoa(n)
	}
	return name
}

const maxName = 63 // a limit of label values, which the names of Jobs become

// Child returns the name of the child of a parent: the parent's name as far as it fits, the role, and a short hash over
// the parent's uid and the role. The uid gives a parent that was deleted and created again other children.
func Child(parent, uid, role string) string {
	sum := sha256.Sum256([]byte(uid + "/" + role))
	tail := "-" + role + "-" + hex.EncodeToString(sum[:])[:8]
	if len(parent)+len(tail) > maxName {
		parent = strings.TrimRight(parent[:maxName-len(tail)], "-.")
	}
	return parent + tail
}
