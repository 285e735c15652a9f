// Each script is atomic. Versions are compared as texts, because Lua in Redis writes large numbers with 14 digits. An
// item is a field of the hash of versions ("version writeId") and a field of the hash of data. Its key is a member of the
// sorted set of keys. An item with a `wakeAt` is also a member of two sorted sets of wakeAt: one for all items, and one
// for its group. A group contains the keys with the same text up to the first slash. So a search by prefix costs the
// same, regardless of the other items that are due. A key without a slash has no group: both names are the set of all
// items.
//
// KEYS: 1 versions, 2 data, 3 keys, 4 wakeAt of all, 5 wakeAt of the group. A removal also has 6, the mark that it was
// made. `due` has only one: the wakeAt to search.

/** ARGV: key. Returns the entry of the hash of versions, and the data. */
export const getScript = `
local item = redis.call('HGET', KEYS[1], ARGV[1])
if not item then return nil end
return { item, redis.call('HGET', KEYS[2], ARGV[1]) }`;

/** ARGV: key, "version writeId", data, wakeAt or nothing. */
const writeItem = `
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
for _, set in ipairs({ KEYS[4], KEYS[5] }) do
  if ARGV[4] == '' then redis.call('ZREM', set, ARGV[1])
  else redis.call('ZADD', set, ARGV[4], ARGV[1]) end
end
return 1`;

/**
 * ARGV: key, "version writeId", data, wakeAt or nothing. A client may send it a second time automatically, when a
 * connection has ended: the writeId identifies the first write. Two writers can choose the same version, so the version
 * would not.
 */
export const insertScript = `
local item = redis.call('HGET', KEYS[1], ARGV[1])
if item then return item == ARGV[2] and 1 or 0 end
redis.call('ZADD', KEYS[3], 0, ARGV[1])${writeItem}`;

/**
 * ARGV: key, "new version writeId", data, wakeAt or nothing, old version. Above `maxmemory`, Redis refuses a script at a
 * write that can need memory, but only before its first other write. So a script about an existing item first removes.
 */
export const swapScript = `
local item = redis.call('HGET', KEYS[1], ARGV[1])
if not item then return 0 end
if item == ARGV[2] then return 1 end
if string.match(item, '^%d+') ~= ARGV[5] then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])${writeItem}`;

/** ARGV: key, old version, how many milliseconds Redis remembers the removal. */
export const removeScript = `
if redis.call('EXISTS', KEYS[6]) == 1 then return 1 end
local item = redis.call('HGET', KEYS[1], ARGV[1])
if not item or string.match(item, '^%d+') ~= ARGV[2] then return 0 end
redis.call('HDEL', KEYS[1], ARGV[1])
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('SET', KEYS[6], '1', 'PX', ARGV[3])
return 1`;

/**
 * ARGV: prefix, now, limit, how many to skip, how many to read. Returns how many it read, and the keys. Redis orders
 * members with equal scores by their bytes.
 */
export const dueScript = `
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[2], 'LIMIT', ARGV[4], ARGV[5])
local keys = {}
for _, key in ipairs(found) do
  if #keys == tonumber(ARGV[3]) then break end
  if string.sub(key, 1, #ARGV[1]) == ARGV[1] then keys[#keys + 1] = key end
end
return { #found, keys }`;

/** ARGV: from, to (in the form of ZRANGEBYLEX), limit. Returns key, "version writeId" and data of each item. */
export const scanScript = `
local keys = redis.call('ZRANGEBYLEX', KEYS[3], ARGV[1], ARGV[2], 'LIMIT', 0, ARGV[3])
if #keys == 0 then return {} end
local versions = redis.call('HMGET', KEYS[1], unpack(keys))
local data = redis.call('HMGET', KEYS[2], unpack(keys))
local items = {}
for i, key in ipairs(keys) do
  items[#items + 1] = key
  items[#items + 1] = versions[i]
  items[#items + 1] = data[i]
end
return items`;
