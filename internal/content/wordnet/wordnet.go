// SPDX-License-Identifier: Apache-2.0

package wordnet

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Dir is where Debian's wordnet-base puts the database.
const Dir = "/usr/share/wordnet"

// Part of speech.
type Part byte

// The parts of speech.
const (
	Noun Part = iota
	Verb
	Adjective
	Adverb
	parts
)

var names = [parts]string{"noun", "verb", "adj", "adv"}

// Relation of one meaning to another.
type Relation byte

// Relations that are told apart; every other is Other.
const (
	Other       Relation = iota
	Broader              // the thing is a kind of it
	Narrower             // it is a kind of the thing
	Whole                // the thing is a part, member or substance of it
	Piece                // it is a part, member or substance of the thing
	Similar              // an adjective of nearly the same meaning
	Derived              // the same in another part of speech: tranquil, tranquillity
	Opposite             // the contrary
	Causes               // what an action causes or entails
	Topic                // the subject in which the word has this meaning
	SeeAlso              // the dictionary says to look there
	AttributeOf          // hot: temperature
)

var relations = map[string]Relation{
	"@": Broader, "@i": Broader, "~": Narrower, "~i": Narrower,
	"#m": Whole, "#s": Whole, "#p": Whole, "%m": Piece, "%s": Piece, "%p": Piece,
	"&": Similar, "$": Similar, "+": Derived, `\`: Derived, "<": Derived, "!": Opposite,
	"*": Causes, ">": Causes, ";c": Topic, "-c": Topic, ";u": Other, "^": SeeAlso, "=": AttributeOf,
}

// ID names a meaning.
type ID struct {
	Part   Part
	Offset int64
}

// Link leads to a related meaning.
type Link struct {
	Relation Relation
	To       ID
}

// Synset is a meaning: all words for it, what it is related to, and a sentence.
type Synset struct {
	Words []string // lower case; a blank stands between the words of a phrase
	Links []Link
	Gloss string // a definition, perhaps with examples in quotes
}

// DB is an open database, safe for concurrent use.
type DB struct {
	index, data, exceptions [parts]*file
}

// Open opens the database in a folder.
func Open(dir string) (*DB, error) {
	d := &DB{}
	for p, name := range names {
		for _, f := range []struct {
			into *[parts]*file
			name string
		}{{&d.index, "index." + name}, {&d.data, "data." + name}, {&d.exceptions, name + ".exc"}} {
			var err error
			if f.into[p], err = open(filepath.Join(dir, f.name)); err != nil {
				return nil, errors.Join(err, d.Close())
			}
		}
	}
	return d, nil
}

// Close closes the files.
func (d *DB) Close() error {
	var errs []error
	for _, set := range [][parts]*file{d.index, d.data, d.exceptions} {
		for _, f := range set {
			if f != nil {
				errs = append(errs, f.f.Close())
			}
		}
	}
	return errors.Join(errs...)
}

// Senses are the meanings of a word in its base form, the commonest first. A word that is not in the database has none.
func (d *DB) Senses(lemma string, p Part) ([]ID, error) {
	key, ok := keyOf(lemma)
	if !ok || p >= parts {
		return nil, nil
	}
	line, err := d.index[p].find(key)
	if err != nil || line == nil {
		return nil, err
	}
	// lemma pos count pointers symbols... senses tagged offsets...
	fields := bytes.Fields(line)
	if len(fields) < 4 {
		return nil, fmt.Errorf("index.%s: the line of %q is too short", names[p], key)
	}
	count, err := strconv.Atoi(string(fields[2]))
	if err != nil || count < 1 || count > len(fields)-4 {
		return nil, fmt.Errorf("index.%s: the line of %q has no count of its meanings", names[p], key)
	}
	out := make([]ID, count)
	for i, f := range fields[len(fields)-count:] {
		at, err := strconv.ParseInt(string(f), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("index.%s: the line of %q: %w", names[p], key, err)
		}
		out[i] = ID{p, at}
	}
	return out, nil
}

// keyOf is a word as the files write it.
func keyOf(word string) (string, bool) {
	key := strings.Join(strings.Fields(strings.ToLower(word)), "_")
	return key, key != "" && len(key) < 100
}

// Synset reads a meaning.
func (d *DB) Synset(id ID) (Synset, error) {
	if id.Part >= parts {
		return Synset{}, fmt.Errorf("there is no part of speech %d", id.Part)
	}
	line, err := d.data[id.Part].line(id.Offset)
	if err != nil {
		return Synset{}, err
	}
	s, err := parse(line)
	if err != nil {
		return Synset{}, fmt.Errorf("data.%s at %d: %w", names[id.Part], id.Offset, err)
	}
	return s, nil
}

var errShort = errors.New("the line is cut off")

// parse reads a line of a data file:
//
//	offset file type words(hex) word id ... links(3 digits) symbol offset part source/target ... | gloss
func parse(line []byte) (Synset, error) {
	var s Synset
	head, gloss, ok := bytes.Cut(line, []byte("| "))
	if !ok {
		return s, errShort
	}
	s.Gloss = strings.TrimSpace(string(gloss))
	f := bytes.Fields(head)
	if len(f) < 5 {
		return s, errShort
	}
	words, err := strconv.ParseUint(string(f[3]), 16, 8)
	if err != nil {
		return s, fmt.Errorf("the count of words: %w", err)
	}
	f = f[4:]
	if len(f) < 2*int(words)+1 {
		return s, errShort
	}
	for range words {
		word := strings.ToLower(strings.ReplaceAll(string(f[0]), "_", " "))
		word, _, _ = strings.Cut(word, "(") // galore(ip): where an adjective stands
		s.Words = append(s.Words, word)
		f = f[2:]
	}
	links, err := strconv.ParseUint(string(f[0]), 10, 16)
	if err != nil {
		return s, fmt.Errorf("the count of links: %w", err)
	}
	f = f[1:]
	if len(f) < 4*int(links) {
		return s, errShort
	}
	for range links {
		at, err := strconv.ParseInt(string(f[1]), 10, 64)
		if err != nil {
			return s, fmt.Errorf("a link: %w", err)
		}
		s.Links = append(s.Links, Link{relations[string(f[0])], ID{part(f[2]), at}})
		f = f[4:]
	}
	return s, nil
}

func part(letter []byte) Part {
	switch string(letter) {
	case "n":
		return Noun
	case "v":
		return Verb
	case "r":
		return Adverb
	}
	return Adjective // a, or s for those that lean on another
}
