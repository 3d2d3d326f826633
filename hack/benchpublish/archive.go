// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/hack/settled"
	"github.com/reelops/reelops/internal/e2e/atrest"
)

const (
	// goalUnits is the least acceptable number of units per second that a manager archives on two processors, which the
	// API server and etcd share: two writes for each object are needed.
	goalUnits = 5
	// calm is how long the manager may not write an object of a unit before it counts as idle.
	calm = 5 * time.Second
	// leaveTime is how long to wait until all units have left.
	leaveTime = 30 * time.Minute
)

// departure is the result of archiving half of the units.
type departure struct {
	units int
	// took is the time from the switch until all units had left. It includes the waits of the controller.
	took time.Duration
	// inTime is the number of units that had left at the deadline.
	inTime int
	// requests are those of the manager about the accounts, by verb, resource and status of refused ones.
	requests map[string]int
	cost     spent
}

// archiving measures the stream of due posts without archiving, archiving alone, and both at once.
func (s *stage) archiving(ctx context.Context) error {
	if err := s.fill(ctx); err != nil {
		return err
	}
	half := s.o.archiveAccounts
	logf("part 1: publishing without archiving")
	from, before := s.soon(), cpu()
	posts, wrong := s.stream(ctx, from)
	if len(posts) == 0 {
		return wrong
	}
	cost := cpu().minus(before)

	logf("part 2: archiving without publishing")
	before = cpu()
	alone, err := s.depart(ctx, s.histories()[:half], time.Now().Add(leaveTime))
	if err != nil {
		return errors.Join(wrong, err)
	}
	alone.cost = cpu().minus(before)

	logf("part 3: archiving while posts are due")
	from2 := s.soon()
	before = cpu()
	posts2, beside, err := s.both(ctx, from2, s.histories()[half:])
	wrong = errors.Join(wrong, err)
	if beside == nil || len(posts2) == 0 {
		return wrong
	}
	beside.cost = cpu().minus(before).minus(cost)

	printDepartures(alone, beside)
	s.printLateness(beside, dueWithin(posts, from, beside.took), dueWithin(posts2, from2, beside.took))
	return errors.Join(wrong, s.archived(ctx))
}

// both runs the stream of due posts, and archives the units of accounts from the time on at which the first is due. An
// error of one does not end the other.
func (s *stage) both(
	ctx context.Context, from time.Time, accounts []string,
) (posts []v1beta1.Post, d *departure, err error) {
	var work sync.WaitGroup
	var failed error
	work.Go(func() {
		select {
		case <-ctx.Done():
			failed = ctx.Err()
		case <-time.After(time.Until(from)):
			d, failed = s.depart(ctx, accounts, from.Add(s.o.duration))
		}
	})
	posts, err = s.stream(ctx, from)
	work.Wait()
	return posts, d, errors.Join(err, failed)
}

// fill creates the units while the manager is stopped, and waits until it is idle again.
func (s *stage) fill(ctx context.Context) error {
	_ = s.manager.Process.Kill()
	_ = s.manager.Wait()
	began := time.Now()
	logf("creating %d units in %d accounts", s.unitsEach()*len(s.histories()), len(s.histories()))
	for i, namespace := range s.histories() {
		if err := s.createHistory(ctx, namespace, i, s.unitsEach()); err != nil {
			return fmt.Errorf("creating units: %w", err)
		}
	}
	logf("created in %s", time.Since(began).Round(time.Second/10))
	if err := s.startManager(); err != nil {
		return err
	}
	began = time.Now()
	idle := func() bool {
		if time.Since(began) < calm || !answers(ctx, "http://"+s.health+"/readyz") {
			return false
		}
		all, err := s.plane.Writes(time.Now().Add(-calm))
		return err == nil && !slices.ContainsFunc(all, ofHistory)
	}
	if err := until(ctx, leaveTime, 2*time.Second, idle); err != nil {
		return fmt.Errorf("waiting until the manager is idle: %w", err)
	}
	logf("the manager is idle after %s", time.Since(began).Round(time.Second/10))
	return nil
}

