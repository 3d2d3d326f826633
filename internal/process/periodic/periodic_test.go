// SPDX-License-Identifier: Apache-2.0

package periodic

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr/funcr"
	testclock "k8s.io/utils/clock/testing"
)

func TestDelete(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	c := testclock.NewFakeClock(time.Now())
	passed, ended := make(chan int), make(chan struct{})
	var logged []string
	log := funcr.New(func(_, line string) { logged = append(logged, line) }, funcr.Options{LogTimestamp: false})
	results := []struct {
		n   int
		err error
	}{{2, nil}, {0, errors.New("no store")}, {0, nil}}
	i := 0
	go func() {
		defer close(ended)
		Delete(ctx, c, time.Hour, log, "old files", func(context.Context) (int, error) {
			passed <- i
			i++
			return results[i-1].n, results[i-1].err
		})
	}()
	for want := range results {
		if got := <-passed; got != want {
			t.Errorf("got pass %d, want %d", got, want)
		}
		for !c.HasWaiters() {
			time.Sleep(time.Millisecond)
		}
		c.Step(time.Hour - time.Second)
		select {
		case <-passed:
			t.Fatal("a pass before the interval has elapsed")
		default:
		}
		if want == len(results)-1 {
			break
		}
		c.Step(time.Second)
	}
	stop()
	<-ended
	want := []string{
		`"level"=0 "msg"="deleted old files" "count"=2`,
		`"msg"="deleting old files failed; the next pass repeats it" "error"="no store"`,
	}
	if !slices.Equal(logged, want) {
		t.Errorf("logged %q, want %q", logged, want)
	}
}
