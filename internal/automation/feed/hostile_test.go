// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// rss returns a feed with a body in its channel.
func rss(body string) string {
	return `<?xml version="1.0"?><rss version="2.0"><channel><title>t</title>` + body + `</channel></rss>`
}

// atom returns a feed with a body.
func atom(body string) string {
	return `<feed xmlns="http://www.w3.org/2005/Atom"><title>t</title>` + body + `</feed>`
}

func repeat(n int, f func(i int) string) string {
	var out strings.Builder
	for i := range n {
		out.WriteString(f(i))
	}
	return out.String()
}

func same(s string) func(int) string { return func(int) string { return s } }

// spaces returns n declarations of name spaces.
func spaces(from, n int) string {
	return repeat(n, func(i int) string { return fmt.Sprintf(` xmlns:a%d="b"`, from+i) })
}

// nest returns n elements in each other.
func nest(open, end string, n int) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }

// laughs is a document whose entities would expand to gigabytes.
func laughs() string {
	dtd := `<!ENTITY l0 "lol">` + repeat(9, func(i int) string {
		return fmt.Sprintf(`<!ENTITY l%d "%s">`, i+1, strings.Repeat(fmt.Sprintf("&l%d;", i), 10))
	})
	return `<?xml version="1.0"?><!DOCTYPE rss [` + dtd + `]>` +
		`<rss version="2.0"><channel><title>t</title><item><title>&l9;</title></item></channel></rss>`
}

