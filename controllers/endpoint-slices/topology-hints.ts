/**
 * Assigns endpoints to zones: clients in a zone should use the endpoints that are assigned to it. The functions are pure,
 * except for private ones that change maps of their caller.
 *
 * - `preferClose`: each endpoint is assigned to its own zone, if all ready endpoints have a zone.
 * - `auto`: endpoints are assigned in proportion to the CPUs of the zones, so that the endpoints of no zone get more than
 *   20 % above their share of the load. There are no hints where that is impossible.
 */
import type { AddressType, ServiceView } from '../service-pods/service-view';
import type { Endpoint } from './desired-endpoints';

/** Allocatable CPUs of the ready worker nodes, by zone. */
export type ZoneCpus = ReadonlyMap<string, number>;

/** The hints for the endpoints of one address type. */
export interface TopologyHints {
  readonly addressType: AddressType;
  /** The zone of each endpoint with a hint, by the endpoint's id. */
  readonly zones: ReadonlyMap<string, string>;
  /** Why there are no hints, in the mode `auto`. */
  readonly error?: string;
}

/** By which fraction the endpoints of a zone may get more than their share; upstream's overloadThreshold. */
const OVERLOAD_THRESHOLD = 0.2;

/** `cpus` is used in the mode `auto` alone. This mode gives no hints when `cpus` is undefined. */
export function topologyHints(
  addressType: AddressType,
  mode: ServiceView['topology'],
  endpoints: readonly Endpoint[],
  cpus: ZoneCpus | undefined,
): TopologyHints {
  return { addressType, ...assignZones(mode, endpoints, cpus) };
}

type ZoneAssignment = Pick<TopologyHints, 'zones' | 'error'>;

const NO_HINTS: ZoneAssignment = { zones: new Map() };

function assignZones(mode: ServiceView['topology'], endpoints: readonly Endpoint[], cpus: ZoneCpus | undefined): ZoneAssignment {
  const ready = endpoints.filter(({ isReady }) => isReady);
  switch (mode) {
    case 'none':
      return NO_HINTS;
    case 'preferClose': {
      const zones = ready.flatMap(({ id, zone }) => (zone === undefined ? [] : [[id, zone] as const]));
      return zones.length === ready.length ? { zones: new Map(zones) } : NO_HINTS;
    }
    case 'auto':
      return assignInProportion(ready, cpus);
  }
}

const failed = (error: string): ZoneAssignment => ({ zones: new Map(), error });

function assignInProportion(ready: readonly Endpoint[], cpus: ZoneCpus | undefined): ZoneAssignment {
  if (cpus === undefined || cpus.size < 2)
    return failed('Insufficient Node information: allocatable CPU or zone not specified on one or more nodes');
  const counts = `(${ready.length} endpoints, ${cpus.size} zones)`;
  if (ready.length < cpus.size) return failed(`Insufficient number of endpoints ${counts}`);
  if (ready.some(({ zone }) => zone === undefined)) return failed('One or more endpoints do not have a zone specified');
  const totalCpus = [...cpus.values()].reduce((sum, count) => sum + count, 0);
  const shares = new Map([...cpus].map(([zone, count]) => [zone, (count / totalCpus) * ready.length]));
  const minimums = new Map([...shares].map(([zone, share]) => [zone, Math.ceil(share / (1 + OVERLOAD_THRESHOLD))]));
  const required = [...minimums.values()].reduce((sum, count) => sum + count, 0);
  if (required > ready.length)
    return failed(`Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`);
  return { zones: allocate(ready, minimums, ready.length - required) };
}

/**
 * Assigns the endpoints in three steps:
 *
 * 1. An endpoint is assigned to its own zone, until the zone has its minimum and `spare` more. Others are surplus.
 * 2. Zones below their minimum get surplus endpoints, and then endpoints of the zone that is furthest above its minimum.
 * 3. Other surplus endpoints are assigned to their own zone, or to the first zone when their own has no CPUs.
 *
 * @param spare the number of endpoints above the sum of the minimums
 */
function allocate(ready: readonly Endpoint[], minimums: ReadonlyMap<string, number>, spare: number): ReadonlyMap<string, string> {
  const zones = new Map<string, string>();
  const counts = new Map<string, number>([...minimums.keys()].map((zone) => [zone, 0]));
  const surplus: Endpoint[] = [];
  for (const endpoint of ready) {
    const zone = endpoint.zone ?? '';
    const count = counts.get(zone);
    if (count === undefined || count >= (minimums.get(zone) ?? 0) + spare) surplus.push(endpoint);
    else {
      zones.set(endpoint.id, zone);
      counts.set(zone, count + 1);
    }
  }
  for (const [zone, minimum] of minimums) {
    for (let count = counts.get(zone) ?? 0; count < minimum; count += 1) {
      const endpoint = surplus.pop() ?? takeFromRichestZone(zones, ready, counts, minimums);
      if (endpoint === undefined) break;
      zones.set(endpoint.id, zone);
    }
  }
  const [firstZone = ''] = minimums.keys();
  for (const { id, zone } of surplus) zones.set(id, zone !== undefined && minimums.has(zone) ? zone : firstZone);
  return zones;
}

/** An endpoint of the zone that is furthest above its minimum. Decrements that zone's count. */
function takeFromRichestZone(
  zones: ReadonlyMap<string, string>,
  ready: readonly Endpoint[],
  counts: Map<string, number>,
  minimums: ReadonlyMap<string, number>,
): Endpoint | undefined {
  const surplusOf = ([zone, count]: readonly [string, number]): number => count - (minimums.get(zone) ?? 0);
  const [richest] = [...counts].filter((entry) => surplusOf(entry) > 0).sort((a, b) => surplusOf(b) - surplusOf(a));
  if (richest === undefined) return undefined;
  const [zone, count] = richest;
  counts.set(zone, count - 1);
  return ready.find((endpoint) => endpoint.zone === zone && zones.get(endpoint.id) === zone);
}
