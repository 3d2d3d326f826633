// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/reelops/reelops/internal/process/version"
)

// Groups of commands in the help.
const (
	groupContent      = "content"
	groupInstallation = "installation"
)

// wholeInstallation is the annotation of commands that do not work on one account. They refuse --namespace.
const wholeInstallation = "reelops.dev/whole-installation"

// newRootCommand returns the root command with all its subcommands.
func newRootCommand(f *factory) *cobra.Command {
	root := group("reelops", "Administer Reelops: accounts, brands, API keys, music, posts, approval, automations, console, backup and diagnosis",
		inGroup(groupContent, newAccountCommand(f), newBrandCommand(f), newKeyCommand(f), newMusicCommand(f), newConnectionCommand(f),
			newNewCommand(f), newPostCommand(f), newBatchCommand(f), newApproveCommand(f), newAutomationCommand(f), newWebhookCommand(f), newArchiveCommand(f), newConsoleCommand(f), newStatusCommand(f)),
		inGroup(groupInstallation, newValidateCommand(f), newDoctorCommand(f), newBackupCommand(f), newRestoreCommand(f), newMigrateCommand(f)),
		[]*cobra.Command{newOptionsCommand()},
	)
	root.SilenceUsage, root.SilenceErrors, root.Version = true, true, version.Version
	root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: programName()}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return f.checkScope(cmd) }
	root.AddGroup(&cobra.Group{ID: groupContent, Title: "Accounts and content:"}, &cobra.Group{ID: groupInstallation, Title: "Installation:"})
	root.SetUsageTemplate(usageTemplate(root.UsageTemplate()))
	root.SetIn(f.In)
	root.SetOut(f.Out)
	root.SetErr(f.ErrOut)
	f.addFlags(root)
	f.completeGlobal(root)
	markRuns(root)
	return root
}

// execute runs the command line of the process, or the one set by root.SetArgs, and explains its error.
func execute(ctx context.Context, root *cobra.Command) error {
	err := root.ExecuteContext(ctx)
	if err != nil && ctx.Err() != nil {
		return errInterrupted
	}
	return explain(err)
}

// programName returns the command that the user types to run the program.
func programName() string {
	if strings.HasPrefix(filepath.Base(os.Args[0]), "kubectl-") {
		return "kubectl reelops"
	}
	return "reelops"
}

// examples returns the examples of a command's help, one for each line without the program's name.
func examples(lines ...string) string {
	for i, l := range lines {
		lines[i] = "  " + programName() + " " + l
	}
	return strings.Join(lines, "\n")
}

// group returns a command that only holds subcommands. An unknown subcommand is an error.
func group(use, short string, commands ...[]*cobra.Command) *cobra.Command {
	g := &cobra.Command{
		Use: use, Short: short,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return nil
			}
			hint := ""
			if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
				hint = fmt.Sprintf(", did you mean %q?", near[0])
			}
			return fmt.Errorf("there is no command `%s %s`%s: see `%s --help`", cmd.CommandPath(), args[0], hint, cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	for _, some := range commands {
		g.AddCommand(some...)
	}
	return g
}

func inGroup(id string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = id
	}
	return commands
}

// forInstallation marks a command that works on the whole installation.
func forInstallation(c *cobra.Command) *cobra.Command {
	c.Annotations = map[string]string{wholeInstallation: "true"}
	return c
}

// newOptionsCommand returns the command that lists the global flags, which the help of other commands omits.
func newOptionsCommand() *cobra.Command {
	return &cobra.Command{
		Use: "options", Short: "List the flags that every command accepts", Args: cobra.NoArgs, Example: examples("options"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "Every command accepts these flags:\n\n%s", cmd.Root().PersistentFlags().FlagUsages())
			return err
		},
	}
}

// usageTemplate replaces the list of global flags by a reference to `options`.
func usageTemplate(template string) string {
	before, rest, found := strings.Cut(template, "{{if .HasAvailableInheritedFlags}}")
	_, after, ended := strings.Cut(rest, "{{end}}")
	if !found || !ended {
		return template
	}
	return before + "{{if .HasAvailableInheritedFlags}}\n\nUse \"{{.Root.DisplayName}} options\" for the flags that every command accepts.{{end}}" + after
}

// allNamespaces makes --all-namespaces, which users of kubectl know, an alias of --all-accounts.
func allNamespaces(_ *pflag.FlagSet, name string) pflag.NormalizedName {
	if name == "all-namespaces" {
		name = "all-accounts"
	}
	return pflag.NormalizedName(name)
}
