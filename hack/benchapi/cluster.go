// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/account/apikey"
	"github.com/reelops/reelops/internal/e2e/atrest"
)

// cluster is a kube-apiserver with etcd, an account with one brand, and an API key for that brand.
type cluster struct {
	*atrest.ControlPlane
	folder string
	key    string
}

func startCluster(ctx context.Context, bin string) (*cluster, error) {
	folder, err := os.MkdirTemp("", "reelops-benchapi-")
	if err != nil {
		return nil, err
	}
	logf("starting a kube-apiserver")
	plane, err := atrest.StartControlPlane(atrest.Options{Bin: bin, Folder: folder})
	if err != nil {
		_ = os.RemoveAll(folder)
		return nil, err
	}
	c := &cluster{ControlPlane: plane, folder: folder}
	if err := c.prepare(ctx); err != nil {
		c.stop()
		return nil, err
	}
	return c, nil
}

func (c *cluster) prepare(ctx context.Context) error {
	secret, hash, hint := apikey.New(apikey.DefaultPrefix)
	c.key = secret
	meta := func(name, id string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: tenant, Name: name, Labels: map[string]string{v1beta1.LabelID: id}}
	}
	for _, o := range []client.Object{
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: tenant}},
		&v1beta1.Account{ObjectMeta: meta(v1beta1.AccountName, "1"), Spec: v1beta1.AccountSpec{Email: "bench@example.com"}},
		&v1beta1.Brand{ObjectMeta: meta(brand, "1")},
		&v1beta1.APIKey{ObjectMeta: meta("key", "1"), Spec: v1beta1.APIKeySpec{
			BrandRef: v1beta1.LocalRef{Name: brand}, DisplayName: "bench", SecretSHA256: hash, Hint: hint, Scopes: []v1beta1.Scope{"read"},
		}},
	} {
		if err := c.Client.Create(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

func (c *cluster) stop() {
	if err := c.Stop(); err != nil {
		logf("stopping the kube-apiserver: %v", err)
	}
	_ = os.RemoveAll(c.folder)
}

// create creates n shorts in the cluster, each with its status and some with a film.
func (c *cluster) create(ctx context.Context, n int) error {
	logf("creating %d shorts in the cluster", n)
	began := time.Now()
	var next atomic.Int64
	var workers sync.WaitGroup
	failed := make(chan error, 16)
	for range cap(failed) {
		workers.Add(1)
		go func() {
			defer workers.Done()
			for i := int(next.Add(1)) - 1; i < n && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				if err := createOne(ctx, c.Client, i); err != nil {
					failed <- err
					return
				}
				if i > 0 && i%20_000 == 0 {
					logf("  %d after %s", i, time.Since(began).Round(time.Second))
				}
			}
		}()
	}
	workers.Wait()
	select {
	case err := <-failed:
		return err
	default:
		logf("  all after %s", time.Since(began).Round(time.Second))
		return ctx.Err()
	}
}

func createOne(ctx context.Context, kube client.Client, i int) error {
	show := sample(i)
	render := sampleRender(i, show)
	status := show.Status
	show.UID, show.ResourceVersion, show.ManagedFields = "", "", nil
	if err := kube.Create(ctx, show); err != nil {
		return err
	}
	show.Status = status
	if err := kube.Status().Update(ctx, show); err != nil {
		return err
	}
	if render == nil {
		return nil
	}
	done := render.Status
	render.UID, render.ResourceVersion = "", ""
	if err := kube.Create(ctx, render); err != nil {
		return err
	}
	render.Status = done
	return kube.Status().Update(ctx, render)
}

// frontEnd is a front end in its own process.
type frontEnd struct {
	url, control  string
	shorts        int
	before, after uint64 // heap in bytes, without and with its shorts
	cmd           *exec.Cmd
	in            io.Closer
	stopped       bool
}

func (c *cluster) frontEnd(ctx context.Context, fill int) (*frontEnd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(c.folder, fmt.Sprintf("front-end-%d.log", fill)))
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.CommandContext(ctx, self, "serve", "--kubeconfig", c.Kubeconfig, "--folder", filepath.Join(c.folder, "blobs"), "--fill", strconv.Itoa(fill))
	cmd.Stderr = log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	f := &frontEnd{cmd: cmd, in: in, shorts: fill}
	lines := bufio.NewScanner(out)
	for _, heap := range []*uint64{&f.before, &f.after} {
		var s state
		if !lines.Scan() || json.Unmarshal(lines.Bytes(), &s) != nil {
			f.stop()
			text, _ := os.ReadFile(log.Name())
			return nil, fmt.Errorf("the front end did not start: %s", text)
		}
		f.url, f.control, *heap = s.URL, s.Control, s.Heap
	}
	return f, nil
}

// cpu returns the processor time that the front end has used.
func (f *frontEnd) cpu() (time.Duration, error) { return atrest.CPU(f.cmd.Process.Pid) }

func (f *frontEnd) stop() {
	if f.stopped {
		return
	}
	f.stopped = true
	_ = f.in.Close()
	_ = f.cmd.Wait()
}

// holds waits until the front end has received events of exactly n shorts.
func (f *frontEnd) holds(ctx context.Context, n int) error {
	for {
		res, err := http.Get(f.control + "/state")
		if err != nil {
			return err
		}
		var s state
		err = json.NewDecoder(res.Body).Decode(&s)
		_ = res.Body.Close()
		if err != nil {
			return err
		}
		if s.Shorts == n {
			f.shorts, f.after = n, s.Heap
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
}
