// SPDX-License-Identifier: Apache-2.0

package loopback

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if os.Getenv("ASK_FOR") != "" {
		var wanted int
		_, _ = fmt.Sscan(os.Getenv("ASK_FOR"), &wanted)
		port, err := Port(wanted)
		fmt.Print(port, err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestPort_IsReturnedOnce(t *testing.T) {
	seen := map[int]bool{}
	for range 200 {
		port, err := Port(0)
		if err != nil {
			t.Fatal(err)
		}
		if seen[port] {
			t.Fatalf("port %d was returned twice", port)
		}
		seen[port] = true
	}
}

func TestPort_WantedPortIsKept(t *testing.T) {
	first, err := Port(0)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Port(first); err != nil || again != first {
		t.Errorf("the own port %d was not kept: %d, %v", first, again, err)
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", first))
	if err != nil {
		t.Fatalf("the port cannot be listened on: %v", err)
	}
	defer func() { _ = l.Close() }()
	if other, err := Port(first); err != nil || other == first {
		t.Errorf("port %d is in use and was returned (%d, %v)", first, other, err)
	}
}

func TestPort_AnotherProcessDoesNotGetIt(t *testing.T) {
	mine, err := Port(0)
	if err != nil {
		t.Fatal(err)
	}
	ask := func() string {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprint("ASK_FOR=", mine))
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	if got := ask(); strings.HasPrefix(got, fmt.Sprint(mine)) || !strings.HasSuffix(got, "<nil>") {
		t.Errorf("the other process got %q while this one has %d", got, mine)
	}
	mu.Lock()
	_ = claims[mine].Close()
	delete(claims, mine)
	mu.Unlock()
	if got := ask(); got != fmt.Sprint(mine, nil) {
		t.Errorf("got %q after %d was released", got, mine)
	}
}
