// SPDX-License-Identifier: Apache-2.0

// Command benchapi measures what an API call costs with few shorts and with many.
//
// It starts a kube-apiserver with etcd, and front ends as separate processes that read it. This process generates the
// load over loopback. Calls are sent at fixed times, regardless of earlier calls, and their latency counts from the
// time at which they were due. A server that stalls therefore cannot hide the stall. Front ends of different sizes are
// measured in alternation, because the load on a machine changes all the time.
//
// For a million shorts the index is filled directly, through the event handlers that the cache calls. In addition,
// fewer shorts are created in the cluster, and the same list is requested from kube-apiserver.
//
// With the first argument "steady" it counts the writes of the manager and the front end while nothing happens. With
// "restart" it measures how long both take to start with many objects, with "scale" an installation whose archive grows,
// with "year" an installation over a simulated year, and with "analytics" pages of an account with many posts.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)      // a second signal ends the program at once
	ctrllog.SetLogger(logr.Discard()) // failures are returned as errors
	args := os.Args[1:]
	run := bench
	if len(args) > 0 {
		switch args[0] {
		case "serve":
			run, args = serve, args[1:]
		case "steady":
			run, args = steady, args[1:]
		case "restart":
			run, args = restart, args[1:]
		case "scale":
			run, args = scale, args[1:]
		case "year":
			run, args = year, args[1:]
		case "analytics":
			run, args = numbers, args[1:]
		}
	}
	if err := run(ctx, args); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "benchapi:", err)
		os.Exit(1)
	}
}

// plan holds the parameters of the benchmark.
type plan struct {
	filled []int
	real   int
	rate   int
	rounds int
	length time.Duration
	bin    string
	pprof  string
}

func parsePlan(args []string) (*plan, error) {
	p := &plan{}
	f := flag.NewFlagSet("benchapi", flag.ContinueOnError)
	filled := f.String("filled", "10000,1000000", "index sizes in shorts to measure without a cluster, smallest first")
	f.IntVar(&p.real, "real", 20_000, "number of shorts to create in the cluster; 0 skips this part")
	f.IntVar(&p.rate, "rate", 1000, "requests per second")
	f.IntVar(&p.rounds, "rounds", 3, "number of measurement rounds for each front end")
	f.DurationVar(&p.length, "length", 10*time.Second, "duration of one measurement")
	f.StringVar(&p.bin, "bin", "bin", "folder with etcd and kube-apiserver")
	f.StringVar(&p.pprof, "profile", "", "write a CPU profile of the largest filled front end under load to this file")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	for text := range strings.SplitSeq(*filled, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("--filled: %q is not a number of shorts", text)
		}
		p.filled = append(p.filled, n)
	}
	if p.rate < 1 || p.rounds < 1 || p.length < time.Second {
		return nil, errors.New("rate and rounds must be positive, length at least 1s")
	}
	return p, nil
}

// subject is a front end that is measured, with its results.
type subject struct {
	name   string
	shorts int
	front  *frontEnd
	// results are indexed like calls.
	results [len(calls)]results
}

// measured is a kind of call.
type measured struct {
	name string
	path func(i, shorts int) string
}

// calls begins with a call that only authenticates its caller. The other calls are compared with it.
var calls = [...]measured{
	{"GET /errors/{code}", func(int, int) string { return "/api/v1/errors/not_found" }},
	{"GET /shorts?per_page=25", func(int, int) string { return "/api/v1/shorts?per_page=25" }},
	{"GET /jobs/{id}", func(i, shorts int) string { return "/api/v1/jobs/" + strconv.FormatInt(idAt(i*7919, shorts), 10) }},
}

func bench(ctx context.Context, args []string) error {
	p, err := parsePlan(args)
	if err != nil {
		return err
	}
	c, err := startCluster(ctx, p.bin)
	if err != nil {
		return err
	}
	defer c.stop()
	var filled []*subject
	for _, n := range p.filled {
		s := &subject{name: "filled", shorts: n}
		logf("filling an index with %d shorts", n)
		if s.front, err = c.frontEnd(ctx, n); err != nil {
			return err
		}
		defer s.front.stop()
		filled = append(filled, s)
	}
	if err := p.measure(ctx, c, filled); err != nil {
		return err
	}
	if p.pprof != "" {
		if err := p.profile(ctx, c, filled[len(filled)-1]); err != nil {
			return err
		}
	}
	for _, s := range filled {
		s.front.stop()
	}
	all := filled
	var compared *comparison
	if p.real > 0 {
		s := &subject{name: "created", shorts: p.real}
		if s.front, err = c.frontEnd(ctx, 0); err != nil {
			return err
		}
		defer s.front.stop()
		if err := c.create(ctx, p.real); err != nil {
			return err
		}
		if err := s.front.holds(ctx, p.real); err != nil {
			return err
		}
		if err := p.measure(ctx, c, []*subject{s}); err != nil {
			return err
		}
		if compared, err = c.compare(ctx, s.front); err != nil {
			return err
		}
		all = append(all, s)
	}
	p.print(all, compared)
	return nil
}

// measure alternates between the front ends, so that changes in the machine's load affect all of them.
func (p *plan) measure(ctx context.Context, c *cluster, subjects []*subject) error {
	for n := range p.rounds + 1 { // the first round is a short warm-up
		length := p.length
		if n == 0 {
			length = time.Second
		} else {
			logf("measuring, round %d of %d", n, p.rounds)
		}
		for _, s := range subjects {
			for i, call := range calls {
				before, err := s.front.cpu()
				if err != nil {
					return err
				}
				one, err := load(ctx, s.front.url, c.key, p.rate, length, func(n int) string { return call.path(n, s.shorts) })
				if err != nil {
					return err
				}
				after, err := s.front.cpu()
				if err != nil {
					return err
				}
				one.cpu = (after - before) / time.Duration(len(one.latencies))
				if n > 0 {
					s.results[i] = append(s.results[i], *one)
				}
			}
		}
	}
	return nil
}

func logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
