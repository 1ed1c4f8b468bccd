/**
 * Reconciles the Available condition of APIServices and discovery with the servers behind them. A server is checked
 * - when its APIService, its Service or the endpoints of that Service change;
 * - with back-off from 1 s up to 30 s while it does not respond;
 * - otherwise every 30 s.
 * Checks of different servers run concurrently. Every replica runs this; an unchanged condition is not written.
 */
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { StatusError } from '../../shared/api/errors/status';
import { BackOff } from '../../shared/client/back-off';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock, Timer } from '../../shared/runtime/clock';
import type { Random } from '../../shared/runtime/random';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { ServiceState } from '../webhook-client/service-resolver';
import type { Cache } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { Resource, Writer } from '../registry/verbs';
import { serverContext, serverWriteOptions } from '../reconcilers/server-writes';
import { checkAvailability, type Availability, type CheckResult } from './availability';
import type { ExtensionServers } from './extension-servers';
import { availableCondition, type Registration, type Registrations } from './registrations';

/** The registered servers, how they are contacted, and where conditions are written. */
export interface AvailabilityDependencies {
  readonly registrations: Registrations;
  readonly extensions: Pick<ExtensionServers, 'locate' | 'open'>;
  /** The state of a Service and its endpoints, from this replica's cache. */
  readonly stateOf: (service: Registration['service']) => ServiceState;
  readonly writer: Pick<Writer, 'update'>;
  readonly cache: Pick<Cache, 'get'>;
  /** The resource of APIServices. */
  readonly apiServices: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly random: Random;
  /** Called when this replica has recorded that an available server became unavailable. */
  readonly onUnavailable: (name: string, reason: string) => void;
  /** Called with failures of checks, which are retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** The running checks of all aggregated API servers. */
export interface AvailabilityReconciler {
  /** Call when the APIService of this name, its Service or the endpoints of the Service have changed. */
  recheck(name: string): void;
  /** Aborts running checks; their results are ignored. */
  stop(): void;
}

/** Interval of the checks of every APIService, as upstream's. */
const INTERVAL_MS = 30_000;
const BACK_OFF = { initialMs: 1_000, maxMs: INTERVAL_MS };
/**
 * How many changes abort a running check before one is allowed to finish, so that permanently changing endpoints
 * cannot prevent a result.
 */
const MAX_ABORTS = 5;

/** Checks no server until the caller calls `recheck` for it, and from then on as described above, until `stop` is called. */
export function startAvailabilityReconciler(deps: AvailabilityDependencies): AvailabilityReconciler {
  return new Reconciler(deps);
}

interface ServerState {
  readonly backOff: BackOff;
  timer: Timer | undefined;
  /** Aborts the running check; `undefined` while none runs. */
  runningCheck: AbortController | undefined;
  /** A change has occurred since the check started. */
  isOutdated: boolean;
  /** Number of checks that changes have aborted since the last check that was allowed to finish. */
  aborts: number;
}

class Reconciler implements AvailabilityReconciler {
  private readonly servers = new Map<string, ServerState>();
  private isStopped = false;

  constructor(private readonly deps: AvailabilityDependencies) {}

  recheck(name: string): void {
    if (this.isStopped) return;
    const server = this.serverOf(name);
    server.backOff.reset();
    if (server.runningCheck === undefined) {
      void this.checkAndSchedule(name, server);
      return;
    }
    server.isOutdated = true;
    if (server.aborts >= MAX_ABORTS) return;
    server.aborts += 1;
    server.runningCheck.abort();
  }

  stop(): void {
    this.isStopped = true;
    for (const { timer, runningCheck } of this.servers.values()) {
      timer?.cancel();
      runningCheck?.abort();
    }
    this.servers.clear();
  }

