/**
 * Runs recorded cases of admission policies against a server: creates policies and bindings, waits until they are in
 * force, sends the requests, and returns the case with the responses. Masks what differs from run to run.
 */
import { randomUUID } from 'node:crypto';
import { waitUntil } from '../../support/programs';
import { GENERATED_NAME_PATTERN, UID_PATTERN } from '../normalize/volatile-patterns';
import { isBody, type Body, type Json } from '../json-response';
import { isCaseRequest, sendExpectingSuccess, sendRequest, type AuditedTarget, type CaseRequest } from '../requests/request-target';
import { anything, body, listOf, mapOf, number, shape, text, type Checked } from '../shape';

/** `body` is that of a rejection; `annotations` are those of policies in the request's audit event. */
const isRecordedResponse = shape({ status: number }, { body: anything, warnings: listOf(text), annotations: mapOf(anything) });
/** `answer` is absent before the case is recorded, and where a policy is rejected. */
const isStep = shape({ request: isCaseRequest }, { answer: isRecordedResponse });
type PolicyStep = Checked<typeof isStep>;

/**
 * The requests `before` are sent before the policies are created, and are not recorded. `rejection` is the response to a
 * policy that is rejected.
 */
export const isPolicyCase = shape(
  { title: text, policies: listOf(body), bindings: listOf(body), steps: listOf(isStep) },
  { before: listOf(isCaseRequest), rejection: anything },
);
export type PolicyCase = Checked<typeof isPolicyCase>;

