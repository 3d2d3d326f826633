// SPDX-License-Identifier: Apache-2.0

// Command benchpublish measures publishing with a real API server and the sandbox. It prints the lateness of posts
// when many are due each second, and the API writes per post. It also prints the time until all posts are claimed when
// very many are due in one second. With --kills it kills the manager repeatedly meanwhile. With --failover it ends the
// leader of two managers. With --archive it measures archiving alone and while posts are due. Every run is checked
// against the sandbox's ledger: no post is published twice, and none is missing.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

type options struct {
	bin       string
	platforms []string
	accounts  int
	rate      int
	duration  time.Duration
	burst     int
	lead      time.Duration
	kills     int
	falls     int
	// archive is the number of units to archive, archiveAccounts that of the accounts of each half of them.
	archive         int
	archiveAccounts int
	keep            bool
}

func main() {
	o := options{}
	names := flag.String("platforms", "tiktok,linkedin", "comma-separated platforms to publish to")
	flag.StringVar(&o.bin, "bin", "bin", "folder with localkube, manager and sandbox")
	flag.IntVar(&o.accounts, "accounts", 250, "accounts on each platform")
	flag.IntVar(&o.rate, "rate", 100, "posts due per second")
	flag.DurationVar(&o.duration, "for", time.Minute, "time during which posts are due; 0 skips this part")
	flag.IntVar(&o.burst, "burst", 10_000, "posts due in one second; 0 skips this part")
	flag.DurationVar(&o.lead, "lead", 3*time.Minute, "time between the creation of the posts and the first due one; uploads happen in that time")
	flag.IntVar(&o.kills, "kills", 0, "number of kills of the manager at random moments while posts are due")
	flag.IntVar(&o.falls, "failover", 0, "run two managers and end the leader this many times by kill -9, then as many times by SIGTERM, while posts are due")
	flag.IntVar(&o.archive, "archive", 0, "number of settled units to archive: one half alone, the other while posts are due")
	flag.IntVar(&o.archiveAccounts, "archive-accounts", 1, "number of accounts that have the units of each half")
	flag.BoolVar(&o.keep, "keep", false, "keep the data and the logs")
	flag.Parse()
	o.platforms = strings.Split(*names, ",")
	if o.archive > 0 && (o.archiveAccounts < 1 || o.archive < 2*o.archiveAccounts || o.duration < time.Second) {
		fmt.Fprintln(os.Stderr, "benchpublish: --archive needs a unit for each account of both halves, and --for at least 1s")
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "benchpublish:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	s, err := startStage(ctx, o)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.connect(ctx); err != nil {
		return err
	}
	var errs []error
	switch {
	case o.falls > 0:
		errs = append(errs, s.failover(ctx))
	case o.kills > 0:
		errs = append(errs, s.chaos(ctx))
	case o.archive > 0:
		errs = append(errs, s.archiving(ctx))
	default:
		if o.duration > 0 {
			_, err := s.stream(ctx, s.soon())
			errs = append(errs, err)
		}
		if o.burst > 0 {
			errs = append(errs, s.atOnce(ctx))
		}
	}
	return errors.Join(errs...)
}

func logf(format string, args ...any) {
	fmt.Printf("%s  %s\n", time.Now().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}
