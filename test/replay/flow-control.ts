/**
 * Records the flow schemas and priority levels that the reference server makes for itself:
 *   node deploy/scripts/run.mjs test/replay/flow-control.js
 * It has to be a fresh one. apiserver/upkeep/flow-control/flow-objects.test.ts compares ours with them.
 */
import { writeRecording } from './recording';
import { call, hangUp, isBody, type Body, type Json } from './reference';

const ROOT = '/apis/flowcontrol.apiserver.k8s.io/v1';

async function record(kind: string, resource: string): Promise<readonly Body[]> {
  const { items } = (await call('GET', `${ROOT}/${resource}`, 'application/json')).body;
  return (Array.isArray(items) ? items : []).filter(isBody).map(({ metadata, spec = null, status = {} }) => {
    const { name = '', annotations = {} } = isBody(metadata) ? metadata : {};
    return { kind, name, annotations, spec, status: withoutTimes(status) };
  });
}

const withoutTimes = (status: Json): Json =>
  JSON.parse(JSON.stringify(status), (member, value: unknown) => (member === 'lastTransitionTime' ? undefined : value));

async function main(): Promise<void> {
  const levels = await record('PriorityLevelConfiguration', 'prioritylevelconfigurations');
  writeRecording('flow-control/defaults', [...levels, ...(await record('FlowSchema', 'flowschemas'))]);
  hangUp();
}

void main();
