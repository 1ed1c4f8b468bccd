/**
 * Publishes the API servers as Leases in the system namespace, like upstream's apiserver identity. Each server renews
 * its own Lease; expired Leases are deleted. A server that stops keeps its Lease, because most servers start again.
 * Requests are not routed by these Leases: replicas.ts tracks the live servers.
 */
import { createHash } from 'node:crypto';
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
import { startReconciler, type Reconciler } from '../reconciler';
import { hasReason, ignoreReasons, mergePatch, objectBody, serverContext, serverWriteOptions } from '../server-writes';

/** A Lease that was not renewed for this time is expired. */
const LEASE_SECONDS = 3_600;
/** Interval at which a server renews its Lease. */
const RENEW_MS = 10_000;
/** Interval at which a server deletes expired Leases. */
const COLLECT_MS = LEASE_SECONDS * 1_000;
/** Characters of a Lease's name after the prefix. */
const DIGEST_LENGTH = 26;
const MAX_LABEL_LENGTH = 63;

/** Dependencies, and the identity of this server. */
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
  const { identity, hostname: hostnameLabel, settings: settingsAnnotation } = identityLabels(names);
  const [identityLabel, identityValue] = identity;
  const labels = { [identityLabel]: identityValue, [hostnameLabel]: hostnameLabelValue(hostname) };
  const metadata = (): MetaV1ObjectMeta => ({ labels, annotations: { [settingsAnnotation]: settingsText(options.settings()) } });
  return startReconciler({ ...options, intervalMs: RENEW_MS }, async () => {
    try {
      return await renew(options, key, metadata());
    } catch (error) {
      onFailure(`the Lease ${name} of this server could not be renewed`, error);
      return false;
    }
  });
}

/** Creates the Lease or sets its `renewTime`. Resolves with false when the cache was out of date, to be retried soon. */
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
      await writer.create(serverContext(clock), leases, key.namespace, objectBody(value), serverWriteOptions(names));
    }
    return true;
  } catch (error) {
    // The cache did not show that the Lease was deleted or created in the meantime.
    if (hasReason(error, exists ? 'NotFound' : 'AlreadyExists')) return false;
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

/** The expired Leases of API servers; Leases of other programs are skipped. */
async function* expiredLeases({ cache, leases, names, clock }: IdentityLeasesOptions): AsyncGenerator<Entry, void, undefined> {
  const [label, value] = identityLabels(names).identity;
  const keyPrefix = `${names.systemNamespace}/`;
  const slice = new TimeSlice(clock);
  for (const entry of cache.snapshot(leases.stored).range(keyPrefix)) {
    if (!entry.key.startsWith(keyPrefix)) return;
    if (entry.labels[label] === value && isExpired(entry, clock.now())) yield entry;
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
  }
}

/** A Lease without a duration or renewTime counts as expired. `now` in ms since 1970. */
function isExpired(entry: Entry, now: number): boolean {
  const { spec = {} }: CoordinationV1Lease = parseEntry(entry).object;
  const { leaseDurationSeconds: seconds, renewTime = '' } = spec;
  const renewedAt = Date.parse(renewTime);
  return seconds === undefined || Number.isNaN(renewedAt) || renewedAt + seconds * 1_000 < now;
}

async function deleteLease({ writer, leases, clock }: IdentityLeasesOptions, { key, revision }: Entry): Promise<void> {
  const [namespace = '', name = ''] = key.split('/');
  const options = { dryRun: false, preconditions: { resourceVersion: String(revision) } };
  // NotFound: already deleted. Conflict: renewed by its server.
  await ignoreReasons(['NotFound', 'Conflict'], () => writer.delete(serverContext(clock), leases, { namespace, name }, options));
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

/** The hostname, truncated to the maximal length; empty when it is not a valid label value. */
function hostnameLabelValue(hostname: string): string {
  const truncated = hostname.slice(0, MAX_LABEL_LENGTH);
  return checkLabelValue(truncated).length === 0 ? truncated : '';
}
