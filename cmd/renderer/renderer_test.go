// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/work/callback"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

var binary string

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == refuseLandlock {
		fmt.Fprintln(os.Stderr, withoutLandlock(os.Args[2:]))
		os.Exit(exitUnreported)
	}
	os.Exit(withBinary(m))
}

// withBinary builds the renderer and runs the tests. The tests run the renderer as a process, like a pod.
func withBinary(m *testing.M) int {
	dir, err := os.MkdirTemp("", "renderer-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "renderer")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building the renderer: %v\n%s", err, out)
		return 1
	}
	if _, err := exec.LookPath("ffmpeg"); err != nil {
		fmt.Fprintln(os.Stderr, "ffmpeg is needed: apt-get install ffmpeg")
		return 1
	}
	return m.Run()
}

// signature is part of every URL of a test. It must appear in requests only.
const signature = "signature=s3cr3t"

// house is the environment of a renderer: the store, the progress listener and the folders.
type house struct {
	t        *testing.T
	server   *httptest.Server
	scratch  string
	last     string // termination message
	order    order.Order
	film     timeline.Timeline // of the order
	document []byte            // the order if it is not for a render
	mu       sync.Mutex
	files    map[string][]byte // served by GET
	stored   map[string][]byte // received by PUT
	headers  map[string]http.Header
	progress []callback.Progress
	arrived  []time.Time
	outcomes []*outcome.Outcome
	// hooks
	onPut      func(n int, w http.ResponseWriter) bool // true: answered already
	onProgress func()
	puts       int
}

func newHouse(t *testing.T) *house {
	h := &house{
		t: t, scratch: t.TempDir(), last: filepath.Join(t.TempDir(), "last-words"),
		files: map[string][]byte{}, stored: map[string][]byte{}, headers: map[string]http.Header{},
	}
	h.server = httptest.NewServer(http.HandlerFunc(h.serve))
	t.Cleanup(h.server.Close)
	h.film = timeline.Timeline{
		Version: timeline.Version, Canvas: timeline.Canvas{Width: 180, Height: 320}, FPS: 30,
		Clips: []timeline.Clip{
			{Background: timeline.Background{Input: "photo"}, Frames: 20},
			{
				Background: timeline.Background{Input: "photo"}, Frames: 20,
				Motion: timeline.Motion{Kind: timeline.SlowZoom, From: 1, To: 1.2},
			},
		},
	}
	h.order = order.Order{
		Version: order.Version, ID: "tea-a1", Kind: order.Film, Outcome: order.Target{URL: h.url("/outcome")}, ProgressURL: h.url("/progress"),
		Render: &order.Render{Inputs: map[string]order.File{}, Video: order.Target{URL: h.url("/out/film.mp4")}},
		Limits: order.Limits{Deadline: time.Now().Add(time.Hour), MemoryBytes: 1 << 30, Threads: 2},
	}
	h.give("photo", picture(180, 320))
	return h
}

func (h *house) url(path string) string { return h.server.URL + path + "?" + signature }

// give adds an input to the order and serves its content.
func (h *house) give(key string, content []byte) {
	h.files["/in/"+key] = content
	sum := sha256.Sum256(content)
	h.order.Render.Inputs[key] = order.File{URL: h.url("/in/" + key), MaxBytes: 8 << 20, SHA256: hex.EncodeToString(sum[:])}
}