  private serverOf(name: string): ServerState {
    let server = this.servers.get(name);
    if (server === undefined) {
      const backOff = new BackOff(this.deps.random, BACK_OFF);
      server = { backOff, timer: undefined, runningCheck: undefined, isOutdated: false, aborts: 0 };
      this.servers.set(name, server);
    }
    return server;
  }

  private async checkAndSchedule(name: string, server: ServerState): Promise<void> {
    server.timer?.cancel();
    server.runningCheck = new AbortController();
    server.isOutdated = false;
    const outcome = await this.checkServer(name, server, server.runningCheck.signal).catch((error: unknown) => {
      this.deps.onFailure(`the availability of ${name} could not be checked`, error);
      return 'retry' as const;
    });
    server.runningCheck = undefined;
    if (this.isStopped) return;
    if (this.deps.registrations.get(name) === undefined) {
      this.servers.delete(name);
      return;
    }
    if (server.isOutdated) return this.checkAndSchedule(name, server);
    server.aborts = 0;
    if (outcome === 'done') server.backOff.reset();
    const delayMs = outcome === 'done' ? INTERVAL_MS : server.backOff.next();
    server.timer = this.deps.clock.after(delayMs, () => void this.checkAndSchedule(name, server));
  }

  /**
   * Checks a server once and records the result. `retry` when the server did not respond, because no event announces its
   * recovery. A missing Service or endpoint needs no retry: its creation leads to a `recheck`.
   */
  private async checkServer(name: string, server: ServerState, signal: AbortSignal): Promise<'done' | 'retry'> {
    const { registrations, extensions, stateOf, clock } = this.deps;
    const registration = registrations.get(name);
    if (registration === undefined) return 'done';
    const result = await checkAvailability(
      { extensions, registration, clock, signal },
      stateOf(registration.service),
      registrations.openApiV2Of(name),
    );
    if (this.isStopped || signal.aborted) return 'done';
    registrations.setDiscovered(name, result.discovered);
    if ((await this.updateCondition(name, result)) === 'conflict') server.isOutdated = true;
    return result.hasNoResponse ? 'retry' : 'done';
  }

  /** Returns `conflict` when another replica has written first. */
  private async updateCondition(name: string, result: CheckResult): Promise<'conflict' | undefined> {
    const { writer, cache, apiServices, clock, names, onUnavailable } = this.deps;
    const entry = cache.get(apiServices.stored, name);
    if (entry === undefined) return undefined;
    const { object } = parseEntry(entry);
    const isLocal = objectAt(objectAt(object, 'spec'), 'service') === undefined;
    if (isLocal || isConditionCurrent(object, result)) return undefined;
    const status = { ...objectAt(object, 'status'), conditions: [nextCondition(object, result, clock.now())] };
    const value = { ...object, status };
    const body = { value, duplicates: [], format: 'json' } as const;
    try {
      await writer.update(serverContext(clock), apiServices, { namespace: '', name }, 'status', body, serverWriteOptions(names));
      const wasAvailable = stringAt(availableCondition(object), 'status') === 'True';
      if (wasAvailable && result.status === 'False') onUnavailable(name, result.reason);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason === 'Conflict') return 'conflict';
      if (error.reason !== 'NotFound') throw error;
    }
    return undefined;
  }
}

function isConditionCurrent(object: JsonObject, { status, reason, message }: Availability): boolean {
  const condition = availableCondition(object);
  return stringAt(condition, 'status') === status && stringAt(condition, 'reason') === reason && stringAt(condition, 'message') === message;
}

/** The condition with the result of a check at `nowMs` (since 1970). Its transition time changes only with its status. */
function nextCondition(object: JsonObject, { status, reason, message }: Availability, nowMs: number): JsonObject {
  const previous = availableCondition(object);
  const transitionTime = stringAt(previous, 'status') === status ? stringAt(previous, 'lastTransitionTime') : undefined;
  return { type: 'Available', status, lastTransitionTime: transitionTime ?? formatTimestamp(nowMs), reason, message };
}
