/**
 * Runs recorded cases of admission policies against a server: creates policies and bindings, waits until they are in
 * force, sends the requests, and returns the case with the responses. Masks what differs from run to run.
 */
import { systemClock } from '../../../shared/runtime/clock';
import { GENERATED_NAME_PATTERN, UID_PATTERN } from '../normalize/volatile-patterns';
import { isBody, type Body, type Json } from '../json-response';
import {
  isRecordedRequest,
  sendExpectingSuccess,
  sendRequest,
  type AuditedTarget,
  type RecordedRequest,
  type TargetResponse,
} from '../requests/request-target';
import { anything, body, listOf, mapOf, number, shape, text, type Check } from '../shape';

interface PolicyAnswer {
  readonly status: number;
  /** The body of a rejection. */
  readonly body?: Json;
  readonly warnings?: readonly string[];
  /** The annotations of policies in the request's audit event. */
  readonly annotations?: Readonly<Record<string, Json>>;
}

interface PolicyStep {
  readonly request: RecordedRequest;
  /** Absent before the case is recorded, and where a policy is rejected. */
  readonly answer?: PolicyAnswer;
}

export interface PolicyCase {
  readonly title: string;
  /** Sent before the policies are created; not recorded. */
  readonly before?: readonly RecordedRequest[];
  readonly policies: readonly Body[];
  /** The response to a policy that is rejected. */
  readonly rejection?: Json;
  readonly bindings: readonly Body[];
  readonly steps: readonly PolicyStep[];
}

const isAnswer: Check<PolicyAnswer> = shape({ status: number }, { body: anything, warnings: listOf(text), annotations: mapOf(anything) });

export const isPolicyCase: Check<PolicyCase> = shape(
  {
    title: text,
    policies: listOf(body),
    bindings: listOf(body),
    steps: listOf(shape({ request: isRecordedRequest }, { answer: isAnswer })),
  },
  { before: listOf(isRecordedRequest), rejection: anything },
);

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
const ROUNDS = 400;
const PAUSE_MS = 25;

let requests = 0;

export async function runPolicyCase(target: AuditedTarget, { title, before, policies, bindings, steps }: PolicyCase): Promise<PolicyCase> {
  const withAnswers = (rejection: Json | undefined, answeredSteps: readonly PolicyStep[]): PolicyCase => ({
    title,
    ...(before === undefined ? {} : { before }),
    policies,
    ...(rejection === undefined ? {} : { rejection }),
    bindings,
    steps: answeredSteps,
  });
  for (const request of before ?? []) await mustSend(target, request);
  for (const policy of policies) {
    const { code, text: refusal } = await send(target, { method: 'POST', path: POLICIES, body: policy });
    if (code !== 201) {
      const unanswered = steps.map(({ request }) => ({ request }));
      return withAnswers(maskRunValues(JSON.parse(refusal)), unanswered);
    }
  }
  for (const binding of bindings) await mustSend(target, { method: 'POST', path: BINDINGS, body: binding });
  await setMarker(target, true);
  const answeredSteps: PolicyStep[] = [];
  for (const { request } of steps) answeredSteps.push({ request, answer: await answerTo(target, request) });
  await clear(target);
  return withAnswers(undefined, answeredSteps);
}

/** Creates or deletes the marker policy and waits for the effect. */
async function setMarker(target: AuditedTarget, isPresent: boolean): Promise<void> {
  if (isPresent) {
    const validations = [{ expression: "!has(object.metadata.labels) || !('marker' in object.metadata.labels)" }];
    const rule = { operations: ['CREATE', 'UPDATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
    await makePolicy(target, MARKER, { matchConstraints: { resourceRules: [rule] }, validations }, {});
  } else {
    await send(target, { method: 'DELETE', path: `${BINDINGS}/${MARKER}` });
    await send(target, { method: 'DELETE', path: `${POLICIES}/${MARKER}` });
  }
  const marked = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: MARKER, labels: { [MARKER]: '' } } };
  for (let round = 0; round < ROUNDS; round += 1) {
    const { code } = await send(target, { method: 'POST', path: `${CONFIG_MAPS}?dryRun=All`, body: marked });
    if ((code === 201) !== isPresent) return;
    await systemClock.sleep(PAUSE_MS);
  }
  throw new Error(`the policies are still ${isPresent ? 'not in force' : 'in force'}`);
}

