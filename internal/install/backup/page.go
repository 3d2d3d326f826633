// SPDX-License-Identifier: Apache-2.0

package backup

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	// pageSize is the number of objects per list request.
	pageSize = 250
	// maxPage limits the size of a page in bytes. It assumes 3 MiB per object, because etcd limits the size of objects.
	maxPage = pageSize * (3 << 20)
)

// pageName returns the name of the archive entry of the n-th page of objects.
func pageName(kind string, n int) string {
	return fmt.Sprintf("%s%06d-%s.jsonl", pagesName, n, strings.ToLower(kind)+"."+kind)
}

// pageKind returns the kind in the name of a page; false if name is not the name of a page.
func pageKind(name string) (string, bool) {
	rest, ok := strings.CutPrefix(name, pagesName)
	if !ok {
		return "", false
	}
	_, rest, _ = strings.Cut(rest, ".")
	return strings.TrimSuffix(rest, ".jsonl"), true
}

// pages lists all objects of a kind and calls each with every page.
func pages(ctx context.Context, c client.Reader, gvk schema.GroupVersionKind, each func([]unstructured.Unstructured) error, opts ...client.ListOption) error {
	next := ""
	for {
		l := list(gvk)
		err := c.List(ctx, l, append([]client.ListOption{client.Limit(pageSize), client.Continue(next)}, opts...)...)
		var status apierrors.APIStatus
		if apierrors.IsResourceExpired(err) && errors.As(err, &status) && status.Status().Continue != "" {
			// Continue with an inconsistent list. It misses no object that existed at the start and still exists.
			next = status.Status().Continue
			continue
		}
		if err != nil {
			return fmt.Errorf("listing %s: %w", gvk.Kind, err)
		}
		if err := each(l.Items); err != nil {
			return err
		}
		if next = l.GetContinue(); next == "" {
			return nil
		}
	}
}

// lines returns the objects as JSON, one per line.
func lines(objects []unstructured.Unstructured) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	for i := range objects {
		if err := enc.Encode(objects[i].Object); err != nil {
			return nil, err
		}
	}
	return out.Bytes(), nil
}

// unlines parses the output of lines.
func unlines(doc []byte) ([]*unstructured.Unstructured, error) {
	var out []*unstructured.Unstructured
	for line := range bytes.Lines(doc) {
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(line); err != nil {
			return nil, fmt.Errorf("%w: an object cannot be read: %w", ErrDamaged, err)
		}
		out = append(out, u)
	}
	return out, nil
}
