// SPDX-License-Identifier: Apache-2.0

package atrest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/process/loopback"
)

// Started describes the start of a program.
type Started struct {
	// Ready is the time until the program was ready.
	Ready time.Duration
	// CPU is the processor time of the start.
	CPU time.Duration
	// Resident memory when the program was ready, and the peak until then, in bytes.
	Resident, Peak int64
}

// Restart kills the manager and the front end, starts both at once, and measures their starts. With goOn, they restart
// from their informer snapshots; otherwise they list all objects from the cluster.
func (s *Stack) Restart(ctx context.Context, goOn bool) (manager, front Started, err error) {
	s.halt()
	if !goOn {
		if err := os.RemoveAll(s.kept()); err != nil {
			return manager, front, err
		}
	}
	health, err := loopback.Address()
	if err != nil {
		return manager, front, err
	}
	began := time.Now()
	m, err := s.manager("--health-listen", health)
	if err != nil {
		return manager, front, err
	}
	f, err := s.frontEnd()
	if err != nil {
		return manager, front, err
	}
	var both sync.WaitGroup
	var errs [2]error
	for i, x := range []struct {
		p   *program
		url string
		to  *Started
	}{{m, "http://" + health + "/readyz", &manager}, {f, s.URL + "/readyz", &front}} {
		both.Go(func() {
			if errs[i] = poll(ctx, x.p, func() (bool, error) { return answers(x.url), nil }); errs[i] != nil {
				return
			}
			x.to.Ready = time.Since(began)
			if x.to.CPU, errs[i] = CPU(x.p.cmd.Process.Pid); errs[i] == nil {
				x.to.Resident, x.to.Peak, errs[i] = memory(x.p.cmd.Process.Pid)
			}
		})
	}
	both.Wait()
	return manager, front, errors.Join(errs[:]...)
}

// AddBrand creates another brand of the account, and returns its id. The manager must be running.
func (s *Stack) AddBrand(ctx context.Context, name string) (id int64, err error) {
	b := &v1beta1.Brand{ObjectMeta: metav1.ObjectMeta{Namespace: tenant, Name: name}}
	if err := s.Client.Create(ctx, b); err != nil {
		return 0, err
	}
	err = poll(ctx, s.running[len(s.running)-1], func() (bool, error) {
		if err := s.Client.Get(ctx, client.ObjectKeyFromObject(b), b); err != nil {
			return false, err
		}
		id, err = strconv.ParseInt(b.Labels[v1beta1.LabelID], 10, 64)
		return err == nil, nil
	})
	return id, err
}

// ServeAlone kills the programs and starts the front end with more flags. It returns when the front end is ready.
func (s *Stack) ServeAlone(ctx context.Context, args ...string) error {
	s.halt()
	front, err := s.frontEnd(args...)
	if err != nil {
		return err
	}
	return poll(ctx, front, func() (bool, error) { return answers(s.URL + "/readyz"), nil })
}

// ShortID returns the id of a short with slides: that of the first one for 0, else that of a copy.
func (s *Stack) ShortID(i int) (int64, error) {
	if i == 0 {
		return strconv.ParseInt(s.shown.Labels[v1beta1.LabelID], 10, 64)
	}
	return firstCopy + int64(i+(i-1)/9), nil // every tenth copy is a draft
}

// FrontEndMemory returns the resident memory of the front end in bytes.
func (s *Stack) FrontEndMemory() (int64, error) { return s.memoryOf("apiserver") }

// ManagerMemory returns the resident memory of the manager in bytes.
func (s *Stack) ManagerMemory() (int64, error) { return s.memoryOf("manager") }

func (s *Stack) memoryOf(name string) (int64, error) {
	for _, p := range s.running {
		if p.name == name {
			now, _, err := memory(p.cmd.Process.Pid)
			return now, err
		}
	}
	return 0, errors.New(name + " does not run")
}

// halt kills the running programs.
func (s *Stack) halt() {
	for _, p := range s.running {
		_ = p.cmd.Process.Kill()
		<-p.done
	}
	s.running = nil
}

// Quiet waits until nothing has been written for a while.
func (s *Stack) Quiet(ctx context.Context) error { return s.quiet(ctx, s.running[0]) }

