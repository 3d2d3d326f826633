// SPDX-License-Identifier: Apache-2.0

package version

import (
	"bytes"
	"flag"
	"regexp"
	"testing"
)

func TestFlag_EndsTheProgram(t *testing.T) {
	t.Parallel()
	f := flag.NewFlagSet("manager", flag.ContinueOnError)
	var complaint, out bytes.Buffer
	f.SetOutput(&complaint)
	ended := -1
	add(f, &out, func(code int) { ended = code; panic("ended") })
	func() {
		defer func() { _ = recover() }()
		_ = f.Parse([]string{"--version", "--no-such-flag"})
	}()
	if ended != 0 {
		t.Errorf("got exit code %d, want 0", ended)
	}
	if want := regexp.MustCompile(`^manager dev \(go1\.\d+.*, [a-z]+/[a-z0-9]+\)\n$`); !want.MatchString(out.String()) || complaint.Len() > 0 {
		t.Errorf("printed %q, errors %q", out.String(), complaint.String())
	}
}
