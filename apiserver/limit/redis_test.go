// SPDX-License-Identifier: Apache-2.0

package limit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/redis/go-redis/v9"
	"k8s.io/utils/clock"

	"github.com/reelops/reelops/internal/testkit/redisserver"
)

// journal records log lines.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

func (j *journal) lines() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return strings.Split(strings.TrimSpace(j.text.String()), "\n")
}

// replica is a limiter with its own connection and log.
type replica struct {
	*Limiter
	said *journal
}

// patient sets timeouts that are long enough for a busy machine.
const patient = "?dial_timeout=30s&read_timeout=30s&write_timeout=30s"

func newReplica(t *testing.T, url, password string, c Ceilings) *replica {
	t.Helper()
	r, err := OpenRedis(RedisConfig{URL: url, Password: password})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	j := &journal{}
	return &replica{New(c, clock.RealClock{}, Shared(r), WithLog(slog.New(slog.NewTextHandler(j, nil)))), j}
}

// shares reports whether the replica counts in Redis, by its gauge.
func (r *replica) shares() bool { return testutil.ToFloat64(r.shared.metrics.up) == 1 }

func (r *replica) alone() int { return int(testutil.ToFloat64(r.shared.metrics.local)) }

// await waits for an expected event. It measures nothing.
func await(t *testing.T, what string, done func() bool) {
	t.Helper()
	tick, end := time.NewTicker(5*time.Millisecond), time.After(time.Minute)
	defer tick.Stop()
	for !done() {
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("timeout waiting until %s", what)
		}
	}
}

// takes makes n requests and returns how many were accepted.
func (r *replica) takes(t *testing.T, n int, subject string) (accepted int) {
	t.Helper()
	for range n {
		if s, _ := r.Take(t.Context(), Generation, subject); !s.Refused {
			accepted++
		}
	}
	return accepted
}

func TestReplicasShareTheirCounts(t *testing.T) {
	server := redisserver.Start(t)
	c := Ceilings{Generation: {20, time.Hour}}
	a, b := newReplica(t, server.URL("")+patient, "", c), newReplica(t, server.URL("")+patient, "", c)
	if n := a.takes(t, 12, "key"); n != 12 {
		t.Fatalf("%d of 12 requests were accepted", n)
	}
	if s := b.Peek(t.Context(), Generation, "key"); s.Remaining != 8 || s.Refused {
		t.Errorf("the other replica has %+v", s)
	}
	if n := b.takes(t, 20, "key"); n != 8 {
		t.Errorf("the other replica accepted %d, want 8", n)
	}
	for _, r := range []*replica{a, b} {
		s, _ := r.Take(t.Context(), Generation, "key")
		if !s.Refused || s.Remaining != 0 || s.Limit != 20 || s.Window != time.Hour || s.RetryAfter > time.Hour || s.RetryAfter < 58*time.Minute {
			t.Errorf("beyond the limit: %+v", s)
		}
		if s := r.Peek(t.Context(), Generation, "key"); !s.Refused {
			t.Errorf("Peek beyond the limit: %+v", s)
		}
		if s, _ := r.Take(t.Context(), Posting, "key"); s.Refused {
			t.Error("another bucket is exhausted as well")
		}
		if s, _ := r.Take(t.Context(), Generation, "another"); s.Refused {
			t.Error("another key is limited as well")
		}
		if n := r.alone(); n != 0 {
			t.Errorf("%d decisions were local", n)
		}
	}
	// A third replica that starts later sees all of the counts.
	if n := newReplica(t, server.URL("")+patient, "", c).takes(t, 3, "key"); n != 0 {
		t.Errorf("a replica that started later accepted %d more", n)
	}
}

func TestSharedReturn(t *testing.T) {
	server := redisserver.Start(t)
	c := Ceilings{Generation: {3, time.Hour}}
	a, b := newReplica(t, server.URL("")+patient, "", c), newReplica(t, server.URL("")+patient, "", c)
	_, ticket := a.Take(t.Context(), Generation, "key")
	b.takes(t, 2, "key")
	if n := b.takes(t, 1, "key"); n != 0 {
		t.Fatal("a bucket without a rate limit has one")
	}
	ticket.Return(t.Context())
	if n := b.takes(t, 2, "key"); n != 1 {
		t.Errorf("after one return the other replica accepted %d", n)
	}
	if s := a.Peek(t.Context(), Generation, "key"); !s.Refused {
		t.Errorf("%+v", s)
	}
}

