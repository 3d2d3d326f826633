// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// maker generates random values.
type maker struct {
	*rand.Rand
	*randomWorld
}

func pick[T any](g *maker, of []T) T { return of[g.IntN(len(of))] }

// often returns true in the given percentage of cases.
func (g *maker) often(percent int) bool { return g.IntN(100) < percent }

// guess is a random request.
type guess struct {
	*maker
	*request
	// operation is the requested operation, and tool the name of the called tool, if any.
	operation, tool string
}

// toolShare is the percentage of requests that call a tool.
const toolShare = 25

// make fills in a random request for a described operation or a listed tool.
func (g *guess) make() {
	g.request = &request{header: http.Header{}, front: g.f, address: here, loose: true}
	wild := 0 // percentage of values that are arbitrary
	if g.often(60) {
		wild = 20
	}
	if g.often(toolShare) {
		g.callTool(wild)
	} else {
		g.callOperation(wild)
	}
	if key := pick(g.maker, g.keys); key != "" {
		g.with(key)
	}
}

func (g *guess) callOperation(wild int) {
	paths := describedPaths()
	path := pick(g.maker, sorted(paths))
	methods := paths[path].(object)
	method := pick(g.maker, sorted(methods))
	op := methods[method].(object)
	g.operation = method + " " + path
	g.method = strings.ToUpper(method)
	if g.method == http.MethodGet && g.often(5) {
		g.method = pick(g.maker, []string{http.MethodHead, http.MethodOptions, http.MethodDelete})
	}
	filled, query := path, []string{}
	params, _ := op["parameters"].([]any)
	for _, p := range params {
		param := resolved(p.(object))
		name, in := param["name"].(string), param["in"]
		if in != "path" && !g.often(30) {
			continue
		}
		text := g.parameter(path, name, param["schema"].(object), wild)
		switch in {
		case "path":
			filled = strings.ReplaceAll(filled, "{"+name+"}", segment(text))
		case "query":
			query = append(query, name+"="+segment(text))
		case "header":
			g.header.Set(name, strings.Map(printable, text))
		}
	}
	g.path = filled
	if len(query) > 0 {
		g.path += "?" + strings.Join(query, "&")
	}
	if body, ok := op["requestBody"].(object); ok && !g.often(3) {
		kind := body["content"].(object)["application/json"].(object)
		g.saying(g.value("", kind["schema"].(object), wild, 0))
		g.body = g.damaged(g.body)
	}
}

// callTool fills in a tool call.
func (g *guess) callTool(wild int) {
	t := pick(g.maker, g.randomWorld.tool)
	g.operation = t["name"].(string)
	g.tool = g.operation
	var args any = g.object(g.operation, t["inputSchema"].(object), wild, 0)
	if g.often(wild / 4) {
		args = g.anything()
	}
	message := object{"jsonrpc": "2.0", "id": g.IntN(1000), "method": "tools/call", "params": object{"name": g.tool, "arguments": args}}
	g.method, g.path = http.MethodPost, "/mcp"
	g.saying(message)
	g.header.Set("Accept", "application/json, text/event-stream")
	if !utf8JSON(g.body) {
		g.tool = "" // any response except a 5xx is permitted
	}
}

// utf8JSON reports whether a body is valid JSON.
func utf8JSON(body []byte) bool { return json.Valid(body) }

// keepsToolRules checks the rules for the result of every tool.
func (g *guess) keepsToolRules(a *answer) {
	GinkgoHelper()
	if a.status != http.StatusOK {
		Expect(a.status).To(BeElementOf(400, 401), a.raw)
		return
	}
	Expect(json.Unmarshal([]byte(a.raw), &a.envelope)).To(Succeed(), a.raw)
	if _, refused := a.envelope["error"]; refused { // arguments that are not an object are not a call
		Expect(a.at("error.code")).NotTo(BeEquivalentTo(-32603), a.raw)
		return
	}
	content := a.at("result.structuredContent")
	Expect(shapes().of(g.tool).Validate(content)).To(Succeed(), a.raw)
	failed, _ := lookup(a.envelope, "result.isError")
	Expect(content.(object)["success"]).To(Equal(failed != true), a.raw)
	Expect(a.at("result.content.0.text")).To(MatchJSON(asJSON(content)))
	if failed == true {
		Expect(member(content, "errors.0.code")).NotTo(Equal("internal_error"), a.raw)
	}
}

func member(v any, path string) any { out, _ := lookup(v, path); return out }

func asJSON(v any) string {
	GinkgoHelper()
	doc, err := json.Marshal(v)
	Expect(err).NotTo(HaveOccurred())
	return string(doc)
}

// parameter returns the text of a parameter. Parameters that name records mostly name existing ones.
func (g *maker) parameter(path, name string, schema object, wild int) string {
	switch {
	case g.often(wild):
		v := g.anything()
		if doc, ok := v.(json.RawMessage); ok {
			return string(doc)
		}
		return fmt.Sprint(v)
	case name == "id" && strings.Contains(path, "/posts/"):
		name = "post_id"
	case name == "id" && strings.Contains(path, "/media/"):
		name = "media_id"
	case name == "wait" && g.often(90): // most random work does not end
		return "0"
	case name == "id":
		name = "short_id"
	case name == "code":
		return pick(g, []string{"not_found", "internal_error", "none"})
	}
	return fmt.Sprint(g.value(name, schema, wild, 0))
}

