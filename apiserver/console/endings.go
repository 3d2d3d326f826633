// SPDX-License-Identifier: Apache-2.0

package console

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/apiserver/problem"
)

const (
	// endingsName is the name of the ConfigMap of ended sessions.
	endingsName = "console-sessions"
	// endingsAge is how old the copy of a replica may be: a session ends on all replicas within this time.
	endingsAge = 2 * time.Second
	// endingsTime is the timeout of a read.
	endingsTime = 5 * time.Second
	// mostEndings limits the entries, so that the ConfigMap stays far below the limit of 1 MiB.
	mostEndings = 4000
	// mostOfUser limits the entries of one user, so that a user cannot fill the record by signing in and out. At the next
	// sign-out, all sessions of the user end.
	mostOfUser = 20
	// endingTries is how often a write is tried again after another replica changed the ConfigMap.
	endingTries = 8
)

// Keys of the ConfigMap's data. Their values are Unix milliseconds.
const (
	// allEnding is the time of sign-in up to which all sessions are ended.
	allEnding = "all"
	// userEnding, with the hash of a user's name, is the time of sign-in up to which the sessions of the user are ended.
	userEnding = "user."
	// sessionEnding, with the hash of the user's name and the ID of an ended session, is the time at which the session
	// would have ended at the latest.
	sessionEnding = "session."
)

// endings is the record of sessions that were ended early, which all replicas share. It is one ConfigMap, because the
// record is small and changes only when a user signs out.
type endings struct {
	live  client.Client
	at    types.NamespacedName
	clock clock.PassiveClock

	reads singleflight.Group
	mu    sync.Mutex
	data  map[string]string
	read  time.Time
	// writes is the number of writes of this process. A read that overlapped with a write is not stored.
	writes int
}

// include reports whether the session was ended.
func (e *endings) include(ctx context.Context, s *session) (bool, error) {
	data, err := e.current(ctx)
	if err != nil {
		return false, fmt.Errorf("reading ended sessions: %w", err)
	}
	_, ended := data[endingOf(s)]
	return ended || s.SignedIn <= millis(data[allEnding]) || s.SignedIn <= millis(data[userEnding+hashOf(s.User)]), nil
}

// current returns the data of the ConfigMap, at most endingsAge old. The caller must not change it.
func (e *endings) current(ctx context.Context) (map[string]string, error) {
	e.mu.Lock()
	data, fresh := e.data, !e.read.IsZero() && e.clock.Since(e.read) < endingsAge
	e.mu.Unlock()
	if fresh {
		return data, nil
	}
	reading := e.reads.DoChan("", func() (any, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endingsTime) // several requests share the read
		defer cancel()
		return e.refresh(ctx)
	})
	select {
	case r := <-reading:
		data, _ = r.Val.(map[string]string)
		return data, r.Err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (e *endings) refresh(ctx context.Context) (map[string]string, error) {
	e.mu.Lock()
	began, writes := e.clock.Now(), e.writes
	e.mu.Unlock()
	m := &corev1.ConfigMap{}
	if err := client.IgnoreNotFound(e.live.Get(ctx, e.at, m)); err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.writes == writes {
		e.data, e.read = m.Data, began
	}
	return e.data, nil
}

// end ends a session, or all sessions of its user.
func (e *endings) end(ctx context.Context, s *session, everywhere bool) error {
	ctx = context.WithoutCancel(ctx) // a client that disconnects still signs out
	var err error
	for range endingTries {
		if err = e.write(ctx, s, everywhere); !apierrors.IsConflict(err) && !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) {
		return problem.Shed(err, time.Second)
	}
	if err != nil {
		return fmt.Errorf("recording an ended session: %w", err)
	}
	return nil
}

func (e *endings) write(ctx context.Context, s *session, everywhere bool) error {
	ctx, cancel := context.WithTimeout(ctx, endingsTime)
	defer cancel()
	m := &corev1.ConfigMap{}
	err := e.live.Get(ctx, e.at, m)
	if client.IgnoreNotFound(err) != nil {
		return err
	}
	create := err != nil
	m.Data = changed(m.Data, s, everywhere, e.clock.Now())
	if create {
		m.ObjectMeta = metav1.ObjectMeta{Namespace: e.at.Namespace, Name: e.at.Name, Labels: map[string]string{
			v1beta1.LabelComponent: "console", "app.kubernetes.io/part-of": "reelops",
		}}
		err = e.live.Create(ctx, m)
	} else {
		err = e.live.Update(ctx, m) // fails with a conflict if another replica has written meanwhile
	}
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.data, e.read, e.writes = m.Data, e.clock.Now(), e.writes+1
	return nil
}

// changed returns the entries with the ending of a session, or of all sessions of its user. It leaves out entries that
// have no effect any more. If there are too many entries, more sessions end than requested: those of the user if the
// user has too many, else those of all users.
func changed(data map[string]string, s *session, everywhere bool, now time.Time) map[string]string {
	out := maps.Clone(data)
	if out == nil {
		out = map[string]string{}
	}
	hash, ofUser := hashOf(s.User), 0
	// latest is the latest sign-in among the ended sessions of the user. It is later than now if the clock of another
	// replica is ahead.
	latest := max(now.UnixMilli(), s.SignedIn)
	maps.DeleteFunc(out, func(name, value string) bool {
		until := time.UnixMilli(millis(value))
		if !strings.HasPrefix(name, sessionEnding) {
			until = until.Add(longestTime) // no session that began before is left
		}
		if !now.Before(until) {
			return true
		}
		if strings.HasPrefix(name, sessionEnding+hash+".") {
			ofUser++
			latest = max(latest, until.Add(-longestTime).UnixMilli())
		}
		return false
	})
	if !everywhere && ofUser < mostOfUser && len(out) < mostEndings {
		out[endingOf(s)] = strconv.FormatInt(s.endsAtLatest().UnixMilli(), 10)
		return out
	}
	// The end of all sessions of the user replaces the entries of single ones.
	maps.DeleteFunc(out, func(name, _ string) bool { return strings.HasPrefix(name, sessionEnding+hash+".") })
	if _, known := out[userEnding+hash]; !known && len(out) >= mostEndings {
		return map[string]string{allEnding: strconv.FormatInt(now.UnixMilli(), 10)}
	}
	out[userEnding+hash] = strconv.FormatInt(latest, 10)
	return out
}

// endingOf returns the key of the entry of an ended session.
func endingOf(s *session) string { return sessionEnding + hashOf(s.User) + "." + s.ID }

// millis returns a value of the ConfigMap; 0 if it is none.
func millis(value string) int64 {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// hashOf returns the hash of a user's name, so that the ConfigMap has no names and its keys are valid.
func hashOf(user string) string {
	sum := sha256.Sum256([]byte(user))
	return hex.EncodeToString(sum[:16])
}
