// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Shared is one cluster for all tests of a package, each of which works in namespaces of its own. The Cluster is nil until Start.
type Shared struct {
	*Cluster
	once sync.Once
}

// Start returns the cluster, which the first call starts. If that fails, the calling test and all later ones fail. It calls NeedCluster.
func (s *Shared) Start(t testing.TB) *Cluster {
	t.Helper()
	NeedCluster(t)
	s.once.Do(func() {
		var err error
		if s.Cluster, err = StartCluster(); err != nil {
			t.Fatal(err)
		}
	})
	if s.Cluster == nil {
		t.Fatal("the cluster of the package did not start")
	}
	return s.Cluster
}

// Main runs the tests of a package, and stops the cluster after them: it is for TestMain.
func (s *Shared) Main(m *testing.M) {
	// They wait for the cluster more than they compute.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	flag.Parse() // what is said on the command line wins
	code := m.Run()
	if s.Cluster != nil {
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test cluster:", err)
		}
	}
	os.Exit(code)
}
