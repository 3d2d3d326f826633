// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/catalog"
	"github.com/reelops/reelops/internal/social/sandbox"
)

func TestRun_ServesAllPlatformsUntilTheSignal(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	o, err := parseOptions([]string{"--listen", "127.0.0.1:0", "--dir", t.TempDir(), "--accounts", "2"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	in, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := run(ctx, o, out)
		_ = out.CloseWithError(io.EOF)
		ended <- err
	}()
	line, err := bufio.NewReader(in).ReadString('\n')
	if err != nil {
		t.Fatal(<-ended)
	}
	base := strings.TrimSpace(strings.TrimPrefix(line, "sandbox: "))
	res, err := http.Get(base + "/accounts")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	var accounts map[string][]sandbox.Account
	if err := json.NewDecoder(res.Body).Decode(&accounts); err != nil {
		t.Fatal(err)
	}
	for _, name := range catalog.Platforms() {
		if len(accounts[name]) != 5 || accounts[name][0].Name != "maya" || !strings.HasPrefix(accounts[name][0].Avatar, base) {
			t.Errorf("%s has accounts %+v", name, accounts[name])
		}
	}
	http.DefaultClient.CloseIdleConnections()
	stop()
	if err := <-ended; err != nil {
		t.Error("stopping:", err)
	}
}

func TestListen_DefaultsToLoopback(t *testing.T) {
	o, err := parseOptions(nil, io.Discard)
	if err != nil || !strings.HasPrefix(o.listen, "127.0.0.1:") {
		t.Errorf("%+v, %v", o, err)
	}
	for _, args := range [][]string{{"--processing", "-1s"}, {"--accounts", "10000"}, {"--no-such-flag"}, {"--fetch-from", "http://store.example"}, {"--fetch-from", "http://store.example/,store.example/"}} {
		if _, err := parseOptions(args, io.Discard); err == nil {
			t.Errorf("address %v was accepted", args)
		}
	}
}

func TestPlatforms_ListTheirCallsAndSimulateFailures(t *testing.T) {
	core, err := sandbox.New(sandbox.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = core.Close() }()
	mount(core)
	for platform, calls := range core.KnownCalls() {
		if len(calls) < 5 || !slices.Contains(calls, sandbox.CallProcessing) {
			t.Errorf("%s has calls %v", platform, calls)
		}
		for _, call := range calls {
			f := sandbox.Fault{Platform: platform, Call: call, Do: sandbox.Drop}
			if call == sandbox.CallProcessing {
				f.Do = sandbox.Reject
			}
			if err := core.SetFaults(f); err != nil {
				t.Error(err)
			}
		}
	}
}
