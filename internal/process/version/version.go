// SPDX-License-Identifier: Apache-2.0

// Package version reports the release of a program. No behaviour depends on it: clients discover features from the
// installation's objects and capabilities.
package version

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
)

// Version of the release, as "v1.2.0". A build of a release sets it with
//
//	-ldflags "-X github.com/reelops/reelops/internal/process/version.Version=v1.2.0"
//
// and any other is "dev".
var Version = "dev"

// Line returns the line that --version prints, without a newline.
func Line(program string) string {
	return fmt.Sprintf("%s %s (%s, %s/%s)", program, Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Flag adds the flag --version, which prints the line and exits with status 0, regardless of other flags.
func Flag(f *flag.FlagSet) { add(f, os.Stdout, os.Exit) }

func add(f *flag.FlagSet, out io.Writer, exit func(int)) {
	f.BoolFunc("version", "print the version and exit", func(string) error {
		fmt.Fprintln(out, Line(f.Name()))
		exit(0)
		return nil
	})
}
