// SPDX-License-Identifier: Apache-2.0

package main

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

// result is the result of one measurement; its lists are sorted.
type result struct {
	latencies []time.Duration
	// late is how long after its due time a call was sent. The load generator causes it, and it is part of the latency.
	late []time.Duration
	// cpu is the processor time of the front end for one call, including garbage collection.
	cpu time.Duration
}

type results []result

// of returns the median over the rounds of a quantile of the latencies.
func (r results) of(q float64) time.Duration {
	return r.middle(func(one result) time.Duration { return quantile(one.latencies, q) })
}

// best returns the lowest value over the rounds of a quantile of the latencies: that of the round with the least other
// load on the machine.
func (r results) best(q float64) time.Duration {
	return slices.Min(r.each(func(one result) time.Duration { return quantile(one.latencies, q) }))
}

func (r results) cpu() time.Duration {
	return r.middle(func(one result) time.Duration { return one.cpu })
}

func (r results) late(q float64) time.Duration {
	return r.middle(func(one result) time.Duration { return quantile(one.late, q) })
}

func (r results) each(of func(result) time.Duration) (out []time.Duration) {
	for _, one := range r {
		out = append(out, of(one))
	}
	return out
}

func (r results) middle(of func(result) time.Duration) time.Duration {
	all := r.each(of)
	slices.Sort(all)
	return all[len(all)/2]
}

func quantile(sorted []time.Duration, q float64) time.Duration {
	return sorted[min(int(float64(len(sorted))*q), len(sorted)-1)]
}

// load sends calls at a fixed rate. A status other than 200 is an error.
func load(ctx context.Context, url, key string, rate int, length time.Duration, path func(i int) string) (*result, error) {
	client := newClient()
	defer client.CloseIdleConnections()
	n := int(length.Seconds() * float64(rate))
	out := &result{latencies: make([]time.Duration, n), late: make([]time.Duration, n)}
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
			out.late[i] = time.Since(due)
			err := call(client, url+path(i), header)
			out.latencies[i] = time.Since(due)
			if err != nil {
				first.Do(func() { failed = err })
			}
		}()
	}
	calls.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	slices.Sort(out.latencies)
	slices.Sort(out.late)
	return out, failed
}

func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConns: 512, MaxIdleConnsPerHost: 512, DisableCompression: true}, Timeout: 30 * time.Second}
}

func call(client *http.Client, url string, header http.Header) error {
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
