// SPDX-License-Identifier: Apache-2.0

package analytics

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// full returns a document with all fields set.
func full() *Document {
	all := Row{Post: Post{
		ID: "7001", Title: `A "title" \ with <marks>`, Caption: "one\ntwo\t🥖\u2028\u0001 é", URL: "https://x/1?a=b&c=d", ThumbnailURL: "https://x/1.jpg",
		PostedAt: ago(time.Hour), Seconds: 12.75, Numbers: numbers(5, 0, 3, 2, 1), MeasuredAt: ago(time.Minute),
	}, OurPost: 11, OurShort: 12}
	d := of(
		all, Row{Post: Post{ID: "7000", PostedAt: ago(2*time.Hour + time.Nanosecond)}},
		Row{Post: Post{ID: "6999", PostedAt: ago(3 * time.Hour), Seconds: 1e-7, Numbers: numbers(1<<60, 1<<62)}},
	)
	d.WalkedAt, d.Totals = ago(2*day), Totals{Followers: n(100), Views: n(0)}
	d.History = []Day{{Day: "2026-11-20", Change: n(-4)}, {Day: "2026-11-21", Totals: d.Totals, Likes: n(0)}}
	d.Gone = []string{"urn:li:share:1"}
	return d
}

func encoded(t testing.TB, d *Document) string {
	t.Helper()
	var b bytes.Buffer
	if err := d.Encode(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDocument_RoundTrip(t *testing.T) {
	for name, d := range map[string]*Document{"full": full(), "empty": of(), "many": many(1200)} {
		doc := encoded(t, d)
		if lines := strings.Count(doc, "\n"); lines != 1+len(d.Rows) {
			t.Errorf("%s: got %d lines", name, lines)
		}
		got, err := Decode(iotest.OneByteReader(strings.NewReader(doc)))
		if err != nil {
			t.Fatalf("%s: got error %v", name, err)
		}
		want := *d
		want.Rows = append([]Row{}, d.Rows...)
		if diff := cmp.Diff(&want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestDocument_Format(t *testing.T) {
	want := `{"version":1,"refreshed_at":"2026-11-21T12:00:00Z","totals":{"followers":7},"history":[{"day":"2026-11-21","followers":7,"likes":0}],"rows":1}
{"id":"7","caption":"a & b","posted_at":"2026-11-21T11:00:00Z","views":5,"favorites":0,"our_post":3}
`
	d := of(Row{Post: Post{ID: "7", Caption: "a & b", PostedAt: ago(time.Hour), Numbers: numbers(5, -1, -1, -1, 0)}, OurPost: 3})
	d.Totals.Followers = n(7)
	d.History = []Day{{Day: "2026-11-21", Totals: d.Totals, Likes: n(0)}}
	if diff := cmp.Diff(want, encoded(t, d)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestDecode_InvalidDocuments(t *testing.T) {
	doc := encoded(t, full())
	lines := strings.SplitAfter(doc, "\n")
	head := func(old, new string) string { return strings.Replace(doc, old, new, 1) }
	for _, c := range []struct {
		name, doc string
		want      error
	}{
		{"nothing", "", ErrDamaged},
		{"not JSON", "PNG\n", ErrDamaged},
		{"a missing line", lines[0] + lines[1] + lines[2], ErrDamaged},
		{"a truncated line", doc[:len(doc)-9], ErrDamaged},
		{"more lines than rows", doc + lines[2], ErrDamaged},
		{"a row of another type", lines[0] + lines[1] + lines[2] + "{\"id\":7}\n", ErrDamaged},
		{"an invalid number", head(`"views":5`, `"views":"5"`), ErrDamaged},
		{"a number too large", head(`"views":5`, `"views":99999999999999999999`), ErrDamaged},
		{"an invalid time", head(`T11:00:00Z"`, `T25:00:00Z"`), ErrDamaged},
		{"a negative number of rows", head(`"rows":3`, `"rows":-1`), ErrDamaged},
		{"more rows than the limit", head(`"rows":3`, `"rows":100001`), ErrDamaged},
		{"no version", head(`"version":1,`, ``), ErrDamaged},
		{"a newer version", head(`"version":1`, `"version":2`), ErrNewer},
		{"a newer version with another header", `{"version":3,"rows":"many"}` + "\n", ErrNewer},
		{"an invalid header", `{"version":1,"rows":"many"}` + "\n", ErrDamaged},
	} {
		if d, err := Decode(strings.NewReader(c.doc)); !errors.Is(err, c.want) || d != nil {
			t.Errorf("%s: got %v, want %v", c.name, err, c.want)
		}
	}
	broken := errors.New("the disk is gone")
	if _, err := Decode(io.MultiReader(strings.NewReader(lines[0]+lines[1]), iotest.ErrReader(broken))); !errors.Is(err, broken) || errors.Is(err, ErrDamaged) {
		t.Errorf("with a failing reader: got %v", err)
	}
	if err := full().Encode(failing{broken}); !errors.Is(err, broken) {
		t.Errorf("with a failing writer: got %v", err)
	}
}

// failing is a writer that returns an error.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// endless returns the same line forever.
type endless struct {
	line string
	read int64
}

func (e *endless) Read(p []byte) (int, error) {
	k := copy(p, e.line)
	e.read += int64(k)
	return k, nil
}

func TestDecode_EndlessLine(t *testing.T) {
	e := &endless{line: strings.Repeat("x", 4096)}
	if _, err := Decode(e); !errors.Is(err, ErrDamaged) || e.read > 2*maxLine {
		t.Errorf("after %d bytes: got %v", e.read, err)
	}
}

func TestDecode_SortsRows(t *testing.T) {
	lines := strings.SplitAfter(encoded(t, full()), "\n")
	got, err := Decode(strings.NewReader(lines[0] + lines[3] + lines[1] + lines[2]))
	if err != nil || cmp.Diff(full().Rows, got.Rows) != "" {
		t.Errorf("got %v, %v", ids(got), err)
	}
}

// slow reads a row with encoding/json.
func slow(line []byte) (Row, error) {
	var r Row
	err := json.Unmarshal(line, &r)
	r.PostedAt, r.MeasuredAt = r.PostedAt.UTC(), r.MeasuredAt.UTC()
	return r, err
}

// Valid forms of a row, and some invalid ones.
var someLines = []string{
	`{}`, `{"id":"1"}`, ` { "id" : "1" } `, `{"id":"1","id":"2"}`, `{"ID":"1"}`, `{"id":null,"views":null}`, `{"views":-5}`, `{"views":-0}`, `{"views":00}`,
	`{"views":1e3}`, `{"views":1.0}`, `{"views":123456789012345678}`, `{"views":1234567890123456789}`, `{"views":9999999999999999999}`, `{"views":9223372036854775807}`, `{"views":-999999999999999999}`, `{"views":}`,
	`{"seconds":1.5}`, `{"seconds":1.}`, `{"seconds":.5}`, `{"seconds":01}`, `{"seconds":-1}`, `{"seconds":1e-7}`, `{"seconds":1.2.3}`, `{"seconds":0}`, `{"seconds":12}`,
	`{"caption":"a\nb\"c\\d\/e\u00e9\ud83e\udd56"}`, `{"caption":"a` + "\xff" + `b"}`, `{"caption":"\` + "\xff" + `"}`, `{"caption":"\x"}`, `{"caption":"a` + "\n" + `"}`,
	`{"caption":"\ud800"}`, `{"title":"é\t🥖"}`, `{"posted_at":"2026-11-21T12:00:00Z"}`, `{"posted_at":"2026-11-21T12:00:00.5+02:00"}`, `{"posted_at":"2026-11-21"}`,
	`{"posted_at":"2026-11-21T24:00:00Z"}`, `{"posted_at":"0000-01-01T00:00:00Z"}`, `{"posted_at":"2026-11-21T12:00:00,5Z"}`, `{"posted_at":"2026-11-21T1:00:00Z"}`, `{"our_post":5,"our_short":6}`, `{"our_post":"5"}`, `{"new":{"a":[1]}}`,
	`{"id":"1",}`, `{,"id":"1"}`, `{"id":"1"`, `{"id":"1"}}`, `{"id":"1"} `, `["id"]`, `null`, ``, `{"id"}`, `{"id":1}`, `{"likes":1,"comments":2,"shares":3,"favorites":4,"views":5}`,
}

// compare reads a line with both decoders.
func compare(t *testing.T, line []byte) {
	t.Helper()
	want, wantErr := slow(line)
	var got Row
	err := decodeRow(line, &got)
	if (err == nil) != (wantErr == nil) {
		t.Fatalf("%q: got %v, want %v", line, err, wantErr)
	}
	if err != nil {
		return
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("%q (-want +got):\n%s", line, diff)
	}
}

func TestDecode_LinesLikeJSON(t *testing.T) {
	for _, line := range someLines {
		compare(t, []byte(line))
	}
}

// FuzzLine checks that each line is read like encoding/json reads it.
func FuzzLine(f *testing.F) {
	for _, line := range someLines {
		f.Add([]byte(line))
	}
	f.Fuzz(compare)
}

// FuzzDecode checks that each input is an error or a document that survives a round trip, and never a panic.
func FuzzDecode(f *testing.F) {
	doc := encoded(f, full())
	f.Add([]byte(doc))
	f.Add([]byte(doc[:len(doc)/2]))
	f.Add([]byte(`{"version":1,"rows":1}` + "\n{}\n"))
	f.Add([]byte(`{"version":2}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		d, err := Decode(bytes.NewReader(b))
		if err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrNewer) {
				t.Fatalf("got %v", err)
			}
			return
		}
		again, err := Decode(strings.NewReader(encoded(t, d)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		_ = d.Summarize(Query{Period: 30 * day}, noon)
		_ = d.Select(Query{Sort: "view_count"}, noon)
	})
}

var rowsOfBench = flag.Int("rows", 10_000, "number of posts of the account in benchmarks")

// many returns a document of many posts with typical texts, one an hour. Every seventh has no likes.
func many(posts int) *Document {
	rows := make([]Row, 0, posts)
	for i := range posts {
		p := Post{
			ID: fmt.Sprintf("7%018d", i), Title: fmt.Sprintf("Bread number %d", i), Caption: strings.Repeat("Slow bread from our kitchen, for people with time. ", 3) + "\n#bread #slow",
			URL: fmt.Sprintf("https://www.tiktok.com/@mayas.kitchen/video/7%018d", i), ThumbnailURL: fmt.Sprintf("https://p16.example.com/obj/cover-%d~tplv-image.jpeg?x-expires=1795000000", i),
			PostedAt: ago(time.Duration(i) * time.Hour), Seconds: 21.5, Numbers: numbers(int64(i*7919%100_003), int64(i*31%1009), int64(i%97), int64(i%89), int64(i%83)), MeasuredAt: ago(time.Minute),
		}
		if i%7 == 0 {
			p.Likes = nil
		}
		rows = append(rows, Row{Post: p, OurPost: int64(i % 3), OurShort: int64(i % 3)})
	}
	return of(rows...)
}

func BenchmarkDecode(b *testing.B) {
	doc := encoded(b, many(*rowsOfBench))
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(strings.NewReader(doc)); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkDecodePlainly reads the rows with encoding/json alone, for comparison.
func BenchmarkDecodePlainly(b *testing.B) {
	lines := strings.SplitAfter(encoded(b, many(*rowsOfBench)), "\n")
	b.ReportAllocs()
	for b.Loop() {
		for _, line := range lines[1 : len(lines)-1] {
			if _, err := slow([]byte(line)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	d := many(*rowsOfBench)
	b.ReportAllocs()
	for b.Loop() {
		if err := d.Encode(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkReport(b *testing.B) {
	d := many(*rowsOfBench)
	all := Query{Period: time.Duration(*rowsOfBench+1) * time.Hour}
	for _, column := range []string{"posted_at", "view_count", "like_count"} {
		for _, up := range []bool{false, true} {
			q := all
			q.Sort, q.Ascending = column, up
			b.Run(fmt.Sprintf("Part/%s/%v", column, up), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					d.Part(q, noon, 5000, 50)
				}
			})
		}
	}
	b.Run("Select", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Select(all, noon)
		}
	})
	b.Run("Summarize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			d.Summarize(all, noon)
		}
	})
}
