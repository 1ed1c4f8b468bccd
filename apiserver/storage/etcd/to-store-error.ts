/**
 * Translates errors of etcd calls to store errors. A write counts as without effect only when that is certain: it was
 * not sent, or etcd reports that it refused it (except for `no-space`, see {@link StoreFailure}). Every other failed
 * write is ambiguous.
 */
import { StoreError, type StoreFailure } from '../store';
import { CallError } from './unary-client';

/** Whether the call may have changed the store. */
export type CallKind = 'read' | 'write';

/** The gRPC status codes that are distinguished here. */
const DEADLINE_EXCEEDED = 4;
const UNIMPLEMENTED = 12;
const INTERNAL = 13;

interface FailureRow {
  readonly text: RegExp;
  readonly failure: StoreFailure;
}

/**
 * Refusals by etcd, recognized by their texts because the status codes are too coarse: `etcdserver: mvcc: required
 * revision has been compacted`.
 */
const REFUSALS: readonly FailureRow[] = [
  { text: /required revision has been compacted/, failure: 'compacted' },
  { text: /required revision is a future revision/, failure: 'future-revision' },
  { text: /requested lease not found/, failure: 'lease-not-found' },
  { text: /database space exceeded/, failure: 'no-space' },
  { text: /request is too large|too many operations|message larger than max/, failure: 'too-large' },
  { text: /no leader|too many requests|not capable|learner|corrupt|duplicate key|key is not provided/, failure: 'unavailable' },
  { text: /invalid auth token|permission denied|user name is empty|authentication/, failure: 'unavailable' },
];

/** The store error for an error of a call of this kind. A StoreError stays as it is. */
export function toStoreError(error: unknown, kind: CallKind): StoreError {
  if (error instanceof StoreError) return error;
  const { code, details } = statusOf(error);
  const refusal = REFUSALS.find(({ text }) => text.test(details));
  if (refusal !== undefined) return new StoreError(refusal.failure, details);
  if (kind === 'write') return new StoreError(error instanceof CallError && !error.wasSent ? 'unavailable' : 'ambiguous', details);
  if (code === DEADLINE_EXCEEDED) return new StoreError('deadline', details);
  return new StoreError(code === INTERNAL || code === UNIMPLEMENTED ? 'internal' : 'unavailable', details);
}

function statusOf(error: unknown): { readonly code: number; readonly details: string } {
  if (typeof error !== 'object' || error === null) return { code: 0, details: String(error) };
  const code = 'code' in error && typeof error.code === 'number' ? error.code : 0;
  if ('details' in error && typeof error.details === 'string') return { code, details: error.details };
  return { code, details: 'message' in error ? String(error.message) : 'an error without a message' };
}
