// SPDX-License-Identifier: Apache-2.0

// Command sametree compares the Go files of two commits without comments and layout, to show that a rewording did not
// change behavior. It ignores imports, which the compiler checks. It prints the renamed identifiers and, with -texts,
// the changed string literals; both need a review. It exits with 1 if anything else differs.
//
//	go -C hack run ./sametree OLD [NEW]
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/scanner"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

func main() {
	texts := flag.Bool("texts", false, "print every changed string literal")
	flag.Parse()
	if flag.NArg() < 1 {
		fmt.Fprintln(os.Stderr, "usage: sametree [-texts] OLD [NEW]")
		os.Exit(2)
	}
	newer := flag.Arg(1)
	if newer == "" {
		newer = "HEAD"
	}
	c := comparison{renames: map[string]map[string]bool{}}
	if err := c.run(flag.Arg(0), newer); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c.print(*texts)
	if len(c.differences) > 0 {
		os.Exit(1)
	}
}

// comparison collects the differences between two commits.
type comparison struct {
	files, same int
	// renames holds the renamed identifiers of each package directory, as "old -> new".
	renames map[string]map[string]bool
	// texts are the changed string literals, as "file: old -> new".
	texts []string
	// differences are changes of behavior, or files that cannot be compared.
	differences []string
}

// run compares the Go files that differ between the commits.
func (c *comparison) run(older, newer string) error {
	// Make the paths relative to the root of the repository, independent of the working directory.
	list, err := git("diff", "--name-status", "-M50%", older, newer, "--", ":(top)*.go")
	if err != nil {
		return err
	}
	for _, line := range strings.Split(strings.TrimSpace(list), "\n") {
		fields := strings.Split(line, "\t")
		if len(fields) < 2 {
			continue
		}
		before, after := fields[1], fields[len(fields)-1]
		switch fields[0][0] {
		case 'A':
			err = c.compareOnly(newer + ":" + after)
		case 'D':
			err = c.compareOnly(older + ":" + before)
		default:
			err = c.compare(older+":"+before, newer+":"+after)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compare compares a file of the older commit with the newer version. Both are given as COMMIT:PATH.
func (c *comparison) compare(before, after string) error {
	c.files++
	a, err := tokensOf(before)
	if err != nil {
		return err
	}
	b, err := tokensOf(after)
	if err != nil {
		return err
	}
	c.tokens(pathOf(after), a, b)
	return nil
}

// compareOnly records a file that only one of the commits has as a difference, unless it contains only a package
// clause.
func (c *comparison) compareOnly(object string) error {
	c.files++
	all, err := tokensOf(object)
	if err != nil {
		return err
	}
	if len(all) > 3 { // package, its name, and the end of the line
		c.differences = append(c.differences, fmt.Sprintf("%s: added or removed, with %d tokens", pathOf(object), len(all)))
	}
	return nil
}

// pathOf returns the path of a file that is given as COMMIT:PATH.
func pathOf(object string) string {
	_, file, _ := strings.Cut(object, ":")
	return file
}

// tokens compares the tokens of a file.
func (c *comparison) tokens(name string, a, b []lexeme) {
	if len(a) != len(b) {
		c.differences = append(c.differences,
			fmt.Sprintf("%s: %d tokens, was %d; first at line %d", name, len(b), len(a), firstDifference(a, b)))
		return
	}
	equal := true
	for i := range a {
		equal = c.token(name, a[i], b[i]) && equal
	}
	if equal {
		c.same++
	}
}

// token compares two tokens and records how they differ. It reports whether they are equal.
func (c *comparison) token(name string, a, b lexeme) bool {
	switch {
	case a.kind != b.kind:
	case a.text == b.text:
		return true
	case a.kind == token.STRING:
		c.texts = append(c.texts, fmt.Sprintf("%s:%d: %s -> %s", name, b.line, a.text, b.text))
		return false
	case a.kind == token.IDENT:
		dir := path.Dir(name)
		if c.renames[dir] == nil {
			c.renames[dir] = map[string]bool{}
		}
		c.renames[dir][a.text+" -> "+b.text] = true
		return false
	}
	c.differences = append(c.differences,
		fmt.Sprintf("%s:%d: %s %s, was %s %s", name, b.line, b.kind, b.text, a.kind, a.text))
	return false
}

// print writes the result to standard output.
func (c *comparison) print(texts bool) {
	n := 0
	for _, dir := range slices.Sorted(maps.Keys(c.renames)) {
		for _, rename := range slices.Sorted(maps.Keys(c.renames[dir])) {
			fmt.Printf("renamed in %s: %s\n", dir, rename)
			n++
		}
	}
	if texts {
		for _, t := range c.texts {
			fmt.Println("text", t)
		}
	}
	for _, d := range c.differences {
		fmt.Println("DIFFERENT", d)
	}
	fmt.Printf("%d changed files: %d differ in comments and layout only\n", c.files, c.same)
	fmt.Printf("%d identifiers renamed, %d texts changed, %d other differences\n", n, len(c.texts), len(c.differences))
}

// lexeme is a token of a file.
type lexeme struct {
	kind token.Token
	text string
	line int
}

// tokensOf returns the tokens of a file that is given as COMMIT:PATH.
func tokensOf(object string) ([]lexeme, error) {
	src, err := git("show", object)
	if err != nil {
		return nil, err
	}
	return scan(object, src)
}

// scan returns the tokens of a file without imports, comments and layout. A comma before a closing bracket and the
// splitting of a string over several lines are ignored.
func scan(name, src string) ([]lexeme, error) {
	var all []lexeme
	var failure error
	fail := func(p token.Position, msg string) { failure = errors.Join(failure, fmt.Errorf("%s: %s", p, msg)) }
	var s scanner.Scanner
	file := token.NewFileSet().AddFile(name, -1, len(src))
	s.Init(file, []byte(src), fail, 0)
	imports, depth := false, 0
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return all, failure
		}
		switch { // an import ends with the line, or with its closing bracket
		case kind == token.IMPORT:
			imports = true
		case imports && kind == token.LPAREN:
			depth++
		case imports && kind == token.RPAREN:
			depth--
		}
		if imports {
			imports = kind != token.SEMICOLON || depth > 0
			continue
		}
		if kind == token.SEMICOLON {
			text = ";"
		}
		all = normalized(all, lexeme{kind: kind, text: text, line: file.Line(pos)})
	}
}

// normalized appends a token and removes tokens that only depend on the layout.
func normalized(all []lexeme, next lexeme) []lexeme {
	last := func(n int) token.Token {
		if len(all) < n {
			return token.ILLEGAL
		}
		return all[len(all)-n].kind
	}
	closes := next.kind == token.RPAREN || next.kind == token.RBRACE || next.kind == token.RBRACK
	switch {
	case closes && (last(1) == token.COMMA || last(1) == token.SEMICOLON):
		all = all[:len(all)-1]
	case next.kind == token.STRING && last(1) == token.ADD && last(2) == token.STRING:
		joined := &all[len(all)-2]
		joined.text = joined.text[:len(joined.text)-1] + next.text[1:]
		return all[:len(all)-1]
	}
	return append(all, next)
}

func firstDifference(a, b []lexeme) int {
	for i := range min(len(a), len(b)) {
		if a[i].kind != b[i].kind {
			return b[i].line
		}
	}
	return 0
}

func git(args ...string) (string, error) {
	var out, problem bytes.Buffer
	cmd := exec.Command("git", args...)
	cmd.Stdout, cmd.Stderr = &out, &problem
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, problem.String())
	}
	return out.String(), nil
}
