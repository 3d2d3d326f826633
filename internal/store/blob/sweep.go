// SPDX-License-Identifier: Apache-2.0

package blob

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// UnfinishedAge is the age at which the writer of an unfinished write cannot be running any more.
const UnfinishedAge = 24 * time.Hour

// SweepUnfinished removes the unfinished objects of writers that were killed: temporary files of a folder, parts of
// objects in S3. Writes that began less than age ago stay; in a folder, writes that received bytes less than age ago
// stay as well. UnfinishedAge is safe at any time.
func (s *Store) SweepUnfinished(ctx context.Context, age time.Duration) error {
	before := s.clock.Now().Add(-age)
	if s.signer == nil {
		return s.cloud.Sweep(ctx, s.bucket, before)
	}
	return walkFolder(ctx, s.dir, "", func(o Object, file string, unfinished bool) error {
		if unfinished && o.Modified.Before(before) {
			_ = os.Remove(file) // another sweep may have removed it; the next sweep retries
		}
		return nil
	})
}

// unfinishedFile matches the names that the folder driver gives to files being written: KEY.NANOSECONDS.tmp.
var unfinishedFile = regexp.MustCompile(`\.[0-9a-f]{1,16}\.tmp$`)

// escaped matches the driver's escape of a character that file names cannot have.
var escaped = regexp.MustCompile(`__0x[0-9a-f]{1,6}__`)

// walkFolder calls f for every file below dir whose key begins with the prefix. It skips files that are deleted
// meanwhile. The driver's own listing fails then, and files of a busy store are deleted all the time.
func walkFolder(ctx context.Context, dir, prefix string, f func(o Object, file string, unfinished bool) error) error {
	root := dir
	if i := strings.LastIndexByte(prefix, '/'); i > 0 && filepath.IsLocal(prefix[:i]) && !strings.Contains(prefix[:i], "//") {
		root = filepath.Join(dir, filepath.FromSlash(prefix[:i]))
	}
	return filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil || d.IsDir() {
			return errors.Join(err, ctx.Err())
		}
		name, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		key := unescape(filepath.ToSlash(name))
		if !strings.HasPrefix(key, prefix) {
			return nil
		}
		info, err := d.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		return f(Object{Key: key, Bytes: info.Size(), Modified: info.ModTime()}, file, unfinishedFile.MatchString(key))
	})
}

func unescape(name string) string {
	if !strings.Contains(name, "__0x") {
		return name
	}
	return escaped.ReplaceAllStringFunc(name, func(m string) string {
		c, err := strconv.ParseInt(m[4:len(m)-2], 16, 32)
		if err != nil {
			return m
		}
		return string(rune(c))
	})
}
