// SPDX-License-Identifier: Apache-2.0

// Package loopback gives out TCP ports of 127.0.0.1 to programs that are started with a number: the port is free now and stays so
// until that program listens, whatever else the machine does meanwhile.
package loopback

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"
)

// The ports that are given out lie below the ones that systems take for outgoing connections and for listeners that ask for any
// port (32768 and up on Linux, net.ipv4.ip_local_port_range; some lower it to 15000), and below the NodePorts of Kubernetes.
const lowest, highest = 10_000, 14_999

// tries is how many ports are looked at before the machine is believed to have none left.
const tries = 500

var (
	mu     sync.Mutex
	claims = map[int]net.Listener{}
)

// Port answers a free port, the wanted one if that can be had (0 wants none). It is this process's until it ends: no other that asks
// here gets it.
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

// Address is a free port with its host, for a listener's flag.
func Address() (string, error) {
	port, err := Port(0)
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}

// Free tells why a port cannot be listened on now, nil if it can.
func Free(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// claim takes a port. The sign for others is a socket in the abstract namespace of unix(7): it goes with the process however that
// ends, and belongs to the same network namespace as the port.
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
