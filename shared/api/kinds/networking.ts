/** The kinds of traffic to and between pods, besides Services. */
import { rowsOf, STATUS, type KindRow } from './row';

const networking = rowsOf('networking.platform.io', 'v1', 'networking.v1');
const discovery = rowsOf('discovery.platform.io', 'v1', 'discovery.v1');

export const NETWORKING: readonly KindRow[] = [
  networking('IngressClass', 'ingressclasses', { scope: 'cluster', generation: 'counted' }),
  networking('Ingress', 'ingresses', {
    shortNames: ['ing'],
    subresources: [STATUS],
    segment: 'ingress',
    generation: 'counted',
    createOnUpdate: 'without-resource-version',
  }),
  networking('NetworkPolicy', 'networkpolicies', { shortNames: ['netpol'], generation: 'counted' }),
  discovery('EndpointSlice', 'endpointslices', {
    generation: 'counted-with-labels',
    createOnUpdate: 'without-resource-version',
    requiredMembers: ['endpoints'],
  }),
];