// Kept waits until the programs have saved their current snapshots, and returns the size of the snapshots in bytes.
func (s *Stack) Kept(ctx context.Context) (bytes int64, err error) {
	began := time.Now()
	err = poll(ctx, s.running[0], func() (bool, error) {
		files, err := filepath.Glob(filepath.Join(s.kept(), "*", "*"))
		if err != nil || len(files) < len(s.running) {
			return false, err
		}
		bytes = 0
		for _, f := range files {
			info, err := os.Stat(f)
			if err != nil || info.ModTime().Before(began) || time.Since(info.ModTime()) < calm {
				return false, err
			}
			bytes += info.Size()
		}
		return true, nil
	})
	return bytes, err
}

// CPU returns the processor time that a process has used, in user and system mode.
func CPU(pid int) (time.Duration, error) {
	doc, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return 0, err
	}
	// "pid (name) state ...": utime and stime are the 12th and 13th field after the name, in hundredths of a second.
	fields := strings.Fields(string(doc[strings.LastIndexByte(string(doc), ')')+1:]))
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat has no processor time", pid)
	}
	user, err1 := strconv.Atoi(fields[11])
	system, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond, errors.Join(err1, err2)
}

// memory returns the current and the peak resident memory of a process.
func memory(pid int) (now, peak int64, err error) {
	doc, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, 0, err
	}
	for line := range strings.Lines(string(doc)) {
		name, value, _ := strings.Cut(line, ":")
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
		switch {
		case err != nil:
		case name == "VmRSS":
			now = kib << 10
		case name == "VmHWM":
			peak = kib << 10
		}
	}
	if now == 0 || peak == 0 {
		return 0, 0, fmt.Errorf("/proc/%d/status has no memory", pid)
	}
	return now, peak, nil
}

// Copies kills the programs and creates n more shorts. No other process writes the shorts meanwhile.
func (s *Stack) Copies(ctx context.Context, n int) error {
	s.halt()
	return s.copies(ctx, s.shown, n)
}

// Posts kills the programs and creates n published posts of one account, one a minute until now.
func (s *Stack) Posts(ctx context.Context, n int) error {
	now := time.Now()
	return s.PostsAt(ctx, n, func(i int) time.Time { return now.Add(-time.Duration(i) * time.Minute) })
}

// PostsAt kills the programs and creates n published posts of one account, at the times of their numbers from 1.
func (s *Stack) PostsAt(ctx context.Context, n int, at func(i int) time.Time) error {
	s.halt()
	return each(ctx, n, func(ctx context.Context, i int64) error {
		return s.post(ctx, i, at(int(i)).Truncate(time.Second))
	})
}

func (s *Stack) post(ctx context.Context, i int64, at time.Time) error {
	id := strconv.FormatInt(firstCopy+i, 10)
	when, ended := metav1.NewMicroTime(at), metav1.NewTime(at.Add(3*time.Second))
	p := &v1beta1.Post{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: tenant, Name: "post-" + id, Finalizers: []string{v1beta1.FinalizerPost},
			Labels: map[string]string{v1beta1.LabelID: id, v1beta1.LabelBrand: tenant, v1beta1.LabelShort: id},
		},
		Spec: v1beta1.PostSpec{
			BrandRef: v1beta1.LocalRef{Name: tenant}, Batch: "posts-" + id, Account: "tiktok-1", Platform: "tiktok", ShortID: firstCopy + i, Revision: 1,
			Caption: "Small changes, better nights. Save this for tonight. Part " + id, PostingMode: "direct", ScheduledAt: when,
			Media: v1beta1.PostMedia{Kind: "video", VideoKey: "renders/rest/" + id + "/film.mp4", Bytes: 4_000_000, DurationMillis: 24_500, Width: 1080, Height: 1920},
		},
	}
	if err := s.Client.Create(ctx, p); err != nil {
		return err
	}
	settled := metav1.NewMicroTime(at.Add(2 * time.Second))
	p.Status = v1beta1.PostStatus{
		State: v1beta1.PostSuccess, DeliveryState: v1beta1.DeliveryPublished, PublishedAt: &ended, FinishedAt: &ended,
		PlatformPostID: "73" + id, PostURL: "https://www.tiktok.com/@rest/video/73" + id,
		Attempts: []v1beta1.PostAttempt{{Number: 1, State: v1beta1.AttemptAccepted, StartedAt: when, SettledAt: &settled, Digest: "d" + id, Handle: "v_pub~" + id}},
	}
	return s.Client.Status().Update(ctx, p)
}
