/**
 * Reconciles the Available condition of APIServices and discovery with the servers behind them. A server is checked when its APIService, its Service or the endpoints of
 * that Service change, every 30 s while it is available, and with back-off from 1 s while it does not respond. Checks of different servers run concurrently. Every replica
 * runs this; an unchanged condition is not written.
 */
import { timestamp } from '../../shared/api/metadata/object-meta';
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
import { ownContext, ownWrite } from '../reconcilers/reconciler';
import { check, type Availability, type CheckedServer } from './availability';
import type { Extensions } from './extension-servers';
import { availableCondition, type Registration, type Registrations } from './registrations';

export interface AvailabilityParts {
  readonly registrations: Registrations;
  readonly extensions: Pick<Extensions, 'locate' | 'open'>;
  readonly stateOf: (service: Registration['service']) => ServiceState;
  readonly writer: Pick<Writer, 'update'>;
  readonly cache: Pick<Cache, 'get'>;
  /** The resource of APIServices. */
  readonly services: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly random: Random;
  /** One that was there is away. */
  readonly lost: (name: string, reason: string) => void;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export interface AvailabilityKeeper {
  /** Called when the APIService, its Service or the endpoints of the Service have changed. */
  look(name: string): void;
  stop(): void;
}

const INTERVAL_MS = 30_000;
const BACK_OFF = { firstMs: 1_000, longestMs: INTERVAL_MS };
/** How many changes abort a running check before one is allowed to finish, so that permanently changing endpoints cannot prevent a result. */
const MAX_ABORTS = 5;

export function keepAvailability(parts: AvailabilityParts): AvailabilityKeeper {
  return new Keeper(parts);
}

interface ServerState {
  readonly backOff: BackOff;
  timer: Timer | undefined;
  /** Aborts the running check; `undefined` while none runs. */
  running: AbortController | undefined;
  /** A change has occurred since the check started. */
  isOutdated: boolean;
  aborts: number;
}

class Keeper implements AvailabilityKeeper {
  private readonly servers = new Map<string, ServerState>();
  private stopped = false;

  constructor(private readonly parts: AvailabilityParts) {}

  look(name: string): void {
    if (this.stopped) return;
    const server = this.serverOf(name);
    server.backOff.reset();
    if (server.running === undefined) {
      void this.run(name, server);
      return;
    }
    server.isOutdated = true;
    if (server.aborts >= MAX_ABORTS) return;
    server.aborts += 1;
    server.running.abort();
  }

  stop(): void {
    this.stopped = true;
    for (const { timer, running } of this.servers.values()) {
      timer?.cancel();
      running?.abort();
    }
    this.servers.clear();
  }

  private serverOf(name: string): ServerState {
    let server = this.servers.get(name);
    if (server === undefined) {
      const backOff = new BackOff(this.parts.random, BACK_OFF);
      server = { backOff, timer: undefined, running: undefined, isOutdated: false, aborts: 0 };
      this.servers.set(name, server);
    }
    return server;
  }

  private async run(name: string, server: ServerState): Promise<void> {
    server.timer?.cancel();
    server.running = new AbortController();
    server.isOutdated = false;
    const outcome = await this.checkOne(name, server, server.running.signal).catch((error: unknown) => {
      this.parts.failed(`the availability of ${name} could not be checked`, error);
      return 'retry' as const;
    });
    server.running = undefined;
    if (this.stopped) return;
    if (this.parts.registrations.get(name) === undefined) {
      this.servers.delete(name);
      return;
    }
    if (server.isOutdated) return this.run(name, server);
    server.aborts = 0;
    if (outcome === 'done') server.backOff.reset();
    const delayMs = outcome === 'done' ? INTERVAL_MS : server.backOff.next();
    server.timer = this.parts.clock.after(delayMs, () => void this.run(name, server));
  }

  /** `retry` when the server did not respond: no event announces its recovery, whereas a missing Service or endpoint is announced by its creation. */
  private async checkOne(name: string, server: ServerState, signal: AbortSignal): Promise<'done' | 'retry'> {
    const { registrations, extensions, stateOf, clock } = this.parts;
    const registration = registrations.get(name);
    if (registration === undefined) return 'done';
    const found = await check(extensions, registration, stateOf(registration.service), clock, registrations.described(name), signal);
    if (this.stopped || signal.aborted) return 'done';
    registrations.learn(name, found.learnt);
    if ((await this.updateCondition(name, found)) === 'conflict') server.isOutdated = true;
    return found.isUnanswered ? 'retry' : 'done';
  }

  /** Returns `conflict` when another replica has written first. */
  private async updateCondition(name: string, found: CheckedServer): Promise<'conflict' | undefined> {
    const { writer, cache, services, clock, names, lost } = this.parts;
    const entry = cache.get(services.stored, name);
    if (entry === undefined) return undefined;
    const { object } = parseEntry(entry);
    if (objectAt(objectAt(object, 'spec'), 'service') === undefined || isTold(object, found)) return undefined;
    const value = { ...object, status: { ...objectAt(object, 'status'), conditions: [conditionOf(object, found, clock.now())] } };
    const body = { value, duplicates: [], format: 'json' } as const;
    try {
      await writer.update(ownContext(clock), services, { namespace: '', name }, 'status', body, ownWrite(names));
      if (found.status === 'False' && stringAt(availableCondition(object), 'status') === 'True') lost(name, found.reason);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      if (error.reason === 'Conflict') return 'conflict';
      if (error.reason !== 'NotFound') throw error;
    }
    return undefined;
  }
}

function isTold(object: JsonObject, { status, reason, message }: Availability): boolean {
  const known = availableCondition(object);
  return stringAt(known, 'status') === status && stringAt(known, 'reason') === reason && stringAt(known, 'message') === message;
}

/** `ms` since 1970. */
function conditionOf(object: JsonObject, { status, reason, message }: Availability, ms: number): JsonObject {
  const known = availableCondition(object);
  const since = stringAt(known, 'status') === status ? stringAt(known, 'lastTransitionTime') : undefined;
  return { type: 'Available', status, lastTransitionTime: since ?? timestamp(ms), reason, message };
}
