/**
 * Publishes the API servers as Leases in the system namespace, like upstream's apiserver identity. Each server renews
 * its own Lease; expired Leases are deleted. A server that stops keeps its Lease, because most servers come back.
 * Routing uses replicas.ts instead.
 */
import { createHash } from 'node:crypto';
import { StatusError } from '../../../shared/api/errors/status';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { IDENTITY_LEASE_PREFIX, identityLabels } from '../../../shared/names/server-identity';
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import type { CoordinationV1Lease, MetaV1ObjectMeta } from '../../../shared/api/types/generated/members';
import { checkLabelValue } from '../../../shared/values/name-formats';
import { microTimeAt } from '../../../shared/values/time/time';
import type { Cache, Entry } from '../../cache/cache';
import { TimeSlice } from '../../../shared/scheduling/yielding';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resource, Writer } from '../../registry/verbs';
import { settingsText, type CommonSettings } from './peer-checks';
import { serverName } from './replicas';
import { startReconciler, mergePatch, serverContext, serverWriteOptions, type Reconciler } from '../reconciler';

/** A Lease that was not renewed for this time is expired. */
const LEASE_SECONDS = 3_600;
/** Intervals at which a server renews its Lease and deletes expired ones. */
const RENEW_MS = 10_000;
const COLLECT_MS = LEASE_SECONDS * 1_000;
/** Characters of a Lease's name after the prefix. */
const DIGEST_LENGTH = 26;
const MAX_LABEL_LENGTH = 63;

/** The identity of this server, and where Leases are. */
export interface IdentityLeasesOptions {
  readonly writer: Writer;
  readonly cache: Cache;
  readonly leases: Resource;
  readonly names: GeneratedNames;
  readonly clock: Clock;
  readonly random: Random;
  /** Hostname, port and worker are unique per server and stable across restarts. */
  readonly hostname: string;
  readonly port: number;
  /** The number of the worker among those that serve the port, from 1. */
  readonly worker: number;
  /** Settings that other servers compare with their own. */
  readonly settings: () => CommonSettings;
  /** Called for each failure; the operation is retried. */
  readonly onFailure: (message: string, error: unknown) => void;
}

/** Renews the Lease of this server every ten seconds. */
export function startIdentityLeaseReconciler(options: IdentityLeasesOptions): Reconciler {
  const { names, hostname, onFailure } = options;
  const name = identityOf(options);
  const key = { namespace: names.systemNamespace, name };
  const { identity, hostname: hostnameLabel, settings } = identityLabels(names);
  const labels = { [identity[0]]: identity[1], [hostnameLabel]: hostnameLabelValue(hostname) };
  const metadata = (): MetaV1ObjectMeta => ({ labels, annotations: { [settings]: settingsText(options.settings()) } });
  return startReconciler({ ...options, intervalMs: RENEW_MS }, async () => {
    try {
      return await renew(options, key, metadata());
    } catch (error) {
      onFailure(`the Lease ${name} of this server could not be renewed`, error);
      return false;
    }
  });
}

/** Resolves with false when the cache was out of date, to be retried soon. */
async function renew(options: IdentityLeasesOptions, key: ObjectKey, metadata: MetaV1ObjectMeta): Promise<boolean> {
  const { writer, cache, leases, names, clock, random } = options;
  const exists = cache.get(leases.stored, `${key.namespace}/${key.name}`) !== undefined;
  const spec = { renewTime: microTimeAt(clock.now()) };
  try {
    if (exists) {
      await writer.patch(serverContext(clock), leases, key, undefined, mergePatch({ metadata, spec }), serverWriteOptions(names));
    } else {
      const holderIdentity = `${key.name}_${random.uuid()}`;
      const value: CoordinationV1Lease = {
        metadata: { ...key, ...metadata },
        spec: { holderIdentity, leaseDurationSeconds: LEASE_SECONDS, ...spec },
      };
      await writer.create(
        serverContext(clock),
        leases,
        key.namespace,
        { value, duplicates: [], format: 'json' },
        serverWriteOptions(names),
      );
    }
    return true;
  } catch (error) {
    // The cache did not show that the Lease was deleted or created in the meantime.
    if (error instanceof StatusError && error.reason === (exists ? 'NotFound' : 'AlreadyExists')) return false;
    throw error;
  }
}

/** Deletes expired Leases. Every server does this; a second deletion does no harm. */
export function startIdentityLeaseCollector(options: IdentityLeasesOptions): Reconciler {
  const { onFailure } = options;
  return startReconciler({ ...options, intervalMs: COLLECT_MS }, async () => {
    let isComplete = true;
    for await (const entry of expiredLeases(options)) {
      try {
        await deleteLease(options, entry);
      } catch (error) {
        isComplete = false;
        onFailure(`the abandoned Lease ${entry.key} could not be deleted`, error);
      }
    }
    return isComplete;
  });
}

async function* expiredLeases({ cache, leases, names, clock }: IdentityLeasesOptions): AsyncGenerator<Entry, void, undefined> {
  const [label, value] = identityLabels(names).identity;
  const start = `${names.systemNamespace}/`;
  const slice = new TimeSlice(clock);
  for (const entry of cache.snapshot(leases.stored).range(start)) {
    if (!entry.key.startsWith(start)) return;
    if (entry.labels[label] === value && isExpired(entry, clock.now())) yield entry;
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
  }
}

/** A Lease without a duration or renewTime counts as expired. */
function isExpired(entry: Entry, now: number): boolean {
  const { spec = {} }: CoordinationV1Lease = parseEntry(entry).object;
  const { leaseDurationSeconds: seconds, renewTime = '' } = spec;
  const renewed = Date.parse(renewTime);
  return seconds === undefined || Number.isNaN(renewed) || renewed + seconds * 1_000 < now;
}

async function deleteLease({ writer, leases, clock }: IdentityLeasesOptions, { key, revision }: Entry): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const options = { dryRun: false, preconditions: { resourceVersion: String(revision) } };
  try {
    await writer.delete(serverContext(clock), leases, { namespace, name }, options);
  } catch (error) {
    // Already deleted, or renewed by its server.
    if (!(error instanceof StatusError) || (error.reason !== 'NotFound' && error.reason !== 'Conflict')) throw error;
  }
}

/**
 * The name of a server's Lease: the prefix and a digest of hostname, port and worker. Each byte of the digest gives five
 * bits, written as a digit of base 32 (`0` to `9`, `a` to `v`), which is valid in names.
 */
export function identityOf({ hostname, port, worker }: Pick<IdentityLeasesOptions, 'hostname' | 'port' | 'worker'>): string {
  const digest = createHash('sha256')
    .update(serverName(hostname, port, worker))
    .digest();
  return IDENTITY_LEASE_PREFIX + Array.from(digest.subarray(0, DIGEST_LENGTH), (byte) => (byte & 31).toString(32)).join('');
}

/** Empty when the hostname is not a valid label value. */
function hostnameLabelValue(hostname: string): string {
  const truncated = hostname.slice(0, MAX_LABEL_LENGTH);
  return checkLabelValue(truncated).length === 0 ? truncated : '';
}
