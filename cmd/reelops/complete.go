// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// values returns what the shell offers for a word.
type values = cobra.CompletionFunc

// fixed offers the same words always.
func fixed(words ...string) values {
	return func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return matching(words, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// matching returns the words that begin with what was typed.
func matching(words []string, typed string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, typed) {
			out = append(out, w)
		}
	}
	return out
}

// completeFlag completes the value of a flag. A flag that does not exist is a mistake of this program.
func completeFlag(c *cobra.Command, flag string, v values) {
	if err := c.RegisterFlagCompletionFunc(flag, v); err != nil {
		panic(err)
	}
}
