/**
 * The one path of every write (design §3.4). The steps of creating, changing and deleting an object stand here in their order; each lives in a
 * file of its own. Never speaks HTTP, and never changes the store but through {@link settle}.
 */
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { stringAt, type JsonObject } from '../../../shared/values/json';
import { generateName } from '../../../shared/values/name-formats';
import { isTerminating, metadataOf, parseResourceVersion, readMetadata } from '../../../shared/api/metadata/object-meta';
import * as status from '../../../shared/api/errors/status';
import { makeEntry } from '../../cache/entry';
import type { ParsedBody, RequestContext, Resource, Subresource, WriteOptions, Writer, WriteResult } from '../verbs';
import { entryKey } from '../resources';
import type { StrategyContext } from '../strategy';
import { applyTo, readApply } from './apply';
import { settle, type Current, type Step } from './attempts';
import { decodeBody } from './decode-body';
import { deleteCollection, deleteObject } from './delete';
import { editObject } from './edit';
import { hiddenFields } from '../object/hidden-fields';
import type { Claims } from '../../allocation/claims';
import { canonicalizeGroups } from '../../../shared/api/types/group-fields';
import * as meta from './metadata-steps';
import { changesOnlyTimes, recordOwnership } from './ownership';
import { readPatch, type Patcher } from './patch';
import { toHub, toServed, type KindPlan } from '../object/resource-info';
import { alreadyExists, checkDefinition, checkResourceVersion } from './preconditions';
import { createWritePath, type WriteRequest, type WriterDependencies } from './request';
import { mayGo, placeStatus, settleObject, validateCreation, validateUpdate } from './rules';
import { accompany, allocate, withClaims } from './allocation';
import { scaled, scalePlan, shownScale } from './scale';
import { encode, isUnchanged, readEntry, storedValue, unstoredEntry } from '../object/stored-object';
import { writeFailure } from './store-failure';

/** What a PUT or PATCH makes of the stored object. */
interface Source {
  readonly verb: 'update' | 'patch' | 'apply';
  /** The object says already who owns what. */
  readonly owned?: true;
  /** A decoded object of the served version, new on every call; of an apply, with its managedFields. `old` is the stored one, if there is one. */
  object(old: JsonObject | undefined): JsonObject;
}

const NAME_ATTEMPTS = 8;