// sorts are the kinds of ids, by the names of parameters and members that hold them.
var sorts = map[string]string{
	"short_id": ofShorts, "job_id": ofShorts, "post_id": ofPosts, "social_data_id": ofAccounts, "social_data_ids": ofAccounts, "brand_id": ofBrands, "X-Brand-Id": ofBrands,
	"avatar_media_id": ofMedia, "product_demo_media_ids": ofMedia, "media_id": ofMedia, "media_pack_id": ofPacks, "background_music_id": ofTracks,
}

// value returns a value that the schema allows, or occasionally an arbitrary one.
func (g *maker) value(name string, schema object, wild, depth int) any {
	schema = resolved(schema)
	if depth > 0 && g.often(wild) {
		return g.anything()
	}
	if sort, ok := sorts[name]; ok && schema["type"] != "array" {
		id := g.id(sort, g.IntN(tableOf))
		if g.often(10) {
			return strconv.FormatInt(id, 10) // as text it is an id, too
		}
		return id
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
		return g.object(name, schema, wild, depth)
	case "array":
		out := []any{}
		for range g.IntN(4) {
			out = append(out, g.value(name, schema["items"].(object), wild, depth+1))
		}
		return out
	case "string":
		return g.text(name, schema)
	case "integer":
		return g.whole(name, schema)
	case "number":
		least, most := bounds(schema, -10, 200)
		if g.often(20) {
			return pick(g, []float64{least, most})
		}
		return least + g.Float64()*(most-least)
	case "boolean":
		return g.often(50)
	}
	return nil
}

// whole returns an integer, often at a limit of the allowed range.
func (g *maker) whole(name string, schema object) int64 {
	if name == "id" || name == "slide_order" {
		return 1 + int64(g.IntN(4)) // a slide
	}
	if name == "wait" {
		return int64(g.IntN(2))
	}
	least, most := bounds(schema, 0, 30)
	if g.often(20) {
		return pick(g, []int64{int64(least), int64(most)})
	}
	return int64(least) + g.Int64N(int64(min(most-least, 100))+1)
}

func (g *maker) object(name string, schema object, wild, depth int) object {
	out := object{}
	required, _ := schema["required"].([]any)
	properties, _ := schema["properties"].(object)
	for _, name := range sorted(properties) {
		if slices.Contains(required, any(name)) && !g.often(wild/4) || g.often(35) {
			out[name] = g.value(name, properties[name].(object), wild, depth+1)
		}
	}
	if more, ok := schema["additionalProperties"].(object); ok && name == "platform_customizations" {
		for range g.IntN(3) {
			out[strconv.FormatInt(g.id(ofAccounts, g.IntN(tableOf)), 10)] = g.value("", more, wild, depth+1)
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
		// Few slides are laid out, to save CPU time.
		if g.often(98) {
			return unwritable
		}
		return habits
	case name == "file" || name == "signed_id":
		return g.file(g.IntN(tableOf))
	case name == "checksum":
		return pick(g, []string{"XUFAKrxLKna5cZ2REBfFkg==", "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=", "none"})
	case name == "content_type":
		return pick(g, []string{"image/png", "image/jpeg", "video/mp4", "video/quicktime", "text/html"})
	case name == "Idempotency-Key" || name == "idempotency_key":
		return fmt.Sprintf("key-%d", g.IntN(8))
	case schema["format"] == "date-time":
		return time.Unix(g.Int64N(4e9), 0).In(time.FixedZone("", g.IntN(24*3600)-12*3600)).Format(time.RFC3339)
	case schema["format"] == "uri":
		// never fetched: private addresses
		return pick(g, []string{"https://127.0.0.1/x.png", "https://[::1]/", "https://10.0.0.1:1/a"})
	case strings.HasPrefix(pattern, "^#"):
		return pick(g, []string{"#fff", "#A1B2C3", "#00000080"})
	case strings.Contains(pattern, "[1-9]"):
		return strconv.Itoa(1 + g.IntN(4))
	case name == "language":
		return pick(g, []string{"en", "de-AT", "zh-Hans"})
	}
	return pick(g, []string{"", "a", "Sleep well", "眠り 😴", "שלום עולם", "a,b, c", "<b>&amp;", "line\nbreak", strings.Repeat("word ", 40), g.long(schema)})
}

// long returns a text with exactly the maximum number of characters, or one more.
func (g *maker) long(schema object) string {
	_, most := bounds(object{"maximum": schema["maxLength"]}, 0, 300)
	return strings.Repeat(pick(g, []string{"x", "é", "😴"}), int(min(most, 6000))+g.IntN(2))
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
		json.RawMessage("1e400"), json.RawMessage("-0"), json.RawMessage("12.0"), json.RawMessage(`"\ud800"`), json.RawMessage(`{"a":1,"a":2}`),
		json.RawMessage(strings.Repeat("[", 300) + strings.Repeat("]", 300)), json.RawMessage(strings.Repeat(`{"a":`, 200) + "1" + strings.Repeat("}", 200)),
		slices.Repeat([]any{"x"}, 500), "2026-11-21T12:00:00", "+1", "1e3", "0x10", "१२", "\ufeff1", "a\u0000b", strings.Repeat("👩\u200d🚀", 200),
	})
}

// damaged occasionally breaks a body.
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

// segment removes ampersands and escapes a text for a path or a query; an empty text stays empty.
func segment(s string) string { return escaped(strings.ReplaceAll(s, "&", "")) }

// printable is a mapping for strings.Map that removes characters that a header must not hold.
func printable(r rune) rune {
	if r < ' ' || r == 0x7f {
		return -1
	}
	return r
}
