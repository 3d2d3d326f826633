// SPDX-License-Identifier: Apache-2.0

package sandbox

import (
	"bufio"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// entry is one line of the journal. A later run restores posts and tokens from the journal.
type entry struct {
	Landing  *Landing  `json:"landing,omitempty"`
	FileOf   *fileRef  `json:"file,omitempty"`
	PhotosOf []fileRef `json:"photos,omitempty"`
	Removed  string    `json:"removed,omitempty"`
	Token    *Token    `json:"token,omitempty"`
	// On is the platform of Token, Dead and Expired. Dead is a revoked token and Expired an expired one.
	On      string `json:"on,omitempty"`
	Dead    string `json:"dead,omitempty"`
	Expired string `json:"expired,omitempty"`
	Reset   bool   `json:"reset,omitempty"`
}

type fileRef struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

func fileOf(f *File) *fileRef {
	if f == nil {
		return nil
	}
	return &fileRef{ID: f.ID, Type: f.ContentType}
}

func filesOf(files []*File) []fileRef {
	var out []fileRef
	for _, f := range files {
		out = append(out, *fileOf(f))
	}
	return out
}

// write appends an entry to the journal. The caller holds the lock.
func (s *Sandbox) write(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	_, err = s.journal.Write(append(line, '\n'))
	return err
}

// restore replays the journal and opens it for appending. It skips a line that a crash truncated.
func (s *Sandbox) restore() error {
	path := filepath.Join(s.cfg.Dir, "journal.jsonl")
	in, err := os.Open(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err == nil {
		lines := bufio.NewScanner(in)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var e entry
			if json.Unmarshal(lines.Bytes(), &e) == nil {
				s.replay(e)
			}
		}
		err = errors.Join(lines.Err(), in.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s.journal, err = os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644); err != nil {
		return err
	}
	// Start on a new line in case the last one was truncated.
	_, err = s.journal.WriteString("\n")
	return err
}

func (s *Sandbox) replay(e entry) {
	switch {
	case e.Landing != nil:
		l := e.Landing
		if e.FileOf != nil {
			l.File = s.restoredFile(e.FileOf.ID, e.FileOf.Type)
		}
		for _, p := range e.PhotosOf {
			l.Photos = append(l.Photos, s.restoredFile(p.ID, p.Type))
		}
		s.put(l)
	case e.Removed != "":
		platform, id, _ := strings.Cut(e.Removed, "/")
		s.drop(platform, id)
	case e.Token != nil:
		s.book(e.On).keep(e.Token)
	case e.Dead != "":
		s.book(e.On).kill(e.Dead)
	case e.Expired != "":
		s.book(e.On).end(e.Expired)
	case e.Reset:
		s.landings, s.byID, s.byURL = nil, map[string]*Landing{}, map[string]*Landing{}
	}
}

// Reset deletes the posts, calls, faults and files of all platforms. Tokens stay valid.
func (s *Sandbox) Reset() error {
	folder := filepath.Join(s.cfg.Dir, "files")
	old, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	s.mu.Lock()
	platforms := make([]Platform, 0, len(s.order))
	for _, name := range s.order {
		platforms = append(platforms, s.platforms[name])
	}
	s.landings, s.byID, s.byURL = nil, map[string]*Landing{}, map[string]*Landing{}
	s.calls, s.faults, s.sequence = nil, nil, 0
	err = s.write(entry{Reset: true})
	s.mu.Unlock()
	for _, p := range platforms {
		p.Reset()
	}
	for _, f := range old {
		if gone := os.Remove(filepath.Join(folder, f.Name())); !errors.Is(gone, fs.ErrNotExist) { // a platform may have deleted it already
			err = errors.Join(err, gone)
		}
	}
	return err
}
