// SPDX-License-Identifier: Apache-2.0

package slideshow

import (
	"flag"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/reelops/reelops/internal/testkit"
)

// oneCluster is started by the first test that needs one, and serves all that do: each works in namespaces of its own.
var oneCluster = sync.OnceValues(func() (*testkit.Cluster, error) {
	c, err := testkit.StartCluster()
	if err == nil {
		stopCluster = c.Stop
	}
	return c, err
})

var stopCluster = func() error { return nil }

func TestMain(m *testing.M) {
	// They wait for the cluster more than they compute.
	if err := flag.Set("test.parallel", "4"); err != nil {
		panic(err)
	}
	flag.Parse() // what is said on the command line wins
	code := m.Run()
	if err := stopCluster(); err != nil {
		fmt.Fprintln(os.Stderr, "stopping the test cluster:", err)
	}
	os.Exit(code)
}
