/**
 * Records what the admission plug-ins that are on by default make of requests, step by step, a file per plug-in:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/recordings/admission.js
 * With the argument `optional` those that it has to be started with:
 *   --enable-admission-plugins=AlwaysPullImages,DenyServiceExternalIPs,ExtendedResourceToleration,LimitPodHardAntiAffinityTopology,PodNodeSelector
 * The reference is a fresh one, with its own plug-ins and without controllers: claims and accounts of an earlier run would stay. test/integration/http/admission.test.ts replays it.
 */
import { ADMISSION_SUITES, OPTIONAL_SUITES } from './admission-steps';
import { writeRecording } from './recording';
import { ask, hangUp, isBody, type Body, type Json } from './reference';

const JSON_TYPE = { 'content-type': 'application/json' };

async function send(method: string, path: string, type?: string, body?: Body): Promise<Body> {
  const { code, bytes } = await ask(
    method,
    path,
    type === undefined ? JSON_TYPE : { 'content-type': type },
    body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  );
  const answer: unknown = JSON.parse(bytes.toString());
  return { code, body: answer as Json };
}

/** What plug-ins change; names that are made up are masked. */
function reduced({ code, body }: Body): Body {
  if (!isBody(body)) throw new Error('no object');
  if (typeof code !== 'number') throw new Error('no code');
  if (code >= 400) return { code, message: body['message'] ?? null, reason: body['reason'] ?? null };
  const metadata = isBody(body['metadata']) ? body['metadata'] : {};
  const kept: Body = { annotations: metadata['annotations'] ?? null };
  for (const member of ['spec', 'secrets', 'value', 'overhead']) if (body[member] !== undefined) kept[member] = body[member];
  return { code, object: JSON.parse(JSON.stringify(kept).replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-*')) as Json };
}

async function main(): Promise<void> {
  for (const [name, { steps, leaves = [] }] of Object.entries(process.argv[2] === 'optional' ? OPTIONAL_SUITES : ADMISSION_SUITES)) {
    const lines: Json[] = [];
    try {
      for (const step of steps) {
        lines.push({ ...step, answer: reduced(await send(step.method, step.path, step.type, step.body)) });
        // The reference decides with what it has seen.
        if (!step.path.endsWith('/pods')) await new Promise((resolve) => setTimeout(resolve, 150));
      }
    } finally {
      const namespace = `rec-${name}`;
      for (const path of [...leaves, `/api/v1/namespaces/${namespace}/pods`, `/api/v1/namespaces/${namespace}`])
        await send('DELETE', `${path}?gracePeriodSeconds=0`);
      await send('PUT', `/api/v1/namespaces/${namespace}/finalize`, undefined, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name: namespace },
        spec: {},
      });
    }
    writeRecording(`admission/${name}`, lines);
  }
  hangUp();
}

void main();
