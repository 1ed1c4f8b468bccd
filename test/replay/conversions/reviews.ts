/** Webhooks and policies of admission beside a conversion webhook: how they are made and removed, and what the webhooks answer. Their names are upstream's. */
import type { Method } from '../../../shared/client/transport/transport';
import { systemClock } from '../../../shared/runtime/clock';
import type { WebhookServer } from '../../support/webhook-server';
import type { Body, Json } from '../reference';
import { BEHAVIOURS, type Behaviour } from '../webhooks/behaviours';
import { GROUP, NAMESPACE, type BoundPolicy, type ConversionCase, type Review } from './case';

const patched =
  (...operations: Json[]): Behaviour =>
  ({ uid = '' }) => ({
    body: {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: { uid, allowed: true, patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(operations)).toString('base64') },
    },
  });
const add = (path: string, value: Json): Json => ({ op: 'add', path, value });

export const REVIEWS: Readonly<Record<string, Behaviour>> = {
  allow: BEHAVIOURS['allow'] ?? patched(),
  deny: BEHAVIOURS['deny-message'] ?? patched(),
  'ready/marker': BEHAVIOURS['ready/marker'] ?? patched(),
  host: patched(add('/spec/host', 'patched')),
  port: patched(add('/spec/port', 7)),
  address: patched(add('/spec/address', 'first:9')),
  label: patched(add('/metadata/labels', { patched: 'yes' })),
  'only-first': patched(add('/spec/onlyFirst', 'x')),
  'only-second': patched(add('/spec/onlySecond', 'x')),
  'bad-port': patched(add('/spec/port', 'x')),
  'no-port': patched(add('/spec/port', 0)),
  unknown: patched(add('/spec/odd', 'x')),
  rename: patched(add('/metadata/name', 'renamed')),
  'to-first': patched(add('/apiVersion', `${GROUP}/v1`)),
  replicas: patched(add('/spec/replicas', 9)),
  status: patched(add('/status/ready', 'patched')),
};

type Send = (method: Method, path: string, body?: Json) => Promise<{ readonly code: number; readonly text: string }>;

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const KINDS = { mutating: 'mutatingwebhookconfigurations', validating: 'validatingwebhookconfigurations' } as const;
const POLICIES = `${ROOT}/validatingadmissionpolicies`;
const BINDINGS = `${ROOT}/validatingadmissionpolicybindings`;
const NAME = 'converted';
const MARKER = 'converted-marker';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
/** Time for a configuration to be seen. */
const ROUNDS = 400;
const PAUSE_MS = 25;

/** Creates the admission webhooks and policies of a case and waits until they are in force. The result removes them. */
export async function createReviewers(
  { reviews = [], policies = [] }: ConversionCase,
  place: WebhookServer,
  send: Send,
): Promise<() => Promise<void>> {
  const types = (['mutating', 'validating'] as const).filter((type) => reviews.some((one) => one.type === type));
  const clear = async (): Promise<void> => {
    for (const type of types) await send('DELETE', `${ROOT}/${KINDS[type]}/${NAME}`);
    for (const name of [...policies.map((_, at) => `${NAME}-${at}`), ...(policies.length === 0 ? [] : [MARKER])]) {
      await send('DELETE', `${BINDINGS}/${name}`);
      await send('DELETE', `${POLICIES}/${name}`);
    }
    for (const type of types) await untilMarked(send, type, false);
    if (policies.length > 0) await untilMarked(send, 'policy', false);
  };
  await clear();
  for (const type of types) {
    await make(send, `${ROOT}/${KINDS[type]}`, configuration(type, reviews, place));
    await untilMarked(send, type, true);
  }
  for (const [at, one] of policies.entries()) await bind(send, `${NAME}-${at}`, one);
  if (policies.length > 0) {
    await bind(send, MARKER, { spec: MARKED_POLICY });
    await untilMarked(send, 'policy', true);
  }
  return clear;
}

async function make(send: Send, path: string, body: Json): Promise<void> {
  const { code, text } = await send('POST', path, body);
  if (code !== 201) throw new Error(text);
}

const hook = (name: string, does: string, { port, caBundle }: WebhookServer, more: Body): Body => ({
  name: `${name}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${port}/admission/${does}`, caBundle },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

function configuration(type: Review['type'], reviews: readonly Review[], place: WebhookServer): Json {
  const hooks = reviews.flatMap((one, at) => {
    const { does, versions, resources = ['widgets'], more = {} } = one;
    const rules = [{ operations: ['*'], apiGroups: [GROUP], apiVersions: [...versions], resources: [...resources] }];
    return one.type === type ? [hook(`${does}-${at}`, does, place, { rules, ...more })] : [];
  });
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const marker = hook('marker', 'ready/marker', place, { rules, objectSelector: { matchLabels: { marker: type } } });
  return { metadata: { name: NAME }, webhooks: [...hooks, marker] };
}

const CONFIGMAPS: Body = {
  resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
};
const MARKED_POLICY: Body = {
  matchConstraints: CONFIGMAPS,
  validations: [
    { expression: "!has(object.metadata.labels) || !('marker' in object.metadata.labels) || object.metadata.labels.marker != 'policy'" },
  ],
};

async function bind(send: Send, name: string, { spec, binding = {} }: BoundPolicy): Promise<void> {
  await make(send, POLICIES, { metadata: { name }, spec });
  await make(send, BINDINGS, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'], ...binding } });
}

/** The marker is refused as long as they are in force. */
async function untilMarked(send: Send, marker: string, isThere: boolean): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { code } = await send('POST', `${MAPS}?dryRun=All`, { metadata: { name: 'marker', labels: { marker } } });
    if ((code === 201) !== isThere) return;
    await systemClock.sleep(PAUSE_MS);
  }
  throw new Error(`what is asked about the ${marker} is not ${isThere ? 'there' : 'gone'}`);
}
