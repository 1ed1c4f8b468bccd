import { request } from 'node:https';
import { connect } from 'node:net';
import { forbiddenPath } from '../../shared/api/errors/status';
import type { Clock } from '../../shared/runtime/clock';
import { systemClock } from '../../shared/runtime/clock';
import { HealthChecks } from '../../shared/runtime/health';
import { createLogger } from '../../shared/runtime/logger';
import { createAuthority, issueCertificate, type Credential } from '../../shared/pki/certificates';
import type { PathCredentials } from './path-access';
import type { HttpsServer } from './https-server';
import { startServer, type ServingOptions } from './server';

const HOUR = 3_600_000;
const logger = createLogger({ level: 'silent', clock: systemClock });
/** The time of the server. */
let now = systemClock.now();
const clock: Clock = { ...systemClock, now: () => now, after: (ms, task) => systemClock.after(ms, task) };
const received: PathCredentials[] = [];
let authority: Credential;
let server: Credential;
let options: ServingOptions;
let serving: HttpsServer;
let problem: string | undefined;

const issue = (from: Credential, usage: 'server' | 'client', commonName: string): Promise<Credential> =>
  issueCertificate({
    authority: from,
    usage,
    subject: { commonName, organizations: ['g'] },
    names: usage === 'server' ? ['localhost', '127.0.0.1'] : [],
    lifetimeMs: HOUR,
    clock: systemClock,
  });

beforeAll(async () => {
  authority = await createAuthority({ subject: { commonName: 'ca' }, lifetimeMs: 2 * HOUR, clock: systemClock });
  server = await issue(authority, 'server', 'server');
  const health = new HealthChecks([{ name: 'a', check: () => problem }], { clock, livezGraceMs: 0 });
  options = {
    host: '127.0.0.1',
    port: 0,
    certificates: { ...server, clientAuthorities: authority.certificate },
    access: {
      check: (credentials, method, path) => {
        received.push(credentials);
        return path === '/closed' ? Promise.reject(forbiddenPath(`User "x" cannot ${method} path`)) : Promise.resolve();
      },
    },
    health,
    metrics: () => Promise.resolve({ type: 'text/plain; version=0.0.4', text: 'm 1\n' }),
    clock,
    logger,
  };
  serving = await startServer(options);
});
afterAll(() => serving.close());
beforeEach(() => {
  received.length = 0;
  problem = undefined;
  now = systemClock.now();
});

interface Received {
  readonly code: number | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

function get(path: string, credential?: Credential, ca = authority.certificate, headers: Record<string, string> = {}): Promise<Received> {
  return new Promise((resolve, reject) => {
    const client = credential === undefined ? {} : { cert: credential.certificate, key: credential.key };
    const sent = request({ host: '127.0.0.1', port: serving.port, path, ca, headers, agent: false, ...client }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ code: response.statusCode, type: response.headers['content-type'], text }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

const PLAIN = 'text/plain; charset=utf-8';

it('the server of the controllers serves health checks and metrics, and 404 for other paths', async () => {
  expect(await get('/healthz')).toEqual({ code: 200, type: PLAIN, text: 'ok' });
  expect(await get('/readyz?verbose')).toEqual({ code: 200, type: PLAIN, text: '[+]a ok\nhealthz check passed\n' });
  expect(await get('/livez/a')).toEqual({ code: 200, type: PLAIN, text: 'ok' });
  expect(await get('/metrics')).toEqual({ code: 200, type: 'text/plain; version=0.0.4', text: 'm 1\n' });
  for (const path of ['/', '/metrics/x', '/healthz/b', '/x'])
    expect(await get(path)).toMatchObject({ code: 404, text: '404 page not found\n' });
});

it('the server of the controllers names a failed health check and withholds the reason', async () => {
  problem = 'secret';
  expect(await get('/healthz')).toMatchObject({ code: 500, text: '[-]a failed: reason withheld\nhealthz check failed\n' });
});

it('the server of the controllers responds to a forbidden request with a Status', async () => {
  const { code, type, text } = await get('/closed');
  expect({ code, type }).toEqual({ code: 403, type: 'application/json' });
  expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'Forbidden', message: 'forbidden: User "x" cannot GET path' });
});

it('the server of the controllers authenticates a client certificate while it is valid and from the right authority', async () => {
  const client = await issue(authority, 'client', 'scraper');
  const other = await issue(await createAuthority({ subject: { commonName: 'x' }, lifetimeMs: HOUR, clock: systemClock }), 'client', 'x');
  await get('/metrics', client, undefined, { authorization: 'Bearer t' });
  await get('/metrics', other);
  await get('/metrics', await issue(authority, 'server', 'server'));
  now += 2 * HOUR;
  await get('/metrics', client);
  const noCredentials = { authorization: undefined, certificateUser: undefined };
  expect(received).toEqual([
    { authorization: 'Bearer t', certificateUser: { name: 'scraper', groups: ['g', 'system:authenticated'] } },
    noCredentials,
    noCredentials,
    noCredentials,
  ]);
});

it('the server of the controllers closes a connection whose TLS handshake times out, and sends nothing on it', async () => {
  const impatient = await startServer({ ...options, headTimeoutMs: 100 });
  try {
    const socket = connect(impatient.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    await new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
    expect(Buffer.concat(chunks)).toHaveLength(0);
  } finally {
    await impatient.close();
  }
});

it('the server of the controllers presents a renewed certificate to new connections', async () => {
  const fresh = await createAuthority({ subject: { commonName: 'fresh' }, lifetimeMs: HOUR, clock: systemClock });
  serving.renew({ ...(await issue(fresh, 'server', 'server')), clientAuthorities: undefined });
  expect((await get('/healthz', undefined, fresh.certificate)).code).toBe(200);
  await expect(get('/healthz')).rejects.toThrow('certificate');
});