func (h *house) serve(w http.ResponseWriter, r *http.Request) {
	if r.URL.RawQuery != signature {
		w.WriteHeader(http.StatusForbidden)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case r.URL.Path == "/outcome" && r.Method == http.MethodPut:
		o, err := outcome.Parse(body)
		if err != nil || o.Order != h.order.ID && h.document == nil || r.Header.Get("Content-Type") != "application/json" {
			h.t.Errorf("outcome %s with the headers %v: %v", body, r.Header, err)
			return
		}
		h.outcomes = append(h.outcomes, o)
	case r.Method == http.MethodPut:
		h.puts++
		if h.onPut != nil && h.onPut(h.puts, w) {
			return
		}
		if int64(len(body)) != r.ContentLength {
			h.t.Errorf("received %d bytes, announced %d", len(body), r.ContentLength)
		}
		h.stored[r.URL.Path], h.headers[r.URL.Path] = body, r.Header
	case r.URL.Path == "/progress":
		p, err := callback.ParseProgress(body)
		if err != nil {
			h.t.Errorf("progress %s: %v", body, err)
			return
		}
		if (len(h.outcomes) > 0) != (p.Percent == callback.Complete) {
			h.t.Errorf("got %d percent with %d stored outcomes", p.Percent, len(h.outcomes))
		}
		h.progress, h.arrived = append(h.progress, *p), append(h.arrived, time.Now())
		if h.onProgress != nil {
			h.onProgress()
		}
	default:
		content, ok := h.files[r.URL.Path]
		if r.URL.Path == "/order" {
			if content, ok = h.document, h.document != nil; !ok {
				h.order.Render.Timeline, _ = json.Marshal(h.film)
				content, _ = json.Marshal(h.order)
				ok = true
			}
		}
		if !ok {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		w.Write(content)
	}
}

// command returns the command of the renderer in a pod.
func (h *house) command(prefix ...string) *exec.Cmd {
	argv := append(prefix, binary)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "REELOPS_ORDER_URL=" + h.url("/order"), "REELOPS_SCRATCH=" + h.scratch,
		"REELOPS_TERMINATION_LOG=" + h.last,
	}
	return cmd
}

// run runs a renderer to its end and checks the conditions of every end.
func (h *house) run(cmd *exec.Cmd) (code int) {
	h.t.Helper()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	h.mu.Lock() // what the test prepared is seen by the handlers
	err := cmd.Start()
	h.mu.Unlock()
	if err == nil {
		err = cmd.Wait()
	}
	return h.ended(err, &log)
}

func (h *house) ended(err error, log *bytes.Buffer) (code int) {
	h.t.Helper()
	h.server.Close() // waits for its handlers: from here on no other goroutine uses the house
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		code = exit.ExitCode()
	} else if err != nil {
		h.t.Fatal(err)
	}
	h.t.Logf("output of the renderer:\n%s", log)
	if strings.Contains(log.String(), "s3cr3t") {
		h.t.Error("the log contains a signature")
	}
	if left, _ := os.ReadDir(h.scratch); len(left) != 0 {
		h.t.Errorf("files left in scratch: %v", left)
	}
	if last, err := os.ReadFile(h.last); err == nil {
		if strings.Contains(string(last), "s3cr3t") {
			h.t.Error("the termination message contains a signature")
		}
		if h.document != nil {
			return code // its termination message has another format
		}
		said, err := outcome.Parse(last)
		if err != nil {
			h.t.Errorf("termination message %s: %v", last, err)
		} else if len(h.outcomes) == 1 {
			a, _ := json.Marshal(said)
			b, _ := json.Marshal(h.outcomes[0])
			if !bytes.Equal(a, b) {
				h.t.Errorf("termination message %s differs from the stored outcome %s", a, b)
			}
		}
	}
	return code
}

// outcome returns the only stored outcome.
func (h *house) outcome() *outcome.Outcome {
	h.t.Helper()
	if len(h.outcomes) != 1 {
		h.t.Fatalf("got outcomes %+v, want one", h.outcomes)
	}
	return h.outcomes[0]
}

// failed checks that the render failed with the wanted failure and uploaded nothing.
func (h *house) failed(code int, want outcome.Failure, says string) {
	h.t.Helper()
	if code != exitFailed {
		h.t.Errorf("got exit code %d, want %d", code, exitFailed)
	}
	if len(h.outcomes) != 1 || h.outcomes[0].Error == nil {
		h.t.Fatalf("got outcomes %+v, want one failure", h.outcomes)
	}
	got := h.outcomes[0].Error
	if got.Code != want.Code || got.Retryable != want.Retryable || got.Field != want.Field || got.Reason != want.Reason ||
		!strings.Contains(got.Message, says) {
		h.t.Errorf("got failure %+v, want %+v with %q", *got, want, says)
	}
	if len(h.stored) != 0 {
		h.t.Error("a failed render stored a file")
	}
}

