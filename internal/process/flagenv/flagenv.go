// SPDX-License-Identifier: Apache-2.0

// Package flagenv lets every flag of a program be given as an environment variable as well. Flags win, because they are
// parsed afterwards.
package flagenv

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// Prefix begins the name of every variable.
const Prefix = "REELOPS_"

// Name is the variable of a flag: the prefix and the flag's name in capitals with underscores.
func Name(flagName string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// Set gives the flags of a set the values of their variables. Call it after the flags are defined and before they are
// parsed. The error names every variable whose value does not fit.
func Set(f *flag.FlagSet) error {
	var errs []error
	f.VisitAll(func(fl *flag.Flag) {
		if fl.Name == "version" {
			return // a question, not a setting
		}
		name := Name(fl.Name)
		if v, ok := os.LookupEnv(name); ok {
			if err := fl.Value.Set(v); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	})
	return errors.Join(errs...)
}
