/**
 * Every request that a kubelet and a kube-proxy of release 1.31 were recorded to make is served to their users, with the
 * authorization modes Node and RBAC and the admission plug-in NodeRestriction.
 */
import { request as sendRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../../shared/pki/certificates';
import { certificateRequest } from '../../replay/scenarios/certificate-request';
import { recordedNodeRequests, type NodeRequest } from '../../replay/formats/node-requests';
import { STRATEGIC_PATCH } from './api-call';
import { issueClientCertificate, serviceAccountOptions, useServer } from './fixture';

const NODE = 'n';
/** The name of every other object. */
const NAME = 'x';
const HOST = 'https://kubernetes.default.svc';
const NAMESPACE = '/api/v1/namespaces/default';
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const STORAGE = '/apis/storage.k8s.io/v1';

const api = useServer({
  naming: 'kubernetes',
  apiAudiences: [HOST],
  serviceAccounts: serviceAccountOptions({ issuers: [HOST] }),
  plugins: { enabled: ['NodeRestriction'], disabled: ['ServiceAccount'] },
});
const credentials: Partial<Record<NodeRequest['user'], Credential>> = {};

const CONTAINERS = [{ name: 'c', image: 'i' }];
const POD_SPEC = {
  nodeName: NODE,
  serviceAccountName: NAME,
  containers: CONTAINERS,
  volumes: [
    { name: 'secret', secret: { secretName: NAME } },
    { name: 'map', configMap: { name: NAME } },
    { name: 'claim', persistentVolumeClaim: { claimName: NAME } },
  ],
};
const VOLUME = { accessModes: ['ReadWriteOnce'], storageClassName: '' };
const CLAIM_REFERENCE = { namespace: 'default', name: NAME };

/** What the requests refer to. In the order of creation; the name is {@link NAME} unless the members have another. */
const OBJECTS: readonly (readonly [collection: string, members: object])[] = [
  ['/api/v1/nodes', { metadata: { name: NODE } }],
  [LEASES, { metadata: { name: NODE } }],
  [`${STORAGE}/csinodes`, { metadata: { name: NODE }, spec: { drivers: [] } }],
  ['/apis/node.k8s.io/v1/runtimeclasses', { handler: 'h' }],
  [`${STORAGE}/csidrivers`, { spec: {} }],
  [`${NAMESPACE}/serviceaccounts`, {}],
  [`${NAMESPACE}/secrets`, {}],
  [`${NAMESPACE}/configmaps`, {}],
  ['/api/v1/persistentvolumes', { spec: { ...VOLUME, capacity: { storage: '1Gi' }, hostPath: { path: '/x' }, claimRef: CLAIM_REFERENCE } }],
  [`${NAMESPACE}/persistentvolumeclaims`, { spec: { ...VOLUME, volumeName: NAME, resources: { requests: { storage: '1Gi' } } } }],
  [`${NAMESPACE}/services`, { spec: { ports: [{ port: 80 }] } }],
  [`${NAMESPACE}/pods`, { spec: POD_SPEC }],
  [`${NAMESPACE}/events`, { involvedObject: { kind: 'Pod', ...CLAIM_REFERENCE }, reason: 'r' }],
];

const MIRROR = { name: 'mirror', annotations: { 'kubernetes.io/config.mirror': 'm' } };
const OWNER = { apiVersion: 'v1', kind: 'Node', name: NODE, controller: true };
const INVOLVED = { kind: 'Node', name: NODE, namespace: 'default' };

const SIGNING_REQUEST = {
  request: Buffer.from(
    certificateRequest({ organizations: ['system:nodes'], commonName: `system:node:${NODE}`, ips: ['192.0.2.9'] }),
  ).toString('base64'),
  signerName: 'kubernetes.io/kubelet-serving',
  usages: ['digital signature', 'server auth'],
};
const NEW_EVENT = {
  metadata: { name: 'new-event' },
  eventTime: '2026-01-01T00:00:00.000000Z',
  type: 'Normal',
  reason: 'r',
  action: 'a',
  reportingController: 'kube-proxy',
  reportingInstance: NODE,
  regarding: { kind: 'Node', name: NODE },
};

interface Stored {
  readonly podUid: unknown;
  readonly nodeUid: unknown;
  readonly leaseVersion: unknown;
}

/**
 * Bodies of writes, by verb, resource and subresource. A token of a node must be bound to its pod, a mirror pod is owned
 * by its node, and a Lease is updated at a version.
 */
const bodies = ({ podUid, nodeUid, leaseVersion }: Stored): Readonly<Record<string, object>> => ({
  'create nodes': { metadata: { name: NODE } },
  'create leases': { metadata: { name: NODE } },
  'update leases': { metadata: { name: NODE, resourceVersion: leaseVersion }, spec: { holderIdentity: NODE } },
  'create csinodes': { metadata: { name: NODE }, spec: { drivers: [] } },
  'create pods': {
    metadata: { ...MIRROR, ownerReferences: [{ ...OWNER, uid: nodeUid }] },
    spec: { nodeName: NODE, containers: CONTAINERS },
  },
  'create events': { metadata: { generateName: 'e' }, involvedObject: INVOLVED, reason: 'r' },
  'patch events': { count: 2 },
  'create serviceaccounts/token': {
    spec: { audiences: [HOST], expirationSeconds: 3_600, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: NAME, uid: podUid } },
  },
  'create subjectaccessreviews': { spec: { user: 'u', resourceAttributes: { verb: 'get', resource: 'pods' } } },
  'create tokenreviews': { spec: { token: 't' } },
  'create certificatesigningrequests': { metadata: { generateName: 'csr-' }, spec: SIGNING_REQUEST },
  'patch nodes/status': { status: { phase: 'Running' } },
  'patch pods/status': { status: { phase: 'Running' } },
  'delete pods': { gracePeriodSeconds: 0 },
});
const METHODS: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };
const RESOURCE = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/([^/?]+)(?:\/[^/?]+(\/[^?]+)?)?/;
const PLACEHOLDERS: Readonly<Record<string, string>> = { NODE, NAME, NS: 'default', SECONDS: '10', DURATION: '10s', RV: '0' };

