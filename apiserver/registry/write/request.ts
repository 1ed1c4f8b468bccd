/**
 * What the steps of a write share: its dependencies, the request, and the guards that its transaction compares. The state
 * of the object is not part of it: every attempt reads its own (current-state.ts).
 */
import { isFenceInForce, type Fence } from '../../../shared/api/identity/fencing';
import { conflict } from '../../../shared/api/errors/status';
import type { JsonObject } from '../../../shared/values/json';
import { quote } from '../../../shared/values/text/quote';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Random } from '../../../shared/runtime/random';
import { AllocationClaims } from '../../allocation/claims';
import type { ServiceAllocator } from '../../allocation/service-allocator';
import type { Cache } from '../../cache/cache';
import type { Store } from '../../storage/store';
import type { Reader, RequestContext, Resource, Subresource } from '../verbs';
import { entryKey } from '../resources';
import type { Admission, AdmissionOperation, AdmissionRequest, OperationOptions } from '../admission';
import type { StrategyContext } from '../strategy';
import type { CurrentState, Guard, StateKey } from './current-state';
import type { UpdateAttempts } from './guaranteed-update';
import type { Conversions, VersionConverter } from '../conversions';
import { createResourceInfoLookup, type ResourceInfo, type StrategyOf } from '../object/resource-info';
import { parseEntry } from '../object/stored-object';

/** What the writer of a server uses. */
export interface WriterDependencies {
  readonly store: Store;
  readonly cache: Cache;
  /** Lists the objects that deletecollection deletes. */
  readonly reader: Pick<Reader, 'list'>;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: GeneratedNames;
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  /** Allocates addresses and node ports of Services. */
  readonly allocator: ServiceAllocator;
  /** Key prefix of the store, without a trailing slash. */
  readonly prefix: string;
  readonly namespaces: Resource;
  /** Custom resource definitions. */
  readonly definitions: Resource;
  /** The resource of the Leases that fenced writes compare. */
  readonly leases: Resource;
  readonly strategyOf: StrategyOf;
  /** Time to live of an object of an expiring kind (Events) after its last write. */
  readonly eventTtlSeconds: number;
  readonly conversions: Conversions;
}

/** The part of a request that all its attempts share. */
export interface WriteRequest {
  readonly context: RequestContext;
  readonly info: ResourceInfo;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  /** Empty until a name is generated. */
  readonly name: string;
  readonly subresource: Subresource;
  readonly dryRun: boolean;
  readonly options: OperationOptions;
  /** An update or apply that creates an absent object; the user needs the permission to create. */
  readonly isCreateOnUpdate?: true;
  /** Set for kinds with a conversion webhook. */
  readonly versionConverter?: VersionConverter | undefined;
}

/** Time limit of all attempts of a write, even if its request may take longer (upstream behaviour). */
const WRITE_LIMIT_MS = 34_000;

/** Dependencies, and values derived from them. */
export interface WriteDependencies extends WriterDependencies {
  readonly infoOf: (resource: Resource) => ResourceInfo;
  /** The claims of all attempts of a request; the caller closes them. `undefined` for kinds without allocations. */
  readonly claimsFor: (request: WriteRequest) => AllocationClaims | undefined;
  /** The options of {@link guaranteedUpdate} for a request: keys, guards and deadline. */
  readonly attemptsFor: (request: WriteRequest, options: AttemptOptions) => UpdateAttempts;
  readonly strategyContext: (request: Pick<WriteRequest, 'context'>) => StrategyContext;
}

/** Options of {@link guaranteedUpdate} that do not follow from the request. */
export interface AttemptOptions extends Pick<UpdateAttempts, 'traceName' | 'startEntry' | 'requiresFreshState' | 'alreadyExistsError'> {
  /** Name of the object, which may have been generated. */
  readonly name: string;
}

/** Dependencies of steps, in any thread. */
export type StepDependencies = Pick<
  WriteDependencies,
  'admission' | 'clock' | 'conversions' | 'eventTtlSeconds' | 'names' | 'random' | 'strategyContext'
>;

