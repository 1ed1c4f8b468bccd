/**
 * Converts store failures of writes to the Status errors that upstream responds with. Unlike failures of reads, the
 * outcome of a write may be unknown.
 */
import type { GroupResource } from '../../../shared/api/identity/identity';
import { clientError, internalError, outcomeUnknown, serviceUnavailable, storeFull, timeout } from '../../../shared/api/errors/status';
import { StoreError } from '../../storage/store';

/**
 * Failures that are not expected of a write, and errors that are not StoreErrors, are returned unchanged. `operation`,
 * for an unknown outcome: `create`, `update`, `patch` or `delete`.
 */
export function convertWriteFailure(error: unknown, operation: string, gr: GroupResource, name: string): unknown {
  if (!(error instanceof StoreError)) return error;
  switch (error.failure) {
    case 'ambiguous':
      return outcomeUnknown(operation, gr, name);
    case 'too-large':
      return clientError('etcdserver: request is too large');
    case 'unavailable':
    case 'deadline':
      return timeout('request did not complete within requested timeout - context deadline exceeded');
    case 'no-space':
      return storeFull(error.message);
    case 'closed':
      return serviceUnavailable('apiserver is shutting down');
    case 'unreadable':
      return internalError(error.message);
    case 'compacted':
    case 'future-revision':
    case 'lease-not-found':
    case 'damaged':
    case 'internal':
      return error;
  }
}
