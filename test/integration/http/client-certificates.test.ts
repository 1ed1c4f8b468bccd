/** Client certificates on connections that outlast the trust in them. */
import { Agent, request } from 'node:https';
import { systemClock } from '../../../shared/runtime/clock';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/runtime/pki';
import { startFixture, type Fixture } from './fixture';

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

it('an authority that is not trusted any more vouches for nobody, on old connections either', async () => {
  const serving = await issueCertificate({
    subject: { commonName: 'apiserver' },
    lifetimeMs: HOUR_MS,
    clock,
    authority: fixture.authority,
    usage: 'server',
    names: ['127.0.0.1'],
  });
  const next = await createAuthority({ subject: { commonName: 'next-ca' }, lifetimeMs: HOUR_MS, clock });
  const tls = { cert: Buffer.from(serving.certificate), key: Buffer.from(serving.key) };
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
