// SPDX-License-Identifier: Apache-2.0

package flagenv_test

import (
	"flag"
	"io"
	"strings"
	"testing"

	"github.com/reelops/reelops/internal/process/flagenv"
)

func TestSet(t *testing.T) {
	t.Setenv("REELOPS_BLOB_URL", "file:///env")
	t.Setenv("REELOPS_WORKERS", "three")
	t.Setenv("REELOPS_VERSION", "true")
	f := flag.NewFlagSet("x", flag.ContinueOnError)
	f.SetOutput(io.Discard)
	url, other := f.String("blob-url", "", ""), f.String("other", "default", "")
	f.Int("workers", 1, "")
	asked := f.Bool("version", false, "")
	if err := flagenv.Set(f); err == nil || !strings.Contains(err.Error(), "REELOPS_WORKERS") {
		t.Errorf("got %v, want an error that names the variable", err)
	}
	if *url != "file:///env" || *other != "default" {
		t.Errorf("got %q %q", *url, *other)
	}
	if usage := f.Lookup("blob-url").Usage; !strings.HasSuffix(usage, " (REELOPS_BLOB_URL)") {
		t.Errorf("usage %q, want the name of the variable at the end", usage)
	}
	if *asked {
		t.Error("a variable set the flag -version")
	}
	if err := f.Parse([]string{"--blob-url", "file:///flag"}); err != nil || *url != "file:///flag" {
		t.Errorf("the flag does not override the variable: %q, %v", *url, err)
	}
}
