/**
 * Lists the keys below the prefix that a backup excludes, because they describe the running servers and their store. Servers
 * on a restored store write their own.
 */

/** A key or a prefix of keys. */
interface ExcludedKey {
  /** Relative to the prefix; a trailing slash means all keys that start with it. */
  readonly key: string;
  readonly reason: string;
}

/** The excluded keys, with the reason for each. */
export const EXCLUDED_KEYS: readonly ExcludedKey[] = [
  { key: 'platform-format', reason: 'the format marker; a restore writes a new one' },
  { key: 'compaction', reason: 'the compacted revision of this store' },
  { key: 'tick', reason: 'written only to advance the revision' },
  { key: 'allocation-audit', reason: 'the lease of the server that audits allocations' },
  { key: 'event-expiry', reason: 'the lease of the server that deletes expired Events' },
  { key: 'replicas/', reason: 'running servers; their leases delete the keys' },
];

/** Whether a backup includes the key, which is relative to the prefix. */
export function isIncludedKey(key: string): boolean {
  return !EXCLUDED_KEYS.some((row) => (row.key.endsWith('/') ? key.startsWith(row.key) : key === row.key));
}
