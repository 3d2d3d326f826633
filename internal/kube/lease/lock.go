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

// Manager is the name of the Lease of the managers. Whoever else holds it keeps all of them from working.
const Manager = "manager.reelops.dev"

// MaxUnheard is how long a manager may go on without knowing that it was replaced. Whoever takes over a call that is under way, or a whole
// installation, waits for that long.
const MaxUnheard = 15 * time.Second

const (
	// requestTime bounds one request, so that one that hangs leaves time for another.
	requestTime = 5 * time.Second
	// lateShare of a term is how long a read of the Lease may take, and how long one may come after the other by half of it, before they say nothing
	// of the one that works: its own writes go to the same API server.
	lateShare = 4
)

// Config of a Lock.
type Config struct {
	Client          coordinationclient.LeasesGetter
	Namespace, Name string
	// Identity tells this process from all others, also from an earlier one of the same pod.
	Identity string
	// Term is how long after the last sign of life another process takes over: whole seconds, for a Lease knows no others.
	Term  time.Duration
	Clock clock.PassiveClock
	// Replaced is told, once, when somebody else holds the Lease that this process held.
	Replaced func(by string)
}

// Lock is a Lease for the leader election of client-go.
type Lock struct {
	c Config

	mu sync.Mutex
	// lease as it was last read or written.
	lease *coordinationv1.Lease
	// terms counts how often the holder was given a whole term because the Lease could not be read in time; unread says that it could
	// not be read since, and readAt when it was.
	terms  int
	unread bool
	readAt time.Time
	// held says that this process held it when it was last seen.
	held bool
	tell func(*coordinationv1.Lease, string)
}

var _ resourcelock.Interface = (*Lock)(nil)

// New makes a lock.
func New(c Config) (*Lock, error) {
	if c.Term < time.Second || c.Term%time.Second != 0 {
		return nil, fmt.Errorf("the term of a lease is whole seconds, not %s", c.Term)
	}
	return &Lock{c: c}, nil
}

// Tell has what becomes of the Lease told, in a few words. It is called before the election begins.
func (l *Lock) Tell(tell func(about *coordinationv1.Lease, said string)) { l.tell = tell }

func (l *Lock) leases() coordinationclient.LeaseInterface { return l.c.Client.Leases(l.c.Namespace) }

// Get reads the Lease. What it gives beside the record changes with every sign of life of the holder, and when the holder is to be given
// a whole term for another reason.
func (l *Lock) Get(ctx context.Context) (*resourcelock.LeaderElectionRecord, []byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTime)
	defer cancel()
	began := l.c.Clock.Now()
	found, err := l.leases().Get(ctx, l.c.Name, metav1.GetOptions{})
	ended := l.c.Clock.Now()
	by := ""
	defer func() {
		if by != "" && l.c.Replaced != nil {
			l.c.Replaced(by)
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
		l.held, by = false, record.HolderIdentity
		if by == "" {
			by = "nobody"
		}
	}
	return record, fmt.Appendf(nil, "%s/%s/%d", found.UID, found.ResourceVersion, l.terms), nil
}

// Create makes the Lease, held by this process.
func (l *Lock) Create(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	return l.write(r, func(spec coordinationv1.LeaseSpec) (*coordinationv1.Lease, error) {
		ctx, cancel := context.WithTimeout(ctx, requestTime)
		defer cancel()
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: l.c.Namespace, Name: l.c.Name}, Spec: spec}
		return l.leases().Create(ctx, lease, metav1.CreateOptions{})
	})
}

// Update gives a sign of life, takes the Lease over, or lets it go. It fails when the Lease is not as it was last seen.
func (l *Lock) Update(ctx context.Context, r resourcelock.LeaderElectionRecord) error {
	l.mu.Lock()
	last := l.lease
	l.mu.Unlock()
	switch {
	case last == nil:
		return errors.New("the lease was not read yet")
	case r.HolderIdentity == "" && ptr.Deref(last.Spec.HolderIdentity, "") != l.c.Identity:
		// The election of client-go reads the Lease anew before it lets it go, and does not look whose it is by then.
		return errors.New("the lease is held by another, and is not this process's to let go")
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
	if r.HolderIdentity != "" { // who lets it go says so with a term of its own
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

// RecordEvent tells what became of the Lease.
func (l *Lock) RecordEvent(said string) {
	l.mu.Lock()
	lease := l.lease
	l.mu.Unlock()
	if l.tell == nil || lease == nil {
		return
	}
	lease = lease.DeepCopy()
	lease.Kind, lease.APIVersion = "Lease", coordinationv1.SchemeGroupVersion.String()
	l.tell(lease, l.c.Identity+" "+said)
}

// Describe names the Lease.
func (l *Lock) Describe() string { return l.c.Namespace + "/" + l.c.Name }

// Identity of this process.
func (l *Lock) Identity() string { return l.c.Identity }
