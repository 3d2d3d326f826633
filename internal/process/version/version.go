// SPDX-License-Identifier: Apache-2.0

// Package version says which release a program is of. It decides nothing by it: what an installation can do is told by its
// objects and capabilities, not by a number.
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

// Line is what a program prints of itself, without an end of line.
func Line(program string) string {
	return fmt.Sprintf("%s %s (%s, %s/%s)", program, Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Flag gives the flags of a program --version, which prints the line and ends the program well, whatever else is asked or missing.
func Flag(f *flag.FlagSet) { add(f, os.Stdout, os.Exit) }

func add(f *flag.FlagSet, out io.Writer, exit func(int)) {
	f.BoolFunc("version", "print the version and end", func(string) error {
		fmt.Fprintln(out, Line(f.Name()))
		exit(0)
		return nil
	})
}
