// SPDX-License-Identifier: Apache-2.0

package gitops

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"golang.org/x/sync/errgroup"

	"github.com/reelops/reelops/internal/testkit"
)

// Environment variables of the test, and their defaults.
const (
	envHistories = "REELOPS_HISTORIES"          // number of histories, default 6; make chaos-gitops runs 2,000
	envParallel  = "REELOPS_HISTORIES_PARALLEL" // number of concurrent histories, default 20
	envSeed      = "SEED"                       // runs only the history of this seed
	envFirst     = "REELOPS_HISTORIES_FIRST"    // the seed of the first history, default 1
	envStates    = "REELOPS_HISTORIES_STATES"   // file for the recorded states, default none
)

// maxFailures ends a run early: further failures of the same kind add no information.
const maxFailures = 25

func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: got %v", name, err)
	}
	return n
}

// TestHistories runs random GitOps histories concurrently. Each failure names its seed; set SEED to repeat that
// history.
func TestHistories(t *testing.T) {
	if testing.Short() {
		t.Skip("runs for minutes")
	}
	count, first := number(t, envHistories, 6), number(t, envFirst, 1)
	if seed := os.Getenv(envSeed); seed != "" {
		count, first = 1, number(t, envSeed, 0)
	}
	cluster, err := testkit.StartCluster()
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, cluster, count)
	s.start(t)
	recorded := &states{seen: map[string]state{}}
	var mu sync.Mutex
	var total tally
	failures, finished, began := 0, 0, time.Now()
	ctx, stop := context.WithCancelCause(t.Context())
	defer stop(nil)
	var work errgroup.Group
	work.SetLimit(number(t, envParallel, 20))
	for i := range count {
		work.Go(func() error {
			if ctx.Err() != nil {
				return nil
			}
			h := newHistory(s, uint64(first+i), i, recorded)
			err := h.run(ctx)
			mu.Lock()
			defer mu.Unlock()
			if err != nil && ctx.Err() != nil {
				return nil
			}
			total.add(h.tally)
			if finished++; finished%100 == 0 {
				t.Logf("%d histories after %s, %d failed", finished, time.Since(began).Round(time.Second), failures)
			}
			if err != nil {
				t.Errorf("history %d (run it again with SEED=%d): %v\n%s", h.seed, h.seed, err, h.story())
				if failures++; failures >= maxFailures {
					stop(errors.New("too many failures"))
				}
			}
			return nil
		})
	}
	_ = work.Wait()
	t.Logf("%d histories from seed %d in %s, %d failed: %d steps, %d rests, %d posts published; outcomes certain before their time: %d published, %d not; %d batches repeated",
		finished, first, time.Since(began).Round(time.Second), failures, total.actions, total.rests, len(s.sandbox.Landed("")),
		total.promisedSent, total.promisedUnsent, total.healed)
	if path := os.Getenv(envStates); path != "" {
		if err := recorded.write(filepath.Clean(path)); err != nil {
			t.Fatal(err)
		}
	}
}

func newLog(w io.Writer) logr.Logger {
	return logr.FromSlogHandler(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelInfo}))
}
