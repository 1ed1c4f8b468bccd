/** What nodes may write, as release 1.31.1 answered them (test/replay/node-restriction.ts), step by step. */
import { casesOf } from '../../replay/recording';
import { body, either, nothing, number, oneOf, shape, text } from '../../replay/shape';
import { call, json, startFixture, type Answer, type Fixture } from './fixture';
import { generateKeyPairSync } from 'node:crypto';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';

const steps = casesOf(
  'admission/node-restriction',
  shape(
    { by: oneOf('admin', 'node'), method: text, path: text, answer: shape({ code: number, message: either(text, nothing) }) },
    { type: text, body },
  ),
);
const HOST = 'https://kubernetes.default.svc';
const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const keys = { checking: readPublicKeys('sa.key', pem), signing: readPrivateKey('sa.key', pem) };

let fixture: Fixture;
const uids = new Map<string, string>();
beforeAll(async () => {
  const serviceAccounts = { issuers: [HOST], keys: () => keys, extendExpiration: true } as const;
  fixture = await startFixture({ naming: 'kubernetes', apiAudiences: [HOST], serviceAccounts });
});
afterAll(() => fixture.stop());

/** Another plug-in of the reference refuses these before, in its own words. */
const OTHER_WORDS = /^pods "m" is forbidden: a mirror pod may not reference /;
const UID = /[0-9a-f]{8}-[0-9a-f-]{27}/;
/** Here the reference prints the Go structs of both claims, this server the paths of the fields. */
const CHANGES = /(status\.conditions:)[^]*/;
const comparable = (message: string): string => message.replace(UID, '<uid>').replace(CHANGES, '$1');

it.each(steps.map((step, at) => [at, step] as const))('step %i', async (_at, { by, method, path, type, body: sent, answer }) => {
  const acting = by === 'admin' ? {} : { 'impersonate-user': 'system:node:rec-n1', 'impersonate-group': 'system:nodes' };
  // What another plug-in of the reference adds to every pod.
  const spec = by === 'admin' && path.endsWith('/pods') ? { serviceAccountName: 'default', ...(sent?.['spec'] as object) } : sent?.['spec'];
  const filled = JSON.stringify({ ...sent, ...(spec === undefined ? {} : { spec }) }).replace(
    /<(\w+) uid>/g,
    (_, name: string) => uids.get(name) ?? '',
  );
  const got = await call(fixture, path, {
    method,
    headers: { 'content-type': type ?? 'application/json', ...acting },
    ...(sent === undefined ? {} : { body: Buffer.from(filled) }),
  });
  const object = json(got);
  const { name = '', uid = '' } = { ...(object['metadata'] as { name?: string; uid?: string } | undefined) };
  if (got.status === 201 && path === '/api/v1/nodes' && name === 'rec-n1') uids.set('node', uid);
  if (got.status === 201 && path.endsWith('/pods')) uids.set(name, uid);
  expect([got.status, got.status < 400 ? '' : object['message']]).toEqual([answer.code, answer.code < 400 ? '' : expect.any(String)]);
  const message = answer.message ?? '';
  if (answer.code >= 400 && !OTHER_WORDS.test(message)) expect(comparable(String(object['message']))).toBe(comparable(message));
});

describe('ownerReferences of a node', () => {
  const owners = { ownerReferences: [{ apiVersion: 'storage.k8s.io/v1', kind: 'CSINode', name: 'n', uid: 'u' }] };
  const acting = { 'impersonate-user': 'system:node:n', 'impersonate-group': 'system:nodes' };
  const asNode = (method: string, path: string, sent: object, type = 'application/json'): Promise<Answer> =>
    call(fixture, path, { method, headers: { 'content-type': type, ...acting }, body: JSON.stringify(sent) });
  const patch = (path: string, sent: object, type = 'application/merge-patch+json'): Promise<Answer> => asNode('PATCH', path, sent, type);

  it('cannot be set at creation', async () => {
    const refused = await asNode('POST', '/api/v1/nodes', { metadata: { name: 'n', ...owners } });
    expect([refused.status, json(refused)['message']]).toEqual([
      403,
      'nodes "n" is forbidden: node "n" is not allowed to set ownerReferences',
    ]);
    expect(await asNode('POST', '/api/v1/nodes', { metadata: { name: 'n', ownerReferences: [] } })).toMatchObject({ status: 201 });
  });

  it.each(['/api/v1/nodes/n', '/api/v1/nodes/n/status'])('cannot be added, changed or removed through %s', async (path) => {
    const forbidden = { status: 403, text: expect.stringContaining('node \\"n\\" is not allowed to modify ownerReferences') };
    expect(await patch(path, { metadata: owners })).toMatchObject(forbidden);
    const whole = json(await call(fixture, path));
    expect(await asNode('PUT', path, { ...whole, metadata: { ...Object(whole['metadata']), ...owners } })).toMatchObject(forbidden);
    const applied = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n', ...owners } };
    expect(await patch(`${path}?fieldManager=m`, applied, 'application/apply-patch+yaml')).toMatchObject(forbidden);
    const added = { op: 'add', path: '/metadata/ownerReferences', value: owners.ownerReferences };
    expect(await patch(path, [added], 'application/json-patch+json')).toMatchObject(forbidden);
    expect(await patch(path, { metadata: { labels: { a: 'b' } } })).toMatchObject({ status: 200 });

    const headers = { 'content-type': 'application/merge-patch+json' };
    const byAdmin = { method: 'PATCH', headers, body: JSON.stringify({ metadata: owners }) };
    expect(await call(fixture, '/api/v1/nodes/n', byAdmin)).toMatchObject({ status: 200 });
    expect(await patch(path, { metadata: { ownerReferences: null } })).toMatchObject(forbidden);
    expect(await patch(path, { metadata: { labels: { a: 'c' } } })).toMatchObject({ status: 200 });
    const clear = { ...byAdmin, body: JSON.stringify({ metadata: { ownerReferences: null } }) };
    expect(await call(fixture, '/api/v1/nodes/n', clear)).toMatchObject({ status: 200 });
  });
});
