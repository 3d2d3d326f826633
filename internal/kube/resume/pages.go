// SPDX-License-Identifier: Apache-2.0

package resume

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	toolscache "k8s.io/client-go/tools/cache"
)

// pages makes an informer of a kind that is not stored list its objects in pages. A list costs kube-apiserver and the
// client less than half of the processor time of the same objects as initial events of a watch (KEP-3157), and pages
// need as little memory.
type pages struct {
	toolscache.ListerWatcherWithContext
}

// IsWatchListSemanticsUnSupported makes client-go list instead of watching with initial events.
func (pages) IsWatchListSemanticsUnSupported() bool { return true }

// ListWithContext returns one page. An informer requests version 0, for which kube-apiserver ignores the page size. The
// newest version has pages.
func (p pages) ListWithContext(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
	if options.ResourceVersion == "0" {
		options.ResourceVersion = ""
	}
	return p.ListerWatcherWithContext.ListWithContext(ctx, options)
}

// List implements the older interface of client-go.
func (p pages) List(options metav1.ListOptions) (runtime.Object, error) {
	return p.ListWithContext(context.Background(), options)
}

// Watch implements the older interface of client-go.
func (p pages) Watch(options metav1.ListOptions) (watch.Interface, error) {
	return p.WatchWithContext(context.Background(), options)
}
