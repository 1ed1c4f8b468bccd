/**
 * Runs the cases against a server, the reference or ours: makes policies and bindings, waits until they are in force, makes the requests and notes what was answered.
 * What is new in every run is masked.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { GENERATED, UID } from '../new-values';
import { isBody, type Body, type Headers, type Json } from '../reference';
import { createMap, NAMESPACE, type Step } from '../webhooks/case';
import { bindingOf, policyOf, type PolicyCase } from './case';

export interface Asked {
  send(method: string, path: string, headers: Headers, body: string): Promise<{ code: number; text: string; warnings: readonly string[] }>;
  /** What the audit log says besides of a request that brought this id. */
  annotations(auditId: string): Promise<Json>;
}

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${ROOT}/validatingadmissionpolicies`;
const BINDINGS = `${ROOT}/validatingadmissionpolicybindings`;
const MARKER = 'marker';
/** As long as one policy has parameters of a kind, the reference knows what there is of it. */
const KEEPER = 'keeper';
/** Matches nothing. */
const KEPT: Body = {
  matchConstraints: {
    resourceRules: [{ operations: ['CREATE'], apiGroups: ['never.example'], apiVersions: ['v1'], resources: ['nothings'] }],
  },
  validations: [{ expression: 'true' }],
};
const KEPT_REFERENCE = { name: 'p', parameterNotFoundAction: 'Allow' };
/** Time for policies to be seen. */
const ROUNDS = 400;
const PAUSE_MS = 25;

let count = 0;

export async function runCase(server: Asked, one: PolicyCase): Promise<Body> {
  for (const step of one.before ?? []) await make(server, step);
  for (const policy of one.policies) {
    const { code, text } = await send(server, { method: 'POST', path: POLICIES, body: policyOf(policy) });
    if (code !== 201) return { title: one.title, refused: masked(JSON.parse(text)) };
  }
  for (const binding of one.bindings ?? [{}]) await make(server, { method: 'POST', path: BINDINGS, body: bindingOf(binding) });
  await mark(server, true);
  const steps: Json[] = [];
  for (const step of one.steps) steps.push(await record(server, step));
  await clear(server);
  for (const step of one.after ?? []) await send(server, step);
  return { title: one.title, steps };
}

/** Made last and removed last: what is in force of it tells what is in force of the others. */
async function mark(server: Asked, isThere: boolean): Promise<void> {
  if (isThere) {
    const validations = [{ expression: "!has(object.metadata.labels) || !('marker' in object.metadata.labels)" }];
    await make(server, { method: 'POST', path: POLICIES, body: policyOf({ name: MARKER, spec: { validations } }) });
    await make(server, { method: 'POST', path: BINDINGS, body: bindingOf({ name: MARKER, spec: { policyName: MARKER } }) });
  } else {
    await send(server, { method: 'DELETE', path: `${BINDINGS}/${MARKER}` });
    await send(server, { method: 'DELETE', path: `${POLICIES}/${MARKER}` });
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const { code } = await send(server, createMap(MARKER, { metadata: { labels: { [MARKER]: '' } } }, '?dryRun=All'));
    if ((code === 201) !== isThere) return;
    await systemClock.sleep(PAUSE_MS);
  }
  throw new Error(`the policies are not ${isThere ? 'there' : 'gone'}`);
}

async function clear(server: Asked): Promise<void> {
  for (const path of [BINDINGS, POLICIES])
    await send(server, {
      method: 'DELETE',
      path: `${path}?fieldSelector=metadata.name!=${MARKER},metadata.name!=${KEEPER}-configmap,metadata.name!=${KEEPER}-namespace`,
    });
  await mark(server, false);
  for (const kind of ['pods', 'services', 'configmaps', 'secrets'])
    await send(server, { method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}/${kind}?gracePeriodSeconds=0` });
  await send(server, { method: 'DELETE', path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments` });
}

export async function openNamespace(server: Asked): Promise<void> {
  const metadata = { name: NAMESPACE, labels: { team: 'a' } };
  await send(server, { method: 'POST', path: '/api/v1/namespaces', body: { metadata } });
  const merge = { method: 'PATCH', type: 'application/merge-patch+json', body: { metadata: { labels: { team: 'a' } } } };
  await send(server, { ...merge, path: `/api/v1/namespaces/${NAMESPACE}` });
  await clear(server);
  for (const kind of ['ConfigMap', 'Namespace']) {
    const name = `${KEEPER}-${kind.toLowerCase()}`;
    await send(server, { method: 'DELETE', path: `${POLICIES}/${name}` });
    const spec = { ...KEPT, paramKind: { apiVersion: 'v1', kind } };
    await make(server, { method: 'POST', path: POLICIES, body: policyOf({ name, spec }) });
    await make(server, { method: 'POST', path: BINDINGS, body: bindingOf({ name, spec: { policyName: name, paramRef: KEPT_REFERENCE } }) });
  }
}

async function make(server: Asked, step: Step): Promise<void> {
  const { code, text } = await send(server, step);
  if (code >= 300) throw new Error(`${step.method} ${step.path}: ${text}`);
}

function send(server: Asked, step: Step, auditId = `policy-${++count}`): ReturnType<Asked['send']> {
  const { method, path, body, type = 'application/json', headers = {} } = step;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return server.send(method, path, { 'audit-id': auditId, ...(text === '' ? {} : { 'content-type': type }), ...headers }, text);
}

async function record(server: Asked, step: Step): Promise<Json> {
  const auditId = `policy-${Date.now()}-${++count}`;
  const { code, text, warnings } = await send(server, step, auditId);
  const body: Json = text.startsWith('{') ? JSON.parse(text) : text;
  const said = ofPolicies(await server.annotations(auditId));
  return {
    request: `${step.method} ${step.path}`,
    code,
    ...(isBody(body) && body['kind'] === 'Status' && body['status'] === 'Failure' ? { body: masked(body) } : {}),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(Object.keys(said).length === 0 ? {} : { annotations: said }),
  };
}

const ofPolicies = (annotations: Json): Body =>
  isBody(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([name]) => /^(?:validation\.policy|recorded)/.test(name)))
    : {};

function masked(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => masked(item));
  if (isBody(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, masked(inner)]));
  return typeof value === 'string' ? value.replace(UID, '<uid>').replace(GENERATED, 'g-<name>') : value;
}