func picture(w, h int) []byte {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	s := uint32(1)
	for y := range h {
		for x := range w {
			s = s*1664525 + 1013904223
			img.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), uint8(s >> 26), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func TestRender_StoresVideoAndOutcome(t *testing.T) {
	h := newHouse(t)
	h.order.Render.Video.Headers = map[string]string{"x-amz-acl": "private", "content-type": "video/mp4; sealed"}
	h.order.Render.Poster = &order.Target{URL: h.url("/out/poster.jpg")}
	h.onPut = func(n int, w http.ResponseWriter) bool { // the store fails once
		if n == 1 {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		return n == 1
	}
	if code := h.run(h.command()); code != exitOK {
		t.Fatalf("got exit code %d", code)
	}
	film := h.stored["/out/film.mp4"]
	sum := sha256.Sum256(film)
	if len(h.outcomes) != 1 || h.outcomes[0].Film == nil {
		t.Fatalf("got outcomes %+v", h.outcomes)
	}
	got := *h.outcomes[0].Film
	if got.Bytes != int64(len(film)) || got.SHA256 != hex.EncodeToString(sum[:]) || got.Frames != 40 || got.Width != 180 || got.Height != 320 ||
		!got.Poster || got.Probe != "h264 High yuv420p 180x320 30/1, aac 48000 Hz 2 ch, fast start" {
		t.Errorf("got result %+v for %d bytes", got, len(film))
	}
	if hd := h.headers["/out/film.mp4"]; hd.Get("x-amz-acl") != "private" || hd.Get("Content-Type") != "video/mp4; sealed" {
		t.Errorf("upload headers %v", hd)
	}
	if img, err := jpeg.Decode(bytes.NewReader(h.stored["/out/poster.jpg"])); err != nil || img.Bounds().Dx() != 180 {
		t.Errorf("poster: %v", err)
	}
	if n := len(h.progress); n < 2 || h.progress[n-1].Percent != callback.Complete || h.progress[n-1].Frame != 40 || !(h.progress[n-1].FPS > 0) {
		t.Errorf("got progress %+v, want reports of the render and one of its completion", h.progress)
	}
}

func TestRender_ReportsFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		spoil func(*house)
		want  outcome.Failure
		says  string
	}{
		"a corrupt image": {
			func(h *house) { h.give("photo", picture(180, 320)[:9000]) },
			outcome.Failure{Code: outcome.ValidationFailed, Field: "inputs.photo"},
			"damaged",
		},
		"corrupt music": {
			func(h *house) {
				h.film.Audio = timeline.Audio{Kind: timeline.Music, Input: "song"}
				h.give("song", append([]byte("fLaC"), bytes.Repeat([]byte{0xa5}, 5000)...))
			},
			outcome.Failure{Code: outcome.ValidationFailed, Field: "inputs.song"},
			"could not be decoded",
		},
		"an invalid timeline": {
			func(h *house) { h.film.Clips[0].Frames = 0 },
			outcome.Failure{Code: outcome.ValidationFailed, Field: "timeline.clips[0].frames"},
			"A clip lasts 1 to",
		},
		"an input that is not in the order": {
			func(h *house) { h.film.Clips[1].Background.Input = "other" },
			outcome.Failure{Code: outcome.ValidationFailed, Field: "timeline.clips[1].background.input"},
			"no input named other",
		},
		"an input that is too large": {
			func(h *house) {
				in := h.order.Render.Inputs["photo"]
				in.MaxBytes = 1000
				h.order.Render.Inputs["photo"] = in
			},
			outcome.Failure{Code: outcome.ValidationFailed, Field: "inputs.photo"},
			"larger",
		},
		"an input with another content": {
			func(h *house) { h.files["/in/photo"] = picture(182, 320) },
			outcome.Failure{
				Code: outcome.GenerationFailed, Retryable: true,
				Field: "inputs.photo", Reason: outcome.InputUnavailable,
			},
			"digest",
		},
		"a missing input": {
			func(h *house) { delete(h.files, "/in/photo") },
			outcome.Failure{
				Code: outcome.GenerationFailed, Retryable: true,
				Field: "inputs.photo", Reason: outcome.InputUnavailable,
			},
			"could not be downloaded",
		},
		"a rejected upload": {
			func(h *house) {
				h.onPut = func(_ int, w http.ResponseWriter) bool { w.WriteHeader(http.StatusForbidden); return true }
			},
			outcome.Failure{
				Code: outcome.GenerationFailed, Retryable: true,
				Reason: outcome.UploadRefused,
			},
			"could not be stored",
		},
		"an expired order": {
			func(h *house) { h.order.Limits.Deadline = time.Now().Add(-time.Minute) },
			outcome.Failure{
				Code: outcome.GenerationFailed, Retryable: true,
				Reason: outcome.Expired,
			},
			"deadline",
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t)
			tc.spoil(h)
			h.failed(h.run(h.command()), tc.want, tc.says)
		})
	}
}

