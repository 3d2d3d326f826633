// SPDX-License-Identifier: Apache-2.0

package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/reelops/reelops/apiserver/operation"
)

const scheme = "reelops://"

// addResources adds the resources, which a host may show or store without a tool call. Reading one calls its operation.
func (s *Server) addResources(server *sdk.Server) {
	const kind = "application/json"
	server.AddResource(&sdk.Resource{
		URI: scheme + "capabilities", Name: "capabilities", Title: "Accepted values and limits", MIMEType: kind,
		Description: "Every value that tools accept; the data of get_capabilities.",
	}, s.reading("get_capabilities", ""))
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: scheme + "errors/{code}", Name: "error", Title: "Error code", MIMEType: kind,
		Description: "Cause and fix of a code of errors[].code.",
	}, s.reading("get_error", scheme+"errors/"))
	server.AddResourceTemplate(&sdk.ResourceTemplate{
		URITemplate: scheme + "shorts/{id}", Name: "short", Title: "One short", MIMEType: kind,
		Description: "A slideshow or video of the brand with its slides, job and posts; the data of list_shorts with short_id.",
	}, s.reading("get_short", scheme+"shorts/"))
}

// reading returns a handler that answers with the data of an operation. The rest of the URI after the prefix is the
// path parameter.
func (s *Server) reading(name, prefix string) sdk.ResourceHandler {
	o := s.document.operations[name]
	return func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
		target := o.path
		if o.param != nil {
			text, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, prefix))
			if err != nil || text == "" {
				return nil, missing(r.Params.URI)
			}
			target = strings.Replace(target, "{"+o.param.name+"}", url.PathEscape(text), 1)
		}
		answer := messageOf(ctx).run(ctx, &operation.Call{Method: o.method, Path: target})
		var envelope struct {
			Data   json.RawMessage
			Errors []struct {
				Code, Message string
			}
		}
		if err := json.Unmarshal(answer.Body, &envelope); err != nil {
			return nil, errInternal
		}
		switch {
		case answer.Status == http.StatusNotFound:
			return nil, missing(r.Params.URI)
		case answer.Status >= http.StatusBadRequest && len(envelope.Errors) > 0:
			return nil, &jsonrpc.Error{Code: codeRefused, Message: envelope.Errors[0].Message, Data: answer.Body}
		case answer.Status >= http.StatusBadRequest:
			return nil, errInternal
		}
		return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: "application/json", Text: string(envelope.Data)}}}, nil
	}
}

// codeNoResource is the protocol's error code for a resource that does not exist.
const codeNoResource = -32002

func missing(uri string) error {
	data, _ := json.Marshal(object{"uri": uri})
	return &jsonrpc.Error{Code: codeNoResource, Message: "There is no such resource.", Data: data}
}
