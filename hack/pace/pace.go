// SPDX-License-Identifier: Apache-2.0

// Package pace sends requests at fixed times, regardless of earlier ones. Their latency counts from the time at which
// they were due, so a server that stalls cannot hide the stall.
package pace

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"
)

// Sent holds the measured times of requests; both lists are sorted.
type Sent struct {
	Latencies []time.Duration
	// Late is how long after its due time a request was sent. The load generator causes it, and it is part of the latency.
	Late []time.Duration
}

// Quantile returns a quantile, from 0 to 1, of a sorted list that is not empty.
func Quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(float64(len(sorted))*q), len(sorted)-1)]
}

// Send sends GET requests with an API key at a rate per second. path returns the path of the n-th. A status other than
// 200 is an error; the times are returned with it. If the context ends, it returns only the error of the context.
func Send(
	ctx context.Context, url, key string, rate int, length time.Duration, path func(i int) string,
) (*Sent, error) {
	client := NewClient()
	defer client.CloseIdleConnections()
	n := int(length.Seconds() * float64(rate))
	out := &Sent{Latencies: make([]time.Duration, n), Late: make([]time.Duration, n)}
	header := http.Header{"Authorization": {"Bearer " + key}}
	var calls sync.WaitGroup
	var first sync.Once
	var failed error
	// Sleep in the thread itself: timers of the runtime are late by up to a millisecond.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	began := time.Now().Add(10 * time.Millisecond)
	for i := range n {
		due := began.Add(time.Duration(i) * time.Second / time.Duration(rate))
		if wait := time.Until(due); wait > 0 {
			ts := syscall.NsecToTimespec(int64(wait))
			_ = syscall.Nanosleep(&ts, nil)
		}
		if ctx.Err() != nil {
			break
		}
		calls.Add(1)
		go func() {
			defer calls.Done()
			out.Late[i] = time.Since(due)
			err := Get(client, url+path(i), header)
			out.Latencies[i] = time.Since(due)
			if err != nil {
				first.Do(func() { failed = err })
			}
		}()
	}
	calls.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.Sort(out.Latencies)
	slices.Sort(out.Late)
	return out, failed
}

// NewClient returns a client for many concurrent requests to one server.
func NewClient() *http.Client {
	return &http.Client{
		Transport: &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 512, DisableCompression: true},
		Timeout:   30 * time.Second,
	}
}

// Get sends a request and reads the whole response. A status other than 200 is an error.
func Get(client *http.Client, url string, header http.Header) error {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header = header
	res, err := client.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	_, err = io.Copy(io.Discard, res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", url, res.Status)
	}
	return err
}
