/** Zone hints of endpoints, in proportion to the CPUs of the zones, compared with upstream's controllers. */
import { isBody, type Body } from '../../replay/json-response';
import type { ObservedState } from '../../replay/scenarios/scenario';
import { replayControllers } from '../../support/scenarios/replay-controllers';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices';

/** This controller reconciles every Service when a node gets a zone; upstream waits for the Service to change. */
function withImmediateHints(recorded: ObservedState): ObservedState {
  const slices = (recorded[SLICES] ?? []).filter(isBody).map((slice) => {
    const endpoints = Array.isArray(slice['endpoints']) ? slice['endpoints'].filter(isBody) : [];
    return { ...slice, endpoints: endpoints.map((endpoint) => withZoneHint(endpoint)) };
  });
  return { ...recorded, [SLICES]: slices };
}

/** Adds the zone of its node and the hint for it. */
function withZoneHint(endpoint: Body): Body {
  const zone = endpoint['nodeName'] === '$NS-a' ? 'z1' : 'z2';
  const members: Body = { ...endpoint, hints: { forZones: [{ name: zone }] }, zone };
  return Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));
}

replayControllers('endpoint-hints', {
  controllerArgs: ['--controllers=-*,endpointslice,endpoints,serviceaccount,namespace'],
  deviations: { 'hints-nodes: it has one again': withImmediateHints, 'hints-one-zone: one is in another': withImmediateHints },
});
