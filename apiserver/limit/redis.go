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

// script is asked for by its hash; the server gets its text when it does not know it.
var script = redis.NewScript(windowScript)

// keyPrefix of everything that is written to Redis.
const keyPrefix = "reelops:limit:"

// Permissions are all that the user of Redis needs, in the words of its ACL SETUSER. Any database of the server will do.
const Permissions = "~" + keyPrefix + "* +select +eval +evalsha +time +llen +lindex +ltrim +rpush +pexpire +del +lrem"

const (
	// answerTime bounds a decision in Redis. It is met once by the requests under way when a server stops answering; those
	// that come after do not ask it. Less would take a replica that is short of processor time for a server that is away.
	answerTime = 500 * time.Millisecond
	// connections to Redis at most; each carries thousands of decisions a second.
	connections = 32
)

// RedisConfig says where the replicas share their counts: one Redis server, 5 or newer, or what looks like one. Redis
// Cluster is not supported.
type RedisConfig struct {
	// URL such as redis://user@host:6379/0, or rediss:// for TLS. Its query may set dial_timeout, read_timeout and
	// write_timeout, each half a second when it is not set.
	URL string
	// Password is used instead of one in the URL when it is not empty.
	Password string
}

// Redis is a server that replicas share.
type Redis struct {
	client *redis.Client
	closed chan struct{}
	// turns bound the decisions under way to the connections there are.
	turns chan struct{}
}

// OpenRedis checks the configuration. It does not connect: a server that is away is no error.
func OpenRedis(c RedisConfig) (*Redis, error) {
	o, err := redis.ParseURL(c.URL)
	if u, uerr := url.Parse(c.URL); err != nil || uerr != nil || u.Scheme == "unix" || u.Hostname() == "" {
		// The error of the parser would show the password.
		return nil, errors.New("the address of Redis is not of the form redis://user@host:6379/0 or rediss://user@host:6379/0")
	}
	if c.Password != "" {
		o.Password = c.Password
	}
	// Nothing is tried twice here: a request whose answer was lost may have been counted.
	o.MaxRetries, o.DialerRetries = -1, 1
	for _, d := range []*time.Duration{&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout} {
		if *d <= 0 {
			*d = answerTime
		}
	}
	o.PoolTimeout = o.DialTimeout + o.ReadTimeout
	o.PoolSize, o.PipelinePoolSize = connections+1, -1 // one to look whether it is back
	// The plain protocol is all that is needed, and every server has it.
	o.Protocol, o.DisableIdentity = 2, true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	logging.Disable() // what it would say on standard error is returned as an error as well
	return &Redis{client: redis.NewClient(o), closed: make(chan struct{}), turns: make(chan struct{}, connections)}, nil
}

// Close ends the connections. No limiter uses it any more.
func (r *Redis) Close() error {
	close(r.closed)
	return r.client.Close()
}

// address of the server, without anything secret.
func (r *Redis) address() string { return r.client.Options().Addr }

// question is what the script is asked.
type question struct {
	key    string
	limit  int
	window time.Duration
	count  bool
}

// reply is what it answers; at is in microseconds of the server's clock.
type reply struct {
	room  bool
	count int
	wait  time.Duration
	at    int64
}

// ask runs the script, in one round trip unless the server does not know it yet.
func (r *Redis) ask(ctx context.Context, q question) (reply, error) {
	take := 0
	if q.count {
		take = 1
	}
	// A caller that goes away is no fault of the server: the server's time bounds hold, not the request's.
	n, err := script.Run(context.WithoutCancel(ctx), r.client, []string{q.key}, q.limit, q.window.Microseconds(), take).Int64Slice()
	if err != nil {
		return reply{}, err
	}
	if len(n) != 4 {
		return reply{}, errors.New("the server answered the script with something else")
	}
	return reply{room: n[0] == 1, count: int(n[1]), wait: time.Duration(n[2]) * time.Microsecond, at: n[3]}, nil
}

// giveBack takes one request out of a count, the latest of those with its time.
func (r *Redis) giveBack(ctx context.Context, key string, at int64) error {
	return r.client.LRem(context.WithoutCancel(ctx), key, -1, strconv.FormatInt(at, 10)).Err()
}

// key of a subject's list.
func (w *window) key(subject string) string { return w.prefix + subject }

func (w *window) question(subject string, count bool) question {
	return question{key: w.key(subject), limit: w.Limit, window: w.Window, count: count}
}

// told is the state that a reply stands for.
func (w *window) told(r reply) State {
	return State{
		Bucket: w.bucket, Limit: w.Limit, Remaining: max(w.Limit-r.count, 0), Window: w.Window, RetryAfter: r.wait, Refused: !r.room,
	}
}

// probe is a whole decision about nobody: a server that answers but cannot write is of no use.
func (r *Redis) probe(ctx context.Context) error {
	_, err := r.ask(ctx, question{key: keyPrefix + "probe", limit: 1, window: time.Second, count: true})
	return err
}