// histories returns the accounts with units: those of the first half, and then those of the second.
func (s *stage) histories() []string {
	if s.o.archive == 0 {
		return nil
	}
	var out []string
	for i := range 2 * s.o.archiveAccounts {
		out = append(out, fmt.Sprintf("%s%d", historyPrefix, i))
	}
	return out
}

func (s *stage) unitsEach() int { return s.o.archive / (2 * s.o.archiveAccounts) }

// depart switches archiving on for accounts, waits until all units have left, and switches it off.
func (s *stage) depart(ctx context.Context, accounts []string, deadline time.Time) (*departure, error) {
	began, d := time.Now(), &departure{units: s.unitsEach() * len(accounts)}
	for _, a := range accounts {
		if err := s.setArchive(ctx, a, nil); err != nil {
			return nil, err
		}
	}
	var failed error
	err := until(ctx, leaveTime, 200*time.Millisecond, func() bool {
		var left int
		if left, failed = s.left(ctx, accounts); time.Now().Before(deadline) {
			d.inTime = left
		}
		return failed != nil || left >= d.units
	})
	d.took = time.Since(began)
	if err := errors.Join(err, failed); err != nil {
		return nil, fmt.Errorf("waiting until %d units have left: %w", d.units, err)
	}
	for _, a := range accounts {
		if err := s.setArchive(ctx, a, ptr.To(int32(0))); err != nil {
			return nil, err
		}
	}
	all, err := s.plane.Requests(began)
	if err != nil {
		return nil, err
	}
	d.requests = map[string]int{}
	for _, r := range all {
		if !ofManager(r) || !ofHistory(r) {
			continue
		}
		kind := r.Verb + " " + r.Resource
		if r.Code > 299 {
			kind += fmt.Sprintf(" (%d)", r.Code)
		}
		d.requests[kind]++
	}
	return d, nil
}

// setArchive sets archiveAfterDays of an account: 0 for off, nil for the default of the manager.
func (s *stage) setArchive(ctx context.Context, namespace string, days *int32) error {
	a := &v1beta1.Account{}
	if err := s.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.AccountName}, a); err != nil {
		return err
	}
	before := a.DeepCopy()
	a.Spec.Plan.ArchiveAfterDays = days
	return s.kube.Patch(ctx, a, client.MergeFrom(before))
}

// left returns the number of units of accounts that are in the archive and not in the cluster.
func (s *stage) left(ctx context.Context, accounts []string) (n int, err error) {
	for _, namespace := range accounts {
		a, err := s.archiveOf(ctx, namespace)
		if err != nil {
			return 0, err
		}
		for _, seg := range a.Status.Segments {
			if seg.Phase == "" {
				n += int(seg.Shorts) - len(seg.Removed)
			}
		}
	}
	return n, nil
}

// archiveOf returns the Archive of an account, which is empty before the first segment.
func (s *stage) archiveOf(ctx context.Context, namespace string) (*v1beta1.Archive, error) {
	a := &v1beta1.Archive{}
	err := s.kube.Get(ctx, client.ObjectKey{Namespace: namespace, Name: v1beta1.ArchiveName}, a)
	return a, client.IgnoreNotFound(err)
}

// archived returns an error unless the archives hold all units and the cluster none of them.
func (s *stage) archived(ctx context.Context) error {
	var wrong []error
	for _, namespace := range s.histories() {
		a, err := s.archiveOf(ctx, namespace)
		if err != nil {
			return err
		}
		back := 0 // the posts of units that were put back count until compaction
		for _, seg := range a.Status.Segments {
			back += len(seg.Removed)
		}
		shorts, posts := int64(s.unitsEach()), int64((s.unitsEach()+back)*len(settled.Platforms))
		if a.Status.Shorts != shorts || a.Status.Posts != posts {
			wrong = append(wrong, fmt.Errorf("the archive of %s has %d shorts and %d posts: want %d and %d",
				namespace, a.Status.Shorts, a.Status.Posts, shorts, posts))
		}
		for _, l := range []client.ObjectList{
			&v1beta1.SlideshowList{}, &v1beta1.RenderJobList{}, &v1beta1.PostBatchList{}, &v1beta1.PostList{},
		} {
			if err := s.kube.List(ctx, l, client.InNamespace(namespace), client.Limit(1)); err != nil {
				return err
			}
			if meta.LenList(l) > 0 {
				wrong = append(wrong, fmt.Errorf("the cluster still has objects of %s: %T", namespace, l))
			}
		}
	}
	if len(wrong) == 0 {
		logf("the archives hold all units, and the cluster none of them")
	}
	return errors.Join(wrong...)
}

