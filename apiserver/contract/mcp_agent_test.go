// SPDX-License-Identifier: Apache-2.0

package contract_test

import (
	"encoding/json"
	"net/http"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/reelops/reelops/internal/catalog"
)

// agent is a third-party MCP client.
type agent struct {
	session *sdk.ClientSession
	// header is the header of the last response.
	header http.Header
	// calls counts the tool calls, sent and received the bytes of all bodies.
	calls, sent, received int
}

// agentWith connects to the MCP server of a front end.
func agentWith(f *front, key string) *agent {
	GinkgoHelper()
	a := &agent{}
	address := here
	client := &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		r = r.Clone(from(address))
		r.Header.Set("Authorization", "Bearer "+key)
		a.sent += int(max(r.ContentLength, 0))
		resp, err := sources.RoundTrip(r)
		if err == nil {
			a.header = resp.Header
			a.received += int(max(resp.ContentLength, 0))
		}
		return resp, err
	})}
	session, err := sdk.NewClient(&sdk.Implementation{Name: "contract", Version: "1"}, nil).
		Connect(ctx, &sdk.StreamableClientTransport{Endpoint: f.url + "/mcp", HTTPClient: client, MaxRetries: -1}, nil)
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { _ = session.Close() })
	a.session = session
	return a
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// tooled is the result of a tool.
type tooled struct {
	*answer
	failed bool
	// next is the sentence after the envelope.
	next string
	// pictures are the images of the result.
	pictures []*sdk.ImageContent
}

// call calls a tool and checks the rules for every tool result.
func (a *agent) call(name string, args object) *tooled {
	GinkgoHelper()
	a.calls++
	res, err := a.session.CallTool(ctx, &sdk.CallToolParams{Name: name, Arguments: args})
	Expect(err).NotTo(HaveOccurred())
	structured, err := json.Marshal(res.StructuredContent)
	Expect(err).NotTo(HaveOccurred())
	text := res.Content[0].(*sdk.TextContent).Text
	Expect(text).To(MatchJSON(structured), "the text differs from the structured content")
	Expect(shapes().of(name).Validate(res.StructuredContent)).To(Succeed(), text)
	out := &tooled{answer: &answer{status: 200, header: a.header, raw: text}, failed: res.IsError}
	Expect(json.Unmarshal([]byte(text), &out.envelope)).To(Succeed())
	Expect(out.envelope["success"]).To(Equal(!res.IsError))
	var more []string
	for _, c := range res.Content[1:] {
		if picture, ok := c.(*sdk.ImageContent); ok {
			out.pictures = append(out.pictures, picture)
			continue
		}
		more = append(more, c.(*sdk.TextContent).Text)
	}
	out.next = strings.Join(more, "\n")
	return out
}

// does calls a tool and expects a success.
func (a *agent) does(name string, args object) *tooled {
	GinkgoHelper()
	out := a.call(name, args)
	Expect(out.failed).To(BeFalse(), out.raw)
	return out
}

// fails calls a tool and expects a failure whose first error has the code.
func (a *agent) fails(name string, args object, code catalog.Code) *tooled {
	GinkgoHelper()
	out := a.call(name, args)
	Expect(out.failed).To(BeTrue(), out.raw)
	Expect(out.code()).To(Equal(code), out.raw)
	Expect(out.next).To(HavePrefix("Remedy: "), "the error has no next step")
	return out
}

// rpc posts a message to the MCP server without the client.
func rpc(method string, params any) *request {
	GinkgoHelper()
	return post("/mcp", object{"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).outside().
		named("Accept", "application/json, text/event-stream")
}
