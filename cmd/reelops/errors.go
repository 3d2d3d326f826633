// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"net/url"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
)

// Exit codes. docs/reference/plugin.md documents them.
const (
	exitFailed      = 1   // the command failed, a check of `doctor` did, `archive verify` found a fault, or `validate` a faulty object
	exitUsage       = 2   // the command line is wrong; the cluster was not changed
	exitNotFound    = 3   // an object that the command line names does not exist
	exitInterrupted = 130 // a signal ended the command
)

var (
	errInterrupted = errors.New("interrupted")
	errNoKinds     = errors.New("the cluster has no Reelops: its kinds are not installed")
)

// usageError is a wrong command line.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// notFoundError reports an object that does not exist.
type notFoundError struct{ error }

func notFoundf(format string, args ...any) error { return notFoundError{fmt.Errorf(format, args...)} }

// runError is an error of a command that began to run. What cobra returns before is a wrong command line.
type runError struct{ error }

func (e runError) Unwrap() error { return e.error }

// markRuns wraps the errors of all commands in runError.
func markRuns(c *cobra.Command) {
	if run := c.RunE; run != nil {
		c.RunE = func(cmd *cobra.Command, args []string) error {
			if err := run(cmd, args); err != nil {
				return runError{err}
			}
			return nil
		}
	}
	for _, sub := range c.Commands() {
		markRuns(sub)
	}
}

// exitCode returns the exit code for an error of execute.
func exitCode(err error) int {
	var usage usageError
	var notFound notFoundError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errInterrupted):
		return exitInterrupted
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &notFound):
		return exitNotFound
	}
	return exitFailed
}

// explain returns the error as shown to the user. An error that cobra returned before the command ran becomes a
// usageError.
func explain(err error) error {
	if err == nil {
		return nil
	}
	var run runError
	if !errors.As(err, &run) {
		return usageError{err}
	}
	err = run.error
	var status apierrors.APIStatus
	var unreachable *url.Error
	switch {
	case isNoMatch(err) || isNoResource(err):
		return errNoKinds
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the cluster rejected the user's credentials: %w", err)
	case errors.As(err, &status) && status.Status().Details != nil && len(status.Status().Details.Causes) > 0:
		return causes(status)
	case errors.As(err, &unreachable) && !errors.As(err, &status):
		return fmt.Errorf("the cluster cannot be reached: %w", unreachable.Err)
	}
	return err
}

// causes lists the fields that the API server refused.
func causes(status apierrors.APIStatus) error {
	var out error
	for _, c := range status.Status().Details.Causes {
		if c.Field == "" {
			return fmt.Errorf("%s", status.Status().Message)
		}
		out = errors.Join(out, fmt.Errorf("%s: %s", c.Field, c.Message))
	}
	return out
}

func isNoMatch(err error) bool {
	var kind *meta.NoKindMatchError
	var resource *meta.NoResourceMatchError
	return errors.As(err, &kind) || errors.As(err, &resource)
}

// isNoResource reports whether the API server does not serve a resource that the cached discovery still lists. For a
// missing object, in contrast, the error holds the object's name.
func isNoResource(err error) bool {
	var status apierrors.APIStatus
	return apierrors.IsNotFound(err) && errors.As(err, &status) && (status.Status().Details == nil || status.Status().Details.Name == "")
}
