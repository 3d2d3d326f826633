// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	// single matches the dash of a flag that the flag package lists. Both packages accept two.
	single = regexp.MustCompile(`(?m)^  -(\w[\w-])`)
	// entry matches a flag, or a variable without a flag, with the type of its value. Its second group is the text.
	entry = regexp.MustCompile(`^ +((?:-\w, )?--\S+(?: \S+)*|[A-Z_]+)   +(.*)$`)
	// suffixes matches the variable and the default at the end of a text.
	suffixes = regexp.MustCompile(`^(.*?)(?: \((REELOPS_\w+)\))?(?: \(default (.*)\))?$`)
	command  = regexp.MustCompile(`^  ([a-z]\S*)  `)
)

// setting is a flag of a program, or a variable without a flag.
type setting struct{ flag, variable, preset, text string }

// flagsPage lists the settings of every program of cmd, from the program's own help.
func flagsPage(root string) ([]byte, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dirs, err := filepath.Glob(filepath.Join(root, "cmd", "*"))
	if err != nil {
		return nil, err
	}
	b := head("Flags and variables", "The settings of every program, from its `--help`.\n"+
		"A flag on the command line takes precedence over its variable. Without a default, the value is empty, 0 or false.\n"+
		"[Configuration](../operations/configuration.md) explains the flags that most installations set.\n\n"+
		"Libraries read further variables: `OTEL_...` for [traces](../operations/observability.md#traces),\n"+
		"`HTTPS_PROXY` and `NO_PROXY` for [a proxy](../operations/proxy.md), the credentials of\n"+
		"[the blob store](../operations/install.md#bucket), and `KUBECONFIG` for `reelops`.")
	for _, dir := range dirs {
		name := filepath.Base(dir)
		// go run keeps the program in the build cache and starts this one with its path.
		cmd := exec.Command("go", "run", "-exec", "'"+self+"' -program", "./cmd/"+name)
		cmd.Dir, cmd.Stdout, cmd.Stderr = root, b, os.Stderr
		if err := cmd.Run(); err != nil {
			return nil, fmt.Errorf("help of %s: %w", name, err)
		}
	}
	return b.Bytes(), nil
}

// writeProgram writes the section of a program or of one of its commands, and those of the commands below.
func writeProgram(w io.Writer, program string, commands ...string) error {
	cmd := exec.Command(program, append(commands, "--help")...)
	// The values of variables are in no default.
	cmd.Env = []string{"HOME=$HOME"}
	help, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, help)
	}
	settings, below, err := parseHelp(string(help))
	if err != nil {
		return err
	}
	if len(commands) == 0 {
		fmt.Fprintf(w, "\n## %s\n", filepath.Base(program))
	} else if settings != nil {
		fmt.Fprintf(w, "\n### %s\n", strings.Join(append([]string{filepath.Base(program)}, commands...), " "))
	}
	writeSettings(w, settings)
	for _, name := range below {
		err = errors.Join(err, writeProgram(w, program, append(commands, name)...))
	}
	return err
}

// parseHelp returns the settings and the commands in a help text of the flag package or of cobra, without the help
// itself.
func parseHelp(help string) (settings []setting, commands []string, err error) {
	help = single.ReplaceAllString(strings.ReplaceAll(help, "\n    \t", "   "), "  --$1")
	section := ""
	for line := range strings.Lines(help) {
		line = strings.TrimRight(line, "\n")
		if !strings.HasPrefix(line, "  ") {
			section = line
			continue
		}
		if slices.Contains([]string{"Usage:", "Aliases:", "Examples:"}, section) || strings.HasPrefix(line, "  -h, --help ") {
			continue
		}
		if m := entry.FindStringSubmatch(line); m != nil {
			s, err := parseSetting(m[1], m[2])
			if err != nil {
				return nil, nil, err
			}
			settings = append(settings, s)
		} else if m := command.FindStringSubmatch(line); m == nil {
			return nil, nil, fmt.Errorf("unknown line in the help: %q", line)
		} else if m[1] != "help" {
			commands = append(commands, m[1])
		}
	}
	return settings, commands, nil
}

// parseSetting separates the text of a setting from its variable and its default.
func parseSetting(name, text string) (setting, error) {
	m := suffixes.FindStringSubmatch(text)
	s := setting{flag: name, variable: m[2], preset: m[3], text: m[1]}
	if !strings.Contains(name, "--") {
		s.flag, s.variable = "", name
	}
	if strings.HasPrefix(s.preset, `"`) {
		preset, err := strconv.Unquote(s.preset)
		if err != nil {
			return s, fmt.Errorf("default of %s: %w", name, err)
		}
		s.preset = preset
	}
	return s, nil
}

// writeSettings writes a table. It has a column of variables if one of the settings has a variable.
func writeSettings(w io.Writer, settings []setting) {
	if settings == nil {
		return
	}
	variables := false
	for _, s := range settings {
		variables = variables || s.variable != ""
	}
	if variables {
		fmt.Fprint(w, "\n| flag | variable | default | meaning |\n|---|---|---|---|\n")
	} else {
		fmt.Fprint(w, "\n| flag | default | meaning |\n|---|---|---|\n")
	}
	for _, s := range settings {
		fmt.Fprintf(w, "| %s |", code(s.flag))
		if variables {
			fmt.Fprintf(w, " %s |", code(s.variable))
		}
		fmt.Fprintf(w, " %s | %s |\n", code(s.preset), cell(s.text))
	}
}

// code returns a text as code in a table cell.
func code(text string) string {
	if text == "" {
		return ""
	}
	return "`" + cell(text) + "`"
}
