// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"context"
	_ "embed" // the script
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"
)

//go:embed window.lua
var windowScript string

// script is called by its hash. Its text is sent if the server does not know the hash.
var script = redis.NewScript(windowScript)

// keyPrefix is the prefix of all keys in Redis.
const keyPrefix = "reelops:limit:"

// Permissions are the permissions that the Redis user needs, in the syntax of ACL SETUSER. Any database of the server
// can be used.
const Permissions = "~" + keyPrefix + "* +select +eval +evalsha +time +llen +lindex +ltrim +rpush +pexpire +del +lrem"

const (
	// answerTime is the timeout of a decision in Redis. When a server stops responding, only the requests in flight
	// reach it; later ones do not call Redis. A shorter timeout would treat a replica that is short of CPU time as an
	// outage of Redis.
	answerTime = 500 * time.Millisecond
	// connections is the maximum number of connections to Redis. Each carries thousands of decisions a second.
	connections = 32
)

// RedisConfig is the address of the Redis server that the replicas share: version 5 or newer, or a compatible server.
// Redis Cluster is not supported.
type RedisConfig struct {
	// URL such as redis://user@host:6379/0, or rediss:// for TLS. Its query may set dial_timeout, read_timeout and
	// write_timeout; each defaults to half a second.
	URL string
	// Password overrides the password in the URL unless it is empty.
	Password string
}

// Redis is a client of the server that the replicas share.
type Redis struct {
	client *redis.Client
	closed chan struct{}
	// turns limits the decisions in flight to the number of connections.
	turns chan struct{}
}

// OpenRedis validates the configuration. It does not connect: an unreachable server is no error.
func OpenRedis(c RedisConfig) (*Redis, error) {
	o, err := redis.ParseURL(c.URL)
	if u, uerr := url.Parse(c.URL); err != nil || uerr != nil || u.Scheme == "unix" || u.Hostname() == "" {
		// The parser's error would reveal the password.
		return nil, errors.New("the URL of Redis is not of the form redis://user@host:6379/0 or rediss://user@host:6379/0")
	}
	if c.Password != "" {
		o.Password = c.Password
	}
	// Disable retries: a request whose response was lost may have been counted.
	o.MaxRetries, o.DialerRetries = -1, 1
	for _, d := range []*time.Duration{&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout} {
		if *d <= 0 {
			*d = answerTime
		}
	}
	o.PoolTimeout = o.DialTimeout + o.ReadTimeout
	o.PoolSize, o.PipelinePoolSize = connections+1, -1 // one more for probes
	// Every server supports this protocol, and it suffices.
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	logging.Disable() // its messages are also returned as errors
	return &Redis{client: redis.NewClient(o), closed: make(chan struct{}), turns: make(chan struct{}, connections)}, nil
}

// Close closes the connections. No limiter may use them afterwards.
func (r *Redis) Close() error {
	close(r.closed)
	return r.client.Close()
}

// address returns the server's address without credentials.
func (r *Redis) address() string { return r.client.Options().Addr }

// query holds the arguments of the script.
type query struct {
	key    string
	limit  int
	window time.Duration
	count  bool
}

// reply is the result of the script. at is in microseconds of the server's clock.
type reply struct {
	room  bool
	count int
	wait  time.Duration
	at    int64
}

// ask runs the script, in one round trip unless the server does not know it yet.
func (r *Redis) ask(ctx context.Context, q query) (reply, error) {
	take := 0
	if q.count {
		take = 1
	}
	// A caller that disconnects is no fault of the server: the client's timeouts apply, not the request's context.
	n, err := script.Run(context.WithoutCancel(ctx), r.client, []string{q.key}, q.limit, q.window.Microseconds(), take).Int64Slice()
	if err != nil {
		return reply{}, err
	}
	if len(n) != 4 {
		return reply{}, errors.New("unexpected reply to the script")
	}
	return reply{room: n[0] == 1, count: int(n[1]), wait: time.Duration(n[2]) * time.Microsecond, at: n[3]}, nil
}

// release removes one request from a count: the latest entry with that time.
func (r *Redis) release(ctx context.Context, key string, at int64) error {
	return r.client.LRem(context.WithoutCancel(ctx), key, -1, strconv.FormatInt(at, 10)).Err()
}

// key returns the Redis key of a subject's list.
func (w *window) key(subject string) string { return w.prefix + subject }

func (w *window) query(subject string, count bool) query {
	return query{key: w.key(subject), limit: w.Limit, window: w.Window, count: count}
}

// stateOf returns the state that corresponds to a reply.
func (w *window) stateOf(r reply) State {
	return State{
		Bucket: w.bucket, Limit: w.Limit, Remaining: max(w.Limit-r.count, 0), Window: w.Window, RetryAfter: r.wait, Refused: !r.room,
	}
}

// probe runs a full decision for a dummy subject, because a server that responds but cannot write is of no use.
func (r *Redis) probe(ctx context.Context) error {
	_, err := r.ask(ctx, query{key: keyPrefix + "probe", limit: 1, window: time.Second, count: true})
	return err
}
