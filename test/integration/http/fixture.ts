/** An API server in this process on a store in memory, and raw requests to it: what a client library would hide is what is tested. */
import { generateKeyPairSync } from 'node:crypto';
import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { request as secureRequest } from 'node:https';
import { FLAGS } from '../../../apiserver/options/flags';
import { everywhere } from '../../../apiserver/authentication/anonymous';
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { startServer, type RunningServer } from '../../../apiserver/server/compose/compose';
import type { EncryptionAtRest, ServerOptions } from '../../../apiserver/server/compose/setting';
import type { Store } from '../../../apiserver/storage/store';
import type { Tracing } from '../../../apiserver/tracing/span';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { systemClock } from '../../../shared/runtime/clock';
import { featureGates } from '../../../shared/runtime/feature-gates';
import { silentLogger, type Logger } from '../../../shared/runtime/logger';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/runtime/pki';
import { systemRandom } from '../../../shared/runtime/random';
import type { RequestStep } from '../../replay/request-step';
import { MemoryStore } from '../../support/memory-store';
import { UNCHANGED } from '../../support/plugin-switches';

const HOUR_MS = 3_600_000;
export const ADMIN = 'admin-token';
export const ALICE = 'alice-token';

export interface Fixture {
  readonly server: RunningServer;
  readonly authority: Credential;
  stop(): Promise<void>;
}

export type FixtureChanges = Partial<ServerOptions> & {
  /** PEM. */
  readonly proxyCa?: Buffer;
  /** Its store is the caller's to wrap. */
  readonly tracing?: Tracing;
};

/** `store`: that of another replica. */
export async function startFixture(
  { proxyCa, tracing, ...changes }: FixtureChanges = {},
  store: Store = new MemoryStore(),
  logger: Logger = silentLogger,
  encryption?: EncryptionAtRest,
): Promise<Fixture> {
  const { options, authority } = await fixtureOptions(proxyCa === undefined ? changes : { ...changes, proxyCa });
  const server = await startServer(options, {
    store,
    clock: systemClock,
    random: systemRandom,
    logger,
    tracing,
    configurations: [],
    ...(encryption === undefined ? {} : { encryption }),
  });
  await server.whenReady();
  return { server, authority, stop: () => server.shutdown() };
}

/** The options of the server, and the authority of its certificate and of its clients'. */
export async function fixtureOptions({
  proxyCa,
  ...changes
}: Omit<FixtureChanges, 'tracing'>): Promise<{ readonly options: ServerOptions; readonly authority: Credential }> {
  const clock = systemClock;
  const authority = await createAuthority({ subject: { commonName: 'test-ca' }, lifetimeMs: HOUR_MS, clock });
  const serving = await issueCertificate({
    subject: { commonName: 'apiserver' },
    lifetimeMs: HOUR_MS,
    clock,
    authority,
    usage: 'server',
    names: ['localhost', '127.0.0.1'],
  });
  const tokens = parseTokenFile('tokens.csv', `${ADMIN},admin,1,"system:masters"\n${ALICE},alice,2,"devs"\n`, () => undefined);
  const options: ServerOptions = {
    host: '127.0.0.1',
    port: 0,
    tls: {
      cert: Buffer.from(serving.certificate),
      key: Buffer.from(serving.key),
      clientCa: Buffer.from(authority.certificate),
      ...(proxyCa === undefined ? {} : { proxyCa }),
    },
    local: { host: '127.0.0.1', port: 0 },
    naming: 'platform',
    gates: featureGates(new Map([['WatchList', true]])),
    prefix: '/registry',
    advertiseAddress: '192.0.2.1',
    serviceRanges: FLAGS['service-cluster-ip-range'].default,
    plugins: UNCHANGED,
    deniesServiceAddresses: true,
    nodePorts: FLAGS['service-node-port-range'].default,
    eventTtlMs: HOUR_MS,
    compactionMs: 0,
    requestTimeoutMs: 60_000,
    minRequestTimeoutSeconds: 1800,
    maxReadOnly: 400,
    maxMutating: 200,
    maxStreams: 100,
    connectionCaps: { total: 0, perAddress: 0 },
    tokens: [tokens],
    bootstrapTokens: true,
    anonymous: everywhere,
    authorization: () => ['Node', 'RBAC'],
    apiAudiences: [],
    livezGraceMs: 0,
    shutdownDelayMs: 0,
    shutdownWatchGraceMs: 0,
    sendRetryAfter: false,
    ...changes,
  };
  return { options, authority };
}

