// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Fingerprint identifies a body and a brand. It is the hexadecimal SHA-256 of the body as canonical JSON and of the
// brand's id. Canonical JSON has sorted members, no insignificant space and numbers by value: 1, 1.0 and 10e-1 are one
// number.
//
// The body is a decoded JSON value or the bytes of one. Decoded numbers must be json.Number where they have to stay
// exact. An empty or blank body counts as {}. Bytes that are not JSON are hashed as they are.
func Fingerprint(brandID int64, body any) string {
	doc, isBytes := body.([]byte)
	if raw, ok := body.(json.RawMessage); ok {
		doc, isBytes = raw, true
	}
	kind := byte('j')
	var canonical []byte
	if isBytes {
		if v, err := decode(doc); err == nil {
			canonical = appendValue(nil, v)
		} else {
			kind, canonical = 'r', doc
		}
	} else {
		canonical = appendValue(nil, body)
	}
	h := sha256.New()
	h.Write(append(strconv.AppendInt(nil, brandID, 10), kind))
	h.Write(canonical)
	return hex.EncodeToString(h.Sum(nil))
}

func decode(doc []byte) (any, error) {
	if len(bytes.TrimSpace(doc)) == 0 {
		return map[string]any{}, nil
	}
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return v, nil
}

func appendValue(out []byte, v any) []byte {
	switch v := v.(type) {
	case map[string]any:
		out = append(out, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(appendString(out, name), ':')
			out = appendValue(out, v[name])
		}
		return append(out, '}')
	case []any:
		out = append(out, '[')
		for i, e := range v {
			if i > 0 {
				out = append(out, ',')
			}
			out = appendValue(out, e)
		}
		return append(out, ']')
	case string:
		return appendString(out, v)
	case json.Number:
		return appendNumber(out, string(v))
	case nil:
		return append(out, "null"...)
	case bool:
		return strconv.AppendBool(out, v)
	}
	// A Go number, or a value of a named type: its JSON form counts.
	doc, err := json.Marshal(v)
	if err != nil {
		return append(out, '!') // not encodable: no request decodes to it
	}
	if again, err := decode(doc); err == nil {
		return appendValue(out, again)
	}
	return append(out, doc...)
}

func appendString(out []byte, s string) []byte {
	doc, _ := json.Marshal(s) // encoding a string cannot fail
	return append(out, doc...)
}

// appendNumber writes a JSON number as an integer and a power of ten, both without redundant zeros. It works on the
// digits, so numbers of any size stay exact.
func appendNumber(out []byte, n string) []byte {
	mantissa, exponent, _ := strings.Cut(strings.ReplaceAll(n, "E", "e"), "e")
	power := int64(0)
	if exponent != "" {
		var err error
		if power, err = strconv.ParseInt(exponent, 10, 62); err != nil {
			return append(out, n...) // the exponent is too large to parse: keep the number as written
		}
	}
	negative := strings.HasPrefix(mantissa, "-")
	whole, fraction, _ := strings.Cut(strings.TrimPrefix(mantissa, "-"), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	power -= int64(len(fraction))
	short := strings.TrimRight(digits, "0")
	if short == "" {
		return append(out, '0')
	}
	power += int64(len(digits) - len(short))
	if negative {
		out = append(out, '-')
	}
	out = append(out, short...)
	if power != 0 {
		out = strconv.AppendInt(append(out, 'e'), power, 10)
	}
	return out
}
