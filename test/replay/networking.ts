/**
 * Records what the reference server makes of good and bad Endpoints, EndpointSlices, Ingresses, IngressClasses and NetworkPolicies:
 *   node deploy/scripts/run.mjs test/replay/networking.js
 * networking-answers.test.ts replays the recordings.
 */
import { ENDPOINT_SLICES } from './networking/endpoint-slice';
import { ENDPOINTS } from './networking/endpoints';
import { INGRESS_CLASSES } from './networking/ingress-class';
import { INGRESSES } from './networking/ingress';
import { NETWORK_POLICIES } from './networking/network-policy';
import { byName, recordKinds } from './record-kinds';

void recordKinds('ingress-recordings', 'networking', byName([ENDPOINTS, ENDPOINT_SLICES, INGRESSES, INGRESS_CLASSES, NETWORK_POLICIES]));
