// SPDX-License-Identifier: Apache-2.0

package naming_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/reelops/reelops/internal/kube/naming"
)

func TestChild(t *testing.T) {
	long := strings.Repeat("a", 40) + "." + strings.Repeat("b", 200)
	for _, parent := range []string{"show", "slideshow-12-r1", long, strings.Repeat("x-", 60)} {
		n := naming.Child(parent, "uid-1", "a1")
		if errs := validation.IsDNS1123Label(strings.ReplaceAll(n, ".", "-")); len(errs) > 0 {
			t.Errorf("%s: got %v", n, errs)
		}
		if n != naming.Child(parent, "uid-1", "a1") {
			t.Errorf("%s differs between calls", n)
		}
		if n == naming.Child(parent, "uid-2", "a1") || n == naming.Child(parent, "uid-1", "a2") {
			t.Errorf("%s is another child's name as well", n)
		}
	}
}

func TestByFrontEnd(t *testing.T) {
	for name, want := range map[string]bool{naming.Slideshow(12): true, "launch": false, "slideshow-launch": false, "my-slideshow-12": false} {
		if got := naming.ByFrontEnd(name); got != want {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
