// SPDX-License-Identifier: Apache-2.0

package main

import (
	"path/filepath"
	"sync"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/reelops/reelops/internal/testkit"
)

// shared is one cluster for all tests, in which the front end has the permissions of its roles.
var (
	shared   testkit.Shared
	prepared sync.Once
	granted  bool
)

func TestMain(m *testing.M) { shared.Main(m) }

// cluster is prepared by the first test that needs it.
func cluster(t *testing.T) (*testkit.Cluster, client.Client) {
	t.Helper()
	c := shared.Start(t)
	prepared.Do(func() {
		must(t, c.Client.Create(t.Context(), testkit.Namespace("reelops-system")))
		grant(t, c.Client, filepath.Join("..", "..", "config", "rbac", "apiserver", "role.yaml"))
		granted = true
	})
	if !granted {
		t.Fatal("the test cluster was not prepared")
	}
	return c, c.Client
}

func frontEndUser(t *testing.T, c *testkit.Cluster) *envtest.AuthenticatedUser {
	t.Helper()
	user, err := c.AddUser("apiserver", group)
	must(t, err)
	return user
}
