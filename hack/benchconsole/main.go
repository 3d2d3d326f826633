// SPDX-License-Identifier: Apache-2.0

// Command benchconsole measures the console in Chromium: the calendar of a month with many posts beside an empty month,
// the library of a brand with many shorts beside an empty one, and previews of the slide editor beside API calls.
//
// It starts a kube-apiserver with etcd, and a front end as a separate process. Shorts and posts are created in the
// cluster. Full and empty pages are opened in alternation in one run, because the load on a machine changes. Everything
// is on the loopback interface, and the run ends after the given number of rounds.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/reelops/reelops/internal/e2e/atrest"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)      // a second signal ends the program at once
	ctrllog.SetLogger(logr.Discard()) // failures are returned as errors
	if err := bench(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "benchconsole:", err)
		os.Exit(1)
	}
}

// plan holds the parameters of the benchmark.
type plan struct {
	bin           string
	shorts, posts int
	rounds        int
	editors, rate int
	length, think time.Duration
}

func parsePlan(args []string) (*plan, error) {
	p := &plan{}
	f := flag.NewFlagSet("benchconsole", flag.ContinueOnError)
	f.StringVar(&p.bin, "bin", "bin", "folder with the built programs, etcd and kube-apiserver")
	f.IntVar(&p.shorts, "shorts", 10_000, "number of shorts of the full library; 0 skips the library")
	f.IntVar(&p.posts, "posts", 5_000, "number of posts of the full month; 0 skips the calendar")
	f.IntVar(&p.rounds, "rounds", 7, "number of times that each page is opened")
	f.IntVar(&p.editors, "editors", 20, "number of editors at once; 0 skips the previews")
	f.IntVar(&p.rate, "rate", 200, "API calls per second beside the editors")
	f.DurationVar(&p.length, "length", 30*time.Second, "duration of one measurement of previews")
	f.DurationVar(&p.think, "think", time.Second, "pause of an editor between a preview and the next change")
	if err := f.Parse(args); err != nil {
		return nil, err
	}
	if p.shorts < 0 || p.posts < 0 || p.editors < 0 || p.rounds < 1 || p.rate < 1 || p.length < time.Second {
		return nil, errors.New("numbers must not be negative, rounds and rate at least 1, length at least 1s")
	}
	return p, nil
}

func bench(ctx context.Context, args []string) error {
	p, err := parsePlan(args)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "reelops-console-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := atrest.Start(ctx, atrest.Options{Bin: p.bin, Folder: folder}, 1, logf)
	if err != nil {
		return err
	}
	defer s.Stop()
	empty, err := s.AddBrand(ctx, "empty")
	if err != nil {
		return err
	}
	// Each editor has a short of its own.
	shorts := max(p.shorts, 2*p.editors)
	logf("creating %d shorts and %d posts", shorts, p.posts)
	if err := s.Copies(ctx, shorts-1); err != nil {
		return err
	}
	if p.posts > 0 {
		if err := s.PostsAt(ctx, p.posts, inThisMonth(time.Now(), p.posts)); err != nil {
			return err
		}
	}
	if err := s.ServeAlone(ctx, "--ceilings", "global=1000000/5m,unauthenticated=1000000/5m"); err != nil {
		return err
	}
	b, err := startBrowser(ctx)
	if err != nil {
		return err
	}
	defer b.close()
	full, err := b.signIn(s)
	if err != nil {
		return err
	}
	if p.posts > 0 {
		if err := p.calendar(b, full, empty); err != nil {
			return err
		}
	}
	if p.shorts > 0 {
		if err := p.library(b, full, empty); err != nil {
			return err
		}
	}
	if p.editors > 0 {
		return p.previews(ctx, b, s, full)
	}
	return nil
}

// inThisMonth returns the times of n posts, spread evenly over the month of now.
func inThisMonth(now time.Time, n int) func(i int) time.Time {
	first := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	month := first.AddDate(0, 1, 0).Sub(first)
	return func(i int) time.Time { return first.Add(month / time.Duration(n) * time.Duration(i-1)) }
}

func logf(format string, a ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format("15:04:05")+"  "+format+"\n", a...)
}
