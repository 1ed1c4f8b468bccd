/**
 * An attempt at a heavy write: a thread works it out, and what rests on what others hold is asked here in its place, so that a client is told the same as if
 * all had been done here. See heavy.ts.
 */
import { revived } from '../../../shared/api/errors/status';
import { TooLong } from '../../../shared/values/steps';
import type { JsonObject } from '../../../shared/values/json';
import type { Entry } from '../../cache/cache';
import { makeEntry } from '../../cache/entry';
import type { AdmissionOperation } from '../admission';
import { entryKey } from '../resources';
import type { Resource, WriteOptions, WriteResult } from '../verbs';
import type { Attempt, Current } from './guaranteed-update';
import {
  hasManyValues,
  type HeavyBody,
  type HeavyOutcome,
  type HeavySent,
  type HeavyThreads,
  type SentEntry,
  type SentResource,
} from './heavy';
import { alreadyExists, checkDefinition } from './preconditions';
import { admissionRequest, type WritePath, type WriteRequest } from './request';
import { bodyInfo } from './scale';
import { needsWebhook } from '../object/resource-info';

/** What of a request a thread needs besides its place. */
export interface HeavySource {
  readonly what: HeavyBody;
  /** The object's; of a creation that nobody has read, ''. */
  readonly name: string;
  /** Whatever it meets. */
  readonly isHeavy: boolean;
  readonly options: WriteOptions & { readonly force?: boolean };
}

/**
 * Tries a write where it holds up nobody: here, or in a thread when it is heavy or turns out to be so. `here` = the steps of an attempt; `hasty` = they may
 * give up with {@link TooLong}.
 */
export async function attemptWhereItFits(
  path: WritePath,
  request: WriteRequest,
  source: HeavySource | undefined,
  current: Current,
  here: (request: WriteRequest) => Promise<Attempt<WriteResult>>,
): Promise<Attempt<WriteResult>> {
  const { threads } = path;
  if (threads === undefined || source === undefined || asksOthers(path, request)) return here(request);
  if (
    !source.isHeavy &&
    request.info.strategy.isHeavy !== true &&
    !(current.entry !== undefined && hasManyValues(current.entry.bytes, threads.limits))
  ) {
    try {
      return await here({ ...request, hasty: true });
    } catch (error) {
      if (!(error instanceof TooLong)) throw error;
    }
  }
  const outcome = await workOut(path, threads, request, source, current.entry);
  return outcome === undefined ? here(request) : settle(path, request, outcome, current);
}

/** Undefined = it has to be worked out here. */
export async function workOut(
  path: WritePath,
  threads: HeavyThreads,
  request: WriteRequest,
  { what, name, isHeavy, options }: HeavySource,
  entry: Entry | undefined,
): Promise<HeavyOutcome | undefined> {
  const { context, info, namespace, subresource, dryRun } = request;
  const outcome = await threads.run({
    type: 'change',
    what: ownWhat(what),
    resource: sentResource(info.resource),
    namespace,
    name,
    subresource,
    dryRun,
    user: context.user,
    options,
    entry: entry === undefined ? undefined : sentEntry(entry),
    keepsSent: isHeavy && context.keepsSent === true,
  });
  if (outcome.end.type !== 'refused' && looksInto(path, request)) {
    // Others may have been told the same in this turn.
    await context.rest?.();
    return undefined;
  }
  const { sent, warnings } = outcome;
  if (isHeavy && sent !== undefined) tellWorkedOut(request, sent);
  for (const warning of warnings) context.warn(warning);
  return outcome;
}

/** What is recorded of a body that was read in the thread. */
function tellWorkedOut(request: WriteRequest, sent: HeavySent): void {
  const { context } = request;
  switch (sent.type) {
    case 'patch':
      if (context.keepsSent === true) context.sentPatch?.(sent.text);
      return;
    case 'object':
      context.sent?.(bodyInfo(request).row, sent.metadata, () => {
        if (sent.entry === undefined) throw new Error('what nobody asked for is to be recorded');
        return receivedEntry(sent.entry);
      });
  }
}

/** Whoever is outside is shown the object as it is here. */
export const asksOthers = (path: WritePath, { info, subresource }: WriteRequest): boolean =>
  needsWebhook(info) || path.admission.asksOthers({ resource: info.resource, subresource });

