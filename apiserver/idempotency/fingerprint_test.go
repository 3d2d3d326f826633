// SPDX-License-Identifier: Apache-2.0

package idempotency

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestFingerprintsThatAreEqual(t *testing.T) {
	for _, c := range []struct{ why, a, b string }{
		{"no body equals an empty object", ``, `{}`},
		{"a blank body equals an empty object", " \n", `{}`},
		{"space between tokens", `{"a":1,"b":[1,2]}`, " {\n\"a\" : 1 , \"b\":[ 1,2 ] } "},
		{"order of members, at every depth", `{"a":{"x":1,"y":2},"b":3}`, `{"b":3,"a":{"y":2,"x":1}}`},
		{"equivalent escapes", `{"a":"é/"}`, `{"a":"\u00e9\/"}`},
		{"the last of two members with one name counts", `{"a":1,"a":2}`, `{"a":2}`},
		{"a number with a zero fraction", `{"n":1}`, `{"n":1.0}`},
		{"a number with an exponent", `{"n":1200}`, `{"n":1.2E+3}`},
		{"a small number", `{"n":0.005}`, `{"n":5e-3}`},
		{"zeros", `{"n":0}`, `{"n":-0.00e9}`},
		{"an exponent that needs no addition", `{"n":1e400}`, `{"n":10e399}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			if Fingerprint(7, []byte(c.a)) != Fingerprint(7, []byte(c.b)) {
				t.Errorf("%s and %s have different fingerprints", c.a, c.b)
			}
		})
	}
}

func TestFingerprintsThatDiffer(t *testing.T) {
	for _, c := range []struct{ why, a, b string }{
		{"another value", `{"a":1}`, `{"a":2}`},
		{"a string is not a number", `{"a":1}`, `{"a":"1"}`},
		{"null is not an absent member", `{"a":null}`, `{}`},
		{"order of a list", `[1,2]`, `[2,1]`},
		{"one list or two", `[[1],[2]]`, `[[1,2]]`},
		{"numbers beyond floating point", `{"n":9007199254740993}`, `{"n":9007199254740992}`},
		{"sign", `{"n":1}`, `{"n":-1}`},
		{"tenfold", `{"n":1}`, `{"n":10}`},
		{"a member name and its value", `{"a":"b"}`, `{"b":"a"}`},
		{"upper case", `{"a":"x"}`, `{"a":"X"}`},
		{"space inside a string", `{"a":"x y"}`, `{"a":"x  y"}`},
		{"invalid JSON", `{"a":`, `{"a"`},
		{"invalid JSON and the empty object", `{`, `{}`},
		{"invalid JSON and a string of it", `{`, `"{"`},
		{"exponents that are too large to add", `{"n":1e99999999999999999999}`, `{"n":1e99999999999999999998}`},
	} {
		t.Run(c.why, func(t *testing.T) {
			if Fingerprint(7, []byte(c.a)) == Fingerprint(7, []byte(c.b)) {
				t.Errorf("%s and %s have the same fingerprint", c.a, c.b)
			}
		})
	}
	if Fingerprint(7, []byte(`{}`)) == Fingerprint(8, []byte(`{}`)) {
		t.Error("another brand has the same fingerprint")
	}
	if Fingerprint(1, []byte(`1`)) == Fingerprint(11, []byte(``)) {
		t.Error("brand and body are not separated")
	}
}

func TestFingerprintOfDecodedBodies(t *testing.T) {
	doc := `{"a":[1.50,true,null,"x"],"b":{"n":9007199254740993}}`
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var exact any
	if err := d.Decode(&exact); err != nil {
		t.Fatal(err)
	}
	want := Fingerprint(7, []byte(doc))
	if Fingerprint(7, exact) != want || Fingerprint(7, json.RawMessage(doc)) != want {
		t.Error("a decoded body has another fingerprint than its bytes")
	}
	if got := Fingerprint(7, map[string]any{"n": 12, "f": 0.5}); got != Fingerprint(7, []byte(`{"f":5e-1,"n":12.0}`)) {
		t.Error("Go numbers have another fingerprint than JSON numbers")
	}
	if Fingerprint(7, map[string]any{}) != Fingerprint(7, []byte(nil)) {
		t.Error("an empty object has another fingerprint than an empty body")
	}
}

// FuzzFingerprint checks that equal JSON has equal fingerprints, also after the standard library has encoded it again.
func FuzzFingerprint(f *testing.F) {
	for _, s := range []string{`{}`, `{"a":[1,2.50,-0,1e3]}`, `"\ud800"`, `[[[]]]`, `{"n":1e99999999999}`, "\xff", `{"a":1}{}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, doc []byte) {
		v, err := decode(doc)
		if err != nil {
			Fingerprint(1, doc)
			return
		}
		again, err := json.MarshalIndent(v, " ", "\t")
		if err != nil {
			t.Skip() // a value that the library reads and cannot write
		}
		if Fingerprint(1, doc) != Fingerprint(1, again) {
			t.Errorf("%q and %q have different fingerprints", doc, again)
		}
	})
}
