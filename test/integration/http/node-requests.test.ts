/**
 * Every request that a kubelet and a kube-proxy of release 1.31 were recorded to make is served to their users, with the
 * authorization modes Node and RBAC and the admission plug-in NodeRestriction.
 */
import { request as sendRequest } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Credential } from '../../../shared/pki/certificates';
import { certificateRequest } from '../../replay/scenarios/certificate-request';
import { recordedNodeRequests, type NodeRequest } from '../../replay/formats/node-requests';
import { body, listOf, mapOf, shape, text } from '../../replay/shape';
import { readTable } from '../../support/read-table';
import { STRATEGIC_PATCH } from './api-call';
import { useServer } from './fixture';
import { serviceAccountOptions } from './fixture-options';
import { issueClientCertificate } from './issue-certificates';

const HOST = 'https://kubernetes.default.svc';
const LEASE = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n';

/** The objects and bodies in node-requests.yaml, which explains them. */
const TABLE = readTable(
  'test/integration/http/node-requests.yaml',
  shape({ objects: listOf(shape({ collection: text, object: body })), created: mapOf(text), bodies: mapOf(body) }),
);

const api = useServer({
  naming: 'kubernetes',
  apiAudiences: [HOST],
  serviceAccounts: serviceAccountOptions({ issuers: [HOST] }),
  plugins: { enabled: ['NodeRestriction'], disabled: ['ServiceAccount'] },
});
const credentials: Partial<Record<NodeRequest['user'], Credential>> = {};

const SIGNING_REQUEST = certificateRequest({ organizations: ['system:nodes'], commonName: 'system:node:n', ips: ['192.0.2.9'] });

const METHODS: Readonly<Record<string, string>> = { create: 'POST', update: 'PUT', patch: 'PATCH', delete: 'DELETE' };
/**
 * The resource and the subresource of a path with placeholders:
 *   `/api/v1/namespaces/$NS/pods/$NAME/status?x=y` -> `pods`, `/status`
 *   `/api/v1/namespaces/$NAME` -> `namespaces`: at the end of a path it is the object itself
 */
const RESOURCE = /^\/(?:api\/v1|apis\/[^/]+\/[^/]+)(?:\/namespaces\/[^/]+(?=\/))?\/([^/?]+)(?:\/[^/?]+(\/[^?]+)?)?/;
const PLACEHOLDERS: Readonly<Record<string, string>> = { NODE: 'n', NAME: 'x', NS: 'default', SECONDS: '10', DURATION: '10s', RV: '0' };

/** The body of a write as JSON; empty for a request without one. */
async function bodyOf({ verb, path }: NodeRequest): Promise<string> {
  const [, resource = '', subresource = ''] = RESOURCE.exec(path) ?? [];
  const isOfEventsGroup = path.startsWith('/apis/events.k8s.io/');
  const sent = TABLE.bodies[`${verb} ${isOfEventsGroup ? 'events.k8s.io' : resource + subresource}`];
  const metadataOf = async (object: string) => Object((await api.read(object))['metadata']);
  return (sent === undefined ? '' : JSON.stringify(sent))
    .replace('$POD_UID', (await metadataOf('/api/v1/namespaces/default/pods/x')).uid)
    .replace('$NODE_UID', (await metadataOf('/api/v1/nodes/n')).uid)
    .replace('$LEASE_VERSION', (await metadataOf(LEASE)).resourceVersion)
    .replace('$SIGNING_REQUEST', Buffer.from(SIGNING_REQUEST).toString('base64'));
}

/** Sends a request with the certificate of its user; a watch is closed after its response has started. Resolves with the status. */
async function send(request: NodeRequest): Promise<number> {
  const { user, verb, path } = request;
  const text = await bodyOf(request);
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

beforeAll(async () => {
  credentials.node = await issueClientCertificate(api.authority, 'system:node:n', ['system:nodes']);
  credentials.proxy = await issueClientCertificate(api.authority, 'system:kube-proxy', []);
  await api.waitForServerObjects();
});
beforeEach(async () => {
  for (const { collection, object } of TABLE.objects) await api.post(collection, { metadata: { name: 'x' }, ...object });
});

const titled = recordedNodeRequests().map((request) => [`${request.user}: ${request.verb} ${request.path}`, request] as const);

test.each(titled)('a request of a node is served: %s', async (_, request) => {
  const [collection = ''] = request.path.split('?', 1);
  const existing = request.verb === 'create' ? TABLE.created[collection] : undefined;
  if (existing !== undefined) await api.delete(existing);
  expect(await send(request)).toBe(request.verb === 'create' ? 201 : 200);
});
