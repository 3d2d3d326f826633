// SPDX-License-Identifier: Apache-2.0

// Package blobkey reports which objects of the blob store a manifest may name. A namespace is an account, and all
// accounts share one store. A manifest may name the objects that were imported for its namespace or for every
// namespace, and the uploads of its own account. The package reads nothing and does not check that an object exists.
package blobkey

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ErrForbidden means that the namespace may not name the key. The errors that wrap it have a sentence for the author of
// the manifest.
var ErrForbidden = errors.New("the namespace cannot use this key")

// maxBytes is the key length that every store accepts, in bytes of UTF-8.
const maxBytes = 1024

// Permit returns an error that wraps ErrForbidden if a manifest of the namespace may not name the key.
func Permit(namespace, key string) error {
	if namespace == "" || strings.ContainsAny(namespace, "/.") {
		return fmt.Errorf("%w: there is no namespace", ErrForbidden)
	}
	if why := unplain(key); why != "" {
		return fmt.Errorf("%w: %s", ErrForbidden, why)
	}
	for _, prefix := range Prefixes(namespace) {
		if len(key) > len(prefix) && strings.HasPrefix(key, prefix) {
			return nil
		}
	}
	return fmt.Errorf("%w: it must begin with one of %s", ErrForbidden, strings.Join(Prefixes(namespace), ", "))
}

// Shared is the folder below imports/ that every namespace may name. No account has this name: all others would read
// its imports.
const Shared = "shared"

// Prefixes returns the key prefixes of the objects that manifests of a namespace may name.
func Prefixes(namespace string) []string {
	return []string{"imports/" + namespace + "/", "imports/" + Shared + "/", "uploads/" + namespace + "/"}
}

// Namespace returns the namespace that an object of the store belongs to: the second part of its key, or "" if the key
// has only one part.
func Namespace(key string) string {
	_, rest, _ := strings.Cut(key, "/")
	namespace, _, _ := strings.Cut(rest, "/")
	return namespace
}

// unplain returns why another program could read a key as a different key on the way to the store: a file system, a
// proxy that decodes paths, a store that normalises Unicode. It returns "" for a plain key.
func unplain(key string) string {
	switch {
	case !utf8.ValidString(key):
		return "it is not UTF-8"
	case len(key) > maxBytes:
		return fmt.Sprintf("it is longer than %d bytes", maxBytes)
	case strings.Contains(key, `\`):
		return "it contains a backslash"
	case encoded(key):
		return "it is percent-encoded: write the characters themselves"
	}
	for _, r := range key {
		if !unicode.IsPrint(r) { // includes blanks but the space, and bidirectional controls
			return fmt.Sprintf("it contains the invisible character %U", r)
		}
	}
	// Compatibility forms, such as the full-width dot and slash, count as the characters that they represent.
	for part := range strings.SplitSeq(norm.NFKC.String(key), "/") {
		switch strings.TrimSpace(part) {
		case "":
			return "a part of its path is empty"
		case ".", "..":
			return "a part of its path is . or .."
		}
	}
	if strings.Count(norm.NFKC.String(key), "/") != strings.Count(key, "/") {
		return "it contains a character that may be read as a slash"
	}
	return ""
}

// encoded reports whether a key has a percent escape that a program may decode.
func encoded(key string) bool {
	hex := func(c byte) bool { return strings.IndexByte("0123456789abcdefABCDEF", c) >= 0 }
	for i := 0; i+2 < len(key); i++ {
		if key[i] == '%' && hex(key[i+1]) && hex(key[i+2]) {
			return true
		}
	}
	return false
}
