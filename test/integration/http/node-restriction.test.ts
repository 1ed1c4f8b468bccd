/** Replays what the admission plug-in NodeRestriction of release 1.31.1 let nodes write. */
import { generateKeyPairSync } from 'node:crypto';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { isBody } from '../../replay/reference';
import { replayRequests } from './replay-requests';
import type { RecordedAnswer, RequestCase } from '../../replay/requests/request-recording';
import { type Answer } from './call';
import { type FixtureChanges, useServer } from './fixture';

const HOST = 'https://kubernetes.default.svc';

function issuing(): FixtureChanges {
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys = { checking: readPublicKeys('sa.key', pem), signing: readPrivateKey('sa.key', pem) };
  return { apiAudiences: [HOST], serviceAccounts: { issuers: [HOST], keys: () => keys, extendExpiration: true } };
}

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
  const asNode = (method: string, path: string, sent: object, type = 'application/json'): Promise<Answer> =>
    api.call(path, { method, headers: { 'content-type': type, ...acting }, body: sent });
  const patch = (path: string, sent: object, type = 'application/merge-patch+json'): Promise<Answer> => asNode('PATCH', path, sent, type);

  it('cannot be set at creation', async () => {
    const refused = await asNode('POST', '/api/v1/nodes', { metadata: { name: 'n', ...owners } });
    expect([refused.status, refused.message]).toEqual([403, 'nodes "n" is forbidden: node "n" is not allowed to set ownerReferences']);
    expect(await asNode('POST', '/api/v1/nodes', { metadata: { name: 'n', ownerReferences: [] } })).toMatchObject({ status: 201 });
  });

  it.each(['/api/v1/nodes/n', '/api/v1/nodes/n/status'])('cannot be added, changed or removed through %s', async (path) => {
    const forbidden = { status: 403, text: expect.stringContaining('node \\"n\\" is not allowed to modify ownerReferences') };
    expect(await patch(path, { metadata: owners })).toMatchObject(forbidden);
    const whole = await api.read(path);
    expect(await asNode('PUT', path, { ...whole, metadata: { ...Object(whole['metadata']), ...owners } })).toMatchObject(forbidden);
    const applied = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', ...owners } };
    expect(await patch(`${path}?fieldManager=m`, applied, 'application/apply-patch+yaml')).toMatchObject(forbidden);
    const added = { op: 'add', path: '/metadata/ownerReferences', value: owners.ownerReferences };
    expect(await patch(path, [added], 'application/json-patch+json')).toMatchObject(forbidden);
    expect(await patch(path, { metadata: { labels: { a: 'b' } } })).toMatchObject({ status: 200 });

    const headers = { 'content-type': 'application/merge-patch+json' };
    const byAdmin = { method: 'PATCH', headers, body: JSON.stringify({ metadata: owners }) };
    expect(await api.call('/api/v1/nodes/n', byAdmin)).toMatchObject({ status: 200 });
    expect(await patch(path, { metadata: { ownerReferences: null } })).toMatchObject(forbidden);
    expect(await patch(path, { metadata: { labels: { a: 'c' } } })).toMatchObject({ status: 200 });
    const clear = { ...byAdmin, body: JSON.stringify({ metadata: { ownerReferences: null } }) };
    expect(await api.call('/api/v1/nodes/n', clear)).toMatchObject({ status: 200 });
  });
});