func TestSharedTakesAreExactUnderConcurrency(t *testing.T) {
	server := redisserver.Start(t)
	const many, limit = 2000, 300
	c := Ceilings{Generation: {limit, time.Hour}}
	replicas := []*replica{newReplica(t, server.URL("")+patient, "", c), newReplica(t, server.URL("")+patient, "", c)}
	var accepted atomic.Int64
	var all sync.WaitGroup
	for i := range many {
		all.Go(func() {
			if s, _ := replicas[i%2].Take(context.Background(), Generation, "key"); !s.Refused {
				accepted.Add(1)
			}
		})
	}
	all.Wait()
	if n := replicas[0].alone() + replicas[1].alone(); n != 0 {
		t.Fatalf("%d decisions were local: %v %v", n, replicas[0].said.lines(), replicas[1].said.lines())
	}
	if accepted.Load() != limit {
		t.Errorf("%d requests were accepted, the limit is %d", accepted.Load(), limit)
	}
}

// TestSharedWindowSlides writes the times of earlier requests directly to Redis and checks how they count.
func TestSharedWindowSlides(t *testing.T) {
	server := redisserver.Start(t)
	direct := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
	defer func() { _ = direct.Close() }()
	r := newReplica(t, server.URL("")+patient, "", Ceilings{Generation: {4, time.Hour}})
	for i, c := range []struct {
		why       string
		ago       []time.Duration // oldest first; negative is in the future
		remaining int
		wait      time.Duration // until a request is allowed, rounded down to the minute
	}{
		{"nobody", nil, 4, 0},
		{"some are in the window", []time.Duration{50 * time.Minute, time.Minute}, 2, 0},
		{"older requests have expired", []time.Duration{3 * time.Hour, 2 * time.Hour, 61 * time.Minute, 50 * time.Minute}, 3, 0},
		{"all have expired", []time.Duration{3 * time.Hour, 2 * time.Hour, 90 * time.Minute, 61 * time.Minute}, 4, 0},
		{"full until the oldest expires", []time.Duration{50 * time.Minute, 40 * time.Minute, 2 * time.Minute, time.Minute}, 0, 9 * time.Minute},
		{"more than the limit, as after the limit was lowered", []time.Duration{
			2 * time.Hour, 55 * time.Minute, 50 * time.Minute, 40 * time.Minute, 30 * time.Minute, 20 * time.Minute,
		}, 0, 9 * time.Minute},
		{"the clock was set back a little", []time.Duration{50 * time.Minute, -5 * time.Minute}, 2, 0},
		{"the clock was far ahead", []time.Duration{50 * time.Minute, -10000 * time.Hour}, 4, 0},
	} {
		t.Run(c.why, func(t *testing.T) {
			subject := fmt.Sprint("key ", i)
			now, err := direct.Time(t.Context()).Result()
			if err != nil {
				t.Fatal(err)
			}
			for _, ago := range c.ago {
				if err := direct.RPush(t.Context(), "reelops:limit:generation:"+subject, now.Add(-ago).UnixMicro()).Err(); err != nil {
					t.Fatal(err)
				}
			}
			s := r.Peek(t.Context(), Generation, subject)
			if s.Remaining != c.remaining || s.Refused != (c.remaining == 0) || s.RetryAfter.Truncate(time.Minute) != c.wait {
				t.Errorf("%+v", s)
			}
			if n := r.takes(t, 6, subject); n != c.remaining {
				t.Errorf("%d requests were accepted", n)
			}
		})
	}
}

