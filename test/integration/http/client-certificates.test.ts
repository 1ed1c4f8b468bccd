/** Client certificates on connections that outlast the trust in them. */
import { Agent, request } from 'node:https';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, createSubordinate, issueCertificate, type Credential } from '../../../shared/runtime/pki';
import { TWO_COMMON_NAMES } from '../../support/odd-certificates';
import { call, json, startFixture, type Fixture } from './fixture';

const HOUR_MS = 3_600_000;
const clock = systemClock;
let fixture: Fixture;

beforeAll(async () => (fixture = await startFixture()));
afterAll(() => fixture.stop());

const subject = { commonName: 'jane', organizations: ['system:masters'] };
const clientOf = (authority: Credential): Promise<Credential> =>
  issueCertificate({ subject, lifetimeMs: HOUR_MS, clock, authority, usage: 'client' });

/** One connection, kept. */
function connection({ certificate, key }: Credential): { status(): Promise<number>; connections(): number } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, cert: certificate, key });
  let connections = 0;
  const status = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: fixture.server.port, path: '/api/v1/namespaces', agent }, (answer) => {
        if (!sent.reusedSocket) connections += 1;
        answer.resume();
        answer.on('end', () => resolve(answer.statusCode ?? 0));
      });
      sent.on('error', reject);
      sent.end();
    });
  return { status, connections: () => connections };
}

async function servingTls(): Promise<{ cert: Buffer; key: Buffer }> {
  const { authority } = fixture;
  const own = { subject: { commonName: 'apiserver' }, names: ['127.0.0.1'] };
  const serving = await issueCertificate({ ...own, lifetimeMs: HOUR_MS, clock, authority, usage: 'server' });
  return { cert: Buffer.from(serving.certificate), key: Buffer.from(serving.key) };
}

const trustAlone = async (certificate: string): Promise<void> =>
  fixture.server.renew({ ...(await servingTls()), clientCa: Buffer.from(certificate) });

describe('an authority that another one signed for, alone in the bundle', () => {
  let below: Credential;
  beforeAll(async () => {
    const { authority } = fixture;
    below = await createSubordinate({ subject: { commonName: 'below' }, lifetimeMs: HOUR_MS, clock, authority });
    await trustAlone(below.certificate);
  });

  it('vouches for clients that it signed for', async () => {
    expect(await connection(await clientOf(below)).status()).toBe(200);
  });

  it.each(['server', 'client'] as const)('vouches for nobody else: a certificate for a %s', async (usage) => {
    const authority = usage === 'server' ? below : fixture.authority;
    expect(await connection(await issueCertificate({ subject, lifetimeMs: HOUR_MS, clock, authority, usage })).status()).toBe(401);
  });
});

it('a certificate alone in the bundle stands for the client that has its key, and signs for nobody', async () => {
  const client = await clientOf(fixture.authority);
  await trustAlone(client.certificate);
  expect(await connection(client).status()).toBe(200);
  expect(await connection(await clientOf(client)).status()).toBe(401);
});

it('an authority that is not trusted any more vouches for nobody, on old connections either', async () => {
  await trustAlone(fixture.authority.certificate);
  const next = await createAuthority({ subject: { commonName: 'next-ca' }, lifetimeMs: HOUR_MS, clock });
  const tls = await servingTls();
  const old = connection(await clientOf(fixture.authority));
  expect(await old.status()).toBe(200);
  fixture.server.renew({ ...tls, clientCa: Buffer.from(fixture.authority.certificate + next.certificate) });
  expect(await old.status()).toBe(200);
  fixture.server.renew({ ...tls, clientCa: Buffer.from(next.certificate) });
  expect(await old.status()).toBe(401);
  expect(old.connections()).toBe(1);
  const fresh = connection(await clientOf(next));
  expect(await fresh.status()).toBe(200);
});

it('authenticates a client by the last common name of its certificate', async () => {
  fixture.server.renew({ ...(await servingTls()), clientCa: Buffer.from(TWO_COMMON_NAMES.certificate) });
  const review = { apiVersion: 'authentication.platform.io/v1', kind: 'SelfSubjectReview' };
  const answer = await call(fixture, '/apis/authentication.platform.io/v1/selfsubjectreviews', {
    method: 'POST',
    token: null,
    certificate: TWO_COMMON_NAMES,
    body: JSON.stringify(review),
  });
  expect(json(answer)).toMatchObject({ status: { userInfo: { username: 'second', groups: ['a,b', 'c', 'system:authenticated'] } } });
});
