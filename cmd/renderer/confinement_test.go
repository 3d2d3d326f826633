// SPDX-License-Identifier: Apache-2.0

package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"github.com/reelops/reelops/internal/film/timeline"
	"github.com/reelops/reelops/internal/testkit/hostile"
	"github.com/reelops/reelops/internal/work/child"
	"github.com/reelops/reelops/internal/work/order"
	"github.com/reelops/reelops/internal/work/outcome"
)

// refuseLandlock is the first argument with which this test binary executes the other arguments without Landlock.
// Container runtimes with an old seccomp profile deny Landlock in the same way.
const refuseLandlock = "refuse-landlock"

func withoutLandlock(argv []string) error {
	runtime.LockOSThread()
	raw, err := bpf.Assemble([]bpf.Instruction{
		bpf.LoadAbsolute{Off: 0, Size: 4},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: unix.SYS_LANDLOCK_CREATE_RULESET, SkipFalse: 1},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)},
		bpf.RetConstant{Val: unix.SECCOMP_RET_ALLOW},
	})
	if err != nil {
		return err
	}
	code := make([]unix.SockFilter, len(raw))
	for i, r := range raw {
		code[i] = unix.SockFilter{Code: r.Op, Jt: r.Jt, Jf: r.Jf, K: r.K}
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil {
		return err
	}
	return syscall.Exec(argv[0], argv, os.Environ())
}

// refusing returns the arguments before a command that deny Landlock to it.
func refusing(t *testing.T) []string {
	t.Helper()
	if lacks, err := child.Lacks(); err != nil || len(lacks) > 0 {
		t.Skipf("this system cannot confine programs: %v, %v", lacks, err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return []string{self, refuseLandlock}
}

func TestRender_ReportsMissingConfinement(t *testing.T) {
	h := newHouse(t)
	if code := h.run(h.command(refusing(t)...)); code != exitOK {
		t.Fatalf("got exit code %d", code)
	}
	if d := cmp.Diff([]string{child.Landlock}, h.outcome().Unconfined); d != "" {
		t.Error(d)
	}
	full := newHouse(t)
	if code := full.run(full.command()); code != exitOK || len(full.outcome().Unconfined) > 0 {
		t.Errorf("fully confined: got exit code %d, missing %v", code, full.outcome().Unconfined)
	}
}

func TestRender_RefusesToRunUnconfined(t *testing.T) {
	for name, require := range map[string]func(*house, *exec.Cmd){
		"by its options": func(_ *house, cmd *exec.Cmd) { cmd.Env = append(cmd.Env, "REELOPS_REQUIRE_CONFINEMENT=true") },
		"by its order":   func(h *house, _ *exec.Cmd) { h.order.RequireConfinement = true },
	} {
		t.Run(name, func(t *testing.T) { refusesUnconfined(t, require) })
	}
}

func refusesUnconfined(t *testing.T, require func(*house, *exec.Cmd)) {
	h := newHouse(t)
	cmd := h.command(refusing(t)...)
	require(h, cmd)
	code := h.run(cmd)
	e := h.outcome().Error
	if code != exitFailed || e == nil || e.Code != outcome.GenerationFailed || !e.Retryable || e.Reason != outcome.Unconfined {
		t.Errorf("got exit code %d, %+v", code, e)
	}
	if len(h.stored) > 0 {
		t.Error("a video was stored")
	}
	full := newHouse(t)
	cmd = full.command()
	require(full, cmd)
	if code := full.run(cmd); code != exitOK {
		t.Errorf("fully confined: got exit code %d", code)
	}
}

func TestMedia_ReportsAndRefusesMissingConfinement(t *testing.T) {
	content := clip(t)
	d := newDesk(t, order.ProbeVideo, "video/mp4", content)
	d.prefix = refusing(t)
	if code, out := d.look(); code != exitOK || !cmp.Equal(out.Unconfined, []string{child.Landlock}) {
		t.Errorf("got exit code %d, %+v", code, out)
	}
	d = newDesk(t, order.ProbeVideo, "video/mp4", content)
	d.prefix, d.media.RequireConfinement = refusing(t), true
	d.refuses(outcome.GenerationFailed, outcome.Unconfined, true)
}

// TestRender_RefusesHostileClipForGood renders a malicious clip. No other attempt can succeed.
func TestRender_RefusesHostileClipForGood(t *testing.T) {
	h := newHouse(t)
	for _, f := range hostile.NewSeeds(t).Films(hostile.NewBait(t)) {
		if f.Name == "WebM with eight tags of 2 MB" {
			h.give("clip", f.Data)
			in := h.order.Render.Inputs["clip"]
			in.MaxBytes = int64(len(f.Data))
			h.order.Render.Inputs["clip"] = in
		}
	}
	h.film.Clips = []timeline.Clip{{Footage: &timeline.Footage{Input: "clip", ContentType: "video/webm", Frames: 20}, Frames: 20}}
	h.failed(h.run(h.command()), outcome.Failure{
		Code: outcome.ValidationFailed, Field: "inputs.clip",
	}, "more metadata than is accepted")
}

func TestReadOptions_RequireConfinement(t *testing.T) {
	for value, want := range map[string]bool{"": false, "true": true, "false": false} {
		o, err := readOptions(nil, func(name string) string {
			return map[string]string{"REELOPS_ORDER_URL": "http://host/order", "REELOPS_REQUIRE_CONFINEMENT": value}[name]
		}, &strings.Builder{})
		if err != nil || o.requireConfinement != want {
			t.Errorf("%q: %v, %v", value, o.requireConfinement, err)
		}
	}
}