// TestSharedWindow_EqualsAReferenceImplementation fills windows at random and compares the script's result with a
// simple count. No time is close to the window's edge, where a slow machine would move it across.
func TestSharedWindow_EqualsAReferenceImplementation(t *testing.T) {
	server := redisserver.Start(t)
	direct := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
	defer func() { _ = direct.Close() }()
	for seed := range uint64(60) {
		random := rand.New(rand.NewPCG(seed, 3))
		limit := 1 + random.IntN(300)
		r := newReplica(t, server.URL("")+patient, "", Ceilings{Generation: {limit, time.Hour}})
		now, err := direct.Time(t.Context()).Result()
		if err != nil {
			t.Fatal(err)
		}
		var ago []time.Duration
		for range random.IntN(600) {
			if a := time.Duration(random.Int64N(int64(2 * time.Hour))); a < 55*time.Minute || a > time.Hour {
				ago = append(ago, a)
			}
		}
		slices.Sort(ago)
		slices.Reverse(ago)
		var times []any
		var counted []time.Duration
		for _, a := range ago {
			times = append(times, now.Add(-a).UnixMicro())
			if a < time.Hour {
				counted = append(counted, a)
			}
		}
		subject := fmt.Sprint("key ", seed)
		if len(times) > 0 {
			if err := direct.RPush(t.Context(), "reelops:limit:generation:"+subject, times...).Err(); err != nil {
				t.Fatal(err)
			}
		}
		s, _ := r.Take(t.Context(), Generation, subject)
		if full := len(counted) >= limit; full {
			wait := time.Hour - counted[len(counted)-limit]
			if !s.Refused || s.Remaining != 0 || s.RetryAfter > wait || s.RetryAfter < wait-5*time.Minute {
				t.Errorf("seed %d: %d of %d, next slot in %s: %+v", seed, len(counted), limit, wait, s)
			}
		} else if s.Refused || s.Remaining != limit-len(counted)-1 {
			t.Errorf("seed %d: %d of %d: %+v", seed, len(counted), limit, s)
		}
	}
}

func TestKeysInRedisExpire(t *testing.T) {
	server := redisserver.Start(t)
	direct := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
	defer func() { _ = direct.Close() }()
	r := newReplica(t, server.URL("")+patient, "", Ceilings{Generation: {4, time.Hour}})
	r.takes(t, 9, "uid")
	r.Peek(t.Context(), Posting, "uid")
	keys, err := direct.Keys(t.Context(), "*").Result()
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k != "reelops:limit:generation:uid" && k != "reelops:limit:probe" {
			t.Errorf("got key %s", k)
		}
		if left := direct.PTTL(t.Context(), k).Val(); left <= 0 || left > time.Hour {
			t.Errorf("%s expires in %s", k, left)
		}
	}
}

