import { defineScript } from '../redis.ts'

/** The first argument is the time in milliseconds; empty, it is that of Redis. */
const readTime = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
`

/**
 * One request in a sliding window. The key is a list of the instants of what was admitted, oldest first: a dozen bytes for
 * each, and gone when the window is empty. A clock that was set back makes the window longer, never wider; by more than a
 * window, and it starts again.
 * Arguments: time, room, length of the window. @returns admitted, used, milliseconds until the oldest leaves
 */
export const hitScript = defineScript(`${readTime}
local key, room, window = KEYS[1], tonumber(ARGV[2]), tonumber(ARGV[3])
local last = tonumber(redis.call('LINDEX', key, -1) or now)
if last > now + window then redis.call('DEL', key) end
local used = redis.call('LLEN', key)
local oldest = now
while used > 0 do
  oldest = tonumber(redis.call('LINDEX', key, 0))
  if oldest > now - window then break end
  redis.call('LPOP', key)
  used = used - 1
  oldest = now
end
local admitted = 0
if used < room then
  redis.call('RPUSH', key, now)
  redis.call('PEXPIRE', key, window)
  used = used + 1
  admitted = 1
end
return { admitted, used, oldest + window - now }
`)

/**
 * Takes one of several places: members of a sorted set, each with the end of its lease.
 * Arguments: time, number of places, lease, member. @returns 1 when there was one
 */
export const enterScript = defineScript(`${readTime}
local key, lease = KEYS[1], tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
if redis.call('ZCARD', key) >= tonumber(ARGV[2]) then return 0 end
redis.call('ZADD', key, now + lease, ARGV[4])
redis.call('PEXPIRE', key, lease)
return 1
`)

/**
 * Renews the lease of places, and takes those again that Redis has lost.
 * Arguments: time, lease, one member for each key.
 */
export const renewScript = defineScript(`${readTime}
local lease = tonumber(ARGV[2])
for i, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + lease, ARGV[i + 2])
  redis.call('PEXPIRE', key, lease)
end
return #KEYS
`)
