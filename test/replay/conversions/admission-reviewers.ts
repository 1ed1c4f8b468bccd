/**
 * Creates and removes admission webhooks and policies beside a conversion webhook. Each type has a marker: a webhook or
 * policy that denies ConfigMaps with its label, so that a dry run shows whether the others of the type are in force. Names
 * are upstream's.
 */
import type { Method } from '../../../shared/client/transport/transport';
import { waitUntil } from '../../support/programs';
import type { WebhookServer } from '../../support/servers/webhook-server';
import type { Body, Json } from '../json-response';
import { GROUP, NAMESPACE, type BoundPolicy, type ConversionCase, type AdmissionReviewer } from './conversion-case';

type SendRequest = (method: Method, path: string, body?: Json) => Promise<{ readonly code: number; readonly text: string }>;

const ROOT = '/apis/admissionregistration.k8s.io/v1';
const CONFIGURATIONS = { mutating: 'mutatingwebhookconfigurations', validating: 'validatingwebhookconfigurations' } as const;
const POLICIES = `${ROOT}/validatingadmissionpolicies`;
const BINDINGS = `${ROOT}/validatingadmissionpolicybindings`;
/** The name of the webhook configurations, and the beginning of the names of policies. */
const NAME = 'converted';
/** The name of the policy that serves as a marker. */
const MARKER = 'converted-marker';
const MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;

/** Matches creations of ConfigMaps. */
const CONFIGMAPS: Body = {
  resourceRules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
};
const MARKED_POLICY: Body = {
  matchConstraints: CONFIGMAPS,
  validations: [
    { expression: "!has(object.metadata.labels) || !('marker' in object.metadata.labels) || object.metadata.labels.marker != 'policy'" },
  ],
};

/** Creates the admission webhooks and policies of a case and waits until they are in force. The result removes them. */
export async function createAdmissionReviewers(
  { reviews = [], policies = [] }: ConversionCase,
  server: WebhookServer,
  send: SendRequest,
): Promise<() => Promise<void>> {
  const types = (['mutating', 'validating'] as const).filter((type) => reviews.some((entry) => entry.type === type));
  const clear = async (): Promise<void> => {
    for (const type of types) await send('DELETE', `${ROOT}/${CONFIGURATIONS[type]}/${NAME}`);
    const policyNames = policies.map((_, index) => `${NAME}-${index}`);
    for (const name of policies.length === 0 ? [] : [...policyNames, MARKER]) {
      await send('DELETE', `${BINDINGS}/${name}`);
      await send('DELETE', `${POLICIES}/${name}`);
    }
    for (const type of types) await waitUntilMarker(send, type, 'allowed');
    if (policies.length > 0) await waitUntilMarker(send, 'policy', 'allowed');
  };
  await clear();
  for (const type of types) {
    await createObject(send, `${ROOT}/${CONFIGURATIONS[type]}`, configuration(type, reviews, server));
    await waitUntilMarker(send, type, 'denied');
  }
  for (const [index, entry] of policies.entries()) await createBoundPolicy(send, `${NAME}-${index}`, entry);
  if (policies.length > 0) {
    await createBoundPolicy(send, MARKER, { spec: MARKED_POLICY });
    await waitUntilMarker(send, 'policy', 'denied');
  }
  return clear;
}

async function createObject(send: SendRequest, path: string, body: Json): Promise<void> {
  const { code, text } = await send('POST', path, body);
  if (code !== 201) throw new Error(text);
}

/** A webhook with the behaviour `does`; `more` replaces its members. */
const hook = (name: string, does: string, { port, caBundle }: WebhookServer, more: Body): Body => ({
  name: `${name}.example.com`,
  clientConfig: { url: `https://127.0.0.1:${port}/admission/${does}`, caBundle },
  sideEffects: 'None',
  admissionReviewVersions: ['v1'],
  ...more,
});

/** The configuration of the webhooks of one type, and their marker. */
function configuration(type: AdmissionReviewer['type'], reviews: readonly AdmissionReviewer[], server: WebhookServer): Json {
  const hooks = reviews.flatMap((entry, index) => {
    const { does, versions, resources = ['widgets'], more = {} } = entry;
    const rules = [{ operations: ['*'], apiGroups: [GROUP], apiVersions: [...versions], resources: [...resources] }];
    return entry.type === type ? [hook(`${does}-${index}`, does, server, { rules, ...more })] : [];
  });
  const rules = [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }];
  const marker = hook('marker', 'ready/marker', server, { rules, objectSelector: { matchLabels: { marker: type } } });
  return { metadata: { name: NAME }, webhooks: [...hooks, marker] };
}

async function createBoundPolicy(send: SendRequest, name: string, { spec, binding = {} }: BoundPolicy): Promise<void> {
  await createObject(send, POLICIES, { metadata: { name }, spec });
  await createObject(send, BINDINGS, { metadata: { name }, spec: { policyName: name, validationActions: ['Deny'], ...binding } });
}

/** Waits until creations of a ConfigMap with this marker's label are allowed or denied. */
async function waitUntilMarker(send: SendRequest, marker: string, verdict: 'allowed' | 'denied'): Promise<void> {
  await waitUntil(`the ${marker} marker is ${verdict}`, async () => {
    const { code } = await send('POST', `${MAPS}?dryRun=All`, { metadata: { name: 'marker', labels: { marker } } });
    return (code === 201) === (verdict === 'allowed');
  });
}