export function createWriter(dependencies: WriterDependencies): Writer {
  const path = createWritePath(dependencies);
  const { cache, clock, random, names, gates, ledger, admission, planOf, attemptsFor, admissionRequest } = path;

  const strategyContextOf = ({ user }: RequestContext): StrategyContext => ({
    names,
    user,
    now: clock.now(),
    serviceFamilies: ledger.families,
    gates,
  });

  /** One attempt to create `sent`, which it changes. `manager` undefined = the object says already who owns what. */
  async function attemptCreate(
    request: WriteRequest,
    name: string,
    sent: JsonObject,
    current: Current,
    manager: string | undefined,
    claims: Claims | undefined,
  ): Promise<Step<WriteResult>> {
    const { plan, context, dryRun } = request;
    const { strategy } = plan;
    const strategyContext = strategyContextOf(context);
    plan.form.applyDefaults(sent);
    const object = toHub(plan, sent);
    meta.dropDeletion(metadataOf(object));
    strategy.mirror?.(object);
    if (request.name !== '' || stringAt(metadataOf(object), 'name') !== undefined) strategy.stamp?.(object, strategyContext);
    if (manager !== undefined) recordOwnership(plan, request.subresource, manager, object, undefined, clock.now());
    const admitted = admissionRequest(request, 'CREATE', current, object, undefined);
    const mutated = admission.mutate(admitted);
    if (mutated !== undefined) await mutated;
    const metadata = metadataOf(object);
    const asked = parseResourceVersion(stringAt(metadata, 'resourceVersion'));
    meta.stampNew(plan, metadata, random.uuid(), clock.now());
    if (name !== '') metadata['name'] = name;
    if (plan.hasStatus && strategy.keepsStatusAtCreation !== true) delete object['status'];
    meta.dedupeOwners(metadata, 'update', (text) => context.warn(text));
    plan.hubForm.dropDisabled(object);
    settleObject(plan, object, undefined, strategyContext);
    allocate(plan, object, undefined, claims);
    for (const warning of strategy.warningsFirst?.(object) ?? []) context.warn(warning);
    strategy.prepareForCreate?.(object, strategyContext);
    strategy.stamp?.(object, strategyContext);
    validateCreation(plan, object, strategyContext);
    for (const warning of strategy.warnings?.(object, undefined) ?? []) context.warn(warning);
    const sensitive = canonicalizeGroups(object, plan.hubForm.groupFields, names);
    const refusal = request.creates === 'instead' ? context.creationRefusal?.() : undefined;
    if (refusal !== undefined) throw refusal;
    const checked = admission.validate(admitted);
    if (checked !== undefined) await checked;
    if (asked.type === 'number') throw status.clientFault('resourceVersion should not be set on objects to be created');
    if (current.entry !== undefined) throw alreadyExists(plan, name, metadata, current.entry);
    if (plan.row.custom !== undefined) checkDefinition(plan, current.definition);
    if (plan.converter !== undefined) plan.hubForm.applyDefaults(object);
    const encoded = encode(plan, object, sensitive);
    const key = entryKey({ namespace: request.namespace, name });
    if (dryRun) return { type: 'answer', result: { entry: unstoredEntry(key, encoded), created: true } };
    const value = storedValue(plan, encoded, hiddenFields(plan, clock.now(), dependencies.eventTtlSeconds));
    return {
      type: 'store',
      guarded: true,
      operation: { type: 'put', key: plan.keyPrefix + key, value },
      ...accompany(path, plan, undefined, object, claims, (revision) => ({
        entry: makeEntry(plan.stored, key, revision, value),
        created: true,
      })),
    };
  }

  /** One attempt to replace what is stored by what `source` makes of it. */
  async function attemptUpdate(
    request: WriteRequest,
    source: Source,
    options: WriteOptions,
    current: Current,
    claims: Claims | undefined,
  ): Promise<Step<WriteResult>> {
    const { plan, context, name, namespace, subresource } = request;
    const { entry } = current;
    const { strategy, resource } = plan;
    const strategyContext = strategyContextOf(context);
    const key = entryKey(request);
    if (entry === undefined) {
      const applies = source.verb === 'apply';
      if (applies && subresource !== undefined) throw status.notFound(plan.gr, name);
      const object = source.verb === 'patch' ? undefined : source.object(undefined);
      const uid = object === undefined ? '' : (stringAt(metadataOf(object), 'uid') ?? '');
      if (uid !== '') throw status.uidPrecondition(plan.gr, name, plan.keyPrefix + key, uid, '');
      const creates = applies || (subresource === undefined && resource.row.createOnUpdate === true);
      if (object === undefined || !creates || options.ifMatch !== undefined) throw status.notFound(plan.gr, name);
      delete metadataOf(object)['resourceVersion'];
      const turned = { ...request, creates: 'instead' } as const;
      return attemptCreate(turned, name, object, current, applies ? undefined : options.fieldManager, claims);
    }
    const { object: old, text } = readEntry(plan, entry);
    const oldMetadata = readMetadata(old);
    if (options.ifMatch !== undefined && options.ifMatch !== String(entry.revision)) throw status.modified(plan.gr, name);
    let object = source.object(old);
    const sent = metadataOf(object);
    const oldUid = stringAt(oldMetadata, 'uid') ?? '';
    const uid = stringAt(sent, 'uid') ?? '';
    if (source.verb === 'update' && uid !== '' && uid !== oldUid)
      throw status.uidPrecondition(plan.gr, name, plan.keyPrefix + key, uid, oldUid);
    checkResourceVersion(plan, name, stringAt(sent, 'resourceVersion'), entry);
    plan.form.applyDefaults(object);
    object = toHub(plan, object);
    strategy.mirror?.(object);
    strategy.stamp?.(object, strategyContext);
    if (source.owned !== true) recordOwnership(plan, subresource, options.fieldManager, object, old, clock.now());
    const admitted = admissionRequest(request, 'UPDATE', current, object, old);
    const mutated = admission.mutate(admitted);
    if (mutated !== undefined) await mutated;
    const metadata = metadataOf(object);
    meta.agreeOnName(metadata, name);
    meta.agreeOnNamespace(plan, metadata, namespace);
    meta.carryOver(metadata, oldMetadata);
    meta.dedupeOwners(metadata, source.verb, (text) => context.warn(text));
    object = placeStatus(plan, subresource, object, old);
    plan.hubForm.dropDisabled(object);
    const rules = subresource === undefined || subresource === 'scale' ? strategy.update : strategy[subresource];
    if (subresource === undefined) {
      settleObject(plan, object, old, strategyContext);
      allocate(plan, object, old, claims);
    }
    rules?.prepare?.(object, old, strategyContext);
    strategy.stamp?.(object, strategyContext);
    meta.countGeneration(plan, subresource, object, old);
    validateUpdate(plan, rules, object, old, strategyContext);
    if (subresource === undefined) for (const warning of strategy.warnings?.(object, old) ?? []) context.warn(warning);
    const sensitive = canonicalizeGroups(object, plan.hubForm.groupFields, names);
    const checked = admission.validate({ ...admitted, object });
    if (checked !== undefined) await checked;
    if (plan.converter !== undefined) plan.hubForm.applyDefaults(object);
    const encoded = encode(plan, object, sensitive);
    const removed = isTerminating(oldMetadata) && mayGo(plan, object);
    const isSame = isUnchanged(encoded, entry, text) || (subresource !== 'scale' && changesOnlyTimes(object, old));
    if (!removed && isSame) return { type: 'answer', result: { entry, created: false } };
    const value = storedValue(plan, encoded, hiddenFields(plan, clock.now(), dependencies.eventTtlSeconds));
    // A removal answers with the object as it was sent, at its last stored version (upstream behaviour).
    const asStored = (revision: number): WriteResult => ({ entry: makeEntry(plan.stored, key, revision, value), created: false });
    if (request.dryRun) return { type: 'answer', result: asStored(entry.revision) };
    const storeKey = plan.keyPrefix + key;
    return {
      type: 'store',
      guarded: false,
      operation: removed ? { type: 'delete', key: storeKey } : { type: 'put', key: storeKey, value },
      ...accompany(path, plan, old, removed ? undefined : object, claims, (revision) => asStored(removed ? entry.revision : revision)),
    };
  }

  async function create(request: WriteRequest, body: ParsedBody, options: WriteOptions): Promise<WriteResult> {
    const { plan, context, namespace } = request;
    const decode = (): JsonObject =>
      settlePlace(
        plan,
        decodeBody(plan, body, options.fieldValidation, (text) => context.warn(text)),
        namespace,
        undefined,
      );
    const first = decode();
    const metadata = readMetadata(first);
    const given = stringAt(metadata, 'name') ?? '';
    const base = stringAt(metadata, 'generateName') ?? '';
    const generates = given === '' && base !== '';
    let fresh: JsonObject | undefined = first;
    for (let left = generates ? NAME_ATTEMPTS : 1; ; left--) {
      const name = generates ? generateName(base, random) : given;
      try {
        return await withClaims(path, request, (claims) =>
          settle(dependencies, attemptsFor(request, name, request.dryRun), (current) => {
            const object = fresh ?? decode();
            fresh = undefined;
            return attemptCreate({ ...request, name: given }, name, object, current, options.fieldManager, claims);
          }),
        );
      } catch (error) {
        if (left === 1 || !(error instanceof status.StatusError) || error.reason !== 'AlreadyExists') throw error;
      }
    }
  }

  /** Brings the names in a decoded object to the canonical spelling and holds its place against the URL's. `name` undefined = a new object. */
  function settlePlace(plan: KindPlan, object: JsonObject, namespace: string, name: string | undefined): JsonObject {
    const metadata = metadataOf(object);
    meta.canonicalPlace(plan, metadata, names);
    canonicalizeGroups(object, plan.form.groupFields, names);
    meta.agreeOnNamespace(plan, metadata, namespace);
    if (name !== undefined) meta.agreeOnName(metadata, name);
    return object;
  }

  function change(request: WriteRequest, source: Source, options: WriteOptions): Promise<WriteResult> {
    return withClaims(path, request, (claims) =>
      settle(dependencies, attemptsFor(request, request.name, request.dryRun), (current) =>
        attemptUpdate(request, source, options, current, claims),
      ),
    );
  }

  /** The kind of the body. */
  function bodyPlan({ plan, subresource }: WriteRequest): KindPlan {
    return subresource === 'scale' ? scalePlan : plan;
  }

  /** A source of scales as one of the objects that they scale. */
  function throughScale(request: WriteRequest, { fieldManager }: WriteOptions, source: Source): Source {
    if (request.subresource !== 'scale') return source;
    const { verb } = source;
    const object = (old: JsonObject | undefined): JsonObject => {
      if (old === undefined) throw status.notFound(request.plan.gr, request.name);
      return scaled(request, { verb, manager: fieldManager, ms: clock.now() }, old, source.object(shownScale(request, old)));
    };
    return { verb, owned: true, object };
  }

  function requestFor(
    context: RequestContext,
    resource: Resource,
    key: ObjectKey,
    subresource: Subresource,
    options: { readonly dryRun: boolean },
  ): WriteRequest {
    return { context, plan: planOf(resource), namespace: key.namespace, name: key.name, subresource, dryRun: options.dryRun };
  }

  /** Runs a request and puts what the store failed at into words. */
  async function guarded<R>(operation: string, request: WriteRequest, run: () => Promise<R>): Promise<R> {
    if (!cache.ready) throw status.tooManyRequests('storage is (re)initializing', 1);
    try {
      return await run();
    } catch (error) {
      throw writeFailure(error, operation, request.plan.gr, request.name);
    }
  }

  return {
    create(context, resource, namespace, body, options) {
      const request = requestFor(context, resource, { namespace, name: '' }, undefined, options);
      return guarded('create', request, () => create(request, body, options));
    },
    update(context, resource, key, subresource, body, options) {
      const request = requestFor(context, resource, key, subresource, options);
      const plan = bodyPlan(request);
      const decode = (): JsonObject =>
        settlePlace(
          plan,
          decodeBody(plan, body, options.fieldValidation, (text) => context.warn(text)),
          key.namespace,
          key.name,
        );
      return guarded('update', request, () => {
        let fresh: JsonObject | undefined = decode();
        const written = (): JsonObject => {
          const object = fresh ?? decode();
          fresh = undefined;
          return object;
        };
        return change(request, throughScale(request, options, { verb: 'update', object: written }), options);
      });
    },
    patch(context, resource, key, subresource, patch, options) {
      const request = requestFor(context, resource, key, subresource, options);
      return guarded('patch', request, async () => {
        const plan = bodyPlan(request);
        if (patch.type === 'apply') {
          const config = await readApply(plan, patch.bytes, options.fieldValidation, (text) => context.warn(text), clock);
          canonicalizeGroups(config, plan.form.groupFields, names);
          const applied = { plan, name: key.name, subresource, manager: options.fieldManager, force: options.force === true };
          const object = (old: JsonObject | undefined): JsonObject =>
            settlePlace(plan, applyTo({ ...applied, ms: clock.now() }, config, old), key.namespace, key.name);
          return change(request, throughScale(request, options, { verb: 'apply', owned: true, object }), options);
        }
        const document = { type: patch.type, bytes: patch.bytes };
        let apply: Patcher | undefined;
        // Read only when there is something to apply it to: what does not exist is said first (upstream behaviour).
        const object = (old: JsonObject | undefined): JsonObject => {
          apply ??= readPatch(plan, document, options.fieldValidation, (text) => context.warn(text));
          return settlePlace(plan, apply(toServed(plan, old ?? {})), key.namespace, key.name);
        };
        return change(request, throughScale(request, options, { verb: 'patch', object }), options);
      });
    },
    edit(context, resource, key, { dryRun, preconditions = {} }, change) {
      const request = requestFor(context, resource, key, undefined, { dryRun });
      return guarded('update', request, () => editObject(path, request, { preconditions, change }));
    },
    delete(context, resource, key, options) {
      const request = requestFor(context, resource, key, undefined, options);
      return guarded('delete', request, () => deleteObject(path, request, options));
    },
    deleteCollection(context, resource, namespace, list, options) {
      const request = requestFor(context, resource, { namespace, name: '' }, undefined, options);
      return guarded('delete', request, () => deleteCollection(path, request, list, options));
    },
  };
}
