// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"time"
)

// tenant creates an account, a brand and an API key, unless the env file holds a valid key. Every step can be repeated.
func (s *stack) tenant(ctx context.Context) error {
	env := s.path("env")
	if key := keyIn(env); key != "" && s.works(ctx, key) {
		return s.writeEnv(env, key)
	}
	for _, args := range [][]string{
		{"account", "create", account, "--email", "you@example.com"},
		{"brand", "create", account, "--account", account, "--display-name", "Demo"},
	} {
		if _, err := s.call(ctx, "reelops", args...); err != nil && !strings.Contains(err.Error(), "exists") {
			return s.because(fmt.Errorf("%s: %w", strings.Join(args, " "), err))
		}
	}
	out, err := s.call(ctx, "reelops", "key", "create", "--account", account, "--brand", account, "--name", "local", "--scopes", "admin", "-o", "json")
	if err != nil {
		return s.because(fmt.Errorf("creating an API key: %w", err))
	}
	var made struct{ Secret string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.Secret == "" {
		return fmt.Errorf("reading the new API key: %w", errors.Join(err, errors.New("no secret in the response")))
	}
	logf("created the account, brand and API key %q", account)
	// The front end's cache has the key a moment after the cluster.
	for !s.works(ctx, made.Secret) {
		if err := s.partLost(); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
	return s.writeEnv(env, made.Secret)
}

// consoleLink returns a link that signs the cluster's administrator in to the console.
func (s *stack) consoleLink(ctx context.Context) (string, error) {
	out, err := s.call(ctx, "reelops", "console", "--account", account, "--url", s.publicURL, "-o", "json")
	if err != nil {
		return "", err
	}
	var made struct{ URL string }
	if err := json.Unmarshal([]byte(out), &made); err != nil || made.URL == "" {
		return "", errors.Join(err, errors.New("no URL in the answer"))
	}
	return made.URL, nil
}

func (s *stack) works(ctx context.Context, key string) bool {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/api/v1/account", nil)
	if err != nil {
		return false
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return false
	}
	_ = res.Body.Close()
	return res.StatusCode == http.StatusOK
}

// writeEnv writes the file that a shell sources, atomically.
func (s *stack) writeEnv(path, key string) error {
	doc := fmt.Sprintf("export REELOPS_URL=%s\nexport REELOPS_API_KEY=%s\nexport REELOPS_BLOB_URL=%s\nexport REELOPS_SANDBOX=%s\nexport KUBECONFIG=%s\nexport PATH=%s:$PATH\n",
		s.publicURL, key, quote("file://"+s.path("blobs")), s.sandbox, quote(s.path("kubeconfig")), quote(s.o.bin))
	tmp := path + ".new"
	if err := os.WriteFile(tmp, []byte(doc), 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

func keyIn(path string) string {
	doc, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	for line := range strings.SplitSeq(string(doc), "\n") {
		if key, ok := strings.CutPrefix(line, "export REELOPS_API_KEY="); ok {
			return strings.TrimSpace(key)
		}
	}
	return ""
}

// signingKey creates the signing key unless it exists.
func signingKey(path string) error {
	if old, err := os.ReadFile(path); err == nil && len(old) >= 32 {
		return nil
	}
	key := make([]byte, 64)
	_, _ = rand.Read(key)
	return writeKey(path, key)
}

// tokenKey creates the key that seals the tokens of connected accounts, unless the file exists. An existing file is
// never replaced, because the tokens are lost without the key.
func tokenKey(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	return writeKey(path, []byte(base64.StdEncoding.EncodeToString(key)+"\n"))
}

// writeKey writes a file that only its owner can read, atomically.
func writeKey(path string, key []byte) error {
	tmp := path + ".new"
	if err := os.WriteFile(tmp, key, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
