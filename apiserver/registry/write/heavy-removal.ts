/** How a heavy object goes: a thread works it out, and who may refuse it is asked here. See heavy.ts. */
import { revived } from '../../../shared/api/errors/status';
import type { AllocationClaims } from '../../allocation/claims';
import type { Entry } from '../../cache/cache';
import { makeEntry } from '../../cache/entry';
import { entryKey } from '../resources';
import type { DeleteOptions } from '../verbs';
import { release } from './allocation';
import type { Attempt, Current } from './guaranteed-update';
import { hasManyValues, type HeavyRemovalOutcome } from './heavy';
import { bufferOf, sentEntry, sentResource } from './heavy-attempt';
import { atRevision, removedAnswer, type Marked, type Removed } from './removal-answer';
import { admissionRequest, type WritePath, type WriteRequest } from './request';
import { needsWebhook } from '../object/resource-info';

/** Here, or in a thread when the object is heavy. `here` = the steps of an attempt. */
export async function removeWhereItFits(
  path: WritePath,
  request: WriteRequest,
  what: DeleteOptions | Marked,
  current: Current,
  claims: AllocationClaims | undefined,
  here: () => Promise<Attempt<Removed>>,
): Promise<Attempt<Removed>> {
  const { threads } = path;
  const { context, info, namespace, name, subresource, dryRun } = request;
  const { entry } = current;
  if (threads === undefined || entry === undefined || !hasManyValues(entry.bytes, threads.limits)) return here();
  const question = { operation: 'DELETE', resource: info.resource, subresource, namespace, user: context.user } as const;
  if (needsWebhook(info) || path.admission.looksInto(question)) return here();
  const outcome = await threads.remove({
    type: 'removal',
    what: 'entry' in what ? { marked: what.uid } : { options: what },
    resource: sentResource(info.resource),
    namespace,
    name,
    subresource,
    dryRun,
    user: context.user,
    entry: sentEntry(entry),
  });
  return settle(path, request, outcome, { entry, current, claims, before: 'entry' in what ? what : undefined });
}

interface Removal {
  readonly entry: Entry;
  readonly current: Current;
  readonly claims: AllocationClaims | undefined;
  readonly before: Marked | undefined;
}

async function settle(
  path: WritePath,
  request: WriteRequest,
  { end, passed }: HeavyRemovalOutcome,
  { entry, current, claims, before }: Removal,
): Promise<Attempt<Removed>> {
  const { info, name } = request;
  if (passed.includes('validate')) await path.admission.validate(admissionRequest(request, 'DELETE', current, undefined, undefined));
  const key = entryKey(request);
  const storeKey = info.keyPrefix + key;
  switch (end.type) {
    case 'refused':
      throw revived(end.status);
    case 'kept':
      return { type: 'answer', result: { type: 'object', entry, code: end.code } };
    case 'gone':
      if (before === undefined) throw new Error('an object has gone that was never marked');
      return { type: 'answer', result: removedAnswer(info, name, before.uid, before.entry) };
    case 'goes':
      return {
        type: 'store',
        operation: { type: 'delete', key: storeKey },
        ...release(path, info, { namespace: request.namespace, name, uid: end.uid }, end.held, claims, (revision) =>
          removedAnswer(info, name, end.uid, atRevision(entry, entry.bytes.toString(), revision ?? entry.revision)),
        ),
      };
    case 'marked': {
      const { code, goes, uid } = end;
      const value = bufferOf(end.value);
      return {
        type: 'store',
        operation: { type: 'put', key: storeKey, value },
        finish(revision) {
          const marked = makeEntry(info.stored, key, revision ?? entry.revision, value);
          if (!goes) return { type: 'object', entry: marked, code };
          return revision === undefined ? removedAnswer(info, name, uid, marked) : { type: 'marked', entry: marked, uid };
        },
      };
    }
  }
}
