/**
 * Compares the API servers of a store by their identity Leases: detects clock skew, and settings that must be equal
 * in a cluster but differ. Only logs warnings and sets metrics, because the check cannot know which server is wrong.
 */
import { identityLabels } from '../../../shared/names/server-identity';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { LogFields } from '../../../shared/runtime/logger';
import type { CoordinationV1Lease } from '../../../shared/api/types/generated/members';
import type { Cache, Entry } from '../../cache/cache';
import { followType, type TypeFollower, type FollowTypeOptions } from '../../cache/sync/follow-type';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resource } from '../../registry/verbs';

/** Settings that must be equal on all servers of a cluster, by flag name. */
export type CommonSettings = Readonly<Record<string, string>>;

/** The settings as identity Leases publish them. */
export const settingsText = (settings: CommonSettings): string => JSON.stringify(settings);

/** The Leases of the servers, the settings of this one, and callbacks for differences. */
export interface PeersOptions extends Pick<FollowTypeOptions, 'cache' | 'clock'> {
  readonly cache: FollowTypeOptions['cache'] & Pick<Cache, 'watch'>;
  readonly leases: Resource;
  readonly names: GeneratedNames;
  /** Name of this server's Lease. */
  readonly ownLeaseName: string;
  readonly settings: () => CommonSettings;
  /** Called when the watch of Leases fails; it is started again. */
  readonly onFailure: (message: string, error: unknown) => void;
  /** Called with a warning for each kind of difference to a server, at most every ten minutes for one server. */
  readonly onFinding: (message: string, fields: LogFields) => void;
  /**
   * Called when a Lease is renewed or deleted. `offsetSeconds`: the offset of the clock that differs most, negative when it
   * is behind. `differingServers`: the number of servers with other settings. Not called for renewals that arrive in a
   * burst.
   */
  readonly onCounts: (offsetSeconds: number, differingServers: number) => void;
}

/**
 * A difference is reported after this many renewals in a row: one renewal may be late, and a change of settings
 * reaches one server after another.
 */
const REQUIRED_RENEWALS = 3;
/** Smaller offsets are harmless: tokens and certificates tolerate up to a minute. */
const MAX_CLOCK_OFFSET_MS = 5_000;
/** Time between two warnings about one server. */
const WARN_INTERVAL_MS = 600_000;
/** A server that has not renewed its Lease for this time is not counted. */
const LIVENESS_MS = 60_000;
/**
 * Servers renew every ten seconds. Renewals that arrive closer together were delayed, because this server got no
 * processor time or its watch was interrupted.
 */
const BURST_MS = 5_000;

/** Another server, as its last renewals show it. */
interface Peer {
  /** The last renewTime of its Lease. */
  readonly renewTime: string;
  /** When that renewal arrived here, in ms of Clock.monotonic. */
  readonly seenAt: number;
  /**
   * Apparent clock offsets at the last renewals, in ms: renewTime minus the time of arrival here. Positive when the other
   * clock is ahead; a renewal that arrives late makes it smaller.
   */
  readonly offsets: readonly number[];
  /** Number of renewals in a row with other settings. */
  readonly differingRenewals: number;
  /** When the last warning about the server was logged, in ms of Clock.monotonic; `-Infinity` before the first one. */
  readonly lastWarnedAt: number;
}

/** Follows the Leases from now on. Call `stop` of the result to end it. */
export function startPeerChecks(options: PeersOptions): TypeFollower {
  const { cache, clock, onFailure, leases, names } = options;
  const peers = new Peers(options);
  return followType({ cache, clock, onFailure, stored: leases.stored, scope: { namespace: names.systemNamespace } }, peers);
}

const CLOCK_ADVICE = 'tokens, certificates and Events start and expire at other times there; synchronize the clocks of all machines (NTP)';
const SETTINGS_ADVICE =
  'the servers of one cluster need equal settings, and two clusters must not share an --etcd-prefix: stop the server that does not belong here and give it a prefix of its own';

class Peers {
  private readonly peers = new Map<string, Peer>();
  private readonly labels;

  constructor(private readonly options: PeersOptions) {
    this.labels = identityLabels(options.names);
  }

