// SPDX-License-Identifier: Apache-2.0

// Command documents checks the Markdown pages of the repository: a link leads to a file and a heading that exist, a
// path in backquotes exists, and every page of docs is reachable by links from docs/README.md.
//
//	go -C hack run ./documents
package main

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	start = "docs/README.md"
	// release is the placeholder of a release in a path.
	release = "vX.Y.Z"
)

var (
	// fence matches a fenced block. Its content has neither links nor headings.
	fence = regexp.MustCompile("(?ms)^ *```.*?^ *```$")
	// link matches an inline link or image. Its group is the target.
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// external matches a target outside of the repository.
	external = regexp.MustCompile(`^[a-z]+:`)
	heading  = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	// notInAnchor matches the characters that GitHub removes from a heading in its anchor.
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	// named matches a path in backquotes that begins with a top-level folder.
	named = regexp.MustCompile("`((?:api|apiserver|cmd|config|controllers|docs|hack|internal)/[A-Za-z0-9_./-]*)`")
)

func main() {
	root := flag.String("root", "..", "root folder of the repository")
	flag.Parse()
	problems, err := check(os.DirFS(*root))
	if err != nil {
		fmt.Fprintln(os.Stderr, "documents:", err)
		os.Exit(1)
	}
	for _, p := range problems {
		fmt.Fprintln(os.Stderr, p)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
}

// check returns the problems of the pages of a repository: those in its root folder and those below docs.
func check(repository fs.FS) ([]string, error) {
	pages, err := read(repository)
	if err != nil {
		return nil, err
	}
	if pages[start] == "" {
		return nil, errors.New(start + " is missing")
	}
	var problems []string
	links := map[string][]string{}
	for page, text := range pages {
		text = fence.ReplaceAllString(text, "")
		for _, m := range link.FindAllStringSubmatch(text, -1) {
			if external.MatchString(m[1]) {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := page
			if file != "" {
				target = path.Join(path.Dir(page), file)
			}
			links[page] = append(links[page], target)
			if !exists(repository, target) {
				problems = append(problems, fmt.Sprintf("%s: the link %s leads to no file", page, m[1]))
			} else if anchor != "" && !slices.Contains(anchors(pages[target]), anchor) {
				problems = append(problems, fmt.Sprintf("%s: the link %s leads to no heading", page, m[1]))
			}
		}
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(m[1], release) && !exists(repository, strings.TrimSuffix(m[1], "/")) {
				problems = append(problems, fmt.Sprintf("%s: %s does not exist", page, m[1]))
			}
		}
	}
	reached := map[string]bool{}
	for queue := []string{start}; len(queue) > 0; queue = queue[1:] {
		if !reached[queue[0]] {
			reached[queue[0]] = true
			queue = append(queue, links[queue[0]]...)
		}
	}
	for page := range pages {
		if strings.HasPrefix(page, "docs/") && !reached[page] {
			problems = append(problems, fmt.Sprintf("%s: no link leads here from %s", page, start))
		}
	}
	slices.Sort(problems)
	return problems, nil
}

// read returns the pages by their paths.
func read(repository fs.FS) (map[string]string, error) {
	files, err := fs.Glob(repository, "*.md")
	if err != nil {
		return nil, err
	}
	err = fs.WalkDir(repository, "docs", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(name) == ".md" {
			files = append(files, name)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	pages := map[string]string{}
	for _, name := range files {
		text, err := fs.ReadFile(repository, name)
		if err != nil {
			return nil, err
		}
		pages[name] = string(text)
	}
	return pages, nil
}

// anchors returns the anchors of the headings of a page as GitHub forms them.
func anchors(text string) []string {
	var out []string
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(text, ""), -1) {
		words := notInAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(words, " ", "-"))
	}
	return out
}

func exists(repository fs.FS, name string) bool {
	_, err := fs.Stat(repository, name)
	return err == nil
}
