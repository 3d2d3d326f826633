// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// browsers are browsers that support headless screenshots.
var browsers = []string{"chromium", "chromium-headless-shell", "chromium-browser", "google-chrome", "google-chrome-stable"}

// sandboxPicture is the name of the screenshot.
const sandboxPicture = "sandbox.png"

// picture saves a screenshot of the sandbox's page if a browser is installed.
func picture(ctx context.Context, page, out string) error {
	var browser string
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			browser = path
			break
		}
	}
	file := filepath.Join(out, sandboxPicture)
	if browser == "" {
		info("no Chromium is installed for a screenshot of %s: open it in a browser", page)
		return nil
	}
	home, err := os.MkdirTemp("", "reelops-demo")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(home) }()
	file, err = filepath.Abs(file)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	said, err := exec.CommandContext(ctx, browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir="+home,
		"--window-size=1440,1700", "--virtual-time-budget=5000", "--screenshot="+file, page).CombinedOutput()
	if err == nil {
		_, err = os.Stat(file)
	}
	if err != nil {
		return fmt.Errorf("taking a screenshot of the sandbox's page: %w: %s", err, said)
	}
	info("a screenshot of %s is in %s; with `make run`, the page and the links above stay available", page, file)
	return nil
}
