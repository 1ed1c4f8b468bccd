/**
 * Zones of nodes: how much of one is lost, and how fast pods are taken from its lost nodes then. Where much is lost at once the fault may lie between the nodes
 * and their observer. Pure.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { NodeSettings } from '../runtime/controller';
import { nodeLabel } from '../runtime/nodes';

export type ZoneState = 'normal' | 'partly lost' | 'lost';

export interface ZoneCount {
  readonly ready: number;
  readonly lost: number;
}

const EXCLUDED = 'node.platform.io/exclude-disruption';

export const countsInZones = (node: ApiObject): boolean => nodeLabel(node, EXCLUDED) === undefined;

export function zoneOf(node: ApiObject): string {
  const part = (name: string): string =>
    nodeLabel(node, `topology.platform.io/${name}`) ?? nodeLabel(node, `failure-domain.beta.platform.io/${name}`) ?? '';
  return JSON.stringify([part('region'), part('zone')]);
}

export function zoneState({ ready, lost }: ZoneCount, { unhealthyZoneThreshold }: NodeSettings): ZoneState {
  if (ready === 0 && lost > 0) return 'lost';
  return lost > 2 && lost / (ready + lost) >= unhealthyZoneThreshold ? 'partly lost' : 'normal';
}

/** Nodes a second. */
export function evictionRate(state: ZoneState, { ready, lost }: ZoneCount, settings: NodeSettings): number {
  switch (state) {
    case 'normal':
    case 'lost':
      return settings.evictionRate;
    case 'partly lost':
      return ready + lost > settings.largeClusterThreshold ? settings.secondaryEvictionRate : 0;
  }
}

/** Whether there is no zone left that is not lost as a whole: then rather the observer is. */
export function isBlackout(states: Iterable<ZoneState>): boolean {
  const all = [...states];
  return all.length > 0 && all.every((state) => state === 'lost');
}
