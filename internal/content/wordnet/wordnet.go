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

// Dir is the directory where Debian's wordnet-base installs the database.
const Dir = "/usr/share/wordnet"

// Part is a part of speech.
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

// Relation is the relation of one meaning to another.
type Relation byte

// The relations that the package distinguishes; every other relation is Other.
const (
	Other       Relation = iota
	Broader              // the source is a kind of the target
	Narrower             // the target is a kind of the source
	Whole                // the source is a part, member or substance of the target
	Piece                // the target is a part, member or substance of the source
	Similar              // an adjective of nearly the same meaning
	Derived              // the same meaning in another part of speech: tranquil, tranquillity
	Opposite             // the opposite meaning
	Causes               // an effect or entailment of an action
	Topic                // the subject area in which the word has this meaning
	SeeAlso              // a cross-reference of the dictionary
	AttributeOf          // the attribute that an adjective describes, such as temperature for hot
)

var relations = map[string]Relation{
	"@": Broader, "@i": Broader, "~": Narrower, "~i": Narrower,
	"#m": Whole, "#s": Whole, "#p": Whole, "%m": Piece, "%s": Piece, "%p": Piece,
	"&": Similar, "$": Similar, "+": Derived, `\`: Derived, "<": Derived, "!": Opposite,
	"*": Causes, ">": Causes, ";c": Topic, "-c": Topic, ";u": Other, "^": SeeAlso, "=": AttributeOf,
}

// ID identifies a meaning by its part of speech and the byte offset in that part's data file.
type ID struct {
	Part   Part
	Offset int64
}

// Link points to a related meaning.
type Link struct {
	Relation Relation
	To       ID
}

// Synset is a meaning: its words, its related meanings and its definition.
type Synset struct {
	Words []string // lower case; the words of a phrase are separated by a space
	Links []Link
	Gloss string // a definition, sometimes with examples in quotes
}

// DB is an open database. It is safe for concurrent use.
type DB struct {
	index, data, exceptions [parts]*file
}

// Open opens the database in a directory.
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

// Senses returns the meanings of a word in its base form, the most common first. It returns none if the word is not in
// the database.
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

// keyOf returns a word in the notation of the database files: lower case, with underscores for spaces. It returns false
// if the word is empty or has 100 bytes or more.
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
		word, _, _ = strings.Cut(word, "(") // a marker of the adjective's position, as in galore(ip)
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
	return Adjective // a, or s for a satellite adjective
}
