/**
 * A status that the server itself has worked out: it is not judged anew, and no more is read of the object than that needs. Where somebody looks into such objects,
 * he is shown it as everybody's writes are.
 */
import { stringifyJson } from '../../../shared/values/json';
import type { OwnStatus, WriteOptions } from '../verbs';
import { editObject } from './edit';
import { asksOthers, looksInto } from './heavy-attempt';
import { patchObject } from './patch';
import type { WritePath, WriteRequest } from './request';

/** @param request of the status endpoint */
export async function writeOwnStatus(
  path: WritePath,
  request: WriteRequest,
  { revision, status }: OwnStatus,
  options: WriteOptions,
): Promise<void> {
  const resourceVersion = String(revision);
  if (asksOthers(path, request) || looksInto(path, request)) {
    const steps = [
      { op: 'add', path: '/metadata/resourceVersion', value: resourceVersion },
      { op: 'add', path: '/status', value: status },
    ];
    await patchObject(path, request, { type: 'json', bytes: Buffer.from(stringifyJson(steps)), dialect: 'platform' }, options);
    return;
  }
  await editObject(path, request, {
    preconditions: { resourceVersion },
    owner: { manager: options.fieldManager, subresource: 'status' },
    change: (object) => void (object['status'] = status),
  });
}
