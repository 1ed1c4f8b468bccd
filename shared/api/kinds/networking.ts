/** Networking kinds except Service and Endpoints. */
import { rowFactory, STATUS, type KindRow } from './row';

const networking = rowFactory('networking.platform.io', 'v1', 'networking.v1');
const discovery = rowFactory('discovery.platform.io', 'v1', 'discovery.v1');

export const NETWORKING_KINDS: readonly KindRow[] = [
  networking('IngressClass', 'ingressclasses', { scope: 'cluster', generation: 'counted' }),
  networking('Ingress', 'ingresses', {
    shortNames: ['ing'],
    subresources: [STATUS],
    storageSegment: 'ingress',
    generation: 'counted',
    allowsCreateOnUpdate: 'without-resource-version',
  }),
  networking('NetworkPolicy', 'networkpolicies', { shortNames: ['netpol'], generation: 'counted' }),
  discovery('EndpointSlice', 'endpointslices', {
    generation: 'counted-with-labels',
    allowsCreateOnUpdate: 'without-resource-version',
    requiredMembers: ['endpoints'],
  }),
];
