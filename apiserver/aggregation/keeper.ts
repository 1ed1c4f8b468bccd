/**
 * Looks after the servers behind registrations: asks each when something about it or its Service changes, and now and then; says in the status of the APIService what it
 * has found, and tells discovery what there is. Each on its own: one that does not answer holds up nobody. Every replica does; one that finds its answer there writes nothing.
 */
import { timestamp } from '../../shared/api/metadata/object-meta';
import { StatusError } from '../../shared/api/errors/status';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { ServiceState } from '../webhook-client/resolve';
import type { Cache } from '../cache/cache';
import { parseEntry } from '../registry/object/stored-object';
import type { Resource, Writer } from '../registry/verbs';
import { ownContext, OWN_WRITE } from '../upkeep/upkeep';
import { check, type Availability, type CheckedServer } from './availability';
import type { Extensions } from './extensions';
import { availableCondition, type Registration, type Registrations } from './registration';

export interface AvailabilityParts {
  readonly registrations: Registrations;
  readonly extensions: Extensions;
  readonly stateOf: (service: Registration['service']) => ServiceState;
  readonly writer: Pick<Writer, 'update'>;
  readonly cache: Pick<Cache, 'get'>;
  /** The resource of APIServices. */
  readonly services: Resource;
  readonly clock: Clock;
  /** One that was there is away. */
  readonly lost: (name: string, reason: string) => void;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

export interface AvailabilityKeeper {
  /** Something about it has changed. */
  look(name: string): void;
  stop(): void;
}

const INTERVAL_MS = 30_000;

export function keepAvailability(parts: AvailabilityParts): AvailabilityKeeper {
  return new Keeper(parts);
}

class Keeper implements AvailabilityKeeper {
  private readonly timers = new Map<string, Timer>();
  /** Those that are being asked; true = once more. */
  private readonly running = new Map<string, boolean>();
  private stopped = false;

  constructor(private readonly parts: AvailabilityParts) {}

  look(name: string): void {
    if (this.stopped) return;
    if (this.running.has(name)) this.running.set(name, true);
    else void this.run(name);
  }

  stop(): void {
    this.stopped = true;
    for (const timer of this.timers.values()) timer.cancel();
    this.timers.clear();
  }

  private async run(name: string): Promise<void> {
    this.timers.get(name)?.cancel();
    this.timers.delete(name);
    this.running.set(name, false);
    try {
      await this.checkOne(name);
    } catch (error) {
      this.parts.failed(`whether ${name} is available could not be told`, error);
    }
    const again = this.running.get(name) === true;
    this.running.delete(name);
    if (this.stopped || this.parts.registrations.get(name) === undefined) return;
    if (again) this.look(name);
    else
      this.timers.set(
        name,
        this.parts.clock.after(INTERVAL_MS, () => this.look(name)),
      );
  }

  private async checkOne(name: string): Promise<void> {
    const { registrations, extensions, stateOf, clock } = this.parts;
    const registration = registrations.get(name);
    if (registration === undefined) return;
    const found = await check(extensions, registration, stateOf(registration.service), clock, registrations.described(name));
    if (this.stopped) return;
    registrations.learn(name, found.learnt);
    await this.tell(name, found);
  }

  private async tell(name: string, found: CheckedServer): Promise<void> {
    const { writer, cache, services, clock, lost } = this.parts;
    const entry = cache.get(services.stored, name);
    if (entry === undefined) return;
    const { object } = parseEntry(entry);
    if (objectAt(objectAt(object, 'spec'), 'service') === undefined || isTold(object, found)) return;
    const value = { ...object, status: { ...objectAt(object, 'status'), conditions: [conditionOf(object, found, clock.now())] } };
    const body = { value, duplicates: [], format: 'json' } as const;
    try {
      await writer.update(ownContext(clock), services, { namespace: '', name }, 'status', body, OWN_WRITE);
      if (found.status === 'False' && stringAt(availableCondition(object), 'status') === 'True') lost(name, found.reason);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      // Another replica may have said it first.
      if (error.reason === 'Conflict') this.look(name);
      else if (error.reason !== 'NotFound') throw error;
    }
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
