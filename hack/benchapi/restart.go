// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/reelops/reelops/internal/e2e/atrest"
)

// goalReady is the longest acceptable time of a restart with many objects.
const goalReady = 20 * time.Second

// restart kills the manager and the front end of an installation with many objects and starts both at once. It prints
// when each was ready, and how much memory an object takes.
func restart(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("benchapi restart", flag.ContinueOnError)
	bin := f.String("bin", "bin", "folder with the built programs, etcd and kube-apiserver")
	objects := f.Int("objects", 100_000, "number of objects: 60% finished shorts, 40% published posts")
	rounds := f.Int("rounds", 3, "number of rounds; each has one cold and one warm restart of both programs")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *objects < 10 || *rounds < 1 {
		return errors.New("--objects must be at least 10, --rounds at least 1")
	}
	folder, err := os.MkdirTemp("", "reelops-restart-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	shorts := *objects * 6 / 10
	began := time.Now()
	s, err := atrest.Start(ctx, atrest.Options{Bin: *bin, Folder: folder}, 1, logf)
	if err != nil {
		return err
	}
	defer s.Stop()
	manager0, front0, err := s.Restart(ctx, false)
	if err != nil {
		return err
	}
	logf("with one object: the manager is ready after %s, the front end after %s", round(manager0.Ready), round(front0.Ready))
	logf("creating %d shorts and %d posts", shorts, *objects-shorts)
	if err := s.Copies(ctx, shorts-1); err != nil {
		return err
	}
	if err := s.Posts(ctx, *objects-shorts); err != nil {
		return err
	}
	logf("created in %s", time.Since(began).Round(time.Second))
	var kept int64
	var worst, slowest time.Duration // of the warm starts, and of the cold starts
	fmt.Printf("%d objects   %-10s %-8s %10s %10s %12s %12s %14s\n", *objects, "", "start", "ready", "CPU", "resident", "peak", "bytes/object")
	for i := range *rounds * 2 {
		goOn, start := i%2 == 1, "cold"
		if goOn {
			start = "warm"
		}
		manager, front, err := s.Restart(ctx, goOn)
		if err != nil {
			return err
		}
		for _, x := range []struct {
			name        string
			now, before atrest.Started
		}{{"manager", manager, manager0}, {"front end", front, front0}} {
			fmt.Printf("%*s   %-10s %-8s %10s %10s %9.0f MB %9.0f MB %14d\n", len(fmt.Sprint(*objects))+8, "", x.name, start, round(x.now.Ready), round(x.now.CPU),
				float64(x.now.Resident)/1e6, float64(x.now.Peak)/1e6, (x.now.Resident-x.before.Resident)/int64(*objects))
			if goOn {
				worst = max(worst, x.now.Ready)
			} else {
				slowest = max(slowest, x.now.Ready)
			}
		}
		if kept, err = s.Kept(ctx); err != nil {
			return err
		}
	}
	quiet := time.Now()
	if err := s.Quiet(ctx); err != nil {
		return err
	}
	w, err := s.Writes(quiet.Add(-worst))
	if err != nil {
		return err
	}
	counts := map[string]int{}
	for _, x := range w {
		counts[x.Agent+" "+x.Verb+" "+x.Resource]++
	}
	for what, n := range counts {
		fmt.Printf("%6d  %s\n", n, what)
	}
	fmt.Printf("informer snapshots of both programs: %d bytes per object\n", kept/int64(*objects))
	fmt.Printf("slowest warm restart: %s, %.1f times faster than cold (%s)   goal < %s: %s; writes after the last restart: %d\n",
		round(worst), slowest.Seconds()/worst.Seconds(), round(slowest), goalReady, met(worst < goalReady), len(w))
	return nil
}

func round(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
