/**
 * Which API servers there are, for people and programs that ask: each keeps a Lease in the system namespace, and Leases whose servers did not come back are
 * deleted when their time is over. A server that stops leaves its own, since most come back. Never decides where requests go: see replicas.ts.
 */
import { createHash } from 'node:crypto';
import { StatusError } from '../../../shared/api/errors/status';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { IDENTITY_LEASE_PREFIX, identityLabels } from '../../../shared/names/server-identity';
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { checkLabelValue } from '../../../shared/values/name-formats';
import { microTimeAt } from '../../../shared/values/time';
import type { Cache, Entry } from '../../cache/cache';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resource, Writer } from '../../registry/verbs';
import { settingsText, type CommonSettings } from './peer-checks';
import { keepUp, mergePatch, ownContext, ownWrite, type Upkeep } from '../reconciler';

const LEASE_SECONDS = 3_600;
const RENEW_MS = 10_000;
const CLEAN_MS = LEASE_SECONDS * 1_000;
const NAME_LENGTH = 26;
const LONGEST_LABEL = 63;

export interface IdentityLeasesOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly leases: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly random: Random;
  /** This server's: together they are unlike any other's, and the same after a restart. */
  readonly hostname: string;
  readonly port: number;
  /** What the other servers are to know of this one's. */
  readonly settings: () => CommonSettings;
  /** Told of what went wrong; it is tried again. */
  readonly failed: (message: string, error: unknown) => void;
}

/** Keeps this server's Lease, renewed every ten seconds. */
export function keepIdentityLease(options: IdentityLeasesOptions): Upkeep {
  const { names, hostname, failed } = options;
  const name = identityOf(options);
  const key = { namespace: names.systemNamespace, name };
  const { identity, hostname: hostnameLabel, settings } = identityLabels(names);
  const labels = { [identity[0]]: identity[1], [hostnameLabel]: shownHostname(hostname) };
  const metadata = (): JsonObject => ({ labels, annotations: { [settings]: settingsText(options.settings()) } });
  return keepUp({ ...options, intervalMs: RENEW_MS }, async () => {
    try {
      return await renew(options, key, metadata());
    } catch (error) {
      failed(`the Lease ${name} of this server could not be renewed`, error);
      return false;
    }
  });
}

/** False = the cache did not know the newest state: to be looked at again soon. */
async function renew(options: IdentityLeasesOptions, key: ObjectKey, metadata: JsonObject): Promise<boolean> {
  const { writer, cache, leases, names, clock, random } = options;
  const exists = cache.get(leases.stored, `${key.namespace}/${key.name}`) !== undefined;
  const spec = { renewTime: microTimeAt(clock.now()) };
  try {
    if (exists) {
      await writer.patch(ownContext(clock), leases, key, undefined, mergePatch({ metadata, spec }), ownWrite(names));
    } else {
      const holderIdentity = `${key.name}_${random.uuid()}`;
      const value = { metadata: { ...key, ...metadata }, spec: { holderIdentity, leaseDurationSeconds: LEASE_SECONDS, ...spec } };
      await writer.create(ownContext(clock), leases, key.namespace, { value, duplicates: [], format: 'json' }, ownWrite(names));
    }
    return true;
  } catch (error) {
    if (error instanceof StatusError && error.reason === (exists ? 'NotFound' : 'AlreadyExists')) return false;
    throw error;
  }
}

/** Deletes the Leases of servers that have been away for longer than they may; every server does it, and it does no harm twice. */
export function cleanIdentityLeases(options: IdentityLeasesOptions): Upkeep {
  const { failed } = options;
  return keepUp({ ...options, intervalMs: CLEAN_MS }, async () => {
    let all = true;
    for await (const entry of abandoned(options)) {
      try {
        await remove(options, entry);
      } catch (error) {
        all = false;
        failed(`the abandoned Lease ${entry.key} could not be deleted`, error);
      }
    }
    return all;
  });
}

async function* abandoned({ cache, leases, names, clock }: IdentityLeasesOptions): AsyncGenerator<Entry, void, undefined> {
  const [label, value] = identityLabels(names).identity;
  const start = `${names.systemNamespace}/`;
  const slice = new TimeSlice(clock);
  for (const entry of cache.snapshot(leases.stored).range(start)) {
    if (!entry.key.startsWith(start)) return;
    if (entry.labels[label] === value && isOver(entry, clock.now())) yield entry;
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
  }
}

/** One that does not say when it ends has no end to wait for. */
function isOver(entry: Entry, now: number): boolean {
  const spec = objectAt(parseEntry(entry).object, 'spec') ?? {};
  const seconds = own(spec, 'leaseDurationSeconds');
  const renewed = Date.parse(stringAt(spec, 'renewTime') ?? '');
  return typeof seconds !== 'number' || Number.isNaN(renewed) || renewed + seconds * 1_000 < now;
}

async function remove({ writer, leases, clock }: IdentityLeasesOptions, { key, revision }: Entry): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const options = { dryRun: false, preconditions: { resourceVersion: String(revision) } };
  try {
    await writer.delete(ownContext(clock), leases, { namespace, name }, options);
  } catch (error) {
    // It is gone, or its server is back.
    if (!(error instanceof StatusError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error;
  }
}

/** The name of a server's Lease. */
export function identityOf({ hostname, port }: Pick<IdentityLeasesOptions, 'hostname' | 'port'>): string {
  const digest = createHash('sha256').update(`${hostname}:${port}`).digest();
  return IDENTITY_LEASE_PREFIX + Array.from(digest.subarray(0, NAME_LENGTH), (byte) => (byte & 31).toString(32)).join('');
}

/** Not every name that a machine can have is one that a label takes. */
function shownHostname(hostname: string): string {
  const shown = hostname.slice(0, LONGEST_LABEL);
  return checkLabelValue(shown).length === 0 ? shown : '';
}
