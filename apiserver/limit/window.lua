-- SPDX-License-Identifier: Apache-2.0
--
-- One sliding window: a list of the times, in microseconds of this server's clock, at which requests were counted, the
-- oldest first. A list holds a time in about ten bytes, a tenth of what a sorted set needs.
--
-- KEYS[1]  the list
-- ARGV[1]  how many requests the window has room for
-- ARGV[2]  length of the window in microseconds
-- ARGV[3]  1 to count a request when there is room, 0 to look only
--
-- Returns {1 when there was room else 0, requests now counted, microseconds until there is room for one, the time counted}

local key, limit, window = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local count = redis.call('LLEN', key)

local function at(i) return tonumber(redis.call('LINDEX', key, i)) end

if count > 0 then
  local last = at(-1)
  if last > now + window then
    -- The clock was far ahead once. What it wrote would stand for as long as that lasts.
    redis.call('DEL', key)
    count = 0
  elseif last > now then
    now = last -- set back a little: times stay in order
  end
end

-- Forget what is older than the window: the first of the rest is searched by halving.
if count > 0 and at(0) <= now - window then
  local gone, rest = 1, count
  while gone < rest do
    local middle = math.floor((gone + rest) / 2)
    if at(middle) <= now - window then gone = middle + 1 else rest = middle end
  end
  redis.call('LTRIM', key, gone, -1)
  count = count - gone
end

if count >= limit then
  return {0, count, at(count - limit) + window - now, 0}
end
if ARGV[3] == '0' then
  return {1, count, 0, 0}
end
redis.call('RPUSH', key, string.format('%.0f', now))
redis.call('PEXPIRE', key, math.ceil(window / 1000))
return {1, count + 1, 0, now}
