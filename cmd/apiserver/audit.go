// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/reelops/reelops/apiserver/audit"
)

// openAudit opens the audit log. With --audit-log it is a file, which rotates itself and which SIGHUP reopens after
// another program has moved it. Otherwise it is standard error, regardless of the log level.
func openAudit(o *options, log *slog.Logger) (out io.Writer, closeIt func(), err error) {
	if o.auditLog == "" {
		return os.Stderr, func() {}, nil
	}
	file, err := audit.OpenFile(o.auditLog, audit.Rotation{
		MaxBytes: int64(o.auditMaxSize) << 20, MaxBackups: o.auditMaxBackup,
	})
	if err != nil {
		return nil, nil, err
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	go func() {
		for range hangups {
			if err := file.Reopen(); err != nil {
				log.Error("reopening audit log failed; keeping the open file", "error", err.Error())
			}
		}
	}()
	return file, func() { signal.Stop(hangups); close(hangups); _ = file.Close() }, nil
}
