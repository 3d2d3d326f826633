// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/kube/lease"
	"github.com/reelops/reelops/internal/process/loopback"
)

const (
	// goalFailover is the longest acceptable time without an attempt after the leading manager died.
	goalFailover = 3 * time.Second
	// between is the time between two failovers.
	between = 8 * time.Second
)

// member is one of two managers.
type member struct {
	cmd    *exec.Cmd
	health string
}

func (s *stage) member() (*member, error) {
	health, err := loopback.Address()
	if err != nil {
		return nil, err
	}
	cmd, err := s.launch("manager", append(s.managerArgs(health), "--leader-elect")...)
	return &member{cmd, health}, err
}

func (m *member) end(with syscall.Signal) {
	if m == nil || m.cmd == nil || m.cmd.Process == nil {
		return
	}
	_ = m.cmd.Process.Signal(with)
	_ = m.cmd.Wait()
}

// warm waits until a manager reports that it is ready.
func (m *member) warm(ctx context.Context) error {
	return until(ctx, time.Minute, 20*time.Millisecond, func() bool { return answers(ctx, "http://"+m.health+"/readyz") })
}

// failover repeatedly ends the leading manager while posts are due. The other manager takes over, and a new one
// replaces it as the standby. It prints how long no attempt began. The first half of the leaders is killed, the second
// half is stopped by SIGTERM.
func (s *stage) failover(ctx context.Context) error {
	_ = s.manager.Process.Kill()
	_ = s.manager.Wait()
	s.manager = nil
	leads, err := s.member()
	if err != nil {
		return err
	}
	defer func() { leads.end(syscall.SIGKILL) }()
	if err := until(ctx, time.Minute, 50*time.Millisecond, func() bool { return s.transitions(ctx) >= 0 }); err != nil {
		return fmt.Errorf("waiting for a leader: %w", err)
	}
	waits, err := s.member()
	if err != nil {
		return err
	}
	defer func() { waits.end(syscall.SIGKILL) }()
	if err := waits.warm(ctx); err != nil {
		return err
	}
	falls := 2 * s.o.falls
	n := s.o.rate * int((time.Duration(falls)*between+2*between)/time.Second)
	first, from := s.nextID+1, time.Now().Add(3*shortNotice).Truncate(time.Second)
	logf("%d posts on %d accounts, %d due per second, from %s on; the leader is killed %d times and stopped by SIGTERM %d times", n, len(s.names), s.o.rate, from.Format(time.TimeOnly), s.o.falls, s.o.falls)
	if err := s.make(ctx, s.spread(n, s.o.rate, from)); err != nil {
		return err
	}
	if time.Now().After(from) {
		return errors.New("creating the posts took too long: reduce --failover or --rate")
	}
	before := s.transitions(ctx)
	var killed, stopped []time.Time
	for i := range falls {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Until(from.Add(time.Duration(i+1) * between))):
		}
		if err := waits.warm(ctx); err != nil {
			return err
		}
		old, now := leads, time.Now()
		leads = waits
		if i < s.o.falls {
			killed = append(killed, now)
			old.end(syscall.SIGKILL)
		} else {
			stopped = append(stopped, now)
			old.end(syscall.SIGTERM)
		}
		if waits, err = s.member(); err != nil {
			return err
		}
	}
	posts, err := s.ended(ctx, first, from.Add(time.Duration(n/s.o.rate)*time.Second))
	if err != nil {
		return err
	}
	gaps := silences(posts, killed)
	logf("from kill -9 to the next attempt: p50 %s, max %s (goal %s: %s)", at(gaps, .5), at(gaps, 1), goalFailover, met(at(gaps, 1) < goalFailover))
	gaps = silences(posts, stopped)
	logf("from SIGTERM to the next attempt: p50 %s, max %s (goal %s: %s)", at(gaps, .5), at(gaps, 1), goalFailover, met(at(gaps, 1) < goalFailover))
	logf("the lease had %d transitions in %d failovers", s.transitions(ctx)-before, falls)
	return s.judge(ctx, posts, false)
}

func met(ok bool) string {
	if ok {
		return "met"
	}
	return "NOT MET"
}

// transitions returns how often the lease changed hands; -1 if there is no lease.
func (s *stage) transitions(ctx context.Context) int {
	l := &coordinationv1.Lease{}
	if err := s.kube.Get(ctx, client.ObjectKey{Namespace: "reelops-system", Name: lease.Manager}, l); err != nil {
		return -1
	}
	return int(ptr.Deref(l.Spec.LeaseTransitions, 0))
}

// silences returns the sorted times from each failover to the next attempt. Attempts that began before the failover do
// not count.
func silences(posts []v1beta1.Post, times []time.Time) []time.Duration {
	var begun []time.Time
	for _, p := range posts {
		for _, a := range p.Status.Attempts {
			begun = append(begun, a.StartedAt.Time)
		}
	}
	slices.SortFunc(begun, time.Time.Compare)
	var out []time.Duration
	for _, t := range times {
		// A manager that receives SIGTERM completes the attempts that it has begun.
		if i, _ := slices.BinarySearchFunc(begun, t, time.Time.Compare); i < len(begun) {
			out = append(out, begun[i].Sub(t))
		}
	}
	slices.Sort(out)
	return out
}
