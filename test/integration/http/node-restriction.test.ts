/** What nodes may write, as release 1.31.1 answered them (test/recordings/node-restriction.ts), step by step. */
import { casesOf } from '../../recordings/recording';
import { body, either, nothing, number, oneOf, shape, text } from '../../recordings/shape';
import { call, json, startFixture, type Fixture } from './fixture';
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
  if (answer.code >= 400 && !OTHER_WORDS.test(message))
    expect(String(object['message']).replace(UID, '<uid>')).toBe(message.replace(UID, '<uid>'));
});
