/**
 * Records what the admission plug-ins that are on by default make of requests, step by step, a file per plug-in:
 *   REFERENCE_URL=… node deploy/scripts/run.mjs test/replay/admission.js
 * With the argument `optional` those that it has to be started with:
 *   --enable-admission-plugins=AlwaysPullImages,DenyServiceExternalIPs,ExtendedResourceToleration,LimitPodHardAntiAffinityTopology,\
 *     PodNodeSelector,PodTolerationRestriction
 * With the argument `configured` those of a file, which `configuration FOLDER` writes:
 *   --admission-control-config-file=FOLDER/admission.yaml --enable-admission-plugins=PodTolerationRestriction,PodNodeSelector,\
 *     OwnerReferencesPermissionEnforcement,EventRateLimit
 * With the argument `provisioning` that which makes namespaces:
 *   --enable-admission-plugins=NamespaceAutoProvision,NamespaceExists
 * The reference is a fresh one, with its own plug-ins and without controllers: claims and accounts of an earlier run would stay. test/integration/http/admission.test.ts replays it.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONFIGURED_SUITES, CONFIGURATION, EVENT_LIMITS } from './admission-configured';
import { provisioning } from './admission-provisioning';
import { ADMISSION_SUITES, OPTIONAL_SUITES, type AdmissionStep, type AdmissionSuite } from './admission-steps';
import { writeRecording } from './recording';
import { ask, hangUp, isBody, type Body, type Json } from './reference';

async function send({ method, path, type, body, as }: AdmissionStep): Promise<Body> {
  const { code, bytes, warnings } = await ask(
    method,
    path,
    { 'content-type': type ?? 'application/json', ...(as === undefined ? {} : { 'impersonate-user': as }) },
    body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
  );
  const answer: unknown = JSON.parse(bytes.toString());
  return { code, body: answer as Json, warnings: [...warnings] };
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

/** The reference decides with what it has seen; of Pods and Events none rests on another. */
const RESTS_ON_NONE = /\/(?:pods|events)(?:\/|$)/;

async function record(name: string, { steps, leaves = [] }: AdmissionSuite, tellsWarnings: boolean): Promise<void> {
  const lines: Json[] = [];
  try {
    for (const step of steps) {
      const got = await send(step);
      lines.push({ ...step, answer: { ...reduced(got), ...(tellsWarnings ? { warnings: got['warnings'] ?? [] } : {}) } });
      if (!RESTS_ON_NONE.test(step.path)) await new Promise((resolve) => setTimeout(resolve, 150));
    }
  } finally {
    const namespace = `rec-${name}`;
    for (const path of [...leaves, `/api/v1/namespaces/${namespace}/pods`, `/api/v1/namespaces/${namespace}`])
      await send({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0` });
    const finalized = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace }, spec: {} };
    await send({ method: 'PUT', path: `/api/v1/namespaces/${namespace}/finalize`, body: finalized });
  }
  writeRecording(`admission/${name}`, lines);
}

const SUITES: Readonly<Record<string, Readonly<Record<string, AdmissionSuite>>>> = {
  optional: OPTIONAL_SUITES,
  configured: CONFIGURED_SUITES,
  provisioning: { 'namespace-auto-provision': provisioning() },
};

async function main([what = '', folder = '', ...only]: readonly string[]): Promise<void> {
  if (what === 'configuration') {
    writeFileSync(join(folder, 'admission.yaml'), CONFIGURATION);
    writeFileSync(join(folder, 'events.yaml'), EVENT_LIMITS);
    return;
  }
  const suites = SUITES[what] ?? ADMISSION_SUITES;
  for (const [name, suite] of Object.entries(suites))
    if (folder === '' || [folder, ...only].includes(name)) await record(name, suite, what === 'configured');
  hangUp();
}

void main(process.argv.slice(2));
