// SPDX-License-Identifier: Apache-2.0

package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/reelops/reelops/hack/localkube/pki"
)

// etcdQuota limits the database file. Kubernetes compacts every five minutes, so a local cluster stays far below the
// limit.
const etcdQuota = 4 << 30

// EtcdConfig is the configuration of a single-member etcd.
type EtcdConfig struct {
	// Dir holds the write-ahead log and the database.
	Dir string
	// ClientAddr and PeerAddr are host:port on the loopback interface.
	ClientAddr, PeerAddr string
	// Authority signs the certificates of both sides. Server is the serving pair.
	Authority, Server *pki.Pair
	// NoFsync trades safety against a power failure for speed.
	NoFsync bool
	// Log receives etcd's own log.
	Log io.Writer
}

// Etcd is a running member.
type Etcd struct{ e *embed.Etcd }

// StartEtcd starts the member and returns when it serves.
//
// An etcd that is killed between the creation of its log and the first membership entry in it never starts again.
// Therefore the first start happens in a folder next to Dir, which is renamed to Dir after etcd has served.
func StartEtcd(ctx context.Context, c EtcdConfig) (*Etcd, error) {
	if _, err := os.Stat(c.Dir); err == nil {
		return startEtcd(ctx, c)
	} else if !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	first := c
	first.Dir = c.Dir + ".new"
	if err := os.RemoveAll(first.Dir); err != nil {
		return nil, err
	}
	e, err := startEtcd(ctx, first)
	if err != nil {
		return nil, err
	}
	e.Stop()
	if err := os.Rename(first.Dir, c.Dir); err != nil {
		return nil, err
	}
	return startEtcd(ctx, c)
}

func startEtcd(ctx context.Context, c EtcdConfig) (*Etcd, error) {
	cfg := embed.NewConfig()
	cfg.Name = "localkube"
	cfg.Dir = c.Dir
	client := url.URL{Scheme: "https", Host: c.ClientAddr}
	peer := url.URL{Scheme: "https", Host: c.PeerAddr}
	cfg.ListenClientUrls, cfg.AdvertiseClientUrls = []url.URL{client}, []url.URL{client}
	cfg.ListenPeerUrls, cfg.AdvertisePeerUrls = []url.URL{peer}, []url.URL{peer}
	cfg.InitialCluster = cfg.InitialClusterFromName(cfg.Name)
	tls := transport.TLSInfo{
		CertFile: c.Server.CertFile, KeyFile: c.Server.KeyFile,
		TrustedCAFile: c.Authority.CertFile, ClientCertAuth: true,
	}
	cfg.ClientTLSInfo, cfg.PeerTLSInfo = tls, tls
	// A single member waits for no other: with short ticks it becomes leader at once instead of after a second.
	cfg.TickMs, cfg.ElectionMs = 50, 500
	cfg.QuotaBackendBytes = etcdQuota
	cfg.UnsafeNoFsync = c.NoFsync
	cfg.EnableGRPCGateway = false
	core := zapcore.NewCore(zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig()), zapcore.AddSync(c.Log), zap.WarnLevel)
	cfg.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zap.New(core))
	e, err := embed.StartEtcd(cfg)
	if err != nil {
		return nil, fmt.Errorf("starting etcd: %w", err)
	}
	select {
	case <-e.Server.ReadyNotify():
		return &Etcd{e}, nil
	case err := <-e.Err():
		e.Close()
		return nil, fmt.Errorf("etcd: %w", err)
	case <-ctx.Done():
		// Close may wait for a long time. The process ends anyway, and an etcd that is killed loses no data.
		go e.Close()
		return nil, fmt.Errorf("waiting for etcd: %w", ctx.Err())
	}
}

// Failed returns a channel that receives an error if etcd stops by itself.
func (e *Etcd) Failed() <-chan error { return e.e.Err() }

// Stop stops the member and waits for it.
func (e *Etcd) Stop() { e.e.Close() }
