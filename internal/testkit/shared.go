// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Shared is one cluster for all tests of a package, each of which works in namespaces of its own.
type Shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Cluster is started by the first test that needs it.
func (s *Shared) Cluster() (*Cluster, error) {
	s.once.Do(func() { s.cluster, s.err = StartCluster() })
	return s.cluster, s.err
}

// Main runs the tests of a package, and stops the cluster after them: it is for TestMain.
func (s *Shared) Main(m *testing.M) {
	// They wait for the cluster more than they compute.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	flag.Parse() // what is said on the command line wins
	code := m.Run()
	if s.cluster != nil {
		if err := s.cluster.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test cluster:", err)
		}
	}
	os.Exit(code)
}