func TestMissingScriptIsLoadedAgain(t *testing.T) {
	server := redisserver.Start(t)
	direct := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
	defer func() { _ = direct.Close() }()
	r := newReplica(t, server.URL("")+patient, "", Ceilings{Generation: {5, time.Hour}})
	r.takes(t, 1, "key")
	if err := direct.ScriptFlush(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if n := r.takes(t, 9, "key"); n != 4 || r.alone() != 0 || !r.shares() {
		t.Errorf("%d of the 4 left were accepted, %d decisions were local", n, r.alone())
	}
}

func TestRedisRestart(t *testing.T) {
	server := redisserver.Start(t)
	c := Ceilings{Generation: {10, time.Hour}}
	a, b := newReplica(t, server.URL("")+patient, "", c), newReplica(t, server.URL("")+patient, "", c)
	a.takes(t, 6, "key")
	b.takes(t, 2, "key")

	server.Kill()
	if n := a.takes(t, 9, "key"); n != 4 {
		t.Errorf("without Redis: a replica that had accepted 6 of 10 accepted %d more", n)
	}
	if n := b.takes(t, 20, "key"); n != 8 {
		t.Errorf("without Redis: a replica that had accepted 2 of 10 accepted %d more", n)
	}
	for _, r := range []*replica{a, b} {
		if r.shares() || r.alone() == 0 {
			t.Errorf("up %t, %d local decisions", r.shares(), r.alone())
		}
		if s, _ := r.Take(t.Context(), Generation, "key"); !s.Refused || s.RetryAfter < 58*time.Minute || s.RetryAfter > time.Hour {
			t.Errorf("%+v", s)
		}
		if s := r.Peek(t.Context(), Generation, "key"); !s.Refused {
			t.Errorf("%+v", s)
		}
	}

	server.Start() // empty
	await(t, "both replicas share again", func() bool { return a.shares() && b.shares() })
	before := a.alone() + b.alone()
	if n := a.takes(t, 3, "key") + b.takes(t, 3, "key"); n != 0 {
		t.Errorf("after the loss of Redis's data, replicas that had each accepted 10 accepted %d more", n)
	}
	if n := a.takes(t, 7, "fresh") + b.takes(t, 7, "fresh"); n != 10 {
		t.Errorf("both replicas accepted %d requests of a new key", n)
	}
	if n := a.alone() + b.alone(); n != before {
		t.Errorf("%d decisions were local after Redis was back", n-before)
	}
	for _, r := range []*replica{a, b} {
		// One line at the start, one when Redis failed, one when it was back.
		lines := r.said.lines()
		if len(lines) != 3 || !strings.Contains(lines[0], "level=INFO") || !strings.Contains(lines[1], "level=WARN") || !strings.Contains(lines[2], "level=INFO") {
			t.Errorf("got log\n%s", strings.Join(lines, "\n"))
		}
	}
}

// TestLocalRejectionsAreNotCountedInRedis: Redis has lost its data, the replica has not. Other replicas may use what
// this one refuses.
func TestLocalRejectionsAreNotCountedInRedis(t *testing.T) {
	server := redisserver.Start(t)
	direct := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
	defer func() { _ = direct.Close() }()
	c := Ceilings{Generation: {4, time.Hour}}
	a, b := newReplica(t, server.URL("")+patient, "", c), newReplica(t, server.URL("")+patient, "", c)
	a.takes(t, 4, "key")
	if err := direct.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	if s, _ := a.Take(t.Context(), Generation, "key"); !s.Refused || s.RetryAfter < 58*time.Minute {
		t.Errorf("%+v", s)
	}
	if s := a.Peek(t.Context(), Generation, "key"); !s.Refused || s.Remaining != 0 {
		t.Errorf("%+v", s)
	}
	if s := b.Peek(t.Context(), Generation, "key"); s.Remaining != 4 {
		t.Errorf("the rejected request is counted in Redis: %+v", s)
	}
}

func TestWrongPassword(t *testing.T) {
	server := redisserver.Start(t, "--requirepass", "right-and-secret")
	for _, c := range []struct {
		why, url, password string
		shares             bool
	}{
		{"a wrong one", server.URL(""), "wrong-and-secret", false},
		{"none", server.URL(""), "", false},
		{"the right one", server.URL(""), "right-and-secret", true},
		{"the right one in the address", server.URL("right-and-secret"), "", true},
		{"the right one instead of that in the address", server.URL("wrong-and-secret"), "right-and-secret", true},
	} {
		t.Run(c.why, func(t *testing.T) {
			r := newReplica(t, c.url+patient, c.password, Ceilings{Generation: {2, time.Hour}})
			if n := r.takes(t, 3, "key of "+c.why); n != 2 {
				t.Errorf("%d of 2 requests were accepted", n)
			}
			if r.shares() != c.shares || (r.alone() == 0) != c.shares {
				t.Errorf("up %t, %d local decisions", r.shares(), r.alone())
			}
			said := strings.Join(r.said.lines(), "\n")
			if strings.Contains(said, "secret") {
				t.Errorf("the log contains the password: %s", said)
			}
			if len(r.said.lines()) != 1 {
				t.Errorf("got log\n%s", said)
			}
		})
	}
}

// TestFrozenServer: connections are open and nothing responds. The first few requests wait, the others do not.
func TestFrozenServer(t *testing.T) {
	server := redisserver.Start(t)
	r := newReplica(t, server.URL(""), "", Ceilings{Generation: {1000, time.Hour}})
	r.takes(t, 1, "key")
	server.Freeze()
	var all sync.WaitGroup
	for range 200 { // more than there are connections
		all.Go(func() { r.Take(context.Background(), Generation, "key") })
	}
	all.Wait()
	if r.shares() {
		t.Error("Redis is frozen, but the gauge reports shared counts")
	}
	// Each would wait for half a second if it called Redis: hours in total.
	if n := r.takes(t, 20_000, "another"); n != 1000 {
		t.Errorf("without Redis: %d of 1000 were accepted", n)
	}
	server.Thaw()
	await(t, "counts are shared again", r.shares)
	if s := r.Peek(t.Context(), Generation, "key"); s.Remaining > 1000-201 {
		t.Errorf("local decisions were not recorded: %+v", s)
	}
	if n := len(r.said.lines()); n != 3 {
		t.Errorf("got %d log lines", n)
	}
}

// TestWaitingForConnections: a request that waits for a connection when Redis fails does not call it afterwards.
func TestWaitingForConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shared{redis: &Redis{turns: make(chan struct{}, 1)}, metrics: newSharedMetrics()}
		s.up.Store(1)
		s.redis.turns <- struct{}{} // another request holds it
		var err error
		asked, done := false, false
		go func() {
			err = s.do(func() error { asked = true; return nil })
			done = true
		}()
		synctest.Wait()
		if done {
			t.Fatal("the request did not wait for a connection")
		}
		s.up.Store(0)
		<-s.redis.turns
		synctest.Wait()
		if !done || asked || !errors.Is(err, errAway) {
			t.Errorf("ended %t, called Redis %t, got %v", done, asked, err)
		}
	})
}

