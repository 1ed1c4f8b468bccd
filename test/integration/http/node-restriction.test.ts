/** Replays writes of nodes with the admission plug-in NodeRestriction of release 1.31.1. */
import { isBody } from '../../replay/json-response';
import { replayRequests } from './replay-requests';
import type { RecordedResponse, RequestCase } from '../../replay/requests/request-recording';
import { APPLY_PATCH, JSON_PATCH, MERGE_PATCH } from './api-call';
import { useServer } from './fixture';
import { serviceAccountOptions, type FixtureOptions } from './fixture-options';

const HOST = 'https://kubernetes.default.svc';

const withServiceAccounts = (): FixtureOptions => ({
  apiAudiences: [HOST],
  serviceAccounts: serviceAccountOptions({ issuers: [HOST], extendExpiration: true }),
});

/** Rejected by another plug-in of release 1.31.1, with another message. */
const OTHER_MESSAGE = /^pods "m" is forbidden: a mirror pod may not reference /;
/** Release 1.31.1 prints the Go structs of both claims, this server the paths of the fields. */
const CONDITIONS_DIFFERENCE = /(status\.conditions:)[^]*/;

function withoutDifference(response: RecordedResponse): RecordedResponse {
  const { body } = response;
  if (!isBody(body) || typeof body['message'] !== 'string') return response;
  return { ...response, body: { ...body, message: body['message'].replace(CONDITIONS_DIFFERENCE, '$1') } };
}

function expected({ request, answer: response }: RequestCase): RequestCase {
  const { path, as, body } = request;
  const { message } = isBody(response.body) ? response.body : {};
  // The plug-in ServiceAccount, which does not run here, adds this to every pod.
  const isPod = as === undefined && path.endsWith('/pods') && isBody(body) && isBody(body['spec']);
  const sent = isPod ? { ...request, body: { ...body, spec: { serviceAccountName: 'default', ...Object(body['spec']) } } } : request;
  if (typeof message === 'string' && OTHER_MESSAGE.test(message)) return { request: sent, answer: { ...response, body: null } };
  return { request: sent, answer: withoutDifference(response) };
}

replayRequests(['admission/node-restriction'], {
  server: withServiceAccounts,
  withDeviation: expected,
  comparable: (response, { body }) => (body === null ? { ...response, body } : withoutDifference(response)),
});

const api = useServer({ naming: 'kubernetes', ...withServiceAccounts() });

describe('ownerReferences of a node', () => {
  const owners = { ownerReferences: [{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', name: 'n', uid: 'u' }] };
  const nodeHeaders = { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' };
  const patchAsNode = (path: string, sent: object, type = MERGE_PATCH) => api.patch(path, sent, type, { headers: nodeHeaders });

  it('cannot be set at creation', async () => {
    const create = (metadata: object) => api.post('/api/v1/nodes', { metadata }, { headers: nodeHeaders });
    const message = 'nodes "n" is forbidden: node "n" is not allowed to set ownerReferences';
    expect((await create({ name: 'n', ...owners })).refusal).toEqual([403, message]);
    expect((await create({ name: 'n', ownerReferences: [] })).status).toBe(201);
  });

  const forbidden = { status: 403, text: expect.stringContaining('node \\"n\\" is not allowed to modify ownerReferences') };
  const NODE_PATHS = ['/api/v1/nodes/n', '/api/v1/nodes/n/status'];

  it.each(NODE_PATHS)('cannot be added through %s by any kind of write', async (path) => {
    expect(await patchAsNode(path, { metadata: owners })).toMatchObject(forbidden);
    const whole = await api.read(path);
    const replaced = { ...whole, metadata: { ...Object(whole['metadata']), ...owners } };
    expect(await api.put(path, replaced, { headers: nodeHeaders })).toMatchObject(forbidden);
    const applied = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', ...owners } };
    expect(await patchAsNode(`${path}?fieldManager=m`, applied, APPLY_PATCH)).toMatchObject(forbidden);
    const added = { op: 'add', path: '/metadata/ownerReferences', value: owners.ownerReferences };
    expect(await patchAsNode(path, [added], JSON_PATCH)).toMatchObject(forbidden);
    expect(await patchAsNode(path, { metadata: { labels: { a: 'b' } } })).toMatchObject({ status: 200 });
  });

  it.each(NODE_PATHS)('that an administrator has set cannot be removed through %s', async (path) => {
    expect(await api.mergePatch('/api/v1/nodes/n', { metadata: owners })).toMatchObject({ status: 200 });
    expect(await patchAsNode(path, { metadata: { ownerReferences: null } })).toMatchObject(forbidden);
    expect(await patchAsNode(path, { metadata: { labels: { a: 'c' } } })).toMatchObject({ status: 200 });
    expect(await api.mergePatch('/api/v1/nodes/n', { metadata: { ownerReferences: null } })).toMatchObject({ status: 200 });
  });
});
