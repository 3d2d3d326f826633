// SPDX-License-Identifier: Apache-2.0

package main

import (
	"crypto/x509"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/url"

	"github.com/reelops/reelops/internal/process/version"
)

// variables is the part of the help on the variables without a flag. Its form is that of the flags.
const variables = `Variables without a flag:
  REELOPS_ORDER_URL
    	signed URL of the render order, http or https (required)
  REELOPS_CA
    	certificate authorities in PEM, trusted in addition to those of the system
`

// options are the options of the renderer.
type options struct {
	// orderURL is the signed URL of the order. It comes from the environment only, because other processes can read a
	// command line.
	orderURL string
	// authorities are those of the system and of the variable REELOPS_CA; nil without the variable.
	authorities *x509.CertPool
	// scratch is an existing folder for this run only.
	scratch string
	// terminationLog is the file of the termination message. It need not exist.
	terminationLog  string
	ffmpeg, ffprobe string
	// flite and espeak are the speech programs.
	flite, espeak string
	// requireConfinement refuses work if the kernel cannot confine the programs that open files of users.
	requireConfinement bool
}

func readOptions(args []string, env func(string) string, out io.Writer) (options, error) {
	or := func(name, otherwise string) string {
		if v := env(name); v != "" {
			return v
		}
		return otherwise
	}
	o := options{orderURL: env("REELOPS_ORDER_URL")}
	f := flag.NewFlagSet("renderer", flag.ContinueOnError)
	f.Usage = func() {
		fmt.Fprintln(f.Output(), "Usage of renderer:")
		f.PrintDefaults()
		fmt.Fprint(f.Output(), variables)
	}
	f.SetOutput(out)
	version.Flag(f)
	f.StringVar(&o.scratch, "scratch", or("REELOPS_SCRATCH", "/scratch"), "directory for intermediate files (REELOPS_SCRATCH)")
	f.StringVar(&o.terminationLog, "termination-log", or("REELOPS_TERMINATION_LOG", "/dev/termination-log"),
		"file for the termination message (REELOPS_TERMINATION_LOG)")
	f.StringVar(&o.ffmpeg, "ffmpeg", or("REELOPS_FFMPEG", "ffmpeg"), "the ffmpeg program (REELOPS_FFMPEG)")
	f.StringVar(&o.ffprobe, "ffprobe", or("REELOPS_FFPROBE", "ffprobe"), "the ffprobe program (REELOPS_FFPROBE)")
	f.StringVar(&o.flite, "flite", or("REELOPS_FLITE", "flite"), "the flite program, which synthesizes English speech (REELOPS_FLITE)")
	f.StringVar(&o.espeak, "espeak-ng", or("REELOPS_ESPEAK_NG", "espeak-ng"), "the espeak-ng program, which synthesizes speech in other languages (REELOPS_ESPEAK_NG)")
	f.BoolVar(&o.requireConfinement, "require-confinement", env("REELOPS_REQUIRE_CONFINEMENT") == "true",
		"fail if the kernel lacks Landlock or seccomp filters, which confine the programs that open files of users (REELOPS_REQUIRE_CONFINEMENT)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 {
		return o, errors.New("the renderer accepts no arguments, only flags")
	}
	if o.orderURL == "" {
		return o, errors.New("REELOPS_ORDER_URL, the signed URL of the order, is not set")
	}
	if u, err := url.Parse(o.orderURL); err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return o, errors.New("REELOPS_ORDER_URL is not an http or https URL")
	}
	var err error
	o.authorities, err = authorities(env("REELOPS_CA"))
	return o, err
}

// authorities returns the system's certificate authorities and the PEM certificates in a text; nil for an empty text.
func authorities(text string) (*x509.CertPool, error) {
	if text == "" {
		return nil, nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		return nil, fmt.Errorf("reading the system's certificate authorities: %w", err)
	}
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, errors.New("REELOPS_CA contains no PEM certificate")
	}
	return pool, nil
}