// TestServerThatCannotWrite: the server responds but cannot write. It is treated as away and not called in between.
func TestServerThatCannotWrite(t *testing.T) {
	server := redisserver.Start(t)
	direct := redis.NewClient(&redis.Options{Addr: server.Addr, Protocol: 2})
	defer func() { _ = direct.Close() }()
	r := newReplica(t, server.URL("")+patient, "", Ceilings{Generation: {10, time.Hour}})
	if err := direct.ConfigSet(t.Context(), "maxmemory", "1").Err(); err != nil {
		t.Fatal(err)
	}
	if n := r.takes(t, 20, "key"); n != 10 || r.shares() {
		t.Errorf("%d of 10 requests were accepted, up %t", n, r.shares())
	}
	if err := direct.ConfigSet(t.Context(), "maxmemory", "0").Err(); err != nil {
		t.Fatal(err)
	}
	await(t, "counts are shared again", r.shares)
}

func TestRedisUnavailableAtStart(t *testing.T) {
	server := redisserver.Start(t)
	server.Kill()
	r := newReplica(t, server.URL("")+patient, "", Ceilings{Generation: {3, time.Hour}})
	if n := r.takes(t, 5, "key"); n != 3 || r.shares() {
		t.Errorf("%d of 3 requests were accepted, up %t", n, r.shares())
	}
	server.Start()
	await(t, "counts are shared", r.shares)
}

// TestDisconnectedCaller: a caller's disconnect is no failure of Redis, and its request was counted.
func TestDisconnectedCaller(t *testing.T) {
	server := redisserver.Start(t)
	r := newReplica(t, server.URL("")+patient, "", Ceilings{Generation: {3, time.Hour}})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	s, ticket := r.Take(gone, Generation, "key")
	if s.Refused || s.Remaining != 2 || !r.shares() || r.alone() != 0 {
		t.Errorf("%+v, up %t", s, r.shares())
	}
	ticket.Return(gone)
	if s := r.Peek(t.Context(), Generation, "key"); s.Remaining != 3 {
		t.Errorf("%+v", s)
	}
}

func TestOpenRedis_RejectsAnInvalidURL(t *testing.T) {
	for _, url := range []string{
		"", "localhost:6379", "http://localhost", "unix:///tmp/redis.sock", "redis://", "redis://:secret@:6379", "redis://:secret@host/first",
		"redis://:secret@host:port", "redis://:secret%@host",
	} {
		_, err := OpenRedis(RedisConfig{URL: url})
		if err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", url, err)
		}
	}
	r, err := OpenRedis(RedisConfig{URL: "rediss://user:secret@redis.example/2"})
	if err != nil {
		t.Fatal(err)
	}
	o := r.client.Options()
	if o.Addr != "redis.example:6379" || o.TLSConfig == nil || o.DB != 2 || o.Username != "user" || o.MaxRetries != 0 || o.ReadTimeout != answerTime {
		t.Errorf("%+v", o)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

func BenchmarkSharedTake(b *testing.B) {
	server := redisserver.Start(b)
	r, err := OpenRedis(RedisConfig{URL: server.URL("") + patient})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	l := New(Ceilings{Global: {300, 5 * time.Minute}}, clock.RealClock{}, Shared(r), WithLog(slog.New(slog.NewTextHandler(b.Output(), nil))))
	b.ReportAllocs()
	b.SetParallelism(8)
	var n atomic.Int64
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l.Take(context.Background(), Global, fmt.Sprint(n.Add(1)%1000))
		}
	})
	if alone := testutil.ToFloat64(l.shared.metrics.local); alone > 0 {
		b.Errorf("%v decisions were local", alone)
	}
}
