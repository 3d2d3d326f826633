// SPDX-License-Identifier: Apache-2.0

package lease

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	coordinationclient "k8s.io/client-go/kubernetes/typed/coordination/v1"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
)

// Manager is the name of the managers' Lease. While another process holds it, no manager works.
const Manager = "manager.reelops.dev"

// MaxUnheard is the longest time that a manager may continue without noticing that it was replaced. A process that
// takes over a call in flight, or a whole installation, waits for that long.
const MaxUnheard = 15 * time.Second

const (
	// requestTime bounds one request, so that a request that hangs leaves time for another.
	requestTime = 5 * time.Second
	// lateShare is the divisor of the term that gives the longest useful read of the Lease. A read that takes longer,
	// or that begins more than half a term after the one before, is no evidence that the holder is dead: the holder
	// writes to the same API server.
	lateShare = 4
)

// Config configures a Lock.
type Config struct {
	Client          coordinationclient.LeasesGetter
	Namespace, Name string
	// Identity distinguishes this process from all others, including an earlier one of the same pod.
	Identity string
	// Term is how long after the last renewal another process takes over. It must be whole seconds, the unit of a
	// Lease.
	Term  time.Duration
	Clock clock.PassiveClock
	// Replaced is called once when another process is found to hold the Lease that this process held.
	Replaced func(holder string)
}

// Lock is a Lease for the leader election of client-go.
type Lock struct {
	c Config

	mu sync.Mutex
	// lease is the Lease as last read or written.
	lease *coordinationv1.Lease
	// terms counts how often the holder was granted a whole term because the Lease could not be read in time. unread
	// reports whether a read has failed since the last successful one, which was at readAt.
	terms  int
	unread bool
	readAt time.Time
	// held reports whether this process held the Lease when it was last seen.
	held    bool
	onEvent func(*coordinationv1.Lease, string)
}

var _ resourcelock.Interface = (*Lock)(nil)

// New returns a Lock. It returns an error if the term is not whole seconds.
func New(c Config) (*Lock, error) {
	if c.Term < time.Second || c.Term%time.Second != 0 {
		return nil, fmt.Errorf("the term of a lease is whole seconds, not %s", c.Term)
	}
	return &Lock{c: c}, nil
}

// OnEvent sets the function that receives events of the Lease with a short description. Call it before the election
// begins.
func (l *Lock) OnEvent(onEvent func(about *coordinationv1.Lease, event string)) { l.onEvent = onEvent }

func (l *Lock) leases() coordinationclient.LeaseInterface { return l.c.Client.Leases(l.c.Namespace) }

// Get reads the Lease. The returned bytes change with every renewal by the holder, and when the holder is granted a
// whole term for another reason.
func (l *Lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	began := l.c.Clock.Now()
	found, err := l.leases().Get(ctx, l.c.Name, metav1.GetOptions{})
	ended := l.c.Clock.Now()
	holder := ""
	defer func() {
		if holder != "" && l.c.Replaced != nil {
			l.c.Replaced(holder)
		}
	}()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.unread = l.unread || !apierrors.IsNotFound(err)
		return nil, nil, err
	}
	if l.unread || ended.Sub(began) > l.c.Term/lateShare || !l.readAt.IsZero() && began.Sub(l.readAt) > l.c.Term/2 {
		l.terms++
	}
	l.unread, l.readAt, l.lease = false, ended, found
	record := resourcelock.LeaseSpecToLeaderElectionRecord(&found.Spec)
	if l.held && record.HolderIdentity != l.c.Identity {
		l.held, holder = false, record.HolderIdentity
		if holder == "" {
			holder = "nobody"
		}
	}
	return record, fmt.Appendf(nil, "%s/%s/%d", found.UID, found.ResourceVersion, l.terms), nil
}

// Create creates the Lease with this process as its holder.
func (l *Lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func(spec coordinationv1.LeaseSpec) (*coordinationv1.Lease, error) {
		ctx, cancel := context.WithTimeout(ctx, requestTime)
		defer cancel()
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.c.Namespace, Name: l.c.Name}, Spec: spec}
		return l.leases().Create(ctx, lease, metav1.CreateOptions{})
	})
}

// Update renews, acquires or releases the Lease. It fails if the Lease has changed since it was last read.
func (l *Lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	l.mu.Lock()
	last := l.lease
	l.mu.Unlock()
	switch {
	case last == nil:
		return errors.New("the lease was not read yet")
	case r.HolderIdentity == "" && ptr.Deref(last.Spec.HolderIdentity, "") != l.c.Identity:
		// client-go's election reads the Lease again before the release, without checking the holder.
		return errors.New("the lease is held by another process and cannot be released")
	}
	return l.write(r, func(spec coordinationv1.LeaseSpec) (*coordinationv1.Lease, error) {
		ctx, cancel := context.WithTimeout(ctx, requestTime)
		defer cancel()
		lease := last.DeepCopy()
		lease.Spec = spec
		return l.leases().Update(ctx, lease, metav1.UpdateOptions{})
	})
}

func (l *Lock) write(r resourcelock.LeaderElectionRecord, do func(coordinationv1.LeaseSpec) (*coordinationv1.Lease, error)) error {
	if r.HolderIdentity != "" { // a release sets a duration of its own
		r.LeaseDurationSeconds = int(l.c.Term / time.Second)
	}
	written, err := do(resourcelock.LeaderElectionRecordToLeaseSpec(&r))
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lease, l.held = written, r.HolderIdentity == l.c.Identity
	return nil
}

// RecordEvent passes an event of the Lease to the registered function.
func (l *Lock) RecordEvent(event string) {
	l.mu.Lock()
	lease := l.lease
	l.mu.Unlock()
	if l.onEvent == nil || lease == nil {
		return
	}
	lease = lease.DeepCopy()
	lease.Kind, lease.APIVersion = "Lease", coordinationv1.SchemeGroupVersion.String()
	l.onEvent(lease, l.c.Identity+" "+event)
}

// Describe returns the namespace and name of the Lease.
func (l *Lock) Describe() string { return l.c.Namespace + "/" + l.c.Name }

// Identity returns the identity of this process.
func (l *Lock) Identity() string { return l.c.Identity }
