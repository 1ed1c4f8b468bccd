/**
 * What the steps of a write share: what they need from the rest of the server, what they know of the request, and how they reach the objects that
 * the request is about. No step itself.
 */
import type { JsonObject } from '../../../shared/values/json';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Random } from '../../../shared/runtime/random';
import { AllocationClaims } from '../../allocation/claims';
import type { Ledger } from '../../allocation/service-allocator';
import type { Cache } from '../../cache/cache';
import type { Store } from '../../storage/store';
import type { Reader, RequestContext, Resource, Subresource } from '../verbs';
import { entryKey } from '../resources';
import type { Admission, AdmissionOperation, AdmissionRequest, GivenOptions } from '../admission';
import type { StrategyContext } from '../strategy';
import { leaseGuard } from './fence';
import type { Attempts, Current, Guard, WatchedKey } from './guaranteed-update';
import { NO_CONVERSIONS, type Conversions, type OtherVersions } from '../conversions';
import { resourceInfos, type ResourceInfo, type StrategyOf } from '../object/resource-info';

export interface WriterDependencies {
  readonly store: Store;
  readonly cache: Cache;
  /** For deletecollection. */
  readonly reader: Pick<Reader, 'list'>;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: GeneratedNames;
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  /** The addresses and node ports of Services. */
  readonly ledger: Ledger;
  /** The store's key prefix, without a slash at its end. */
  readonly prefix: string;
  /** The resource of Namespaces. */
  readonly namespaces: Resource;
  /** The resource of the definitions of custom resources. */
  readonly definitions: Resource;
  /** The resource of Leases, on which fenced writes depend. */
  readonly leases: Resource;
  readonly strategyOf: StrategyOf;
  /** How long an object of an expiring kind lives after its last write. */
  readonly eventTtlSeconds: number;
  /** Absent = nothing is stored in a version that only a webhook can convert. */
  readonly conversions?: Conversions;
}

/** What all attempts at one request share. */
export interface WriteRequest {
  readonly context: RequestContext;
  readonly info: ResourceInfo;
  readonly namespace: string;
  /** '' until one is generated. */
  readonly name: string;
  readonly subresource: Subresource;
  readonly dryRun: boolean;
  readonly options: GivenOptions;
  /** An update or apply that found nothing and creates instead: the user must be allowed to do that too. */
  readonly creates?: 'instead';
  /** What becomes known of its object in other versions; absent where that needs nobody to ask. */
  readonly versions?: OtherVersions;
}

const WRITE_LIMIT_MS = 34_000;

/** The dependencies, and what follows from them. */
export interface WriteDependencies extends WriterDependencies {
  readonly conversions: Conversions;
  readonly infoOf: (resource: Resource) => ResourceInfo;
  /** What the request asks of the ranges; undefined for a kind that takes nothing from them. To be closed. */
  readonly claimsFor: (request: WriteRequest) => AllocationClaims | undefined;
  readonly attemptsFor: (request: WriteRequest, told: ToldAttempts) => Attempts;
  readonly strategyContext: (request: Pick<WriteRequest, 'context'>) => StrategyContext;
}

/** What the guaranteed update is told of a write besides its request. */
export interface ToldAttempts extends Pick<Attempts, 'called' | 'left' | 'provesFirst' | 'taken'> {
  /** The object's, which may have been generated since the request was made. */
  readonly name: string;
}

/** What of it the steps need, in whatever thread they run. */
export type StepDependencies = Pick<
  WriteDependencies,
  'admission' | 'clock' | 'conversions' | 'eventTtlSeconds' | 'names' | 'random' | 'strategyContext'
>;

export function createWriteDependencies(dependencies: WriterDependencies): WriteDependencies {
  const { clock, gates, ledger, names } = dependencies;
  const infoOf = resourceInfos(dependencies.prefix, names.dialect, dependencies.strategyOf);
  const guarding: Guarding = {
    names,
    namespaces: infoOf(dependencies.namespaces),
    definitions: infoOf(dependencies.definitions),
    leases: infoOf(dependencies.leases),
  };
  return {
    ...dependencies,
    conversions: dependencies.conversions ?? NO_CONVERSIONS,
    infoOf,
    claimsFor: ({ info }) => (info.strategy.allocation === undefined ? undefined : new AllocationClaims(ledger)),
    attemptsFor(request, { name, called, taken, left, provesFirst }) {
      const { info, namespace, context, dryRun } = request;
      return {
        object: watched(info, entryKey({ namespace, name })),
        guards: guardsOf(guarding, request, name),
        deadline: Math.min(context.deadline, clock.monotonic() + WRITE_LIMIT_MS),
        dryRun,
        acquireSlot: () => context.acquireSlot?.(),
        trace: context.trace,
        timed: (work) => context.timed?.(work) ?? work,
        restsOnMore: info.strategy.allocation !== undefined || isCounted(dependencies.admission, request),
        provesFirst,
        called,
        taken,
        left,
      };
    },
    strategyContext: ({ context }) => ({
      names,
      user: context.user,
      warn: (text) => context.warn(text),
      now: clock.now(),
      serviceFamilies: ledger.families,
      gates,
    }),
  };
}

/** Whether others of its namespace count for what becomes of it. */
function isCounted(admission: Admission, { info, context, namespace, subresource }: WriteRequest): boolean {
  const question = { resource: info.resource, subresource: subresource, user: context.user, namespace };
  return admission.counts(question);
}

/** The resources whose objects guard others. */
interface Guarding {
  readonly names: GeneratedNames;
  readonly namespaces: ResourceInfo;
  readonly definitions: ResourceInfo;
  readonly leases: ResourceInfo;
}

/** What a write rests on besides its object: its Namespace, the definition of its kind, and the Lease that its sender holds. */
function guardsOf({ names, namespaces, definitions, leases }: Guarding, request: WriteRequest, name: string): readonly Guard[] {
  const { info, namespace } = request;
  const { fence, isFenceHidden = false } = request.context;
  const { custom } = info.row;
  const guards: Guard[] = [];
  if (info.namespaced) guards.push({ name: 'namespace', compared: 'at-birth', ...watched(namespaces, namespace) });
  if (custom !== undefined) guards.push({ name: 'definition', compared: 'at-birth', ...watched(definitions, custom.definition) });
  if (fence !== undefined) guards.push(leaseGuard(fence, isFenceHidden, leases, names, info.gr, name));
  return guards;
}

function watched({ stored, keyPrefix }: ResourceInfo, key: string): WatchedKey {
  return { type: stored, key, storeKey: keyPrefix + key };
}

/** What admission is told. `object` is undefined for a deletion, `oldObject` for a creation. */
export function admissionRequest(
  { context, info, namespace, name, subresource, dryRun, options, creates, versions }: WriteRequest,
  operation: AdmissionOperation,
  current: Current,
  object: JsonObject | undefined,
  oldObject: JsonObject | undefined,
): AdmissionRequest {
  return {
    operation,
    resource: info.resource,
    subresource,
    namespace,
    name,
    isAddressed: operation !== 'CREATE' || creates === 'instead',
    user: context.user,
    dryRun,
    options,
    context,
    object,
    oldObject,
    deadline: context.deadline,
    namespaceEntry: current.namespace,
    versions,
  };
}