/** Tokens are issued for service accounts, with keys of their own. */
export function issuingAccounts(): NonNullable<ServerOptions['serviceAccounts']> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = (key: typeof publicKey, type: 'pkcs8' | 'spki'): string => String(key.export({ type, format: 'pem' }));
  const keys = { checking: readPublicKeys('sa.pub', pem(publicKey, 'spki')), signing: readPrivateKey('sa.key', pem(privateKey, 'pkcs8')) };
  return { issuers: ['https://issuer.example'], keys: () => keys, extendExpiration: false };
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly text: string;
}

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  /** Null = no Authorization header. */
  readonly token?: string | null;
  readonly certificate?: Credential;
  /** Over the plain listener. */
  readonly local?: boolean;
  /** The answer begins. */
  readonly opened?: (() => void) | undefined;
}

const TOKENS: Readonly<Record<RequestStep['as'], string | null>> = { admin: ADMIN, alice: ALICE, bad: 'unknown', nobody: null };

/** What recorders send to the reference server; the headers of the step come before `more`. */
export function callStep(
  fixture: Fixture,
  { as, method, path, body, type = 'application/json', headers = {} }: RequestStep,
  more: Readonly<Record<string, string>>,
): Promise<Answer> {
  const all = { ...more, ...headers };
  const sent = body === undefined ? { headers: all } : { body, headers: { 'content-type': type, ...all } };
  return call(fixture, path, { method, token: TOKENS[as], ...sent });
}

/** One request with its path sent exactly as given, on a connection of its own. */
export function call(
  { server }: { readonly server: Pick<RunningServer, 'port' | 'localPort'> },
  path: string,
  options: Call = {},
): Promise<Answer> {
  const { method = 'GET', headers = {}, body, token = ADMIN, certificate, local = false, opened } = options;
  const settings = {
    host: '127.0.0.1',
    method,
    path,
    agent: false as const,
    headers: {
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)), 'content-type': 'application/json' }),
      ...headers,
    },
  };
  return new Promise((resolve, reject) => {
    const request = local
      ? plainRequest({ ...settings, port: server.localPort })
      : secureRequest({
          ...settings,
          port: server.port,
          rejectUnauthorized: false,
          ...(certificate === undefined ? {} : { cert: certificate.certificate, key: certificate.key }),
        });
    request.on('error', reject);
    request.on('response', (response) => {
      opened?.();
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const whole = Buffer.concat(chunks);
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, text: whole.toString() });
      });
    });
    request.end(body);
  });
}

/** Until a path answers: that of a definition that was just made, or of an object that the server makes. */
export async function served(fixture: Fixture, path: string): Promise<void> {
  while ((await call(fixture, path)).status !== 200);
}

/** What a server makes for itself after it is ready, the last of each row of things; named as upstream does. */
const OWN: readonly string[] = [
  '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
];

/** Until the server, which follows upstream's names, has made what it makes for itself: who counts requests counts those too. */
export async function settled(fixture: Fixture): Promise<void> {
  for (const path of OWN) await served(fixture, path);
}

/** The texts of the Warning headers. */
export function warningsOf({ headers }: Answer): readonly string[] {
  const quoted = [...(headers['warning'] ?? '').matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)];
  return quoted.map(([, text = '']) => text.replace(/\\(.)/g, '$1'));
}

/** A Status or object as the client would parse it. */
export function json(answer: Answer): Record<string, unknown> {
  const value: unknown = JSON.parse(answer.text);
  if (typeof value !== 'object' || value === null) throw new Error(`no object: ${answer.text}`);
  return { ...value };
}

export async function createConfigMap(fixture: Fixture, name: string, data: Readonly<Record<string, string>> = {}): Promise<void> {
  const body = JSON.stringify({ metadata: { name, labels: { app: 'demo' } }, data });
  const answer = await call(fixture, '/api/v1/namespaces/default/configmaps', { method: 'POST', body });
  if (answer.status !== 201) throw new Error(answer.text);
}