async function makePolicy(target: AuditedTarget, name: string, spec: Body, binding: Body): Promise<void> {
  await mustSend(target, { method: 'POST', path: POLICIES, body: { metadata: { name }, spec } });
  const bound: Body = { policyName: name, validationActions: ['Deny'], ...binding };
  await mustSend(target, { method: 'POST', path: BINDINGS, body: { metadata: { name }, spec: bound } });
}

async function clear(target: AuditedTarget): Promise<void> {
  const fieldSelector = [MARKER, ...INFORMER_KINDS.map(informerPolicyName)].map((name) => `metadata.name!=${name}`).join(',');
  for (const path of [BINDINGS, POLICIES]) await send(target, { method: 'DELETE', path: `${path}?fieldSelector=${fieldSelector}` });
  await setMarker(target, false);
  for (const kind of ['pods', 'services', 'configmaps', 'secrets'])
    await send(target, { method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}/${kind}?gracePeriodSeconds=0` });
  await send(target, { method: 'DELETE', path: `/apis/apps/v1/namespaces/${NAMESPACE}/deployments` });
}

const informerPolicyName = (kind: string): string => `${INFORMER_POLICY}-${kind.toLowerCase()}`;

/** Creates the namespace and the informer policies, and deletes what an interrupted run left. */
export async function preparePolicyCases(target: AuditedTarget): Promise<void> {
  const metadata = { name: NAMESPACE, labels: { team: 'a' } };
  await send(target, { method: 'POST', path: '/api/v1/namespaces', body: { metadata } });
  const merge = { method: 'PATCH' as const, type: 'application/merge-patch+json', body: { metadata: { labels: { team: 'a' } } } };
  await send(target, { ...merge, path: `/api/v1/namespaces/${NAMESPACE}` });
  await clear(target);
  for (const kind of INFORMER_KINDS) {
    const name = informerPolicyName(kind);
    await send(target, { method: 'DELETE', path: `${BINDINGS}/${name}` });
    await send(target, { method: 'DELETE', path: `${POLICIES}/${name}` });
    const rule = { operations: ['CREATE'], apiGroups: ['never.example'], apiVersions: ['v1'], resources: ['nothings'] };
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: 'true' }],
      paramKind: { apiVersion: 'v1', kind },
    };
    await makePolicy(target, name, spec, { paramRef: { name: 'p', parameterNotFoundAction: 'Allow' } });
  }
}

function mustSend(target: AuditedTarget, request: RecordedRequest): Promise<TargetResponse> {
  return sendExpectingSuccess(target, request, { 'audit-id': `policy-${++requests}` });
}

function send(target: AuditedTarget, request: RecordedRequest): Promise<TargetResponse> {
  return sendRequest(target, request, { 'audit-id': `policy-${++requests}` });
}

async function answerTo(target: AuditedTarget, request: RecordedRequest): Promise<PolicyAnswer> {
  const auditId = `policy-${systemClock.now()}-${++requests}`;
  const { code, text: sent, warnings } = await sendRequest(target, request, { 'audit-id': auditId });
  const answer: Json = sent.startsWith('{') ? JSON.parse(sent) : sent;
  const annotations = policyAnnotations(await target.annotations(auditId));
  return {
    status: code,
    ...(isBody(answer) && answer['kind'] === 'Status' && answer['status'] === 'Failure' ? { body: maskRunValues(answer) } : {}),
    ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
  };
}

const policyAnnotations = (annotations: Body): Body =>
  Object.fromEntries(Object.entries(annotations).filter(([name]) => /^(?:validation\.policy|recorded)/.test(name)));

function maskRunValues(value: Json): Json {
  if (Array.isArray(value)) return value.map((item) => maskRunValues(item));
  if (isBody(value)) return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskRunValues(inner)]));
  return typeof value === 'string' ? value.replace(UID_PATTERN, '<uid>').replace(GENERATED_NAME_PATTERN, 'g-<name>') : value;
}
