// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/reelops/reelops/api/v1beta1"
	"github.com/reelops/reelops/internal/e2e/atrest"
	"github.com/reelops/reelops/internal/process/loopback"
	"github.com/reelops/reelops/internal/store/blob"
)

const (
	tenant   = "bench"
	brand    = "acme"
	videoKey = "shorts/bench/film.mp4"
	// processing is how long a platform processes a video.
	processing = 200 * time.Millisecond
)

// stage is the environment of a run: an API server, the sandbox, a store that serves videos, and a manager.
type stage struct {
	o       options
	plane   *atrest.ControlPlane
	kube    client.Client
	folder  string
	key     []byte
	sandbox string
	blobs   string
	sand    *exec.Cmd
	manager *exec.Cmd
	server  *http.Server
	health  string
	film    int64
	names   []target
	// who maps accounts to their ids on the platform. captions holds the captions of all created posts.
	who      map[string]string
	captions map[string]bool
	nextID   int64
}

// target is an account to post to.
type target struct {
	platform v1beta1.Platform
	name     string
}

func startStage(ctx context.Context, o options) (*stage, error) {
	folder, err := os.MkdirTemp("", "reelops-benchpublish-")
	if err != nil {
		return nil, err
	}
	s := &stage{o: o, folder: folder, who: map[string]string{}, captions: map[string]bool{}}
	if err := s.start(ctx); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

func (s *stage) path(name string) string { return filepath.Join(s.folder, name) }

func (s *stage) start(ctx context.Context) error {
	logf("starting a kube-apiserver and the sandbox in %s", s.folder)
	var err error
	// The processes of a real cluster have more memory and collect garbage less often.
	if err := os.Setenv("GOGC", "400"); err != nil {
		return err
	}
	if s.plane, err = atrest.StartControlPlane(atrest.Options{Bin: s.o.bin, Folder: s.folder, Reads: s.histories()}); err != nil {
		return err
	}
	if err := os.Unsetenv("GOGC"); err != nil {
		return err
	}
	s.kube = s.plane.Client
	for _, name := range []string{tenant, "reelops-system"} {
		if err := s.kube.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}); err != nil {
			return err
		}
	}
	meta := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: tenant, Name: name, Labels: map[string]string{v1beta1.LabelID: "1"}}
	}
	account := &v1beta1.Account{ObjectMeta: meta(v1beta1.AccountName), Spec: v1beta1.AccountSpec{Email: "bench@example.com"}}
	account.Spec.Plan.ArchiveAfterDays = ptr.To(int32(0)) // the posts of the benchmark stay
	for _, x := range []client.Object{
		account,
		&v1beta1.Brand{ObjectMeta: meta(brand)},
	} {
		if err := s.kube.Create(ctx, x); err != nil {
			return err
		}
	}
	s.key = make([]byte, 32)
	token := make([]byte, 32)
	_, _ = rand.Read(s.key) // crypto/rand.Read never fails
	_, _ = rand.Read(token)
	if err := os.WriteFile(s.path("signing.key"), s.key, 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(s.path("token.key"), []byte(base64.StdEncoding.EncodeToString(token)+"\n"), 0o600); err != nil {
		return err
	}
	if err := s.store(ctx); err != nil {
		return err
	}
	address, err := loopback.Address()
	if err != nil {
		return err
	}
	if s.health, err = loopback.Address(); err != nil {
		return err
	}
	s.sandbox = "http://" + address
	s.sand, err = s.launch("sandbox", "--listen", address, "--dir", s.path("sandbox"), "--accounts", fmt.Sprint(s.o.accounts), "--processing", processing.String())
	if err != nil {
		return err
	}
	if err := until(ctx, time.Minute, 200*time.Millisecond, func() bool { return answers(ctx, s.sandbox+"/healthz") }); err != nil {
		return fmt.Errorf("waiting for the sandbox: %w", err)
	}
	return s.startManager()
}

func (s *stage) startManager() (err error) {
	s.manager, err = s.launch("manager", s.managerArgs(s.health)...)
	return err
}

func (s *stage) managerArgs(health string) []string {
	args := []string{
		"--kubeconfig", s.plane.Kubeconfig, "--blob-url", "file://" + s.path("blobs"), "--blob-base-url", s.blobs,
		"--signing-key-file", s.path("signing.key"), "--token-key-file", s.path("token.key"), "--callback-url", s.blobs, "--renderer-image", "renderer",
		"--sandbox", s.sandbox, "--starter-set=false", "--health-listen", health,
		"--resume-dir", s.path("resume-" + health),
	}
	if s.o.archive > 0 {
		args = append(args, "--archive-after", "1s")
	}
	return args
}

// store stores a video and serves it. The video is small, because the benchmark measures publishing, not how fast this
// machine copies bytes.
func (s *stage) store(ctx context.Context) error {
	address, err := loopback.Address()
	if err != nil {
		return err
	}
	s.blobs = "http://" + address
	store, err := blob.Open(ctx, blob.Config{URL: "file://" + s.path("blobs"), SigningKey: s.key, BaseURL: s.blobs})
	if err != nil {
		return err
	}
	film := s.path("film.mp4")
	out, err := exec.CommandContext(ctx, "ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=540x960:rate=30:duration=4",
		"-f", "lavfi", "-i", "sine=frequency=330:duration=4:sample_rate=48000", "-shortest", "-c:v", "libx264", "-profile:v", "high", "-pix_fmt", "yuv420p", "-crf", "45",
		"-c:a", "aac", "-b:a", "32k", "-movflags", "+faststart", film).CombinedOutput()
	if err != nil {
		return fmt.Errorf("creating a video: %w: %s", err, out)
	}
	f, err := os.Open(film)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := store.Put(ctx, videoKey, "video/mp4", f); err != nil {
		return err
	}
	if s.film, err = store.Size(ctx, videoKey); err != nil {
		return err
	}
	s.server = &http.Server{Addr: address, Handler: store.Handler(0), ReadHeaderTimeout: 10 * time.Second}
	go func() { _ = s.server.ListenAndServe() }()
	return nil
}

// launch starts a program and keeps its log. stop ends the program.
func (s *stage) launch(name string, args ...string) (*exec.Cmd, error) {
	log, err := os.OpenFile(s.path(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(filepath.Join(s.o.bin, name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	return cmd, cmd.Start()
}

func (s *stage) stop() {
	for _, c := range []*exec.Cmd{s.manager, s.sand} {
		if c != nil && c.Process != nil {
			_ = c.Process.Kill()
			_ = c.Wait()
		}
	}
	if s.server != nil {
		_ = s.server.Close()
	}
	if s.plane != nil {
		_ = s.plane.Stop()
	}
	if s.o.keep {
		logf("data and logs are in %s", s.folder)
		return
	}
	_ = os.RemoveAll(s.folder)
}

func answers(ctx context.Context, url string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode < 500
}

// until polls until the condition holds. It returns the error of the context after most.
func until(ctx context.Context, most, every time.Duration, holds func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	for !holds() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(every):
		}
	}
	return nil
}
