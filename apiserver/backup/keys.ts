/** Which keys a backup holds: all below the prefix but those that say how things are with the servers that run at the moment, and with their store. */

interface LeftOut {
  /** Below the prefix; one with a slash at its end stands for all that begin so. */
  readonly key: string;
  readonly why: string;
}

export const LEFT_OUT: readonly LeftOut[] = [
  { key: 'platform-format', why: 'the mark of the data; the restored ones get one of their own' },
  { key: 'compaction', why: 'up to which revision this store has forgotten its history' },
  { key: 'tick', why: 'written only to see a revision go by' },
  { key: 'allocation-audit', why: 'which server compares the allocations, and until when' },
  { key: 'event-expiry', why: 'which server deletes what has expired, and until when' },
  { key: 'replicas/', why: 'servers that are alive; the keys end with their leases' },
];

/** `key` is relative to the prefix. */
export function isKept(key: string): boolean {
  return !LEFT_OUT.some((row) => (row.key.endsWith('/') ? key.startsWith(row.key) : key === row.key));
}
