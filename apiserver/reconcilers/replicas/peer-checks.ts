/**
 * What the servers over one store can tell of each other by their identity Leases: that a clock is not right, and that they are not of one cluster, or set up as
 * if they were not. Only says so, in the log and in metrics: who is right is the operator's to know. Refuses and changes nothing.
 */
import { identityLabels } from '../../../shared/names/server-identity';
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { LogFields } from '../../../shared/runtime/logger';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import type { Cache, Entry } from '../../cache/cache';
import { followType, type TypeFollower, type FollowTypeOptions } from '../../cache/sync/follow-type';
import { parseEntry } from '../../registry/object/stored-object';
import type { Resource } from '../../registry/verbs';

/** By the flag's name, what has to be the same for all servers of a cluster. */
export type CommonSettings = Readonly<Record<string, string>>;

export const settingsText = (settings: CommonSettings): string => JSON.stringify(settings);

export interface PeersOptions extends Pick<FollowTypeOptions, 'cache' | 'clock' | 'failed'> {
  readonly cache: FollowTypeOptions['cache'] & Pick<Cache, 'watch'>;
  readonly leases: Resource;
  readonly names: GeneratedNames;
  /** The name of this server's Lease. */
  readonly own: string;
  readonly settings: () => CommonSettings;
  readonly found: (message: string, fields: LogFields) => void;
  /** Told after each look how far the clock that differs most is ahead (behind: below 0), in seconds, and how many servers differ in settings. */
  readonly counted: (offsetSeconds: number, others: number) => void;
}

/** So many renewals in a row say the same before it is believed: one may come late, or meet a change that reaches server after server. */
const LOOKS = 3;
/** Clocks that differ by less are nobody's trouble; what tokens and certificates allow for begins at a minute. */
const MOST_OFFSET_MS = 5_000;
const TOLD_AGAIN_MS = 600_000;
/** Whoever has not renewed for so long is not there any more. */
const GONE_MS = 60_000;
/** Servers renew every ten seconds. Renewals that arrive closer together were delayed, because this server got no processor time or its watch was interrupted. */
const BURST_MS = 5_000;

interface Peer {
  readonly renewTime: string;
  /** In ms of Clock.monotonic. */
  readonly seenAt: number;
  /** How far its clock seemed to be ahead at its last renewals. What is on its way for a while makes it less. */
  readonly offsets: readonly number[];
  /** At how many renewals in a row it had other settings. */
  readonly differing: number;
  readonly toldAt: number;
}

export function followPeers(options: PeersOptions): TypeFollower {
  const { cache, clock, failed, leases, names } = options;
  const peers = new Peers(options);
  return followType({ cache, clock, failed, stored: leases.stored, scope: { namespace: names.systemNamespace } }, peers);
}

class Peers {
  private readonly known = new Map<string, Peer>();
  private readonly labels;

  constructor(private readonly options: PeersOptions) {
    this.labels = identityLabels(options.names);
  }

  upsert(entry: Entry): void {
    const { identity, settings } = this.labels;
    const { names, own, clock } = this.options;
    if (entry.labels[identity[0]] !== identity[1]) return;
    if (entry.key === `${names.systemNamespace}/${own}`) {
      // Those who are silent by now are not counted any more.
      this.count();
      return;
    }
    const { object } = parseEntry(entry);
    const renewTime = stringAt(objectAt(object, 'spec'), 'renewTime') ?? '';
    const before = this.known.get(entry.key);
    if (before?.renewTime === renewTime) return;
    const seenAt = clock.monotonic();
    const sinceMs = seenAt - (before?.seenAt ?? -Infinity);
    if (before === undefined || sinceMs > GONE_MS || sinceMs < BURST_MS) {
      // This renewal, like the earlier ones of a burst, may have been made long before it arrived: only the next one arrives when it is made.
      this.known.set(entry.key, { renewTime, seenAt, offsets: [], differing: 0, toldAt: before?.toldAt ?? -Infinity });
      return;
    }
    const others = this.differences(stringAt(objectAt(objectAt(object, 'metadata'), 'annotations'), settings));
    const offset = Date.parse(renewTime) - clock.now();
    const offsets = Number.isNaN(offset) ? [] : [...before.offsets, offset].slice(-LOOKS);
    const differing = others.length === 0 ? 0 : before.differing + 1;
    const peer: Peer = { renewTime, seenAt, offsets, differing, toldAt: before.toldAt };
    this.known.set(entry.key, this.tell(entry, object, peer, others));
    this.count();
  }

  remove(key: string): void {
    if (this.known.delete(key)) this.count();
  }

  private tell(entry: Entry, object: JsonObject, peer: Peer, others: readonly string[]): Peer {
    const { clock, found } = this.options;
    const now = clock.monotonic();
    const [offsetMs, differs] = [offsetOf(peer), peer.differing >= LOOKS];
    const isOff = Math.abs(offsetMs) > MOST_OFFSET_MS;
    if ((!isOff && !differs) || now - peer.toldAt < TOLD_AGAIN_MS) return peer;
    const server = {
      lease: entry.key,
      hostname: entry.labels[this.labels.hostname],
      holder: stringAt(objectAt(object, 'spec'), 'holderIdentity'),
    };
    if (isOff) {
      const seconds = Math.round(Math.abs(offsetMs) / 1_000);
      found(`the clock of another API server is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} this one's: ${CLOCKS}`, server);
    }
    if (differs) found(`another API server on this store has other settings: ${SETTINGS}`, { ...server, settings: others });
    return { ...peer, toldAt: now };
  }

  private differences(text: string | undefined): readonly string[] {
    // Servers of before say nothing of it.
    if (text === undefined) return [];
    const theirs = parseSettings(text);
    return Object.entries(this.options.settings()).flatMap(([name, value]) => {
      const other = theirs.get(name);
      return typeof other !== 'string' || other === value ? [] : [`${name}: here ${value}, there ${other}`];
    });
  }

  private count(): void {
    const limit = this.options.clock.monotonic() - GONE_MS;
    const here = [...this.known.values()].filter(({ seenAt }) => seenAt >= limit);
    const offset = here.map(offsetOf).reduce((most, one) => (Math.abs(one) > Math.abs(most) ? one : most), 0);
    this.options.counted(offset / 1_000, here.filter(({ differing }) => differing >= LOOKS).length);
  }
}

const CLOCKS = 'tokens, certificates and Events begin and end at other times there; let all machines follow one source of time (NTP)';
const SETTINGS =
  'servers of one cluster need the same ones, and two clusters must not share an --etcd-prefix: stop the one that does not belong here and give it a prefix of its own';

/** The least delayed look counts; 0 until there are enough of them. */
const offsetOf = ({ offsets }: Peer): number => (offsets.length < LOOKS ? 0 : Math.max(...offsets));

function parseSettings(text: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}