// TestParse_HostileDocuments parses documents that are built to cost time or memory, or to read files.
func TestParse_HostileDocuments(t *testing.T) {
	big := MaxBytes - 1000
	if testing.Short() {
		big /= 8 // the least with which each document still exceeds its limit
	}
	for _, c := range []struct {
		why, document string
		want          Kind // empty if it is a feed
		items         int
		check         func(f *Feed) bool
	}{
		{"nested entities", laughs(), "", 1, func(f *Feed) bool { return f.Items[0].Title == "&l9;" }},
		{
			"quadratic entities",
			`<!DOCTYPE rss [<!ENTITY a "` + strings.Repeat("a", big/2) + `">]>` +
				rss("<item><title>"+strings.Repeat("&a;", big/8)+"</title></item>"),
			"", 1, nil,
		},
		{
			"an external entity",
			`<!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>` + rss("<item><title>a &x;</title></item>"),
			"", 1, func(f *Feed) bool { return f.Items[0].Title == "a &x;" },
		},
		{
			"an external parameter entity",
			`<!DOCTYPE rss [<!ENTITY % x SYSTEM "http://169.254.169.254/"> %x;]>` + rss("<item><title>a</title></item>"),
			"", 1, nil,
		},
		{
			"an inclusion",
			rss(`<item><title>a</title>` +
				`<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="file:///etc/passwd"/></item>`),
			"", 1, nil,
		},
		{"100,000 items", rss(repeat(100_000, func(i int) string {
			return fmt.Sprintf("<item><title>%d</title><guid>%d</guid></item>", i, i)
		})), "", MaxItems, func(f *Feed) bool {
			return f.Omitted == 100_000-MaxItems && f.Items[MaxItems-1].Title == "499"
		}},
		{"100,000 entries of Atom", atom(repeat(100_000, func(i int) string {
			return fmt.Sprintf("<entry><title>%d</title><id>%d</id></entry>", i, i)
		})), "", MaxItems, func(f *Feed) bool { return f.Omitted == 100_000-MaxItems }},
		{
			"100,000 items of JSON",
			`{"version":"https://jsonfeed.org/version/1","items":[` + repeat(100_000, same(`{"title":"a"},`)) + `{}]}`,
			TooLarge, 0, nil,
		},
		{"empty items", rss(strings.Repeat("<item/>", big/7)), "", 0, nil},
		{"empty elements", rss(strings.Repeat("<a/>", big/4)), TooLarge, 0, nil},
		{
			"empty elements in an item", rss("<item><title>a</title>" + strings.Repeat("<x:a/>", big/6) + "</item>"), TooLarge,
			0, nil,
		},
		{
			"what follows the last used item",
			rss(repeat(MaxItems, func(i int) string { return fmt.Sprintf("<item><title>%d</title></item>", i) }) +
				strings.Repeat("<a>", big/10)), "", MaxItems, nil,
		},
		{"nested elements", rss("<item><title>a</title>" + nest("<a>", "</a>", big/7) + "</item>"), TooLarge, 0, nil},
		{
			"nested elements within the limit",
			rss("<item><title>a</title>" + nest("<x:a>", "</x:a>", maxDepth-3) + "</item>"), "", 1, nil,
		},
		{"nested extensions", rss("<item><title>a</title>" + nest("<x:a>", "</x:a>", big/11) + "</item>"), TooLarge, 0, nil},
		{
			"nested name spaces",
			rss("<item><title>a</title>" +
				repeat(big/20, func(i int) string { return fmt.Sprintf(`<a xmlns:a%d="b">`, i) }) +
				strings.Repeat("</a>", big/20) + "</item>"), TooLarge, 0, nil,
		},
		{
			"name spaces of the root",
			strings.Replace(rss(repeat(40_000, same("<x:a/>"))), "<rss", "<rss"+spaces(0, big/40), 1), "", 0, nil,
		},
		{"name spaces of nested elements", rss("<item><title>a</title>" + repeat(maxDepth-10, func(i int) string {
			return "<x:a" + spaces(i*50, 50) + ">"
		}) + strings.Repeat("<x:b/>", 40_000) + strings.Repeat("</x:a>", maxDepth-10) + "</item>"), "", 1, nil},
		{
			"nested elements without ends", rss("<item><title>a</title>" + strings.Repeat("<a>", big/3) + "</item>"), TooLarge,
			0, nil,
		},
		{"ends without elements", rss("<item><title>a</title>" + strings.Repeat("</a>", big/4) + "</item>"), "", 1, nil},
		{"nested items", rss(nest("<item><title>a</title>", "</item>", 100_000)), TooLarge, 0, nil},
		{
			"nested HTML",
			rss("<item><title>a</title><description><![CDATA[" + nest("<div>", "</div>", big/12) + "]]></description></item>"),
			"", 1, nil,
		},
		{
			"a text in pieces", rss("<item><title>a</title><x:a>" + strings.Repeat("x<!---->", big/8) + "</x:a></item>"), "",
			1, nil,
		},
		{
			"a text between elements",
			rss("<item><title>a</title><x:a>" + strings.Repeat("x<y:b/>", 90_000) + "</x:a></item>"), "", 1, nil,
		},
		{
			"a huge item", rss("<item><title>" + strings.Repeat("word ", big/5) + "</title></item>"), "", 1,
			func(f *Feed) bool { return len(f.Items[0].Title) <= maxTitle },
		},
		{
			"a huge text without spaces", rss("<item><description>" + strings.Repeat("&lt;", big/4) + "</description></item>"),
			"", 1, func(f *Feed) bool { return len(f.Items[0].Summary) <= maxSummary },
		},
		{
			"a huge attribute",
			rss(`<item><title>a</title><enclosure type="image/png" url="https://a.example/` + strings.Repeat("x", big) +
				`"/></item>`), "", 1, func(f *Feed) bool { return f.Items[0].ImageURL == "" },
		},
		{
			"many attributes",
			rss(`<item><title>a</title><enclosure ` +
				repeat(big/10, func(i int) string { return fmt.Sprintf(` a%d=""`, i) }) + `/></item>`), "", 1, nil,
		},
		{"a huge name", rss(`<item><title>a</title><` + strings.Repeat("a", big) + `/></item>`), "", 1, nil},
		{
			"huge names",
			rss("<item><title>a</title>" + strings.Repeat("<"+strings.Repeat("a", 999)+">", big/1001) + "</item>"), TooLarge,
			0, nil,
		},
		{"a huge comment", rss("<!--" + strings.Repeat("-a", big/2) + "--><item><title>a</title></item>"), "", 1, nil},
		{"nested JSON", `{"items":` + nest("[", "]", big/2) + "}", TooLarge, 0, nil},
		{"nested JSON within the limit", `{"items":` + nest("[", "]", maxElements-2) + "}", Malformed, 0, nil},
		{"JSON that is not a feed", `{"a":1}`, NotAFeed, 0, nil},
		{"an empty feed of JSON", `{"version":"https://jsonfeed.org/version/1","items":[]}`, "", 0, nil},
		{"JSON that is cut", `{"items":[{"title":"a"`, Malformed, 0, nil},
		{
			"a web page",
			"<!DOCTYPE html><html><head><title>a</title><meta charset=utf-8></head><body><p>a & b<br></body></html>", NotAFeed,
			0, nil,
		},
		{"a web page with broken markup", "<html><body><p a=<<>", NotAFeed, 0, nil},
		{
			"a sitemap",
			`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>https://a.example/</loc></url></urlset>`,
			NotAFeed, 0, nil,
		},
		{"a text", "Not found", NotAFeed, 0, nil},
		{"nothing", "", NotAFeed, 0, nil},
		{"spaces", " \n\t", NotAFeed, 0, nil},
		{"a declaration alone", `<?xml version="1.0"?>`, NotAFeed, 0, nil},
		{"an image", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00", NotAFeed, 0, nil},
		{"compressed bytes", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03\xb2", NotAFeed, 0, nil},
		{"zeros", strings.Repeat("\x00", big), NotAFeed, 0, nil},
		{"an empty feed", rss(""), "", 0, nil},
		{"a feed without a channel", "<rss/>", "", 0, nil},
		{"a feed that is cut in an item", "<rss><channel><item><title>a</title></item><item><title>b", Malformed, 0, nil},
		{"a feed that is cut in a tag", "<rss><channel><item><titl", Malformed, 0, nil},
		{
			"control characters", rss("<item><title>a\x01\x0bbc\uffff</title></item>"), "", 1,
			func(f *Feed) bool { return f.Items[0].Title == "abc" },
		},
		{"a reference to a control character", rss("<item><title>a&#0;b</title></item>"), Malformed, 0, nil},
		{
			"characters that turn the direction", rss("<item><title>a\u202eb\u2066c\u00ad\ufeffd</title></item>"), "", 1,
			func(f *Feed) bool { return f.Items[0].Title == "abcd" },
		},
		{
			"a link to a script", rss("<item><title>a</title><link>javascript:alert(1)</link></item>"), "", 1,
			func(f *Feed) bool { return f.Items[0].Link == "" },
		},
		{
			"a link to a file", rss("<item><title>a</title><link>file:///etc/passwd</link></item>"), "", 1,
			func(f *Feed) bool { return f.Items[0].Link == "" },
		},
		{
			"HTML in a title", rss("<item><title>&lt;script&gt;alert(1)&lt;/script&gt;a &amp;lt;b&amp;gt;</title></item>"), "",
			1, func(f *Feed) bool { return f.Items[0].Title == "a <b>" },
		},
	} {
		t.Run(c.why, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			began := time.Now()
			f, err := parse([]byte(c.document), "", base(t))
			took := time.Since(began)
			runtime.ReadMemStats(&after)
			var got Kind
			if failed, ok := errors.AsType[*Error](err); ok {
				got = failed.Kind
			}
			if got != c.want || len(f.Items) != c.items {
				t.Fatalf("got %q (%v), %d items; want %q, %d", got, err, len(f.Items), c.want, c.items)
			}
			if c.check != nil && !c.check(&f) {
				t.Errorf("got %.300q", fmt.Sprintf("%+v", f))
			}
			// All allocations together, of which most are garbage at once.
			if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 350 {
				t.Errorf("it allocated %d MiB", mib)
			}
			if took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			t.Logf("%v, %d MiB", took.Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		})
	}
}

func TestParse_Charsets(t *testing.T) {
	const latin, cyrillic, kanji, hanzi = "Käse für Zoë – 5 €", "Чай на рынке", "日本のお茶", "中国茶"
	encode := func(e encoding.Encoding, s string) string {
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	document := func(declared, title string) string {
		d := `<?xml version="1.0"?>`
		if declared != "" {
			d = `<?xml version='1.0' encoding='` + declared + `'?>`
		}
		return d + `<rss version="2.0"><channel><title>t</title><item><title>` + title + `</title></item></channel></rss>`
	}
	utf16 := func(order unicode.Endianness, mark unicode.BOMPolicy) encoding.Encoding {
		return unicode.UTF16(order, mark)
	}
	for _, c := range []struct{ why, data, contentType, want string }{
		{"UTF-8", document("utf-8", cyrillic), "", cyrillic},
		{"UTF-8 without a declaration", document("", cyrillic), "", cyrillic},
		{"UTF-8 with a mark", "\ufeff" + document("", cyrillic), "", cyrillic},
		{"ISO-8859-1", encode(charmap.ISO8859_15, document("ISO-8859-15", latin[:15])), "", latin[:15]},
		{"Windows-1252 as ISO-8859-1", encode(charmap.Windows1252, document("iso-8859-1", latin)), "", latin},
		{"Windows-1251", encode(charmap.Windows1251, document("windows-1251", cyrillic)), "", cyrillic},
		{"KOI8-R in the header", encode(charmap.KOI8R, document("", cyrillic)), "text/xml; charset=koi8-r", cyrillic},
		{
			"the declaration wins over the header", encode(charmap.KOI8R, document("koi8-r", cyrillic)),
			"text/xml; charset=iso-8859-1", cyrillic,
		},
		{"Shift JIS", encode(japanese.ShiftJIS, document("Shift_JIS", kanji)), "", kanji},
		{"EUC-JP", encode(japanese.EUCJP, document("euc-jp", kanji)), "", kanji},
		{"ISO-2022-JP", encode(japanese.ISO2022JP, document("iso-2022-jp", kanji)), "", kanji},
		{"GBK", encode(simplifiedchinese.GBK, document("gb2312", hanzi)), "", hanzi},
		{"UTF-16 with a mark", encode(utf16(unicode.BigEndian, unicode.UseBOM), document("utf-16", kanji)), "", kanji},
		{
			"UTF-16, the other order", encode(utf16(unicode.LittleEndian, unicode.UseBOM), document("utf-16", kanji)), "",
			kanji,
		},
		{
			"UTF-16 without a mark", encode(utf16(unicode.LittleEndian, unicode.IgnoreBOM), document("utf-16", kanji)), "",
			kanji,
		},
		{
			"UTF-16 without a mark, the other order",
			encode(utf16(unicode.BigEndian, unicode.IgnoreBOM), document("utf-16", kanji)), "", kanji,
		},
		{"UTF-8 as UTF-16", document("utf-16", kanji), "", kanji},
		{"UTF-8 as ISO-8859-1", document("iso-8859-1", cyrillic), "", cyrillic},
		{"UTF-8 as ISO-8859-1 in the header", document("", cyrillic), "text/xml; charset=iso-8859-1", cyrillic},
		{"Windows-1252 as UTF-8", encode(charmap.Windows1252, document("utf-8", latin)), "", latin},
		{"Windows-1252 without a label", encode(charmap.Windows1252, document("", latin)), "", latin},
		{"UTF-8 with a broken byte", document("utf-8", cyrillic+"\xff!"), "", cyrillic + "\uFFFD!"},
		{"an unknown charset", document("klingon", cyrillic), "text/xml; charset=", cyrillic},
		{"a charset without text", document("iso-2022-cn", "a"), "", ""},
	} {
		f, err := parse([]byte(c.data), c.contentType, base(t))
		got := ""
		if len(f.Items) == 1 {
			got = f.Items[0].Title
		}
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: got %q, %v; want %q", c.why, got, err, c.want)
		}
	}
}

// within reports whether a feed keeps what its types promise.
func within(f *Feed) error {
	ids := map[string]bool{}
	for _, i := range f.Items {
		for _, s := range []string{i.ID, i.Title, i.Summary, i.Link, i.ImageURL} {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\n\r\t\x00\u202e") {
				return fmt.Errorf("a text is %q", s)
			}
		}
		switch {
		case i.ID == "" || len(i.ID) > maxID || ids[i.ID]:
			return fmt.Errorf("the ID is %q", i.ID)
		case i.Title+i.Summary == "",
			utf8.RuneCountInString(i.Title) > maxTitle, utf8.RuneCountInString(i.Summary) > maxSummary:
			return fmt.Errorf("the texts are %q, %q", i.Title, i.Summary)
		}
		for _, link := range []string{i.Link, i.ImageURL} {
			if link != "" && !strings.HasPrefix(link, "https://") && !strings.HasPrefix(link, "http://") || len(link) > maxLink {
				return fmt.Errorf("a link is %q", link)
			}
		}
		ids[i.ID] = true
	}
	return nil
}

func FuzzParse(f *testing.F) {
	for _, d := range []string{
		laughs(), rss("<item><title>a</title><link>b</link><guid>c</guid></item>"),
		`{"version":"https://jsonfeed.org/version/1","items":[{"id":"1","title":"a"}]}`,
		atom(`<entry><title type="html">a&lt;b></title><content type="xhtml"><div>x</div></content></entry>`),
	} {
		f.Add([]byte(d), "text/xml; charset=utf-8")
	}
	f.Fuzz(func(t *testing.T, data []byte, contentType string) {
		got, err := parse(bytes.Clone(data), contentType, base(t))
		if failed, ok := errors.AsType[*Error](err); err != nil && (!ok || failed.Error() == "" || failed.Kind == "") {
			t.Fatalf("got %v", err)
		}
		if err := within(&got); err != nil {
			t.Fatal(err)
		}
	})
}
