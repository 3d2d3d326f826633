// SPDX-License-Identifier: Apache-2.0

// Package flagenv sets the flags of a program from environment variables. Flags on the command line take precedence,
// because they are parsed afterwards.
package flagenv

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
)

// Prefix of the names of all variables.
const Prefix = "REELOPS_"

// Name returns the variable of a flag: the prefix and the flag's name in capitals with underscores.
func Name(flagName string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// Set sets the flags from their variables, and adds the name of the variable to the usage text of each flag. Call Set
// after the flags are defined and before they are parsed. The error names every variable with an invalid value.
func Set(f *flag.FlagSet) error {
	var errs []error
	f.VisitAll(func(fl *flag.Flag) {
		if fl.Name == "version" {
			return // not a setting
		}
		name := Name(fl.Name)
		fl.Usage += " (" + name + ")"
		if v, ok := os.LookupEnv(name); ok {
			if err := fl.Value.Set(v); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", name, err))
			}
		}
	})
	return errors.Join(errs...)
}
