// SPDX-License-Identifier: Apache-2.0

// Package loopback allocates TCP ports on 127.0.0.1 for programs that are started with a port number. The port is free,
// and no other process that uses this package receives it before that program listens.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// lowest and highest are the range of the ports. It is below the ports that systems use for outgoing connections and
// for listeners without a fixed port (32768 and up on Linux, net.ipv4.ip_local_port_range; some lower it to 15000), and
// below the NodePorts of Kubernetes.
const lowest, highest = 10_000, 14_999

// tries is the maximum number of ports that Port tries.
const tries = 500

var (
	mu     sync.Mutex
	claims = map[int]net.Listener{}
)

// Port returns a free port: the wanted one if possible (0 for any). The port is reserved until this process ends: no
// other process that uses this package receives it.
func Port(wanted int) (int, error) {
	mu.Lock()
	defer mu.Unlock()
	if wanted > 0 && claim(wanted) == nil {
		return wanted, nil
	}
	for range tries {
		port := lowest + rand.IntN(highest-lowest+1)
		if _, ours := claims[port]; ours {
			continue
		}
		if claim(port) == nil {
			return port, nil
		}
	}
	return 0, fmt.Errorf("no port was found free between %d and %d", lowest, highest)
}

// Address returns a free port with its host, for a listener's flag.
func Address() (string, error) {
	port, err := Port(0)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}

// Free returns the error of listening on a port now; nil if the port is free.
func Free(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// claim reserves a port. The reservation is a socket in the abstract namespace of unix(7): it disappears when the
// process ends for any reason, and has the same network namespace as the port.
func claim(port int) error {
	if _, ours := claims[port]; ours {
		return Free(port)
	}
	sign, err := net.Listen("unix", fmt.Sprintf("@reelops/port/%d", port))
	if err != nil {
		return err
	}
	if err := Free(port); err != nil {
		return errors.Join(err, sign.Close())
	}
	claims[port] = sign
	return nil
}
