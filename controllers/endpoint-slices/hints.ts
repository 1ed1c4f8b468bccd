/**
 * Which zones are to use which endpoints. `close`: everybody his own zone's, if all ready endpoints have a zone. `auto`: in proportion to the CPUs of the zones,
 * so that no zone's endpoints have to carry more than a fifth above their share; where that cannot be, nobody is told anything. Pure.
 */
import type { AddressType, ServiceView } from '../service-pods/service';
import type { Endpoint } from './endpoints';

type HintMode = ServiceView['topology'];

/** CPUs of the nodes that work take, by zone. */
export type ZoneCpus = ReadonlyMap<string, number>;

export interface Hints {
  readonly type: AddressType;
  /** The zone of each endpoint that has one, by the endpoint's id. */
  readonly zones: ReadonlyMap<string, string>;
  /** Why there are none although they were asked for. */
  readonly refusal?: string;
}

/** How much more than its share a zone's endpoints may have to carry. */
const OVERLOAD = 0.2;

export function hintsFor(type: AddressType, mode: HintMode, endpoints: readonly Endpoint[], cpus: ZoneCpus | undefined): Hints {
  return { type, ...zonesFor(mode, endpoints, cpus) };
}

type Zones = Pick<Hints, 'zones' | 'refusal'>;

const NONE: Zones = { zones: new Map() };

function zonesFor(mode: HintMode, endpoints: readonly Endpoint[], cpus: ZoneCpus | undefined): Zones {
  const ready = endpoints.filter(({ isReady }) => isReady);
  switch (mode) {
    case 'none':
      return NONE;
    case 'close': {
      const zones = ready.flatMap(({ id, zone }) => (zone === undefined ? [] : [[id, zone] as const]));
      return zones.length === ready.length ? { zones: new Map(zones) } : NONE;
    }
    case 'auto':
      return inProportion(ready, cpus);
  }
}

const refused = (refusal: string): Zones => ({ zones: new Map(), refusal });

function inProportion(ready: readonly Endpoint[], cpus: ZoneCpus | undefined): Zones {
  if (cpus === undefined || cpus.size < 2)
    return refused('Insufficient Node information: allocatable CPU or zone not specified on one or more nodes');
  const counts = `(${ready.length} endpoints, ${cpus.size} zones)`;
  if (ready.length < cpus.size) return refused(`Insufficient number of endpoints ${counts}`);
  if (ready.some(({ zone }) => zone === undefined)) return refused('One or more endpoints do not have a zone specified');
  const total = [...cpus.values()].reduce((sum, count) => sum + count, 0);
  const shares = new Map([...cpus].map(([zone, count]) => [zone, (count / total) * ready.length]));
  const least = new Map([...shares].map(([zone, share]) => [zone, Math.ceil(share / (1 + OVERLOAD))]));
  const needed = [...least.values()].reduce((sum, count) => sum + count, 0);
  if (needed > ready.length)
    return refused(`Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`);
  const spare = ready.length - needed;
  return { zones: assigned(ready, least, spare) };
}

/** Each endpoint stays with its own zone as long as that has not too many; what is over goes where too few are. */
function assigned(ready: readonly Endpoint[], least: ReadonlyMap<string, number>, spare: number): ReadonlyMap<string, string> {
  const zones = new Map<string, string>();
  const counts = new Map<string, number>([...least.keys()].map((zone) => [zone, 0]));
  const over: Endpoint[] = [];
  for (const endpoint of ready) {
    const zone = endpoint.zone ?? '';
    const count = counts.get(zone);
    if (count === undefined || count >= (least.get(zone) ?? 0) + spare) over.push(endpoint);
    else {
      zones.set(endpoint.id, zone);
      counts.set(zone, count + 1);
    }
  }
  for (const [zone, wanted] of least) {
    for (let count = counts.get(zone) ?? 0; count < wanted; count += 1) {
      const endpoint = over.pop() ?? takenFrom(zones, ready, counts, least);
      if (endpoint === undefined) break;
      zones.set(endpoint.id, zone);
    }
  }
  const [first = ''] = least.keys();
  for (const { id, zone } of over) zones.set(id, zone !== undefined && least.has(zone) ? zone : first);
  return zones;
}

/** An endpoint of the zone that has most above its least. */
function takenFrom(
  zones: ReadonlyMap<string, string>,
  ready: readonly Endpoint[],
  counts: Map<string, number>,
  least: ReadonlyMap<string, number>,
): Endpoint | undefined {
  const surplus = ([zone, count]: readonly [string, number]): number => count - (least.get(zone) ?? 0);
  const [richest] = [...counts].filter((entry) => surplus(entry) > 0).sort((one, other) => surplus(other) - surplus(one));
  if (richest === undefined) return undefined;
  const [zone, count] = richest;
  counts.set(zone, count - 1);
  return ready.find(({ id, zone: own }) => own === zone && zones.get(id) === zone);
}
