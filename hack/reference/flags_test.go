// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"
	"testing"
)

func TestParseHelp(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		help     string
		settings []setting
		commands []string
	}{
		"flag package": {
			help: "Usage of sandbox:\n" +
				"  -dir string\n    \tfolder (REELOPS_DIR) (default \"a \\\"b\\\"\")\n" +
				"  -wait duration\n    \ttime; default: none (REELOPS_WAIT)\n" +
				"  -version\n    \tprint the version\n" +
				"Variables without a flag:\n" +
				"  REELOPS_CA\n    \tauthorities\n",
			settings: []setting{
				{flag: "--dir string", variable: "REELOPS_DIR", preset: `a "b"`, text: "folder"},
				{flag: "--wait duration", variable: "REELOPS_WAIT", text: "time; default: none"},
				{flag: "--version", text: "print the version"},
				{variable: "REELOPS_CA", text: "authorities"},
			},
		},
		"cobra": {
			help: "Manage keys:\n\nUsage:\n  reelops key [flags]\n\nAliases:\n  key, keys\n\n" +
				"Examples:\n  reelops key list   --help\n\n" +
				"Available Commands:\n  create      Create a key\n  help        Help about any command\n\n" +
				"Flags:\n  -A, --all         All accounts (default true)\n" +
				"  -h, --help        help for key\n      --n int32   Number\n\n" +
				"Use \"reelops options\" for the flags that every command accepts.\n",
			settings: []setting{
				{flag: "-A, --all", preset: "true", text: "All accounts"},
				{flag: "--n int32", text: "Number"},
			},
			commands: []string{"create"},
		},
	} {
		settings, commands, err := parseHelp(c.help)
		if err != nil || !slices.Equal(settings, c.settings) || !slices.Equal(commands, c.commands) {
			t.Errorf("%s: %+v %q %v", name, settings, commands, err)
		}
	}
	if _, _, err := parseHelp("Usage of x:\n  -no-text\n"); err == nil {
		t.Error("an unknown line is no error")
	}
}
