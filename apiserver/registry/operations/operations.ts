/**
 * Runs operations: decodes the body, checks its namespace, sets defaults and managedFields, runs admission and calls
 * the handler of the operation. Stores nothing itself.
 */
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import { groupResourceText, type ObjectKey } from '../../../shared/api/identity/identity';
import type { JsonObject } from '../../../shared/values/json';
import type { KindRow, SubresourceRow } from '../../../shared/api/kinds';
import { ensureMetadata } from '../../../shared/api/metadata/object-meta';
import { StatusError } from '../../../shared/api/errors/status';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { Cache } from '../../cache/cache';
import { runSteps } from '../../../shared/scheduling/steps';
import { slotYielder } from '../../../shared/scheduling/yielding';
import type { ParsedBody, RequestContext, Resource, WriteOptions } from '../verbs';
import { StateChanged, type Admission, type AdmissionRequest } from '../admission';
import { decodeBody } from '../object/decode-body';
import { ensureNamespaceMatchesRequest, canonicalizeNamespace, clearDeletion } from '../write/object-metadata';
import { recordManagedFields } from '../write/managed-fields';
import { recordRequestObject, encodeTransientEntryInSteps } from '../write/request-object';
import { makeKindInfo, type KindInfo } from '../object/resource-info';
import { bindPod, createBinding, type BindingDependencies } from './binding';
import { evictPod, type EvictionDependencies } from './eviction';
import { bodyRowOf, type OperationHandler, type OperationTarget, type Operations, type OperationTable } from './operation';

/** The handlers of the operations on pods. The wiring of the server adds those of reviews and tokens. */
export function operationTable(deps: BindingDependencies & EvictionDependencies): OperationTable {
  return {
    bindings: createBinding(deps),
    'pods/binding': bindPod(deps),
    'pods/eviction': evictPod(deps),
  };
}

/** What the operations use. `table` has a handler for every operation of the rows. */
export interface OperationDependencies {
  readonly table: OperationTable;
  readonly cache: Pick<Cache, 'get' | 'waitUntilFresh'>;
  readonly namespaces: Resource;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly names: GeneratedNames;
}

/** Throws at start when an operation of the rows has no handler. */
export function createOperations(deps: OperationDependencies, rows: readonly KindRow[]): Operations {
  for (const name of operationNames(rows)) requireHandler(deps.table, name);
  const infos = new Map<KindRow, KindInfo>();
  const infoOf = (row: KindRow): KindInfo => {
    let info = infos.get(row);
    if (info === undefined) infos.set(row, (info = makeKindInfo(row)));
    return info;
  };
  return {
    admitConnection: (context, target, key, object) =>
      admit(deps, context, target, key, { operation: 'CONNECT', object, dryRun: false, options: {} }),
    async run(context, target, key, body, options) {
      const info = infoOf(bodyRowOf(target));
      const object = prepareObject(deps, info, { context, target, key, body, options });
      await admit(deps, context, target, key, {
        operation: 'CREATE',
        object,
        dryRun: options.dryRun,
        options: options.statedOptions ?? {},
      });
      const handle = requireHandler(deps.table, operationName(target.resource.row, target.subresource));
      const result = await handle({ context, resource: target.resource, key, object, options });
      return runSteps(encodeTransientEntryInSteps(info, result, deps.names), slotYielder(context));
    },
  };
}

function operationNames(rows: readonly KindRow[]): readonly string[] {
  return rows.flatMap((row) => [
    ...(row.virtual === true && row.verbs.includes('create') ? [operationName(row, undefined)] : []),
    ...(row.subresources ?? [])
      .filter(({ verbs, connects }) => connects === undefined && verbs.includes('create'))
      .map((subresource) => operationName(row, subresource)),
  ]);
}

/** The key in the {@link OperationTable}. */
const operationName = (row: KindRow, subresource: SubresourceRow | undefined): string =>
  subresource === undefined ? groupResourceText(row) : `${groupResourceText(row)}/${subresource.name}`;

function requireHandler(table: OperationTable, name: string): OperationHandler {
  const handler = table[name];
  if (handler === undefined) throw new Error(`no function for the operation ${name}`);
  return handler;
}

interface UndecodedRequest {
  readonly context: RequestContext;
  readonly target: OperationTarget;
  readonly key: ObjectKey;
  readonly body: ParsedBody;
  readonly options: WriteOptions;
}

/** Decodes and completes the body for the handler. */
function prepareObject({ names, clock }: OperationDependencies, info: KindInfo, request: UndecodedRequest): JsonObject {
  const { context, key, body, options } = request;
  const { resource, subresource } = request.target;
  const object = decodeBody(info, body, options.fieldValidation, (text) => context.warn(text));
  recordRequestObject(context, info, object, names);
  const metadata = ensureMetadata(object);
  canonicalizeNamespace(info, metadata, names);
  canonicalizeGroups(object, info.codec.groupFields, names);
  ensureNamespaceMatchesRequest(resource.row, metadata, key.namespace);
  info.codec.applyDefaults(object);
  clearDeletion(metadata);
  // Clients cannot set these members, but the uid in the body of some operations is a precondition.
  if (subresource?.bodyHasPreconditions !== true) for (const member of ['uid', 'creationTimestamp', 'selfLink']) delete metadata[member];
  recordManagedFields(info, { subresource: subresource?.name, manager: options.fieldManager, ms: clock.now() }, object, undefined);
  return object;
}

/**
 * Runs the plug-ins. They run once more on fresh state before a rejection that is based on cached state is returned, and
 * as often as one of them throws StateChanged.
 */
async function admit(
  deps: OperationDependencies,
  context: RequestContext,
  { resource, subresource }: OperationTarget,
  { namespace, name }: ObjectKey,
  attributes: Pick<AdmissionRequest, 'dryRun' | 'object' | 'operation' | 'options'>,
): Promise<void> {
  const runPlugins = async (): Promise<void> => {
    const request = {
      resource,
      subresource: subresource?.name,
      namespace,
      name,
      hasNameInPath: name !== '',
      bodyRow: bodyRowOf({ resource, subresource }),
      user: context.user,
      context,
      oldObject: undefined,
      deadline: context.deadline,
      namespaceEntry: namespace === '' ? undefined : deps.cache.get(deps.namespaces.stored, namespace),
      ...attributes,
    } as const;
    await deps.admission.mutate(request);
    await deps.admission.validate(request);
  };
  const catchUp = (): Promise<unknown> => deps.cache.waitUntilFresh({ deadline: context.deadline });
  let isFresh = deps.admission.callsWebhooks({ resource, subresource: subresource?.name });
  if (isFresh) await catchUp();
  for (;;) {
    try {
      return await runPlugins();
    } catch (error) {
      const isStale = error instanceof StateChanged;
      if (!isStale && (isFresh || !(error instanceof StatusError))) throw error;
      await catchUp();
      isFresh = true;
    }
  }
}
