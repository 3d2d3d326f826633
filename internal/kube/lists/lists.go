// SPDX-License-Identifier: Apache-2.0

// Package lists reads all objects of a kind from the cluster and decodes each while the next ones arrive. A list of any
// size needs the memory of its decoded objects only.
package lists

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"reflect"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// pageSize is the number of objects in a page, as client-go requests.
const pageSize = 500

// Lister lists the objects of one kind in all namespaces.
//
// It requests all objects in one response. kube-apiserver serves such a list from its cache; for pages it may have to
// read etcd. It also ends a response after --request-timeout, by default a minute. So after a response that was cut
// off, the Lister requests pages.
type Lister struct {
	rest     rest.Interface
	resource string
	selector string
	params   runtime.ParameterCodec
	example  reflect.Type // struct type
	paged    atomic.Bool
}

// New returns a Lister for the kind of an example, which is registered in the scheme. It lists the objects that match
// the selector; nil matches all.
func New(
	config *rest.Config, scheme *runtime.Scheme, example client.Object, selector labels.Selector,
) (*Lister, error) {
	gvk, err := apiutil.GVKForObject(example, scheme)
	if err != nil {
		return nil, err
	}
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeJSON
	config.UserAgent = cmp.Or(config.UserAgent, rest.DefaultKubernetesUserAgent())
	web, err := rest.HTTPClientFor(config) // clients of the same cluster share their connections
	if err != nil {
		return nil, err
	}
	r, err := apiutil.RESTClientForGVK(gvk, true, false, config, serializer.NewCodecFactory(scheme), web)
	if err != nil {
		return nil, err
	}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	l := &Lister{
		rest: r, resource: plural.Resource, params: runtime.NewParameterCodec(scheme),
		example: reflect.TypeOf(example).Elem(),
	}
	if selector != nil {
		l.selector = selector.String()
	}
	return l, nil
}

// Each passes every object to a function, one after the other, and returns the resource version of the list. The list
// is at least as new as version; an empty one, and "0", mean the newest. It returns the first error of the function.
func (l *Lister) Each(ctx context.Context, version string, each func(client.Object) error) (string, error) {
	options := metav1.ListOptions{LabelSelector: l.selector}
	if version != "0" {
		options.ResourceVersion = version
	}
	if l.paged.Load() {
		options.Limit = pageSize
	}
	for {
		page, err := l.page(ctx, options, each)
		if err != nil || page.Continue == "" {
			return page.ResourceVersion, err
		}
		options.Continue, options.ResourceVersion = page.Continue, ""
	}
}

// page requests one response.
func (l *Lister) page(
	ctx context.Context, options metav1.ListOptions, each func(client.Object) error,
) (metav1.ListMeta, error) {
	body, err := l.rest.Get().Resource(l.resource).VersionedParams(&options, l.params).Stream(ctx)
	if err != nil {
		return metav1.ListMeta{}, err
	}
	defer func() { _ = body.Close() }()
	var failed error
	page, err := decode(body, func(d *jsontext.Decoder) error {
		o := reflect.New(l.example).Interface().(client.Object)
		if err := json.UnmarshalDecode(d, o); err != nil {
			return err
		}
		failed = each(o)
		return failed
	})
	switch {
	case failed != nil:
		return page, failed
	case err != nil:
		l.paged.Store(ctx.Err() == nil)
		return page, fmt.Errorf("listing %s: %w", l.resource, err)
	}
	return page, nil
}

// decode reads a list. It calls item at the beginning of each object.
func decode(r io.Reader, item func(*jsontext.Decoder) error) (page metav1.ListMeta, err error) {
	// The objects are valid JSON, as kube-apiserver has encoded them.
	d := jsontext.NewDecoder(r, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	err = members(d, '{', func() error {
		name, err := d.ReadToken()
		if err != nil {
			return err
		}
		switch name.String() {
		case "metadata":
			return json.UnmarshalDecode(d, &page)
		case "items":
			if d.PeekKind() == 'n' { // null: a list without objects
				return d.SkipValue()
			}
			return members(d, '[', func() error { return item(d) })
		}
		return d.SkipValue()
	})
	if err == nil {
		_, err = io.Copy(io.Discard, r) // a response that is closed before its end is canceled
	}
	return page, err
}

// members reads an object or an array. It calls next at the beginning of each member.
func members(d *jsontext.Decoder, opening jsontext.Kind, next func() error) error {
	start, err := d.ReadToken()
	if err != nil {
		return err
	}
	if start.Kind() != opening {
		return fmt.Errorf("got %s at offset %d, want %s", start.Kind(), d.InputOffset(), opening)
	}
	for {
		switch d.PeekKind() {
		case '}', ']', 0: // 0 is an error, which the next read returns
			_, err := d.ReadToken()
			return err
		}
		if err := next(); err != nil {
			return err
		}
	}
}
