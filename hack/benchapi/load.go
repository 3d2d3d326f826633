// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"slices"
	"time"

	"github.com/reelops/reelops/hack/pace"
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
	return r.middle(func(one result) time.Duration { return pace.Quantile(one.latencies, q) })
}

// best returns the lowest value over the rounds of a quantile of the latencies: that of the round with the least other
// load on the machine.
func (r results) best(q float64) time.Duration {
	return slices.Min(r.each(func(one result) time.Duration { return pace.Quantile(one.latencies, q) }))
}

func (r results) cpu() time.Duration {
	return r.middle(func(one result) time.Duration { return one.cpu })
}

func (r results) late(q float64) time.Duration {
	return r.middle(func(one result) time.Duration { return pace.Quantile(one.late, q) })
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

// load sends calls at a fixed rate. A status other than 200 is an error.
func load(ctx context.Context, url, key string, rate int, length time.Duration, path func(i int) string) (*result, error) {
	sent, err := pace.Send(ctx, url, key, rate, length, path)
	if sent == nil {
		return nil, err
	}
	return &result{latencies: sent.Latencies, late: sent.Late}, err
}
