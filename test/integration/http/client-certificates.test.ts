/** Authentication by client certificates when the trusted authorities change, also on open connections. */
import { Agent, request } from 'node:https';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { createAuthority, createSubordinateAuthority, type Credential } from '../../../shared/pki/certificates';
import { TWO_COMMON_NAMES } from '../../support/certificates/odd-certificates';
import { useResource } from '../../support/use-resource';
import { useServer } from './fixture';
import { issueClientCertificate, HOUR_MS, tlsPairOf, issueServerCertificate } from './issue-certificates';

const api = useServer();

/** Sends requests on one keep-alive connection, and counts the connections that it opened. */
function openKeepAliveClient({ certificate, key }: Credential): { status(): Promise<number>; connections(): number } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false, cert: certificate, key });
  let connections = 0;
  const status = (): Promise<number> =>
    new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: api.server.port, path: '/api/v1/namespaces', agent }, (response) => {
        if (!sent.reusedSocket) connections += 1;
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      });
      sent.on('error', reject);
      sent.end();
    });
  return { status, connections: () => connections };
}

/** The status of a request on a new connection with the certificate. */
const statusOf = async (client: Promise<Credential>): Promise<number> => openKeepAliveClient(await client).status();
const trustClientAuthorities = async (bundle: string): Promise<void> =>
  api.server.renew({ ...tlsPairOf(await issueServerCertificate(api.authority)), clientCa: Buffer.from(bundle) });

describe('a subordinate authority alone in the bundle', () => {
  const subordinate = useResource(() =>
    createSubordinateAuthority({ subject: { commonName: 'below' }, lifetimeMs: HOUR_MS, clock, authority: api.authority }),
  );
  beforeAll(() => trustClientAuthorities(subordinate().certificate));

  it('authenticates clients whose certificates it signed', async () => {
    expect(await statusOf(issueClientCertificate(subordinate()))).toBe(200);
  });

  it('does not authenticate a client with the certificate of a server', async () => {
    expect(await statusOf(issueServerCertificate(subordinate()))).toBe(401);
  });

  it('does not authenticate a client of the authority above it', async () => {
    expect(await statusOf(issueClientCertificate(api.authority))).toBe(401);
  });
});

it('a client certificate alone in the bundle authenticates its own client and none that it signed', async () => {
  const client = await issueClientCertificate(api.authority);
  await trustClientAuthorities(client.certificate);
  expect(await openKeepAliveClient(client).status()).toBe(200);
  expect(await statusOf(issueClientCertificate(client))).toBe(401);
});

it('an authority that is no longer trusted authenticates no request, on open connections either', async () => {
  await trustClientAuthorities(api.authority.certificate);
  const nextAuthority = await createAuthority({ subject: { commonName: 'next-ca' }, lifetimeMs: HOUR_MS, clock });
  const existing = openKeepAliveClient(await issueClientCertificate(api.authority));
  expect(await existing.status()).toBe(200);
  await trustClientAuthorities(api.authority.certificate + nextAuthority.certificate);
  expect(await existing.status()).toBe(200);
  await trustClientAuthorities(nextAuthority.certificate);
  expect(await existing.status()).toBe(401);
  expect(existing.connections()).toBe(1);
  expect(await statusOf(issueClientCertificate(nextAuthority))).toBe(200);
});

it('a client is authenticated by the last common name of its certificate', async () => {
  await trustClientAuthorities(TWO_COMMON_NAMES.certificate);
  const review = { apiVersion: 'authentication.platform.io/v1', kind: 'SelfSubjectReview' };
  const path = '/apis/authentication.platform.io/v1/selfsubjectreviews';
  const response = await api.post(path, review, { token: null, certificate: TWO_COMMON_NAMES });
  expect(response.json).toMatchObject({ status: { userInfo: { username: 'second', groups: ['a,b', 'c', 'system:authenticated'] } } });
});
