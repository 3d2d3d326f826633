// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/reelops/reelops/internal/e2e/atrest"
)

// steady counts the writes to the cluster while nothing happens.
func steady(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("benchapi steady", flag.ContinueOnError)
	bin := f.String("bin", "bin", "folder with the built programs, etcd and kube-apiserver")
	shorts := f.Int("shorts", 10_000, "number of finished shorts")
	length := f.Duration("for", 10*time.Minute, "duration of the observation")
	if err := f.Parse(args); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "reelops-steady-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	s, err := atrest.Start(ctx, atrest.Options{Bin: *bin, Folder: folder}, *shorts, logf)
	if err != nil {
		return err
	}
	defer s.Stop()
	logf("watching for %s", *length)
	began := time.Now()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(*length):
	}
	writes, err := s.Writes(began)
	if err != nil {
		return err
	}
	fmt.Printf("%d finished shorts, %s: %d writes to the cluster by the manager and the front end   goal 0: %s\n",
		*shorts, *length, len(writes), met(len(writes) == 0))
	counts := map[string]int{}
	for _, w := range writes {
		counts[w.Agent+" "+w.Verb+" "+w.Resource]++
	}
	for what, n := range counts {
		fmt.Printf("%6d  %s\n", n, what)
	}
	return nil
}
