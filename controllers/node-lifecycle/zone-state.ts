/**
 * The state of a zone of nodes, and the rate at which pods are evicted from its nodes. When many nodes are not ready at
 * once, the cause may be the network between them and the control plane, so evictions slow down or stop. The functions
 * are pure.
 */
import type { NodeSettings } from '../runtime/controller';
import { nodeLabel, type Node } from '../runtime/nodes';

/** `normal`: few nodes are not ready; `partial disruption`: many; `full disruption`: all. */
export type ZoneState = 'normal' | 'partial disruption' | 'full disruption';

/** The nodes of a zone, by whether their Ready condition is True. */
export interface ZoneCounts {
  readonly ready: number;
  readonly notReady: number;
}

const EXCLUDE_DISRUPTION = 'node.platform.io/exclude-disruption';

/** False for a node with the label that excludes it from the state of its zone. */
export const countsInZoneState = (node: Node): boolean => nodeLabel(node, EXCLUDE_DISRUPTION) === undefined;

/** Identifies the zone by its region and its name. */
export function zoneKeyOf(node: Node): string {
  const labelOf = (name: string): string =>
    nodeLabel(node, `topology.platform.io/${name}`) ?? nodeLabel(node, `failure-domain.beta.platform.io/${name}`) ?? '';
  return JSON.stringify([labelOf('region'), labelOf('zone')]);
}

/** At least three nodes must be not ready for a partial disruption, as in upstream. */
export function computeZoneState({ ready, notReady }: ZoneCounts, { unhealthyZoneThreshold }: NodeSettings): ZoneState {
  if (ready === 0 && notReady > 0) return 'full disruption';
  return notReady > 2 && notReady / (ready + notReady) >= unhealthyZoneThreshold ? 'partial disruption' : 'normal';
}

/**
 * Nodes per second from which pods are evicted; 0 for a small zone in partial disruption. A zone in full disruption has
 * the normal rate: the caller stops the evictions when all zones are.
 */
export function evictionRate(state: ZoneState, { ready, notReady }: ZoneCounts, settings: NodeSettings): number {
  switch (state) {
    case 'normal':
    case 'full disruption':
      return settings.evictionRate;
    case 'partial disruption':
      return ready + notReady > settings.largeClusterThreshold ? settings.secondaryEvictionRate : 0;
  }
}

/** Whether all zones are in full disruption: then the control plane is more likely at fault than the nodes. */
export function areAllZonesDisrupted(states: Iterable<ZoneState>): boolean {
  const list = [...states];
  return list.length > 0 && list.every((state) => state === 'full disruption');
}
