// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/api/v1alpha1"
	"github.com/reelops/reelops/apiserver"
)

// How much is tried. REELOPS_RANDOM_TIME and REELOPS_RANDOM_SEED change it: a long run over night, or one run again.
const usualRandomTime = 8 * time.Second

// slowRandomTime is how much longer requests are made up on a machine that has not yet given every kind of answer.
const slowRandomTime = 3 * time.Minute

func randomRun() (long time.Duration, seed uint64) {
	GinkgoHelper()
	long, seed = usualRandomTime, uint64(GinkgoRandomSeed())
	var err error
	if v := os.Getenv("REELOPS_RANDOM_TIME"); v != "" {
		long, err = time.ParseDuration(v)
		Expect(err).NotTo(HaveOccurred())
	}
	if v := os.Getenv("REELOPS_RANDOM_SEED"); v != "" {
		seed, err = strconv.ParseUint(v, 10, 64)
		Expect(err).NotTo(HaveOccurred())
	}
	return long, seed
}

var _ = Describe("Requests made up from the description", func() {
	It("are all answered as it says, whether they are right or wrong, and never with a 5xx", func() {
		long, seed := randomRun()
		AddReportEntry("seed", seed)
		t := newTenant(planned(100), credited(500))
		_, other := t.brand("other")
		f := newFront(frontOptions{change: func(c *apiserver.Config) {
			plenty(c)
			c.EditWait = 20 * time.Millisecond
		}})
		g := &maker{Rand: rand.New(rand.NewPCG(seed, 1)), brands: []int64{t.acmeID, other, 999999999}}
		g.keys = append(slices.Repeat([]string{t.everything()}, 12), t.key("read"), t.key("content:write"), "rlo_nothing", "")
		_, draft := t.manifest("draft", func(s *v1alpha1.Slideshow) { s.Spec.Suspend = true })
		g.shorts = []int64{t.drawn(), t.drawn(), draft, 999999999}

		statuses, sent := map[int]int{}, 0
		answers := []int{200, 202, 400, 401, 403, 404, 409, 422}
		tooLittle := func() bool { // a slow machine takes longer to have tried enough
			return slices.ContainsFunc(answers, func(status int) bool { return statuses[status] == 0 })
		}
		for end := time.Now().Add(long); time.Now().Before(end) || tooLittle() && time.Now().Before(end.Add(slowRandomTime)); sent++ {
			r := g.request().at(f).loosely()
			entry := fmt.Sprintf("seed %d, request %d: %s %s %v\n%.3000s", seed, sent, r.method, r.path, r.header, r.body)
			a := func() *answer {
				defer func() {
					if p := recover(); p != nil {
						AddReportEntry("request", entry)
						panic(p)
					}
				}()
				return r.send()
			}()
			Expect(a.status).To(BeNumerically("<", 500), "%s\n%.3000s", entry, a.raw)
			statuses[a.status]++
			if id, ok := lookup(a.envelope, "data.job_id"); ok && len(g.shorts) < 12 {
				g.shorts = append(g.shorts, int64(id.(float64)))
			}
		}
		GinkgoWriter.Println(sent, "requests, answered", statuses)
		for _, status := range answers {
			Expect(statuses).To(HaveKey(status), "too little was tried: %d requests, answered %v", sent, statuses)
		}
	})
})

// maker makes requests up.
type maker struct {
	*rand.Rand
	keys           []string
	brands, shorts []int64
}

func pick[T any](g *maker, of []T) T { return of[g.IntN(len(of))] }

// often is true in so many of a hundred cases.
func (g *maker) often(percent int) bool { return g.IntN(100) < percent }

// request makes one up for a described operation.
func (g *maker) request() *request {
	paths := describedPaths()
	path := pick(g, sorted(paths))
	methods := paths[path].(object)
	method := pick(g, sorted(methods))
	op := methods[method].(object)
	r := &request{method: strings.ToUpper(method), header: http.Header{}, front: service, address: here}
	if r.method == http.MethodGet && g.often(5) {
		r.method = pick(g, []string{http.MethodHead, http.MethodOptions, http.MethodDelete})
	}
	wild := 0 // how many of a hundred values are anything at all
	if g.often(60) {
		wild = 20
	}
	query := []string{}
	params, _ := op["parameters"].([]any)
	for _, p := range params {
		param := resolved(p.(object))
		name, in := param["name"].(string), param["in"]
		if in != "path" && !g.often(30) {
			continue
		}
		text := g.parameter(name, param["schema"].(object), wild)
		switch in {
		case "path":
			path = strings.ReplaceAll(path, "{"+name+"}", segment(text))
		case "query":
			query = append(query, name+"="+segment(text))
		case "header":
			r.header.Set(name, strings.Map(printable, text))
		}
	}
	r.path = path
	if len(query) > 0 {
		r.path += "?" + strings.Join(query, "&")
	}
	if key := pick(g, g.keys); key != "" {
		r.with(key)
	}
	if body, ok := op["requestBody"].(object); ok && !g.often(3) {
		kind := body["content"].(object)["application/json"].(object)
		r.saying(g.value("", kind["schema"].(object), wild, 0))
		r.body = g.damaged(r.body)
	}
	return r
}