/** Sends a request with the certificate of its user; a watch is closed after its response has started. Resolves with the status. */
async function send({ user, verb, path }: NodeRequest): Promise<number> {
  const [, resource = '', subresource = ''] = RESOURCE.exec(path) ?? [];
  const isNewEvent = path.startsWith('/apis/events.k8s.io/');
  const metadataOf = async (object: string) => Object((await api.read(object))['metadata']);
  const stored = {
    podUid: (await metadataOf(`${NAMESPACE}/pods/${NAME}`)).uid,
    nodeUid: (await metadataOf(`/api/v1/nodes/${NODE}`)).uid,
    leaseVersion: (await metadataOf(`${LEASES}/${NODE}`)).resourceVersion,
  };
  const body = isNewEvent ? NEW_EVENT : bodies(stored)[`${verb} ${resource}${subresource}`];
  const text = body === undefined ? '' : JSON.stringify(body);
  const { certificate: cert, key } = credentials[user] ?? {};
  const sent = sendRequest({
    host: '127.0.0.1',
    port: api.server.port,
    path: encodeURI(path.replaceAll(/\$([A-Z]+)/g, (_, name: string) => PLACEHOLDERS[name] ?? '')),
    method: METHODS[verb] ?? 'GET',
    headers: { 'content-type': verb === 'patch' ? STRATEGIC_PATCH : 'application/json', 'content-length': Buffer.byteLength(text) },
    agent: false,
    rejectUnauthorized: false,
    ...(cert === undefined || key === undefined ? {} : { cert, key }),
  });
  sent.end(text);
  return new Promise((resolve, reject) => {
    sent.once('error', reject);
    sent.once('response', (response: IncomingMessage) => {
      resolve(response.statusCode ?? 0);
      sent.destroy();
    });
  });
}

/** Of the object that a creation with a fixed name would find. */
const CREATED: Readonly<Record<string, string>> = {
  '/api/v1/nodes': `/api/v1/nodes/${NODE}`,
  [LEASES]: `${LEASES}/${NODE}`,
  '/apis/storage.k8s.io/v1/csinodes': `${STORAGE}/csinodes/${NODE}`,
};

beforeAll(async () => {
  credentials.node = await issueClientCertificate(api.authority, `system:node:${NODE}`, ['system:nodes']);
  credentials.proxy = await issueClientCertificate(api.authority, 'system:kube-proxy', []);
  await api.waitForServerObjects();
});
beforeEach(async () => {
  for (const [collection, members] of OBJECTS) await api.post(collection, { metadata: { name: NAME }, ...members });
});

const titled = recordedNodeRequests().map((request) => [`${request.user}: ${request.verb} ${request.path}`, request] as const);

test.each(titled)('a request of a node is served: %s', async (_, request) => {
  const [collection = ''] = request.path.split('?', 1);
  const existing = request.verb === 'create' ? CREATED[collection] : undefined;
  if (existing !== undefined) await api.delete(existing);
  expect(await send(request)).toBe(request.verb === 'create' ? 201 : 200);
});