// long makes the render slow: a zoom of many large frames.
func (h *house) long() {
	h.film.Canvas = timeline.Canvas{Width: 1080, Height: 1920}
	h.film.Clips[1].Frames = 3000
}

func TestRender_ReportsAKilledEncoder(t *testing.T) {
	h := newHouse(t)
	h.long()
	cmd := h.command()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	h.onProgress = func() { // frames are produced, so the encoder is running
		for _, pid := range children(t, cmd.Process.Pid) {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
	h.mu.Lock() // until Process is set
	err := cmd.Start()
	h.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	h.failed(h.ended(cmd.Wait(), &log), outcome.Failure{
		Code: outcome.GenerationFailed, Retryable: true,
		Reason: outcome.EncoderKilled,
	}, "The video encoder was killed")
}

func TestRender_StopsOnSignal(t *testing.T) {
	h := newHouse(t)
	h.long()
	cmd := h.command()
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	var encoders []int
	h.onProgress = func() {
		encoders = append(encoders, children(t, cmd.Process.Pid)...)
		cmd.Process.Signal(syscall.SIGTERM)
	}
	h.mu.Lock()
	err := cmd.Start()
	h.mu.Unlock()
	if err != nil {
		t.Fatal(err)
	}
	if code := h.ended(cmd.Wait(), &log); code != exitStopped {
		t.Errorf("got exit code %d, want %d", code, exitStopped)
	}
	if len(encoders) == 0 {
		t.Fatal("no encoder was running")
	}
	for _, pid := range encoders {
		if err := syscall.Kill(pid, 0); err == nil {
			t.Errorf("encoder %d still runs", pid)
		}
	}
	if len(h.outcomes) != 0 {
		t.Errorf("a stopped renderer made calls: %+v", h.outcomes[0])
	}
}

// TestRender_FailsOnAFullDisk fills the scratch folder at several points of the work.
func TestRender_FailsOnAFullDisk(t *testing.T) {
	noSpace := outcome.Failure{
		Code: outcome.GenerationFailed, Retryable: true,
		Reason: outcome.NoSpace,
	}
	for name, kb := range map[string]int{"while downloading": 8, "while encoding": 88} {
		t.Run("small file system "+name, func(t *testing.T) {
			h := newHouse(t)
			h.film.Clips[1].Frames = 600
			size := fmt.Sprintf("size=%dk", kb)
			if err := syscall.Mount("tmpfs", h.scratch, "tmpfs", 0, size); err != nil {
				t.Skipf("mounting a small file system needs root: %v", err)
			}
			t.Cleanup(func() { syscall.Unmount(h.scratch, syscall.MNT_DETACH) })
			h.failed(h.run(h.command()), noSpace, "scratch space")
		})
		t.Run("small files "+name, func(t *testing.T) {
			h := newHouse(t)
			h.film.Clips[1].Frames = 600
			h.failed(h.run(h.command("prlimit", "--fsize="+strconv.Itoa(kb<<10))), noSpace, "scratch space")
		})
	}
}

// children returns the child processes of a process.
func children(t *testing.T, pid int) []int {
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Error(err)
	}
	var pids []int
	for _, list := range lists {
		b, _ := os.ReadFile(list)
		for _, f := range strings.Fields(string(b)) {
			n, _ := strconv.Atoi(f)
			pids = append(pids, n)
		}
	}
	return pids
}

func TestMain_RejectsInvalidOptions(t *testing.T) {
	missing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(missing.Close)
	for name, env := range map[string][]string{
		"no order":             nil,
		"an invalid order URL": {"REELOPS_ORDER_URL=nonsense"},
		"no way to report":     {"REELOPS_ORDER_URL=" + missing.URL + "/?" + signature, "REELOPS_TERMINATION_LOG=/dev/null/log"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(binary)
			cmd.Env = env
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != exitUnreported {
				t.Errorf("got %v, want exit code %d; output %s", err, exitUnreported, out)
			}
		})
	}
}
