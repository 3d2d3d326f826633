// SPDX-License-Identifier: Apache-2.0

package problem_test

import (
	"errors"
	"fmt"
	"net"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/reelops/reelops/apiserver/problem"
	"github.com/reelops/reelops/internal/catalog"
)

func TestFrom_HidesUnexpectedErrors(t *testing.T) {
	p := problem.From(errors.New("secret path /var/lib"), "req-1")
	if p.Code != catalog.InternalError || p.Status != 500 || !p.Retryable {
		t.Errorf("got %s %d retryable=%v", p.Code, p.Status, p.Retryable)
	}
	if p.Message != "An internal error occurred." {
		t.Errorf("message %q contains the cause", p.Message)
	}
	if p.Details["request_id"] != "req-1" {
		t.Errorf("details %v lack the request id", p.Details)
	}
}

func TestFrom_DetectsAnUnavailableCluster(t *testing.T) {
	for name, err := range map[string]error{
		"connection refused": fmt.Errorf("creating: %w", &net.OpError{Op: "dial", Err: errors.New("connection refused")}),
		"overloaded":         apierrors.NewTooManyRequests("later", 1),
		"timeout":            apierrors.NewTimeoutError("slow", 1),
	} {
		t.Run(name, func(t *testing.T) {
			p := problem.From(err, "r")
			if p.Code != catalog.InternalError || p.Status != 503 || p.RetryAfter != problem.RetryAwayAfter {
				t.Errorf("got %s %d, wait %s", p.Code, p.Status, p.RetryAfter)
			}
		})
	}
}

func TestFrom_KeepsAProblem(t *testing.T) {
	p := problem.New(catalog.NotFound, nil)
	if got := problem.From(fmt.Errorf("reading: %w", p), "r"); got != p {
		t.Errorf("got %v", got)
	}
}

func TestSecondsRoundsUp(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "1", time.Millisecond: "1", time.Second: "1", 1001 * time.Millisecond: "2", 15 * time.Second: "15"} {
		if got := problem.Seconds(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func TestFrom_ResourceQuotaIsQuotaExceeded(t *testing.T) {
	full := apierrors.NewForbidden(schema.GroupResource{Group: "reelops.dev", Resource: "slideshows"}, "short-1",
		errors.New("exceeded quota: content, requested: count/slideshows.reelops.dev=1, used: count/slideshows.reelops.dev=5, limited: count/slideshows.reelops.dev=5"))
	if p := problem.From(fmt.Errorf("creating a short: %w", full), "r"); p.Code != catalog.QuotaExceeded || p.Status != 403 || p.Retryable {
		t.Errorf("%+v", p)
	}
	denied := apierrors.NewForbidden(schema.GroupResource{Resource: "slideshows"}, "short-1", errors.New("no role"))
	if p := problem.From(denied, "r"); p.Code != catalog.InternalError {
		t.Errorf("%+v", p)
	}
}
