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

// Use is a request that was made.
type Use struct {
	// Program that made it: manager or apiserver.
	Program string
	// Resource is with its subresource. Name is empty where a list was asked for.
	Group, Resource, Verb, Namespace, Name string
}

// denial is a request that was refused.
type denial struct {
	use Use
	// said tells of it. authorizer says that the roles refused it, not a policy. allowed says that the same log has a request of
	// the same kind in the same namespace that was allowed.
	said                string
	authorizer, allowed bool
}

// programs are the users by whom the programs are known, and the names that they give of themselves.
var programs = map[string]string{
	"system:serviceaccount:reelops-system:reelops-manager":   "manager",
	"system:serviceaccount:reelops-system:reelops-apiserver": "apiserver",
}

// Log is what the programs did in all clusters whose logs were read. It may be used by many at once.
type Log struct {
	mu     sync.Mutex
	used   map[Use]int
	denied []denial
	// expected are the addresses of requests that a test has the cluster refuse.
	expected []string
}

// event is what is read of a line of the audit log.
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

// Read takes an audit log in. A line that was cut off, because the cluster was killed, is passed over; requests of others, such as
// kubectl with the identity of a program, are not the program's.
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
				use: u, said: fmt.Sprintf("%s: %s %s: %s", program, e.Verb, e.RequestURI, e.ResponseStatus.Message),
				authorizer: strings.Contains(e.ResponseStatus.Message, `" cannot `),
			})
		default:
			l.used[u]++
			allowed[u.unnamed()] = true
		}
	}
}

// Expect says that the cluster refuses requests to an address, because a test wants to see what comes of it.
func (l *Log) Expect(uri string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.expected = append(l.expected, uri)
}

// Denied lists the requests that were refused because the program may not do them. A request that the grants of the whole cluster
// allow, or that was allowed in the namespace at another time, was refused by a kube-apiserver that had not read its roles or the new
// binding of the namespace yet. The program repeats such a request.
func (l *Log) Denied(grants []Grant) (out []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, d := range l.denied {
		if d.authorizer && (d.allowed || slices.ContainsFunc(grants, func(g Grant) bool { return g.Role == "reelops-"+d.use.Program && g.covers(d.use) })) {
			continue
		}
		out = append(out, d.said)
	}
	return out
}

// Uses lists what was done, each once.
func (l *Log) Uses() []Use {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := make([]Use, 0, len(l.used))
	for u := range l.used {
		out = append(out, u)
	}
	return out
}