/** Whether the object itself is looked into by what only this process has: it is worked out again here, when nothing else is wrong with it. */
export function looksInto(path: WritePath, request: WriteRequest): boolean {
  const { info, context, namespace, subresource } = request;
  if (info.strategy.allocation !== undefined) return true;
  const asked = { resource: info.resource, subresource, namespace, user: context.user };
  return (['CREATE', 'UPDATE'] as const).some((operation) => path.admission.looksInto({ ...asked, operation }));
}

/** What comes of an outcome: everyone is asked whom it has passed, in their order. */
export async function settle(
  path: WritePath,
  request: WriteRequest,
  outcome: HeavyOutcome,
  current: Current,
): Promise<Attempt<WriteResult>> {
  const { info, context } = request;
  const { end, name, generateName, generates } = outcome;
  const operation: AdmissionOperation = current.entry === undefined ? 'CREATE' : 'UPDATE';
  const head: JsonObject = { metadata: generates ? { generateName } : { name, generateName } };
  const admitted = admissionRequest(
    { ...request, name: generates ? '' : name },
    operation,
    current,
    head,
    operation === 'CREATE' ? undefined : head,
  );
  for (const gate of outcome.passed) {
    switch (gate) {
      case 'mutate':
      case 'validate':
        await path.admission[gate](admitted);
        break;
      case 'creationRefusal': {
        const refusal = await context.creationRefusal?.();
        if (refusal !== undefined) throw refusal;
      }
    }
  }
  if (end.type === 'refused') throw revived(end.status);
  if (end.type === 'unchanged') {
    if (current.entry === undefined) throw new Error('nothing is left unchanged');
    return {
      type: 'answer',
      result: { entry: current.entry, created: false },
      unchanged: (entry) => ({ entry, created: false }),
    };
  }
  if (end.isBirth) {
    if (current.entry !== undefined) throw alreadyExists(info, name, { generateName }, current.entry);
    if (info.row.custom !== undefined) checkDefinition(info, current.definition);
  }
  const key = entryKey({ namespace: request.namespace, name });
  const { isBirth, shown, value } = end;
  const stored = value === undefined ? undefined : bufferOf(value);
  const birth = isBirth ? ({ isBirth } as const) : {};
  const storeKey = info.keyPrefix + key;
  return {
    type: 'store',
    ...birth,
    operation: stored === undefined ? { type: 'delete', key: storeKey } : { type: 'put', key: storeKey, value: stored },
    finish(revision) {
      const entry = shown === undefined ? stored && makeEntry(info.stored, key, revision ?? 0, stored) : receivedEntry(shown);
      if (entry === undefined) throw new Error('nothing is shown of what becomes of an object');
      return { entry, created: isBirth };
    },
  };
}

/** The memory that a view lies in would be sent as well. */
const ownBytes = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

function ownWhat(what: HeavyBody): HeavyBody {
  if (what.verb === 'patch') return { verb: what.verb, patch: { ...what.patch, bytes: ownBytes(what.patch.bytes) } };
  return { verb: what.verb, body: { format: what.body.format, bytes: ownBytes(what.body.bytes) } };
}

export const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

export function sentEntry({ key, revision, fields, dialectSensitive, bytes }: Entry): SentEntry {
  return { key, revision, fields: { ...fields }, dialectSensitive, bytes: ownBytes(bytes) };
}

export const receivedEntry = ({ bytes, ...facts }: SentEntry): Entry => ({ ...facts, labels: {}, bytes: bufferOf(bytes) });

export function sentResource({ row, stored }: Pick<Resource, 'row' | 'stored'>): SentResource {
  const { custom, ...names } = row;
  if (custom === undefined) return { type: 'builtIn', group: row.group, version: row.version, resource: row.resource };
  const { definition, storageVersion } = custom;
  const versions = [...custom.versions].map(([name, { schemaText, schemaId, shownId, columns, scale }]) => ({
    name,
    schema: ownBytes(schemaText()),
    schemaId,
    shownId,
    columns,
    scale,
  }));
  return { type: 'custom', row: names, stored, definition, storageVersion, versions };
}