/** Derives what all writes of a server share. */
export function createWriteDependencies(dependencies: WriterDependencies): WriteDependencies {
  const { clock, gates, allocator, names } = dependencies;
  const infoOf = createResourceInfoLookup(dependencies.prefix, names.dialect, dependencies.strategyOf);
  const guardInfos: GuardInfos = {
    namespaces: infoOf(dependencies.namespaces),
    definitions: infoOf(dependencies.definitions),
    leases: infoOf(dependencies.leases),
  };
  return {
    ...dependencies,
    infoOf,
    claimsFor: ({ info }) => (info.strategy.allocation === undefined ? undefined : new AllocationClaims(allocator)),
    attemptsFor(request, { name, ...options }) {
      const { info, namespace, subresource, context, dryRun } = request;
      const target = { resource: info.resource, subresource, user: context.user, namespace };
      return {
        object: stateKeyOf(info, entryKey({ namespace, name })),
        guards: guardsOf(guardInfos, names, request, name),
        deadline: Math.min(context.deadline, clock.monotonic() + WRITE_LIMIT_MS),
        dryRun,
        context,
        dependsOnOtherObjects: info.strategy.allocation !== undefined || dependencies.admission.dependsOnOtherObjects(target),
        ...options,
      };
    },
    strategyContext: ({ context }) => ({
      names,
      user: context.user,
      warn: (text) => context.warn(text),
      now: clock.now(),
      serviceFamilies: allocator.families,
      gates,
    }),
  };
}

type GuardInfos = Readonly<Record<'namespaces' | 'definitions' | 'leases', ResourceInfo>>;

/** The namespace of the object, the definition of a custom kind, and the Lease of a fencing token. */
function guardsOf(infos: GuardInfos, names: GeneratedNames, request: WriteRequest, name: string): readonly Guard[] {
  const { info, namespace } = request;
  const { fence } = request.context;
  const { custom } = info.row;
  const guards: Guard[] = [];
  if (info.row.namespaced) guards.push({ name: 'namespace', compared: 'on-create', ...stateKeyOf(infos.namespaces, namespace) });
  if (custom !== undefined) guards.push({ name: 'definition', compared: 'on-create', ...stateKeyOf(infos.definitions, custom.definition) });
  if (fence !== undefined) {
    const key = entryKey({ namespace: canonicalNamespace(names, fence.namespace), name: fence.name });
    guards.push({ name: 'lease', compared: 'always', ...stateKeyOf(infos.leases, key), refusal: fenceRefusal(fence, request, name) });
  }
  return guards;
}

/** Rejects the write with 409 unless the term of leadership that its fencing token names is in force. */
function fenceRefusal(fence: Fence, { info, context }: WriteRequest, name: string): NonNullable<Guard['refusal']> {
  const term = `term ${fence.transitions} of ${quote(fence.holder)}`;
  return (lease) =>
    // Without the permission to read the Lease the user learns nothing about its term.
    context.isFenceHidden !== true && isFenceInForce(fence, lease === undefined ? undefined : parseEntry(lease).object)
      ? undefined
      : conflict(info.row, name, `the ${term} under the lease ${quote(`${fence.namespace}/${fence.name}`)} is over`);
}

function stateKeyOf({ stored, keyPrefix }: ResourceInfo, key: string): StateKey {
  return { type: stored, key, storeKey: keyPrefix + key };
}

/** What an attempt adds to the request for plug-ins. */
interface AdmittedState {
  readonly operation: AdmissionOperation;
  readonly current: CurrentState;
  /** `undefined` on delete. */
  readonly object: JsonObject | undefined;
  /** `undefined` on create. */
  readonly oldObject: JsonObject | undefined;
}

/** The request as plug-ins see it. */
export function admissionRequest(
  { context, info, namespace, name, subresource, dryRun, options, isCreateOnUpdate, versionConverter }: WriteRequest,
  { operation, current, object, oldObject }: AdmittedState,
): AdmissionRequest {
  return {
    operation,
    resource: info.resource,
    subresource,
    namespace,
    name,
    hasNameInPath: operation !== 'CREATE' || isCreateOnUpdate === true,
    user: context.user,
    dryRun,
    options,
    context,
    object,
    oldObject,
    deadline: context.deadline,
    namespaceEntry: current.namespace,
    versionConverter,
  };
}