// parameter is the text of a parameter; those that name records mostly name some that are there.
func (g *maker) parameter(name string, schema object, wild int) string {
	switch {
	case g.often(wild):
		return fmt.Sprint(g.anything())
	case name == "id":
		return fmt.Sprint(pick(g, g.shorts))
	case name == "brand_id" || name == "X-Brand-Id":
		return fmt.Sprint(pick(g, g.brands))
	case name == "code":
		return pick(g, []string{"not_found", "internal_error", "none"})
	case name == "Idempotency-Key":
		return fmt.Sprintf("key-%d", g.IntN(8))
	}
	return fmt.Sprint(g.value(name, schema, wild, 0))
}

// value is one that the schema allows, or now and then anything at all.
func (g *maker) value(name string, schema object, wild, depth int) any {
	schema = resolved(schema)
	if depth > 0 && g.often(wild) {
		return g.anything()
	}
	for _, word := range []string{"anyOf", "oneOf"} {
		if of, ok := schema[word].([]any); ok {
			return g.value(name, pick(g, of).(object), wild, depth)
		}
	}
	if of, ok := schema["enum"].([]any); ok {
		return pick(g, of)
	}
	kind, _ := schema["type"].(string)
	if of, ok := schema["type"].([]any); ok {
		kind = pick(g, of).(string)
	}
	switch kind {
	case "object":
		return g.object(schema, wild, depth)
	case "array":
		out := []any{}
		for range g.IntN(4) {
			out = append(out, g.value(name, schema["items"].(object), wild, depth+1))
		}
		return out
	case "string":
		return g.text(name, schema)
	case "integer":
		if name == "id" || name == "slide_order" {
			return 1 + g.IntN(4) // a slide
		}
		least, most := bounds(schema, 0, 30)
		return int64(least) + g.Int64N(int64(min(most-least, 100))+1)
	case "number":
		least, most := bounds(schema, -10, 200)
		return least + g.Float64()*(most-least)
	case "boolean":
		return g.often(50)
	}
	return nil
}

func (g *maker) object(schema object, wild, depth int) object {
	out := object{}
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(object)
	for _, name := range sorted(properties) {
		if slices.Contains(required, any(name)) && !g.often(wild/4) || g.often(35) {
			out[name] = g.value(name, properties[name].(object), wild, depth+1)
		}
	}
	if g.often(wild) {
		out["unknown"] = g.anything()
	}
	return out
}

func (g *maker) text(name string, schema object) string {
	pattern, _ := schema["pattern"].(string)
	switch {
	case name == "context":
		// Little is drawn: the machine has other things to do.
		if g.often(98) {
			return unwritable
		}
		return habits
	case schema["format"] == "date-time":
		return time.Unix(g.Int64N(4e9), 0).In(time.FixedZone("", g.IntN(24*3600)-12*3600)).Format(time.RFC3339)
	case schema["format"] == "uri":
		return pick(g, []string{"https://127.0.0.1/x.png", "https://[::1]/", "https://10.0.0.1:1/a"}) // fetched by nobody: addresses inside
	case strings.HasPrefix(pattern, "^#"):
		return pick(g, []string{"#fff", "#A1B2C3", "#00000080"})
	case strings.Contains(pattern, "[1-9]"):
		return strconv.Itoa(1 + g.IntN(4))
	case name == "language":
		return pick(g, []string{"en", "de-AT", "zh-Hans"})
	}
	return pick(g, []string{"", "a", "Sleep well", "眠り 😴", "שלום עולם", "a,b, c", "<b>&amp;", "line\nbreak", strings.Repeat("word ", 40)})
}

func (g *maker) anything() any {
	return pick(g, []any{
		nil, true, false, 0, -1, 1.5, 1e300, -1e-300, 9007199254740993, uint64(1<<63 + 1), "", " ", "0", "-1", "null", "\x00", "\u202e", "%", "../..", strings.Repeat("x", 6000), strings.Repeat("é", 600),
		[]any{},
		[]any{nil},
		[]any{[]any{[]any{}}},
		object{},
		object{"id": object{}},
		object{"": nil},
		"9007199254740992", "2026-02-30T00:00:00Z", "#ggg",
		[]any{1, "a", object{"x": 1}},
	})
}

// damaged breaks a body now and then.
func (g *maker) damaged(body []byte) []byte {
	if !g.often(8) || len(body) == 0 {
		return body
	}
	at := g.IntN(len(body))
	switch g.IntN(4) {
	case 0:
		return body[:at]
	case 1:
		return append(slices.Clone(body[:at]), append([]byte{byte(g.IntN(256))}, body[at:]...)...)
	case 2:
		return append(slices.Clone(body), body...)
	}
	out := slices.Clone(body)
	out[at] = byte(g.IntN(256))
	return out
}

func bounds(schema object, least, most float64) (float64, float64) {
	if v, ok := schema["minimum"].(float64); ok {
		least = v
	}
	if v, ok := schema["maximum"].(float64); ok {
		most = v
	}
	return least, max(least, most)
}

// resolved follows a reference of the description.
func resolved(v object) object {
	for {
		ref, ok := v["$ref"].(string)
		if !ok {
			return v
		}
		to, _ := lookup(description(), strings.ReplaceAll(strings.TrimPrefix(ref, "#/"), "/", "."))
		v = to.(object)
	}
}

func sorted(in object) []string {
	out := []string{}
	for name := range in {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// segment escapes what may not stand in a path or a query; an empty text leaves none.
func segment(s string) string { return escaped(strings.ReplaceAll(s, "&", "")) }

// printable keeps what a header may hold.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}