const NAMESPACE = 'recorded';
const ROOT = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${ROOT}/validatingadmissionpolicies`;
const BINDINGS = `${ROOT}/validatingadmissionpolicybindings`;
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
/**
 * A policy that denies ConfigMaps with a label of this name. It is created last and deleted last, so that its effect
 * shows that the others are in force.
 */
const MARKER = 'marker';
/**
 * Name prefix of policies that match nothing. Their parameters keep the reference server's informers of these kinds
 * running.
 */
const INFORMER_POLICY = 'keeper';
const INFORMER_KINDS = ['ConfigMap', 'Namespace'];

/**
 * Returns the case with the responses of `target`: those of the steps, or the rejection of a policy, after which no step
 * is sent.
 */
export async function runPolicyCase(target: AuditedTarget, { title, before, policies, bindings, steps }: PolicyCase): Promise<PolicyCase> {
  const withResponses = (rejection: Json | undefined, recordedSteps: readonly PolicyStep[]): PolicyCase => ({
    title,
    ...(before === undefined ? {} : { before }),
    policies,
    ...(rejection === undefined ? {} : { rejection }),
    bindings,
    steps: recordedSteps,
  });
  for (const request of before ?? []) await sendExpectingSuccess(target, request);
  for (const policy of policies) {
    const { code, text: rejection } = await sendRequest(target, { method: 'POST', path: POLICIES, body: policy });
    if (code !== 201) {
      const unrecordedSteps = steps.map(({ request }) => ({ request }));
      return withResponses(maskRunValues(JSON.parse(rejection)), unrecordedSteps);
    }
  }
  for (const binding of bindings) await sendExpectingSuccess(target, { method: 'POST', path: BINDINGS, body: binding });
  await createMarker(target);
  const recordedSteps: PolicyStep[] = [];
  for (const { request } of steps) recordedSteps.push({ request, answer: await sendStep(target, request) });
  const sentRequests = [...(before ?? []), ...steps.map(({ request }) => request)];
  await clear(
    target,
    sentRequests.map(({ path }) => path),
  );
  return withResponses(undefined, recordedSteps);
}

/** Creates the marker policy and waits until it is in force. */
async function createMarker(target: AuditedTarget): Promise<void> {
  const validations = [{ expression: "!has(object.metadata.labels) || !('marker' in object.metadata.labels)" }];
  const rule = { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  await createPolicy(target, MARKER, { matchConstraints: { resourceRules: [rule] }, validations }, {});
  await waitUntil('the policies to be in force', async () => !(await isMarkedMapAllowed(target)));
}

/** Deletes the marker policy and waits until it is no longer in force. */
async function deleteMarker(target: AuditedTarget): Promise<void> {
  await deletePolicy(target, MARKER);
  await waitUntil('the policies to be removed', () => isMarkedMapAllowed(target));
}

/** Whether the marker policy is not in force. */
async function isMarkedMapAllowed(target: AuditedTarget): Promise<boolean> {
  const marked = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: MARKER, labels: { [MARKER]: '' } } };
  return (await sendRequest(target, { method: 'POST', path: `${CONFIG_MAPS}?dryRun=All`, body: marked })).code === 201;
}

/** Deletes a policy and its binding, which has the same name. */
async function deletePolicy(target: AuditedTarget, name: string): Promise<void> {
  for (const collection of [BINDINGS, POLICIES]) await sendRequest(target, { method: 'DELETE', path: `${collection}/${name}` });
}

/** Creates a policy and its binding, which denies unless `binding` has other actions. */
async function createPolicy(target: AuditedTarget, name: string, spec: Body, binding: Body): Promise<void> {
  await sendExpectingSuccess(target, { method: 'POST', path: POLICIES, body: { metadata: { name }, spec } });
  const bound: Body = { policyName: name, validationActions: ['Deny'], ...binding };
  await sendExpectingSuccess(target, { method: 'POST', path: BINDINGS, body: { metadata: { name }, spec: bound } });
}

/** The collections in which cases create objects. */
const OBJECT_COLLECTIONS = [
  ...['pods', 'services', 'configmaps', 'secrets'].map((resource) => `/api/v1/namespaces/${NAMESPACE}/${resource}`),
  `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`,
];

/**
 * Deletes the policies with their bindings, and the objects in the collections that the paths of requests name: those in
 * all {@link OBJECT_COLLECTIONS} without paths.
 */
async function clear(target: AuditedTarget, paths: readonly string[] = OBJECT_COLLECTIONS): Promise<void> {
  const fieldSelector = [MARKER, ...INFORMER_KINDS.map(informerPolicyName)].map((name) => `metadata.name!=${name}`).join(',');
  for (const path of [BINDINGS, POLICIES]) await sendRequest(target, { method: 'DELETE', path: `${path}?fieldSelector=${fieldSelector}` });
  await deleteMarker(target);
  const used = OBJECT_COLLECTIONS.filter((collection) => paths.some((path) => path.startsWith(collection)));
  for (const path of used) await sendRequest(target, { method: 'DELETE', path: `${path}?gracePeriodSeconds=0` });
}

const informerPolicyName = (kind: string): string => `${INFORMER_POLICY}-${kind.toLowerCase()}`;

/** Creates the namespace and the informer policies, and deletes what an interrupted run left. */
export async function preparePolicyCases(target: AuditedTarget): Promise<void> {
  const metadata = { name: NAMESPACE, labels: { team: 'a' } };
  await sendRequest(target, { method: 'POST', path: '/api/v1/namespaces', body: { metadata } });
  const merge = { method: 'PATCH' as const, type: 'application/merge-patch+json', body: { metadata: { labels: { team: 'a' } } } };
  await sendRequest(target, { ...merge, path: `/api/v1/namespaces/${NAMESPACE}` });
  await clear(target);
  for (const kind of INFORMER_KINDS) {
    const name = informerPolicyName(kind);
    await deletePolicy(target, name);
    const rule = { operations: ['CREATE'], apiGroups: ['never.example'], apiVersions: ['v1'], resources: ['nothings'] };
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'true' }],
      paramKind: { apiVersion: 'v1', kind },
    };
    await createPolicy(target, name, spec, { paramRef: { name: 'p', parameterNotFoundAction: 'Allow' } });
  }
}

async function sendStep(target: AuditedTarget, request: CaseRequest): Promise<Checked<typeof isRecordedResponse>> {
  const auditId = randomUUID();
  const { code, text: sent, warnings } = await sendRequest(target, request, { 'audit-id': auditId });
  const responseBody: Json = sent.startsWith('{') ? JSON.parse(sent) : sent;
  const annotations = policyAnnotations(await target.annotations(auditId));
  const isRejection = isBody(responseBody) && responseBody['kind'] === 'Status' && responseBody['status'] === 'Failure';
  return {
    status: code,
    ...(isRejection ? { body: maskRunValues(responseBody) } : {}),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

/** The annotations that policies set. */
const policyAnnotations = (annotations: Body): Body =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => /^(?:validation\.policy|recorded)/.test(name)));

/** Masks UIDs and generated names. */
function maskRunValues(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => maskRunValues(item));
  if (isBody(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskRunValues(inner)]));
  return typeof value === 'string' ? value.replace(UID_PATTERN, '<uid>').replace(GENERATED_NAME_PATTERN, 'g-<name>') : value;
}
