/** Replays what the admission plug-in NodeRestriction of release 1.31.1 let nodes write. */
import { isBody } from '../../replay/reference';
import { replayRequests } from './replay-requests';
import type { RecordedAnswer, RequestCase } from '../../replay/requests/request-recording';
import { APPLY, JSON_PATCH, MERGE_PATCH } from './call';
import { issuingAccounts, useServer, type FixtureChanges } from './fixture';

const HOST = 'https://kubernetes.default.svc';

const issuing = (): FixtureChanges => ({
  apiAudiences: [HOST],
  serviceAccounts: issuingAccounts({ issuers: [HOST], extendExpiration: true }),
});

/** Rejected by another plug-in of release 1.31.1, with another message. */
const OTHER_MESSAGE = /^pods "m" is forbidden: a mirror pod may not reference /;
/** Release 1.31.1 prints the Go structs of both claims, this server the paths of the fields. */
const CHANGES = /(status\.conditions:)[^]*/;

function shortened(answer: RecordedAnswer): RecordedAnswer {
  const { body } = answer;
  if (!isBody(body) || typeof body['message'] !== 'string') return answer;
  return { ...answer, body: { ...body, message: body['message'].replace(CHANGES, '$1') } };
}

function expected({ request, answer }: RequestCase): RequestCase {
  const { path, as, body } = request;
  const { message } = isBody(answer.body) ? answer.body : {};
  // The plug-in ServiceAccount, which does not run here, adds this to every pod.
  const isPod = as === undefined && path.endsWith('/pods') && isBody(body) && isBody(body['spec']);
  const sent = isPod ? { ...request, body: { ...body, spec: { serviceAccountName: 'default', ...Object(body['spec']) } } } : request;
  if (typeof message === 'string' && OTHER_MESSAGE.test(message)) return { request: sent, answer: { ...answer, body: null } };
  return { request: sent, answer: shortened(answer) };
}

replayRequests(['admission/node-restriction'], {
  server: issuing,
  withDeviation: expected,
  comparable: (answer, { body }) => (body === null ? { ...answer, body } : shortened(answer)),
});

const api = useServer({ naming: 'kubernetes', ...issuing() });
beforeAll(async () => {});

describe('ownerReferences of a node', () => {
  const owners = { ownerReferences: [{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', name: 'n', uid: 'u' }] };
  const acting = { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' };
  const patch = (path: string, sent: object, type = MERGE_PATCH) => api.patch(path, sent, type, { headers: acting });

  it('cannot be set at creation', async () => {
    const create = (metadata: object) => api.post('/api/v1/nodes', { metadata }, { headers: acting });
    const message = 'nodes "n" is forbidden: node "n" is not allowed to set ownerReferences';
    expect((await create({ name: 'n', ...owners })).refusal).toEqual([403, message]);
    expect((await create({ name: 'n', ownerReferences: [] })).status).toBe(201);
  });

  it.each(['/api/v1/nodes/n', '/api/v1/nodes/n/status'])('cannot be added, changed or removed through %s', async (path) => {
    const forbidden = { status: 403, text: expect.stringContaining('node \\"n\\" is not allowed to modify ownerReferences') };
    expect(await patch(path, { metadata: owners })).toMatchObject(forbidden);
    const whole = await api.read(path);
    const replaced = { ...whole, metadata: { ...Object(whole['metadata']), ...owners } };
    expect(await api.put(path, replaced, { headers: acting })).toMatchObject(forbidden);
    const applied = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', ...owners } };
    expect(await patch(`${path}?fieldManager=m`, applied, APPLY)).toMatchObject(forbidden);
    const added = { op: 'add', path: '/metadata/ownerReferences', value: owners.ownerReferences };
    expect(await patch(path, [added], JSON_PATCH)).toMatchObject(forbidden);
    expect(await patch(path, { metadata: { labels: { a: 'b' } } })).toMatchObject({ status: 200 });

    expect(await api.merge('/api/v1/nodes/n', { metadata: owners })).toMatchObject({ status: 200 });
    expect(await patch(path, { metadata: { ownerReferences: null } })).toMatchObject(forbidden);
    expect(await patch(path, { metadata: { labels: { a: 'c' } } })).toMatchObject({ status: 200 });
    expect(await api.merge('/api/v1/nodes/n', { metadata: { ownerReferences: null } })).toMatchObject({ status: 200 });
  });
});
