// SPDX-License-Identifier: Apache-2.0

package privilege

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// Use is a request.
type Use struct {
	// Program that sent the request: manager or apiserver.
	Program string
	// Resource includes the subresource. Name is empty for lists.
	Group, Resource, Verb, Namespace, Name string
}

// denial is a refused request.
type denial struct {
	use Use
	// text is its description. authorizer reports whether RBAC refused the request, and not an admission policy.
	// allowed reports whether the same log contains an allowed request of the same kind in the same namespace.
	text                string
	authorizer, allowed bool
}

// programs maps user names to the programs, which have the same name in their user agent.
var programs = map[string]string{
	"system:serviceaccount:reelops-system:reelops-manager":   "manager",
	"system:serviceaccount:reelops-system:reelops-apiserver": "apiserver",
}

// Log contains the requests of the programs in all clusters whose logs were read. It is safe for concurrent use.
type Log struct {
	mu     sync.Mutex
	used   map[Use]int
	denied []denial
	// expected are the URIs of requests for which a test provokes a refusal.
	expected []string
}

// event holds the fields of an audit log entry that are used.
type event struct {
	Stage, Verb, RequestURI, UserAgent string
	User                               struct{ Username string }
	ObjectRef                          struct{ APIGroup, Resource, Subresource, Namespace, Name string }
	ResponseStatus                     struct {
		Code    int
		Message string
	}
}

// unnamed returns the use without the object's name.
func (u Use) unnamed() Use {
	u.Name = ""
	return u
}

// Read reads an audit log. It skips a line that was truncated because the cluster was killed, and requests of other
// clients, such as kubectl with the identity of a program.
func (l *Log) Read(log io.Reader) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.used == nil {
		l.used = map[Use]int{}
	}
	allowed := map[Use]bool{} // without names
	known := len(l.denied)
	defer func() {
		for i := range l.denied[known:] {
			d := &l.denied[known+i]
			d.allowed = allowed[d.use.unnamed()]
		}
	}()
	for lines := bufio.NewReader(log); ; {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		var e event
		if json.Unmarshal(line, &e) != nil || e.Stage == "RequestReceived" {
			continue
		}
		agent, _, _ := strings.Cut(e.UserAgent, "/")
		program := programs[e.User.Username]
		if program == "" || agent != program || e.ObjectRef.Resource == "" {
			continue
		}
		u := Use{
			Program: program, Group: e.ObjectRef.APIGroup, Resource: e.ObjectRef.Resource, Verb: e.Verb, Namespace: e.ObjectRef.Namespace, Name: e.ObjectRef.Name,
		}
		if e.ObjectRef.Subresource != "" {
			u.Resource += "/" + e.ObjectRef.Subresource
		}
		switch {
		case (e.ResponseStatus.Code == 401 || e.ResponseStatus.Code == 403) && !strings.Contains(e.ResponseStatus.Message, "because it is being terminated"):
			if uri, _, _ := strings.Cut(e.RequestURI, "?"); slices.Contains(l.expected, uri) {
				continue
			}
			l.denied = append(l.denied, denial{
				use: u, text: fmt.Sprintf("%s: %s %s: %s", program, e.Verb, e.RequestURI, e.ResponseStatus.Message),
				authorizer: strings.Contains(e.ResponseStatus.Message, `" cannot `),
			})
		default:
			l.used[u]++
			allowed[u.unnamed()] = true
		}
	}
}

// Expect declares that refusals of requests to a URI are expected, because a test provokes them.
func (l *Log) Expect(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected = append(l.expected, uri)
}

// Denied returns the requests that were refused for lack of permission. It excludes requests that cluster-wide grants
// allow, or that were allowed in the namespace at another time: kube-apiserver refused them because it had not read its
// roles or a new RoleBinding yet. The program repeats such requests.
func (l *Log) Denied(grants []Grant) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.denied {
		if d.authorizer && (d.allowed || slices.ContainsFunc(grants, func(g Grant) bool { return g.Role == "reelops-"+d.use.Program && g.covers(d.use) })) {
			continue
		}
		out = append(out, d.text)
	}
	return out
}

// Uses returns the requests, each once.
func (l *Log) Uses() []Use {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Use, 0, len(l.used))
	for u := range l.used {
		out = append(out, u)
	}
	return out
}
