// SPDX-License-Identifier: Apache-2.0

package main

import "testing"

const file = `package p

import "fmt"

// F prints.
func F(n int) {
	fmt.Println("a text", n, 1)
}
`

func TestTokens(t *testing.T) {
	for name, c := range map[string]struct {
		after                        string
		same, renamed, texts, others int
	}{
		"comments, imports and layout": {
			after: "package p\nimport (\n\"fmt\"\n\"os\"\n)\nfunc F(n int) { fmt.Println(\n\"a \"+\n\"text\", n, 1,\n) }\n",
			same:  1,
		},
		"identifier": {after: "package p\nfunc F(count int) { fmt.Println(\"a text\", count, 1) }\n", renamed: 1},
		"text":       {after: "package p\nfunc F(n int) { fmt.Println(\"a word\", n, 1) }\n", texts: 1},
		"number":     {after: "package p\nfunc F(n int) { fmt.Println(\"a text\", n, 2) }\n", others: 1},
		"statement":  {after: "package p\nfunc F(n int) { fmt.Println(\"a text\", n, 1); n++ }\n", others: 1},
	} {
		t.Run(name, func(t *testing.T) {
			before, err := scan("old.go", file)
			if err != nil {
				t.Fatal(err)
			}
			after, err := scan("new.go", c.after)
			if err != nil {
				t.Fatal(err)
			}
			got := comparison{renames: map[string]map[string]bool{}}
			got.tokens("p/new.go", before, after)
			renamed := len(got.renames["p"])
			if got.same != c.same || renamed != c.renamed || len(got.texts) != c.texts || len(got.differences) != c.others {
				t.Errorf("got same %d, renamed %d, texts %v, differences %v", got.same, renamed, got.texts, got.differences)
			}
		})
	}
}
