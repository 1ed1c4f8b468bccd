/**
 * What an etcd call's error means to the store. A write counts as without effect only where that is certain: it never
 * left this process, or etcd says that it refused it; everything else is ambiguous.
 */
import { StoreError, type StoreFailure } from '../store';
import { CallError } from './unary';

export type CallKind = 'read' | 'write';

/** gRPC status codes, as far as they decide anything here. */
const DEADLINE_EXCEEDED = 4;
const INTERNAL = 13;
const UNIMPLEMENTED = 12;

interface FailureRow {
  readonly text: RegExp;
  readonly failure: StoreFailure;
}

/** etcd's own refusals: its codes are too coarse, so its texts decide. */
const REFUSALS: readonly FailureRow[] = [
  { text: /required revision has been compacted/, failure: 'compacted' },
  { text: /required revision is a future revision/, failure: 'future-revision' },
  { text: /requested lease not found/, failure: 'lease-not-found' },
  { text: /database space exceeded/, failure: 'no-space' },
  { text: /request is too large|too many operations|message larger than max/, failure: 'too-large' },
  { text: /no leader|too many requests|not capable|learner|corrupt|duplicate key|key is not provided/, failure: 'unavailable' },
  { text: /invalid auth token|permission denied|user name is empty|authentication/, failure: 'unavailable' },
];

/** Turns what a call rejected with into a {@link StoreError}. */
export function storeError(error: unknown, kind: CallKind): StoreError {
  if (error instanceof StoreError) return error;
  const { code, details } = statusOf(error);
  const rule = REFUSALS.find(({ text }) => text.test(details));
  if (rule !== undefined) return new StoreError(rule.failure, details);
  if (kind === 'write') return new StoreError(error instanceof CallError && !error.sent ? 'unavailable' : 'ambiguous', details);
  if (code === DEADLINE_EXCEEDED) return new StoreError('deadline', details);
  return new StoreError(code === INTERNAL || code === UNIMPLEMENTED ? 'internal' : 'unavailable', details);
}

function statusOf(error: unknown): { readonly code: number; readonly details: string } {
  if (typeof error !== 'object' || error === null) return { code: 0, details: String(error) };
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
  if ('details' in error && typeof error.details === 'string') return { code, details: error.details };
  return { code, details: 'message' in error ? String(error.message) : 'an error without a message' };
}
