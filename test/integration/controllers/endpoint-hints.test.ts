/** Which zones are to use which endpoints, in proportion to their CPUs, as the reference's controllers tell it. */
import { isBody, type Body } from '../../replay/reference';
import type { Observed } from '../../replay/scenarios/scenario';
import { replayControllers } from '../../support/replay-controllers';

const SLICES = '/apis/discovery.k8s.io/v1/namespaces/$NS/endpointslices';

/** Ours looks at every Service when a node gets a zone; the reference waits for the Service to change. */
function atOnce(recorded: Observed): Observed {
  const slices = (recorded[SLICES] ?? []).filter(isBody).map((slice) => {
    const endpoints = Array.isArray(slice['endpoints']) ? slice['endpoints'].filter(isBody) : [];
    return { ...slice, endpoints: endpoints.map((endpoint) => hinted(endpoint)) };
  });
  return { ...recorded, [SLICES]: slices };
}

/** With its node's zone. */
function hinted(endpoint: Body): Body {
  const zone = endpoint['nodeName'] === '$NS-a' ? 'z1' : 'z2';
  const members: Body = { ...endpoint, hints: { forZones: [{ name: zone }] }, zone };
  return Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));
}

replayControllers('endpoint-hints', {
  controllerArgs: ['--controllers=-*,endpointslice,endpoints,serviceaccount,namespace'],
  deviations: { 'hints-nodes: it has one again': atOnce, 'hints-one-zone: one is in another': atOnce },
});