  /** A Lease was created or changed. */
  upsert(entry: Entry): void {
    const { identity, settings: settingsAnnotation } = this.labels;
    const [identityLabel, identityValue] = identity;
    const { names, ownLeaseName, clock } = this.options;
    if (entry.labels[identityLabel] !== identityValue) return;
    if (entry.key === `${names.systemNamespace}/${ownLeaseName}`) {
      // This server renews its own Lease too: an occasion to stop counting servers that no longer renew theirs.
      this.reportCounts();
      return;
    }
    const lease: CoordinationV1Lease = parseEntry(entry).object;
    const renewTime = lease.spec?.renewTime ?? '';
    const previous = this.peers.get(entry.key);
    if (previous?.renewTime === renewTime) return;
    const seenAt = clock.monotonic();
    const elapsedMs = seenAt - (previous?.seenAt ?? -Infinity);
    const isAfterPause = elapsedMs > LIVENESS_MS;
    const isInBurst = elapsedMs < BURST_MS;
    if (previous === undefined || isAfterPause || isInBurst) {
      // Such a renewal may have been made long before it arrived, so its offset proves nothing. The next one arrives when
      // it is made.
      const lastWarnedAt = previous?.lastWarnedAt ?? -Infinity;
      this.peers.set(entry.key, { renewTime, seenAt, offsets: [], differingRenewals: 0, lastWarnedAt });
      return;
    }
    const differences = this.settingDifferences(lease.metadata?.annotations?.[settingsAnnotation]);
    const offset = Date.parse(renewTime) - clock.now();
    const offsets = Number.isNaN(offset) ? [] : [...previous.offsets, offset].slice(-REQUIRED_RENEWALS);
    const differingRenewals = differences.length === 0 ? 0 : previous.differingRenewals + 1;
    const peer: Peer = { renewTime, seenAt, offsets, differingRenewals, lastWarnedAt: previous.lastWarnedAt };
    this.peers.set(entry.key, this.warnIfDifferent(entry, lease, peer, differences));
    this.reportCounts();
  }

  /** A Lease was deleted. */
  remove(key: string): void {
    if (this.peers.delete(key)) this.reportCounts();
  }

  /** Logs a warning if one is due, and returns the peer with the time of its last warning. */
  private warnIfDifferent(entry: Entry, { spec }: CoordinationV1Lease, peer: Peer, differences: readonly string[]): Peer {
    const { clock, onFinding } = this.options;
    const now = clock.monotonic();
    const offsetMs = offsetOf(peer);
    const hasOtherSettings = peer.differingRenewals >= REQUIRED_RENEWALS;
    const isClockOff = Math.abs(offsetMs) > MAX_CLOCK_OFFSET_MS;
    if ((!isClockOff && !hasOtherSettings) || now - peer.lastWarnedAt < WARN_INTERVAL_MS) return peer;
    const server = {
      lease: entry.key,
      hostname: entry.labels[this.labels.hostname],
      holder: spec?.holderIdentity,
    };
    if (isClockOff) {
      const offset = `${Math.round(Math.abs(offsetMs) / 1_000)} s ${offsetMs > 0 ? 'ahead of' : 'behind'}`;
      onFinding(`the clock of another API server is ${offset} the clock of this one: ${CLOCK_ADVICE}`, server);
    }
    if (hasOtherSettings) {
      onFinding(`another API server on this store has different settings: ${SETTINGS_ADVICE}`, { ...server, settings: differences });
    }
    return { ...peer, lastWarnedAt: now };
  }

  /** Describes each setting that differs. `text`: the annotation of the other server's Lease. */
  private settingDifferences(text: string | undefined): readonly string[] {
    // Servers of earlier versions publish no settings.
    if (text === undefined) return [];
    const peerSettings = parseSettings(text);
    return Object.entries(this.options.settings()).flatMap(([name, value]) => {
      const peerValue = peerSettings.get(name);
      return typeof peerValue !== 'string' || peerValue === value ? [] : [`${name}: here ${value}, there ${peerValue}`];
    });
  }

  private reportCounts(): void {
    const liveSince = this.options.clock.monotonic() - LIVENESS_MS;
    const livePeers = [...this.peers.values()].filter(({ seenAt }) => seenAt >= liveSince);
    let largestOffsetMs = 0;
    for (const peer of livePeers) {
      const offsetMs = offsetOf(peer);
      if (Math.abs(offsetMs) > Math.abs(largestOffsetMs)) largestOffsetMs = offsetMs;
    }
    const differing = livePeers.filter(({ differingRenewals }) => differingRenewals >= REQUIRED_RENEWALS);
    this.options.onCounts(largestOffsetMs / 1_000, differing.length);
  }
}

/** The offset of the least delayed renewal in ms; 0 until there are enough renewals. */
const offsetOf = ({ offsets }: Peer): number => (offsets.length < REQUIRED_RENEWALS ? 0 : Math.max(...offsets));

function parseSettings(text: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}
