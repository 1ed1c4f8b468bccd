/** The Statuses of successful operations that return no object. Those of errors are in status.ts. */
import type { GroupResource } from '../identity/identity';
import type { Status } from './status-error';

/** The response to a successful operation that returns no object. */
export const success = (code: number): Status => ({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code });

/** The response to a delete that removed the object. */
export function deletedStatus(gr: GroupResource, name: string, uid: string): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(gr.group === '' ? {} : { group: gr.group }), kind: gr.resource, uid },
  };
}

/**
 * The response to the deletion of a collection. `next` is the continue token of a limited deletion, `undefined` when
 * nothing is left.
 */
export function deletedCollectionStatus({ group, resource }: GroupResource, next: string | undefined): Status {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: next === undefined ? {} : { continue: next },
    status: 'Success',
    details: { ...(group === '' ? {} : { group }), kind: resource },
    code: 200,
  };
}
