// SPDX-License-Identifier: Apache-2.0

package hostile

import (
	"encoding/binary"
)

// box returns a box of an ISO base media file.
func box(kind string, parts ...[]byte) []byte {
	body := join(parts...)
	return join(u32(uint32(len(body)+8)), []byte(kind), body)
}

// full returns a box with a version and flags.
func full(kind string, version byte, flags uint32, parts ...[]byte) []byte {
	return box(kind, append([][]byte{u32(uint32(version)<<24 | flags)}, parts...)...)
}

// edit returns the file with the content of every box at the path replaced by the result of f; nil removes the box. The
// sizes of the enclosing boxes are updated.
func edit(file []byte, f func([]byte) []byte, path ...string) []byte {
	var out []byte
	each(file, func(kind string, body []byte) {
		switch {
		case kind != path[0]:
			out = join(out, box(kind, body))
		case len(path) > 1:
			out = join(out, box(kind, edit(body, f, path[1:]...)))
		default:
			if body = f(body); body != nil {
				out = join(out, box(kind, body))
			}
		}
	})
	return out
}

// each calls f for the boxes of a valid file.
func each(b []byte, f func(kind string, body []byte)) {
	for len(b) >= 8 {
		n := binary.BigEndian.Uint32(b)
		f(string(b[4:8]), b[8:n])
		b = b[n:]
	}
}

// find returns the content of the first box at the path.
func find(file []byte, path ...string) []byte {
	var found []byte
	each(file, func(kind string, body []byte) {
		if kind == path[0] && found == nil {
			if found = body; len(path) > 1 {
				found = find(body, path[1:]...)
			}
		}
	})
	return found
}

// patched returns a copy of the bytes with some of them replaced.
func patched(b []byte, at int, with ...byte) []byte {
	out := append([]byte(nil), b...)
	copy(out[at:], with)
	return out
}
