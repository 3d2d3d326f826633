// SPDX-License-Identifier: Apache-2.0

package testkit

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"
)

// Shared is one cluster for all tests of a package. Each test uses its own namespaces. The Cluster is nil until Start.
type Shared struct {
	*Cluster
	once sync.Once
}

// Start returns the cluster, which the first call starts. If that fails, the calling test and all later ones fail. It
// calls NeedCluster.
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

// Main runs the tests of a package and then stops the cluster. It is for TestMain.
func (s *Shared) Main(m *testing.M) {
	// The tests mostly wait for the cluster.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	flag.Parse() // flags of the command line take precedence
	code := m.Run()
	if s.Cluster != nil {
		if err := s.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, "stopping the test cluster:", err)
		}
	}
	os.Exit(code)
}
