import { request } from 'node:https';
import { connect } from 'node:net';
import { forbiddenPath } from '../../shared/api/errors/status';
import type { Clock } from '../../shared/runtime/clock';
import { systemClock } from '../../shared/runtime/clock';
import { HealthChecks } from '../../shared/runtime/health';
import { createLogger } from '../../shared/runtime/logger';
import { createAuthority, issueCertificate, type Credential } from '../../shared/pki/certificates';
import type { PathCredentials } from './path-access';
import { startServer, type ServingOptions } from './server';

const HOUR = 3_600_000;

const issue = (from: Credential, usage: 'server' | 'client', commonName: string): Promise<Credential> =>
  issueCertificate({
    authority: from,
    usage,
    subject: { commonName, organizations: ['g'] },
    names: usage === 'server' ? ['localhost', '127.0.0.1'] : [],
    lifetimeMs: HOUR,
    clock: systemClock,
  });

interface Received {
  readonly code: number | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

interface RequestOptions {
  /** The client certificate. */
  readonly credential?: Credential;
  /** The authority of the server, in PEM. */
  readonly ca?: string;
  readonly headers?: Record<string, string>;
}

/**
 * A server on an unused port. `state`: what a test changes, the server's time and the problem of its health check `a`;
 * `received`: the credentials of the requests.
 */
async function startTestServer(overrides: Pick<ServingOptions, 'headTimeoutMs'>) {
  const state: { now: number; problem: string | undefined } = { now: systemClock.now(), problem: undefined };
  const clock: Clock = { ...systemClock, now: () => state.now, after: (ms, task) => systemClock.after(ms, task) };
  const received: PathCredentials[] = [];
  const authority = await createAuthority({ subject: { commonName: 'ca' }, lifetimeMs: 2 * HOUR, clock: systemClock });
  const options: ServingOptions = {
    host: '127.0.0.1',
    port: 0,
    certificates: { ...(await issue(authority, 'server', 'server')), clientAuthorities: authority.certificate },
    access: {
      check: (credentials, method, path) => {
        received.push(credentials);
        return path === '/closed' ? Promise.reject(forbiddenPath(`User "x" cannot ${method} path`)) : Promise.resolve();
      },
    },
    health: new HealthChecks([{ name: 'a', check: () => state.problem }], { clock, livezGraceMs: 0 }),
    metrics: () => Promise.resolve({ type: 'text/plain; version=0.0.4', text: 'm 1\n' }),
    clock,
    logger: createLogger({ level: 'silent', clock: systemClock }),
    ...overrides,
  };
  const server = await startServer(options);
  const get = (path: string, { credential, ca = authority.certificate, headers = {} }: RequestOptions = {}): Promise<Received> =>
    new Promise((resolve, reject) => {
      const client = credential === undefined ? {} : { cert: credential.certificate, key: credential.key };
      const sent = request({ host: '127.0.0.1', port: server.port, path, ca, headers, agent: false, ...client }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => resolve({ code: response.statusCode, type: response.headers['content-type'], text }));
      });
      sent.on('error', reject);
      sent.end();
    });
  return { state, received, authority, server, get };
}

/** Runs the test with a server, and closes the server also when the test fails. */
async function withServer(
  test: (fixture: Awaited<ReturnType<typeof startTestServer>>) => Promise<void>,
  overrides: Pick<ServingOptions, 'headTimeoutMs'> = {},
): Promise<void> {
  const fixture = await startTestServer(overrides);
  try {
    await test(fixture);
  } finally {
    await fixture.server.close();
  }
}

const PLAIN = 'text/plain; charset=utf-8';

it('the server of the controllers serves health checks and metrics, and 404 for other paths', () =>
  withServer(async ({ get }) => {
    expect(await get('/healthz')).toEqual({ code: 200, type: PLAIN, text: 'ok' });
    expect(await get('/readyz?verbose')).toEqual({ code: 200, type: PLAIN, text: '[+]a ok\nhealthz check passed\n' });
    expect(await get('/livez/a')).toEqual({ code: 200, type: PLAIN, text: 'ok' });
    expect(await get('/metrics')).toEqual({ code: 200, type: 'text/plain; version=0.0.4', text: 'm 1\n' });
    for (const path of ['/', '/metrics/x', '/healthz/b', '/x'])
      expect(await get(path)).toMatchObject({ code: 404, text: '404 page not found\n' });
  }));

it('the server of the controllers names a failed health check and withholds the reason', () =>
  withServer(async ({ state, get }) => {
    state.problem = 'secret';
    expect(await get('/healthz')).toMatchObject({ code: 500, text: '[-]a failed: reason withheld\nhealthz check failed\n' });
  }));

it('the server of the controllers responds to a forbidden request with a Status', () =>
  withServer(async ({ get }) => {
    const { code, type, text } = await get('/closed');
    expect({ code, type }).toEqual({ code: 403, type: 'application/json' });
    expect(JSON.parse(text)).toMatchObject({ kind: 'Status', reason: 'Forbidden', message: 'forbidden: User "x" cannot GET path' });
  }));

it('the server of the controllers authenticates a client certificate while it is valid and from the right authority', () =>
  withServer(async ({ state, received, authority, get }) => {
    const client = await issue(authority, 'client', 'scraper');
    const otherAuthority = await createAuthority({ subject: { commonName: 'x' }, lifetimeMs: HOUR, clock: systemClock });
    await get('/metrics', { credential: client, headers: { authorization: 'Bearer t' } });
    await get('/metrics', { credential: await issue(otherAuthority, 'client', 'x') });
    await get('/metrics', { credential: await issue(authority, 'server', 'server') });
    state.now += 2 * HOUR;
    await get('/metrics', { credential: client });
    const noCredentials = { authorization: undefined, certificateUser: undefined };
    expect(received).toEqual([
      { authorization: 'Bearer t', certificateUser: { name: 'scraper', groups: ['g', 'system:authenticated'] } },
      noCredentials,
      noCredentials,
      noCredentials,
    ]);
  }));

it('the server of the controllers closes a connection whose TLS handshake times out, and sends nothing on it', () =>
  withServer(
    async ({ server }) => {
      const socket = connect(server.port, '127.0.0.1');
      const chunks: Buffer[] = [];
      socket.on('data', (chunk: Buffer) => chunks.push(chunk));
      await new Promise((resolve) => socket.once('close', resolve).once('error', resolve));
      expect(Buffer.concat(chunks)).toHaveLength(0);
    },
    { headTimeoutMs: 100 },
  ));

it('the server of the controllers presents a renewed certificate to new connections', () =>
  withServer(async ({ server, get }) => {
    const fresh = await createAuthority({ subject: { commonName: 'fresh' }, lifetimeMs: HOUR, clock: systemClock });
    server.renew({ ...(await issue(fresh, 'server', 'server')), clientAuthorities: undefined });
    expect((await get('/healthz', { ca: fresh.certificate })).code).toBe(200);
    await expect(get('/healthz')).rejects.toThrow('certificate');
  }));
