// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"bytes"
	"io"
	"mime"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// declaration matches the XML declaration at the start of a document, in a charset that extends ASCII.
var declaration = regexp.MustCompile(`^\s*<\?xml[^>]*?\?>`)

var declaredEncoding = regexp.MustCompile(`encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']`)

// decode returns a document in UTF-8, without a byte order mark and an XML declaration. The charset is that of the byte
// order mark, else of the XML declaration, else of the media type, else UTF-8. A document that is UTF-8, but labelled
// otherwise, is read as UTF-8. One that is mostly not UTF-8, but labelled so, is read as Windows-1252. Bytes that the
// charset does not allow become replacement characters, and characters that XML does not allow are left out. The
// decoded document is cut after limit bytes.
func decode(data []byte, contentType string, limit int64) []byte {
	label := ""
	if _, params, err := mime.ParseMediaType(contentType); err == nil {
		label = params["charset"]
	}
	if m := declaredEncoding.FindSubmatch(declaration.Find(data)); m != nil {
		label = string(m[1])
	}
	var from encoding.Encoding // nil is UTF-8
	switch valid, other := survey(data); {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("<\x00")):
		from = unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	case bytes.HasPrefix(data, []byte("\xfe\xff")), bytes.HasPrefix(data, []byte("\x00<")):
		from = unicode.UTF16(unicode.BigEndian, unicode.UseBOM)
	case valid > 0 && other == 0:
	default:
		// The label of this document was read as ASCII, so that UTF-16 is wrong.
		if e, name := charset.Lookup(label); e != nil && !strings.HasPrefix(name, "utf-") {
			from = e
		} else if other > valid {
			from = charmap.Windows1252
		}
	}
	if from != nil {
		// A decoder writes replacement characters instead of failing.
		data, _ = io.ReadAll(io.LimitReader(from.NewDecoder().Reader(bytes.NewReader(data)), limit))
	}
	// Map replaces what is not UTF-8.
	data = bytes.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\uFFFE' || r == '\uFFFF' { // not allowed in XML
			return -1
		}
		return r
	}, bytes.TrimPrefix(data, []byte("\uFEFF")))
	return declaration.ReplaceAll(data, nil)
}

// survey returns how many characters outside ASCII are valid UTF-8, and how many bytes are not.
func survey(data []byte) (valid, other int) {
	for len(data) > 0 {
		r, n := utf8.DecodeRune(data)
		switch {
		case r == utf8.RuneError && n == 1:
			other++
		case n > 1:
			valid++
		}
		data = data[n:]
	}
	return valid, other
}
