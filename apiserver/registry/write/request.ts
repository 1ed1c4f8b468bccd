/**
 * What the steps of a write share: what they need from the rest of the server, what they know of the request, and how they reach the objects that
 * the request is about. No step itself.
 */
import type { JsonObject } from '../../../shared/values/json';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { FeatureGates } from '../../../shared/runtime/feature-gates';
import type { Random } from '../../../shared/runtime/random';
import { Claims } from '../../allocation/claims';
import type { Ledger } from '../../allocation/ledger';
import type { Cache } from '../../cache/cache';
import type { Store } from '../../storage/store';
import type { Reader, RequestContext, Resource, Subresource } from '../verbs';
import { entryKey } from '../resources';
import type { Admission, AdmissionOperation, AdmissionRequest } from '../admission';
import type { Attempts, Current, Watched } from './attempts';
import { fencingOf } from './fence';
import { planner, type Plan, type StrategyOf } from '../object/resource-info';

export interface WriterDependencies {
  readonly store: Store;
  readonly cache: Cache;
  /** For deletecollection. */
  readonly reader: Pick<Reader, 'list'>;
  readonly admission: Admission;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: GeneratedNames;
  readonly gates: Pick<FeatureGates, 'enabled'>;
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
}

/** What all steps of one request share. */
export interface WriteRequest {
  readonly context: RequestContext;
  readonly plan: Plan;
  readonly namespace: string;
  /** '' until one is generated. */
  readonly name: string;
  readonly subresource: Subresource;
  readonly dryRun: boolean;
  /** An update or apply that found nothing and creates instead: the user must be allowed to do that too. */
  readonly creates?: 'instead';
}

const WRITE_LIMIT_MS = 34_000;

/** The dependencies, and what follows from them. */
export interface WritePath extends WriterDependencies {
  readonly planOf: (resource: Resource) => Plan;
  /** What the request asks of the ranges; undefined for a kind that takes nothing from them. To be closed. */
  readonly claimsFor: (request: WriteRequest) => Claims | undefined;
  /** `prove`: begin with a proven state. */
  readonly attemptsFor: (request: WriteRequest, name: string, prove: boolean) => Attempts;
  readonly admissionRequest: (
    request: WriteRequest,
    operation: AdmissionOperation,
    current: Current,
    object: JsonObject | undefined,
    oldObject: JsonObject | undefined,
  ) => AdmissionRequest;
}

export function createWritePath(dependencies: WriterDependencies): WritePath {
  const { clock } = dependencies;
  const planOf = planner(dependencies.prefix, dependencies.names.dialect, dependencies.strategyOf);
  const namespacePlan = planOf(dependencies.namespaces);
  const leasePlan = planOf(dependencies.leases);
  const definitionPlan = planOf(dependencies.definitions);
  function attemptsFor(request: WriteRequest, name: string, prove: boolean): Attempts {
    const { plan, namespace } = request;
    const { fence } = request.context;
    const key = entryKey({ namespace, name });
    return {
      object: { type: plan.stored, key, storeKey: plan.keyPrefix + key },
      namespace: plan.namespaced
        ? { type: namespacePlan.stored, key: namespace, storeKey: namespacePlan.keyPrefix + namespace }
        : undefined,
      definition: definitionOf(plan),
      deadline: Math.min(request.context.deadline, clock.monotonic() + WRITE_LIMIT_MS),
      prove,
      restsOnMore: plan.strategy.allocation !== undefined,
      fencing: fence === undefined ? undefined : fencingOf(fence, leasePlan, dependencies.names, plan.gr, name),
    };
  }

  function definitionOf({ row: { custom } }: Plan): Watched | undefined {
    if (custom === undefined) return undefined;
    const key = custom.definition;
    return { type: definitionPlan.stored, key, storeKey: definitionPlan.keyPrefix + key };
  }

  function admissionRequest(
    request: WriteRequest,
    operation: AdmissionOperation,
    current: Current,
    object: JsonObject | undefined,
    oldObject: JsonObject | undefined,
  ): AdmissionRequest {
    const { context, plan, namespace, name, subresource, dryRun } = request;
    const { resource } = plan;
    return {
      operation,
      resource,
      subresource,
      namespace,
      name,
      user: context.user,
      dryRun,
      object,
      oldObject,
      namespaceEntry: current.namespace,
    };
  }

  const claimsFor = ({ plan }: WriteRequest): Claims | undefined =>
    plan.strategy.allocation === undefined ? undefined : new Claims(dependencies.ledger);

  return { ...dependencies, planOf, claimsFor, attemptsFor, admissionRequest };
}