func ofManager(r atrest.Request) bool { return r.Agent == "manager" }

// ofHistory reports whether a request is about an object of a unit, or about the Archive or the events of its account.
func ofHistory(r atrest.Request) bool { return strings.Contains(r.URI, "/namespaces/"+historyPrefix) }

// dueWithin returns the posts that were due within a time.
func dueWithin(posts []v1beta1.Post, from time.Time, within time.Duration) []v1beta1.Post {
	return slices.DeleteFunc(slices.Clone(posts), func(p v1beta1.Post) bool {
		return !p.Spec.ScheduledAt.Time.Before(from.Add(within))
	})
}

func printDepartures(alone, beside *departure) {
	rate := func(d *departure) float64 { return float64(d.units) / d.took.Seconds() }
	logf("%-34s %12s %12s", "archiving", "alone", "beside posts")
	logf("%-34s %12d %12d", "units", alone.units, beside.units)
	logf("%-34s %12s %12s", "until all had left", alone.took.Round(time.Second/10), beside.took.Round(time.Second/10))
	logf("%-34s %12.1f %12.1f   (goal %d alone: %s)", "units per second", rate(alone), rate(beside),
		goalUnits, met(rate(alone) >= goalUnits))
	logf("requests of the manager per unit")
	perUnit := func(d *departure, n int) float64 { return float64(n) / float64(d.units) }
	sum := func(d *departure) (n int) {
		for _, k := range d.requests {
			n += k
		}
		return n
	}
	keys := maps.Clone(alone.requests)
	maps.Copy(keys, beside.requests)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		logf("  %-32s %12.3f %12.3f", k, perUnit(alone, alone.requests[k]), perUnit(beside, beside.requests[k]))
	}
	logf("  %-32s %12.3f %12.3f", "all", perUnit(alone, sum(alone)), perUnit(beside, sum(beside)))
	logf("CPU time per unit; beside posts, what is more than for the posts alone")
	for _, name := range slices.Sorted(maps.Keys(alone.cost)) {
		logf("  %-32s %9.1f ms %9.1f ms", name,
			milliseconds(alone.cost[name], alone.units), milliseconds(beside.cost[name], beside.units))
	}
}

// printLateness compares the posts that were due while units left with those of the same time without archiving.
func (s *stage) printLateness(beside *departure, plain, both []v1beta1.Post) {
	if early := s.o.duration - beside.took; early > 0 {
		logf("ALL UNITS HAD LEFT %s BEFORE THE STREAM ENDED: the lateness is that of the %d posts that were due until then",
			early.Round(time.Second/10), len(both))
	} else {
		logf("%d of %d units had left when the last of %d posts was due", beside.inTime, beside.units, len(both))
	}
	without, with := lateness(plain), lateness(both)
	logf("%-34s %12s %12s %12s", "lateness of the attempt", "p50", "p99", "max")
	row := func(name string, cell func(q float64) any) {
		logf("  %-32s %12v %12v %12v", name, cell(.5), cell(.99), cell(1))
	}
	row("without archiving", func(q float64) any { return at(without, q) })
	row("while archiving", func(q float64) any { return at(with, q) })
	row("ratio", func(q float64) any { return fmt.Sprintf("%.2f", float64(at(with, q))/float64(at(without, q))) })
}
