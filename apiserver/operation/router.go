// SPDX-License-Identifier: Apache-2.0

package operation

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// routes finds operations by path and method. Unlike http.ServeMux it never redirects. It also distinguishes an unknown
// path from a known path with another method, because the API specifies both responses.
type routes struct{ paths []route }

type route struct {
	segments []string
	methods  map[string]*Operation
}

func (r *routes) add(o *Operation) {
	segments := strings.Split(o.Path, "/")
	for i := range r.paths {
		if slices.Equal(r.paths[i].segments, segments) {
			r.paths[i].methods[o.Method] = o
			return
		}
	}
	r.paths = append(r.paths, route{segments: segments, methods: map[string]*Operation{o.Method: o}})
}

// addPage registers a path and its method that another handler serves.
func (r *routes) addPage(method, path string) {
	r.paths = append(r.paths, route{segments: strings.Split(path, "/"), methods: map[string]*Operation{method: nil}})
}

// find returns the operation and its path parameters. If the operation is nil, allowed lists the methods of a known
// path; it is nil for an unknown one.
func (r *routes) find(method, escapedPath string) (o *Operation, params map[string]string, allowed []string) {
	segments := strings.Split(escapedPath, "/")
	if method == http.MethodHead {
		method = http.MethodGet
	}
	for i := range r.paths {
		params, ok := match(r.paths[i].segments, segments)
		if !ok {
			continue
		}
		if o := r.paths[i].methods[method]; o != nil {
			return o, params, nil
		}
		for m := range r.paths[i].methods {
			allowed = append(allowed, m)
			if m == http.MethodGet {
				allowed = append(allowed, http.MethodHead)
			}
		}
		slices.Sort(allowed)
		return nil, params, allowed
	}
	return nil, nil, nil
}

// match returns the path parameters of a path, and reports whether the path matches the pattern.
func match(pattern, segments []string) (params map[string]string, ok bool) {
	if len(pattern) != len(segments) {
		return nil, false
	}
	for i, p := range pattern {
		if !strings.HasPrefix(p, "{") {
			if p != segments[i] {
				return nil, false
			}
			continue
		}
		v, err := url.PathUnescape(segments[i])
		if err != nil || v == "" {
			return nil, false
		}
		if params == nil {
			params = map[string]string{}
		}
		params[strings.Trim(p, "{}")] = v
	}
	return params, true
}
