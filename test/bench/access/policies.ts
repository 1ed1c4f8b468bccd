/** What an admission policy costs a write, and an admission webhook besides its round trip. */
import { Agent } from 'node:https';
import { validatingAdmissionPolicies } from '../../../apiserver/admission/policy/validating-admission-policies';
import { AdmissionPolicies } from '../../../apiserver/admission/policy/admission-policies';
import { Webhooks } from '../../../apiserver/admission/webhook/webhooks';
import { validatingWebhooks } from '../../../apiserver/admission/webhook/webhook-plugins';
import type { AdmissionRequest } from '../../../apiserver/registry/admission';
import { WebhookClient } from '../../../apiserver/webhook-client/client';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { admissionRequest } from '../../support/objects/admission-request';
import { sendOnce } from '../../support/http/send-once';
import { printRow } from '../harness/bench-server';
import { startReviewServer } from '../../support/servers/review-server';

const names = GENERATED_NAMES.platform;
/** Evaluations of the policy that are measured, after as many that warm up. */
const EVALUATIONS = 20_000;
/** The same for calls of the webhook, which take longer. */
const CALLS = 3_000;

const CONTAINER = {
  name: 'c',
  image: 'registry.example.com/team/app:1.2.3',
  env: Array.from({ length: 8 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value-${index}` })),
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '1Gi' } },
  ports: [{ containerPort: 8080, protocol: 'TCP', name: 'http' }],
};

const POD = {
  metadata: { name: 'p', namespace: 'n', labels: { app: 'a', tier: 'b', team: 'c' }, annotations: { 'example.com/x': 'y' } },
  spec: { containers: [CONTAINER, { ...CONTAINER, name: 'd' }], serviceAccountName: 'default', nodeSelector: { zone: 'a' }, volumes: [] },
};

/** The creation of {@link POD}. */
const podCreation = (): AdmissionRequest => admissionRequest({ kind: 'Pod', object: POD, name: 'p', namespace: 'n' });

/** The policy and the webhook concern every request for pods. */
const RULES = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['pods'] }];

/** Prints the cost of a policy, of a webhook, and of the webhook's bare round trip. */
export async function policies(): Promise<void> {
  console.log();
  printRow('a policy with three expressions', { cpuMicros: policyMicros() });
  const { call, roundTrip } = await webhookMicros();
  printRow('a webhook', { cpuMicros: call });
  printRow('its bare round trip', { cpuMicros: roundTrip });
}

/** Microseconds for one policy with three expressions on a pod of two containers. */
function policyMicros(): number {
  const admissionPolicies = new AdmissionPolicies();
  const validations = [
    "object.spec.containers.all(c, has(c.resources.limits) && 'memory' in c.resources.limits)",
    "has(object.metadata.labels) && 'team' in object.metadata.labels",
    "object.spec.containers.all(c, c.image.startsWith('registry.example.com/'))",
  ].map((expression) => ({ expression }));
  admissionPolicies.setPolicy('p', { spec: { matchConstraints: { resourceRules: RULES }, validations } });
  admissionPolicies.setBinding('b', { spec: { policyName: 'p', validationActions: ['Deny'] } });
  const plugin = validatingAdmissionPolicies({
    policies: admissionPolicies,
    parameters: {
      cache: { snapshot: unexpectedCall },
      resourceOf: () => undefined,
      conversions: { convertEntries: unexpectedCall },
      decodeEntry: unexpectedCall,
    },
    equivalents: (resource) => [resource],
    names,
    authorize: () => ({ allowed: true, reason: '' }),
    clock: systemClock,
  });
  const creation = podCreation();
  const measureEvaluations = (count: number): number => {
    const start = performance.now();
    for (let index = 0; index < count; index += 1) void plugin.validate(creation);
    return ((performance.now() - start) * 1000) / count;
  };
  measureEvaluations(EVALUATIONS);
  return measureEvaluations(EVALUATIONS);
}

function unexpectedCall(): never {
  throw new Error('unexpected call');
}

/** Microseconds of a webhook call and of a bare round trip to the same server with the same body. */
async function webhookMicros(): Promise<{ readonly call: number; readonly roundTrip: number }> {
  const server = await startReviewServer();
  const client = new WebhookClient({ resolve: () => ({ error: 'unexpected call' }), clock: systemClock });
  const webhooks = new Webhooks();
  const url = `https://127.0.0.1:${server.port}/allow`;
  const clientConfig = { url, caBundle: server.caBundle };
  webhooks.setConfiguration('validating', 'w', { webhooks: [{ name: 'w.example.com', clientConfig, rules: RULES, sideEffects: 'None' }] });
  /** The review that was sent last; the bare round trip sends it again. */
  let reviewBody: Buffer = Buffer.alloc(0);
  const pluginWith = (call: WebhookClient['call']): ReturnType<typeof validatingWebhooks> =>
    validatingWebhooks({
      webhooks,
      client: { call },
      equivalents: (resource) => [resource],
      names,
      authorize: () => ({ allowed: true, reason: '' }),
      clock: systemClock,
      random: systemRandom,
      onFailure: (error) => {
        throw error;
      },
    });
  const creation = podCreation();
  const plugin = pluginWith((target, sent, options) => {
    reviewBody = sent;
    return client.call(target, sent, options);
  });
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(server.caBundle, 'base64').toString() });
  const measureCalls = async (callOnce: () => unknown): Promise<number> => {
    const start = performance.now();
    for (let index = 0; index < CALLS; index += 1) await callOnce();
    server.calls.splice(0);
    return ((performance.now() - start) * 1000) / CALLS;
  };
  const validate = (): unknown => plugin.validate(creation);
  const headers = { 'content-type': 'application/json' };
  const postReview = (): Promise<unknown> => sendOnce({ port: server.port, path: '/allow', method: 'POST', agent, headers }, reviewBody);
  for (const callOnce of [validate, postReview]) await measureCalls(callOnce);
  const call = await measureCalls(validate);
  const roundTrip = await measureCalls(postReview);
  client.close();
  agent.destroy();
  await server.close();
  return { call, roundTrip };
}
