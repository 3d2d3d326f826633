// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/apiserver"
	"github.com/reelops/reelops/internal/catalog"
)

// raw sends bytes as they are, which HTTP clients cannot. It closes its side if closing is set, and reads the given
// number of responses. Every response must follow the rules.
func raw(text string, closing bool, answers int) []*answer {
	GinkgoHelper()
	return rawAt(service, text, closing, answers)
}

func rawAt(f *front, text string, closing bool, answers int) []*answer {
	GinkgoHelper()
	c, err := net.Dial("tcp", strings.TrimPrefix(f.url, "http://"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = c.Close() }()
	Expect(c.SetDeadline(time.Now().Add(2 * time.Minute))).To(Succeed())
	_, err = io.WriteString(c, text)
	Expect(err).NotTo(HaveOccurred())
	if closing {
		Expect(c.(*net.TCPConn).CloseWrite()).To(Succeed())
	}
	var out []*answer
	for in := bufio.NewReader(c); len(out) < answers; {
		resp, err := http.ReadResponse(in, nil)
		Expect(err).NotTo(HaveOccurred(), "answer %d to %.200q", len(out)+1, text)
		body := string(read(resp.Body))
		Expect(resp.Body.Close()).To(Succeed())
		if resp.StatusCode == http.StatusContinue {
			continue
		}
		a := &answer{status: resp.StatusCode, header: resp.Header, raw: body}
		a.keepsTheRules()
		Expect(a.raw).NotTo(Or(ContainSubstring("goroutine"), ContainSubstring(".go:")))
		out = append(out, a)
	}
	return out
}

var _ = Describe("Robustness", func() {
	var t *tenant
	var key string
	BeforeEach(func() {
		t = newTenant()
		key = t.everything()
	})

	// lines returns a request: it adds CR LF, and replaces <key> by the key.
	lines := func(l ...string) string {
		return strings.ReplaceAll(strings.Join(l, "\r\n")+"\r\n\r\n", "<key>", "Authorization: Bearer "+key)
	}
	long := func(n int) string { return strings.Repeat("x", n) }

	Describe("The envelope is returned for", func() {
		It("every path", func() {
			for _, path := range []string{
				"/api/v1/%2e%2e/account", "/api/v1/../v1/account", "/api/v1/./account", "//api/v1/account", "/api//v1/account", "/api/v1/account;x=1",
				"/api/v1/%61ccount", "/API/V1/ACCOUNT", "/api/v1/account%00", "/api/v1/account%2f", "/api/v1/jobs/%2e%2e%2f1", "/api/v1/jobs/1%2frender", "/api/v2/account",
				"/api/v1/" + long(60000), "/api/v1" + strings.Repeat("/x", 20000), "/api/v1/jobs/" + strings.Repeat("9", 30000), "/api/v1/\xff\xfe", "/api/v1/%ff", "/?", "/api/v1?",
				"http://other.example/api/v1/nothing", "*",
			} {
				a := raw(lines("GET "+path+" HTTP/1.1", "Host: a", "<key>"), false, 1)[0]
				Expect(a.status).To(Equal(404), "%.80s: %s", path, a.raw)
			}
			Expect(raw(lines("GET http://other.example/api/v1/account HTTP/1.1", "Host: a", "<key>"), false, 1)[0].status).To(Equal(200), "the absolute form is the path")
		})

		It("every method", func() {
			for _, method := range []string{"CONNECT", "TRACE", "OPTIONS", "DELETE", "PATCH", "PROPFIND", "get", "G", long(1000), "!#$"} {
				Expect(raw(lines(method+" /api/v1/account HTTP/1.1", "Host: a", "<key>"), false, 1)[0].status).To(BeElementOf(404, 405), method)
				Expect(raw(lines(method+" /api/v1/nothing HTTP/1.1", "Host: a", "<key>"), false, 1)[0].status).To(Equal(404), method)
			}
			Expect(raw(lines("CONNECT a:443 HTTP/1.1", "Host: a", "<key>"), false, 1)[0].status).To(Equal(404))
			Expect(raw(lines("OPTIONS * HTTP/1.1", "Host: a", "<key>"), false, 1)[0].status).To(Equal(404))
		})

		It("invalid HTTP, with a status that describes the problem", func() {
			for text, status := range map[string]int{
				"hello\r\n\r\n":                                                           400,
				"GET /api/v1/account\r\n\r\n":                                             400,
				"GET  /api/v1/account HTTP/1.1\r\nHost: a\r\n\r\n":                        400,
				"GET /api/v1/account HTTP/9.9\r\nHost: a\r\n\r\n":                         505,
				"GET /api/v1/%zz HTTP/1.1\r\nHost: a\r\n\r\n":                             400,
				"GET /api/v1/a\x00b HTTP/1.1\r\nHost: a\r\n\r\n":                          400,
				"GET /api/v1/account HTTP/1.1\r\n\r\n":                                    400,
				lines("GET /api/v1/account HTTP/1.1", "Host: a", "X: "+long(80000)):       431,
				lines("GET /api/v1/"+long(80000)+" HTTP/1.1", "Host: a"):                  431,
				lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "Content-Length: x"): 400,
			} {
				a := raw(text, false, 1)[0]
				Expect(a.status).To(Equal(status), "%.60q", text)
				Expect(a.code()).To(Equal(catalog.BadRequest))
				Expect(a.details()).To(HaveKey("parameter"))
			}
		})
	})

	It("accepts headers of 60,000 bytes, unusual ones and many", func() {
		for _, header := range []string{"X: " + long(60000), "X-Brand-Id: \xff\xfe", "Cookie: \x80", strings.Repeat("X: y\r\n", 5000) + "X: z"} {
			Expect(raw(lines("GET /api/v1/capabilities HTTP/1.1", "Host: a", "<key>", header), false, 1)[0].status).To(Equal(200), "%.40q", header)
		}
		for _, header := range []string{"X-Brand-Id: \xff\xfe", "X-Brand-Id: " + long(60000), "X-Brand-Id: 1, 2"} {
			Expect(raw(lines("GET /api/v1/shorts HTTP/1.1", "Host: a", "<key>", header), false, 1)[0].status).To(Equal(404), "%.40q", header)
		}
		for _, header := range []string{"Authorization: Bearer \xff", "Authorization: " + long(60000), "Authorization: Bearer " + long(60000)} {
			Expect(raw(lines("GET /api/v1/shorts HTTP/1.1", "Host: a", header), false, 1)[0].status).To(Equal(401), "%.40q", header)
		}
	})

	It("accepts unusual queries: the operation rejects an invalid number, filter or brand", func() {
		for query, status := range map[string]int{
			"page=%00": 422, "page=%ff": 422, "status=%ff": 422, "page=1&page=2": 200, "page": 200, "&&&": 200, "=": 200, "%3D=1": 200, "x=" + long(60000): 200,
			"brand_id=%00": 404, "brand_id=1&brand_id=2": 404, "short_type=" + long(60000): 422, "created_after=%2B": 422,
		} {
			Expect(raw(lines("GET /api/v1/shorts?"+query+" HTTP/1.1", "Host: a", "<key>"), false, 1)[0].status).To(Equal(status), "%.40q", query)
		}
		for _, query := range []string{"page=%zz", "a;b"} {
			Expect(raw(lines("GET /api/v1/shorts?"+query+" HTTP/1.1", "Host: a", "<key>"), false, 1)[0].status).To(BeElementOf(200, 400, 422), query)
		}
	})

	It("supports HTTP/1.0", func() {
		Expect(raw(lines("GET /api/v1/account HTTP/1.0", "<key>"), false, 1)[0].status).To(Equal(200))
		Expect(raw(lines("GET /api/v1/account HTTP/1.0"), false, 1)[0].status).To(Equal(401))
	})

	It("answers pipelined requests in their order", func() {
		one := lines("GET /api/v1/account HTTP/1.1", "Host: a", "<key>")
		two := lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Content-Length: 2", "Content-Type: application/json") + "{}"
		three := lines("GET /api/v1/nothing HTTP/1.1", "Host: a", "<key>")
		var got []int
		for _, a := range raw(one+two+three+one, false, 4) {
			got = append(got, a.status)
		}
		Expect(got).To(Equal([]int{200, 422, 404, 200}))
	})

	It("reads chunked bodies, and rejects invalid chunks", func() {
		head := lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Content-Type: application/json", "Transfer-Encoding: chunked")
		Expect(raw(head+"1\r\n{\r\n1\r\n}\r\n0\r\n\r\n", false, 1)[0].status).To(Equal(422))
		Expect(raw(head+"zz\r\n{}", false, 1)[0].code()).To(Equal(catalog.BadRequest))
		Expect(raw(head+"fffffffffffffffff\r\n{}", false, 1)[0].code()).To(Equal(catalog.BadRequest))
		both := lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Content-Type: application/json", "Content-Length: 2", "Transfer-Encoding: chunked")
		Expect(raw(both+"2\r\n{}\r\n0\r\n\r\n", false, 1)[0].status).To(BeElementOf(400, 422))
		gzip := lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Content-Type: application/json", "Transfer-Encoding: gzip, chunked")
		Expect(raw(gzip+"2\r\n{}\r\n0\r\n\r\n", false, 1)[0].status).To(BeElementOf(400, 501))
	})

	It("rejects a truncated body", func() {
		a := raw(lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Content-Type: application/json", "Content-Length: 100")+`{"context":`, true, 1)[0]
		Expect(a.status).To(Equal(400))
		Expect(a.details()).To(HaveKeyWithValue("parameter", "body"))
	})

	It("limits the time of a slow body to that of a call", func() {
		hasty := newFront(frontOptions{change: func(c *apiserver.Config) { c.CallTime = 300 * time.Millisecond }})
		a := rawAt(hasty, lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Content-Type: application/json", "Content-Length: 100")+`{"context":`, false, 1)[0]
		Expect(a.status).To(Equal(400))
		Expect(a.details()).To(HaveKeyWithValue("parameter", "body"))
	})

	It("rejects a declared body that is far too large without waiting for it", func() {
		a := raw(lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Content-Type: application/json", "Content-Length: 999999999999")+"{", false, 1)[0]
		Expect(a.status).To(Equal(400))
		Expect(a.details()).To(HaveKeyWithValue("parameter", "body"))
	})

	It("sends 100 Continue only if the body will be read", func() {
		head := func(key string, length int) string {
			return lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "Authorization: Bearer "+key, "Content-Type: application/json", fmt.Sprintf("Content-Length: %d", length), "Expect: 100-continue")
		}
		Expect(raw(head(key, 2)+"{}", false, 1)[0].status).To(Equal(422))
		Expect(raw(head("rlo_nothing", 2), false, 1)[0].status).To(Equal(401))
		Expect(raw(lines("POST /api/v1/slideshows HTTP/1.1", "Host: a", "<key>", "Expect: tea"), false, 1)[0].status).To(Equal(417))
	})

	It("does not read the body of an operation without one", func() {
		a := raw(lines("GET /api/v1/account HTTP/1.1", "Host: a", "<key>", "Content-Length: 11", "Content-Type: text/plain")+"not JSON {{", false, 1)[0]
		Expect(a.status).To(Equal(200))
	})

	It("reads deeply nested JSON", func() {
		deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
		objects := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
		for _, n := range []int{100, 9000, 100000} {
			for _, value := range []string{deep(n), objects(n)} {
				post("/slideshows", `{"context":`+value+`}`).with(key).refusedReading()
				post("/slideshows", `{"image_source":`+value+`}`).with(key).refusedReading()
				post("/slideshows", `{"unknown":`+value+`}`).with(key).refusedReading()
				post("/slideshows", value).with(key).refusedReading()
			}
		}
	})

	It("uses the last of members with the same name", func() {
		a := post("/slideshows", `{"context":5,"context":"`+unwritable+`","title":"one","title":"two"}`).with(key).succeeds(202)
		Expect(get("/shorts/%d", a.id("data.job_id")).with(key).succeeds(200).at("data.title")).To(Equal("two"))
	})

	It("rejects a value of any wrong type in any member with the name of the member", func() {
		wrong := []string{`null`, `true`, `0`, `-1`, `1e400`, `-0.0`, `1.5`, `99999999999999999999999`, `""`, `"x"`, `[]`, `[1]`, `{}`, `{"a":1}`, `"\u0000"`, `"\ud800"`, `"` + long(70000) + `"`}
		f := generous()
		for _, member := range []string{
			"context", "slide_count", "aspect_ratio", "design_style", "image_world", "image_source", "title", "caption", "tags", "language", "gradient_enabled",
			"gradient_color", "gradient_opacity", "gradient_direction", "gradient_coverage", "background_music_id", "auto_render",
		} {
			for _, value := range wrong {
				body := fmt.Sprintf(`{"context":%q,"%s":%s}`, unwritable, member, value)
				if a := post("/slideshows", body).with(key).at(f).loosely().send(); a.status != 202 {
					Expect(a.status).To(Equal(422), "%.100s: %s", body, a.raw)
					Expect(a.details()["field"]).To(HavePrefix(member), body)
				}
			}
		}
	})

	It("lists the first hundred of very many unknown members, and can replay that answer", func() {
		var body strings.Builder
		body.WriteString(`{"context":"` + unwritable + `"`)
		for i := 0; body.Len() < 1<<20-40; i++ {
			fmt.Fprintf(&body, `,"member-%d":1`, i)
		}
		body.WriteString("}")
		first := post("/slideshows", body.String()).with(key).once("many").succeeds(202)
		Expect(first.at("meta.ignored_fields")).To(HaveLen(100))
		again := post("/slideshows", body.String()).with(key).once("many").succeeds(202)
		Expect(again.at("data")).To(Equal(first.at("data")))
	})
})

// refusedReading expects that a body was read to its end and refused for its content, or refused as unreadable.
func (r *request) refusedReading() {
	GinkgoHelper()
	a := r.send()
	Expect(a.code()).To(BeElementOf(catalog.ValidationFailed, catalog.BadRequest), "%.200s", a.raw)
}
