// SPDX-License-Identifier: Apache-2.0

package atrest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// Request is a request that changed or read an object.
type Request struct {
	At            time.Time
	Agent, Verb   string
	Resource, URI string
	Code          int // HTTP status
}

// event holds the fields of an audit log entry that are used.
type event struct {
	Verb           string    `json:"verb"`
	RequestURI     string    `json:"requestURI"`
	UserAgent      string    `json:"userAgent"`
	StageTimestamp time.Time `json:"stageTimestamp"`
	ObjectRef      struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
}

// apiServerAgent is the user agent of kube-apiserver's own writes, mostly of leases.
const apiServerAgent = "kube-apiserver"

// Writes returns the changes since a point in time, except those of kube-apiserver itself. Refused requests and dry
// runs are not included.
func (c *ControlPlane) Writes(since time.Time) ([]Request, error) {
	out, err := c.Requests(since)
	return slices.DeleteFunc(out, func(r Request) bool { return !changed(r) }), err
}

// changed reports whether a request changed an object.
func changed(r Request) bool {
	return r.Verb != "get" && r.Verb != "list" && r.Code >= 200 && r.Code <= 299
}

// Requests returns what Writes returns, refused changes, and the reads in the namespaces of the options.
func (c *ControlPlane) Requests(since time.Time) ([]Request, error) {
	f, err := os.Open(c.audit)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return requests(f, since)
}

func requests(log io.Reader, since time.Time) ([]Request, error) {
	var out []Request
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return out, nil // a line without a newline is still being written
		}
		if err != nil {
			return nil, err
		}
		var e event
		if err := json.Unmarshal(bytes.TrimSpace(line), &e); err != nil {
			return nil, err
		}
		if e.StageTimestamp.Before(since) || strings.Contains(e.RequestURI, "dryRun=") {
			continue
		}
		name, _, _ := strings.Cut(e.UserAgent, "/")
		if name == apiServerAgent {
			continue
		}
		resource := e.ObjectRef.Resource
		if e.ObjectRef.Subresource != "" {
			resource += "/" + e.ObjectRef.Subresource
		}
		out = append(out, Request{
			At: e.StageTimestamp, Agent: name, Verb: e.Verb, Resource: resource, URI: e.RequestURI, Code: e.ResponseStatus.Code,
		})
	}
}
