// SPDX-License-Identifier: Apache-2.0

package wordnet

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// newDictionary creates a dictionary of three nouns and a verb.
func newDictionary(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	head := "  1 a licence stands here  \n"
	lines := []string{
		`%08d 17 n 02 sea 0 ocean 0 001 @ %08d n 0000 | a large body of salt water; "to sail the sea"`,
		`%08d 17 n 01 water 0 000 | what rivers are made of`,
		`%08d 05 n 01 leaf 0 001 #p %08d n 0000 | the flat part of a plant`,
	}
	at := []int{len(head)}
	for _, l := range lines {
		at = append(at, at[len(at)-1]+len(strings.ReplaceAll(l, "%08d", "00000000"))+1)
	}
	files := map[string]string{
		"data.noun": head + fmt.Sprintf(lines[0], at[0], at[1]) + "\n" + fmt.Sprintf(lines[1], at[1]) + "\n" + fmt.Sprintf(lines[2], at[2], at[1]) + "\n",
		"index.noun": head + fmt.Sprintf("leaf n 1 1 #p 1 0 %08d  \nocean n 1 1 @ 1 1 %08d  \nsalt_water n 1 0 1 0 %08d  \nsea n 1 1 @ 1 1 %08d  \nwater n 1 0 1 1 %08d  \n",
			at[2], at[0], at[1], at[0], at[1]),
		"noun.exc":  "leaves leaf\n",
		"data.verb": head + fmt.Sprintf("%08d 38 v 01 sail 0 000 01 + 01 00 | travel on water\n", len(head)),
		"index.verb": head + fmt.Sprintf("broken v x\ncut v 9 0 1 0 00000001  \nlost v 1 0 1 0 99999999  \nsail v 1 0 1 0 %08d  \n",
			len(head)),
	}
	for _, name := range names {
		for _, f := range []string{"index." + name, "data." + name, name + ".exc"} {
			if err := os.WriteFile(filepath.Join(dir, f), []byte(files[f]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func opened(t testing.TB, dir string) *DB {
	t.Helper()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d
}

func TestSenses(t *testing.T) {
	d := opened(t, newDictionary(t))
	ids, err := d.Senses("Sea", Noun)
	if err != nil || len(ids) != 1 {
		t.Fatalf("sea: got the senses %v, %v", ids, err)
	}
	s, err := d.Synset(ids[0])
	if err != nil {
		t.Fatal(err)
	}
	water, _ := d.Senses("water", Noun)
	want := Synset{
		Words: []string{"sea", "ocean"}, Links: []Link{{Broader, water[0]}},
		Gloss: `a large body of salt water; "to sail the sea"`,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
}

func TestSenses_BaseForms(t *testing.T) {
	d := opened(t, newDictionary(t))
	for word, want := range map[string]struct {
		part Part
		base []string
	}{
		"leaves":      {Noun, []string{"leaf"}},
		"seas":        {Noun, []string{"sea"}},
		"salt water":  {Noun, []string{"salt water"}},
		"Salt  Water": {Noun, []string{"salt water"}},
		"sailing":     {Verb, []string{"sail"}},
		"sailed":      {Verb, []string{"sail"}},
		"mountain":    {Noun, nil},
		"":            {Noun, nil},
	} {
		got, err := d.Bases(word, want.part)
		if err != nil || !slices.Equal(got, want.base) {
			t.Errorf("%q: got %v, %v; want %v", word, got, err, want.base)
		}
	}
}

func TestOpen_InvalidFiles(t *testing.T) {
	d := opened(t, newDictionary(t))
	for _, word := range []string{"broken", "cut"} {
		if ids, err := d.Senses(word, Verb); err == nil {
			t.Errorf("%s: got the senses %v and no error", word, ids)
		}
	}
	ids, err := d.Senses("lost", Verb)
	if err != nil || len(ids) != 1 {
		t.Fatal(ids, err)
	}
	if s, err := d.Synset(ids[0]); err == nil {
		t.Errorf("an offset beyond the file: got %v and no error", s)
	}
	if _, err := Open(t.TempDir()); err == nil {
		t.Error("an empty folder is accepted")
	}
}

func FuzzSynsetLine(f *testing.F) {
	f.Add(`00000028 17 n 02 sea 0 ocean 0 001 @ 00000108 n 0000 | a large body`)
	f.Add(`0 0 n ff a 0 999 | x`)
	f.Add(`| `)
	f.Fuzz(func(t *testing.T, line string) {
		s, err := parse([]byte(line))
		if err == nil && (len(s.Words) > len(line) || len(s.Links) > len(line)) {
			t.Errorf("%q: got %d words and %d links", line, len(s.Words), len(s.Links))
		}
	})
}

// Every word of the installed dictionary must be found, and every sense must be readable.
func TestOpen_InstalledDictionary(t *testing.T) {
	if _, err := os.Stat(Dir); err != nil {
		t.Skip("no dictionary is installed here")
	}
	d := opened(t, Dir)
	for p, name := range names {
		text, err := os.ReadFile(filepath.Join(Dir, "index."+name))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			word, _, _ := strings.Cut(line, " ")
			if n++; word == "" || n%61 != 0 {
				continue
			}
			ids, err := d.Senses(word, Part(p))
			if err != nil || len(ids) == 0 {
				t.Fatalf("%s %q: got the senses %v, %v", name, word, ids, err)
			}
			for _, id := range ids {
				s, err := d.Synset(id)
				if err != nil {
					t.Fatal(err)
				}
				if spelt := strings.ReplaceAll(word, "_", " "); !slices.Contains(s.Words, spelt) {
					t.Errorf("a sense of %s %q has only the words %v", name, spelt, s.Words)
				}
			}
		}
		if n < 1000 {
			t.Errorf("index.%s has %d lines", name, n)
		}
	}
}

func BenchmarkSenses(b *testing.B) {
	d := opened(b, Dir)
	b.ReportAllocs()
	for b.Loop() {
		if ids, err := d.Senses("thunderstorm", Noun); err != nil || len(ids) == 0 {
			b.Fatal(ids, err)
		}
	}
}
