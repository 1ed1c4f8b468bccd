/**
 * The steps that all operations have in common: decode, settle the place, default, record owners, admission; then the operation's own function.
 * One function per operation, in a table; nothing is stored here.
 */
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { groupResourceText, type ObjectKey } from '../../../shared/api/identity/identity';
import type { JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { StatusError } from '../../../shared/api/errors/status';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache } from '../../cache/cache';
import { runSteps } from '../../../shared/scheduling/steps';
import { slotYielder } from '../../../shared/scheduling/yielding';
import type { ParsedBody, RequestContext, Resource, WriteOptions } from '../verbs';
import { StateChanged, type Admission, type AdmissionRequest } from '../admission';
import { decodeBody } from '../write/decode-body';
import { agreeOnNamespace, canonicalPlace, dropDeletion } from '../write/object-metadata';
import { recordOwnership } from '../write/managed-fields';
import { tellSent, unplacing } from '../write/request-object';
import { kindInfo, type KindInfo } from '../object/resource-info';
import { bodyRow, type OperationHandler, type OperationPlace, type Operations, type OperationTable } from './operation';

export interface OperationParts {
  readonly table: OperationTable;
  readonly cache: Pick<Cache, 'get' | 'waitUntilFresh'>;
  readonly namespaces: Resource;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly names: GeneratedNames;
}

/** Throws when an operation of the rows has no function: a fault that shows at the start. */
export function createOperations(parts: OperationParts, rows: readonly KindRow[]): Operations {
  for (const name of operationNames(rows)) if (parts.table[name] === undefined) throw new Error(`no function for the operation ${name}`);
  const infos = new Map<KindRow, KindInfo>();
  const infoOf = (row: KindRow): KindInfo => {
    let info = infos.get(row);
    if (info === undefined) infos.set(row, (info = kindInfo(row)));
    return info;
  };
  return {
    admitConnection: (context, place, key, object) =>
      admit(parts, context, place, key, { operation: 'CONNECT', object, dryRun: false, options: {} }),
    async run(context, place, key, body, options) {
      const info = infoOf(bodyRow(place));
      const object = prepare(parts, info, context, place, key, body, options);
      await admit(parts, context, place, key, { operation: 'CREATE', object, dryRun: options.dryRun, options: options.given ?? {} });
      const answer = await operationOf(parts.table, place)({ context, resource: place.resource, key, object, options });
      return runSteps(unplacing(info, answer, parts.names), slotYielder(context));
    },
  };
}

function operationNames(rows: readonly KindRow[]): readonly string[] {
  return rows.flatMap((row) => [
    ...(row.virtual === true && row.verbs.includes('create') ? [groupResourceText(row)] : []),
    ...(row.subresources ?? [])
      .filter(({ verbs, connects }) => connects === undefined && verbs.includes('create'))
      .map(({ name }) => `${groupResourceText(row)}/${name}`),
  ]);
}

function operationOf(table: OperationTable, { resource, subresource }: OperationPlace): OperationHandler {
  const name = groupResourceText(resource.row);
  const found = table[subresource === undefined ? name : `${name}/${subresource.name}`];
  if (found === undefined) throw new Error(`no function for the operation ${name}`);
  return found;
}

/** The body as the operation gets it. */
function prepare(
  { names, clock }: OperationParts,
  info: KindInfo,
  context: RequestContext,
  { resource, subresource }: OperationPlace,
  key: ObjectKey,
  body: ParsedBody,
  options: WriteOptions,
): JsonObject {
  const object = decodeBody(info, body, options.fieldValidation, (text) => context.warn(text));
  tellSent(context, info, object, names);
  const metadata = ensureMetadata(object);
  canonicalPlace(info, metadata, names);
  canonicalizeGroups(object, info.codec.groupFields, names);
  agreeOnNamespace({ ...info, namespaced: resource.row.namespaced }, metadata, key.namespace);
  info.codec.applyDefaults(object);
  dropDeletion(metadata);
  if (subresource?.bodyHasPreconditions !== true) for (const member of ['uid', 'creationTimestamp', 'selfLink']) delete metadata[member];
  recordOwnership(info, subresource?.name, options.fieldManager, object, undefined, clock.now());
  return object;
}

/** A refusal that rests on the cache is proven before it is given. */
async function admit(
  parts: OperationParts,
  context: RequestContext,
  { resource, subresource }: OperationPlace,
  { namespace, name }: ObjectKey,
  asked: Pick<AdmissionRequest, 'dryRun' | 'object' | 'operation' | 'options'>,
): Promise<void> {
  const attempt = async (): Promise<void> => {
    const request = {
      ...asked,
      resource,
      subresource: subresource?.name,
      namespace,
      name,
      isAddressed: name !== '',
      bodyRow: bodyRow({ resource, subresource }),
      user: context.user,
      context,
      oldObject: undefined,
      deadline: context.deadline,
      namespaceEntry: namespace === '' ? undefined : parts.cache.get(parts.namespaces.stored, namespace),
    } as const;
    await parts.admission.mutate(request);
    await parts.admission.validate(request);
  };
  const newest = (): Promise<unknown> => parts.cache.waitUntilFresh({ deadline: context.deadline });
  let isProven = parts.admission.asksOthers({ resource, subresource: subresource?.name });
  if (isProven) await newest();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isPast = error instanceof StateChanged;
      if (!isPast && (isProven || !(error instanceof StatusError))) throw error;
      await newest();
      isProven = true;
    }
  }
}
