/** API servers in this process, over an in-memory store unless given another one, and requests to them. */
import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import path from 'node:path';
import { connect as openSocket, type TLSSocket } from 'node:tls';
import { FLAGS } from '../../../apiserver/options/flags/flags';
import { allowEverywhere } from '../../../apiserver/authentication/anonymous';
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { startServer, type RunningServer } from '../../../apiserver/server/wiring/start-server';
import type { EncryptionAtRest, ServerOptions } from '../../../apiserver/server/wiring/server-options';
import type { Store } from '../../../apiserver/storage/store';
import type { Tracing } from '../../../apiserver/tracing/span';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { featureGates } from '../../../shared/cli/feature-gates';
import { silentLogger, type Logger } from '../../../shared/runtime/logger';
import { createAuthority, issueCertificate, type Credential } from '../../../shared/pki/certificates';
import { systemRandom as random } from '../../../shared/runtime/random';
import type { RequestStep } from '../../replay/requests/request-step';
import { MemoryStore } from '../../support/store/memory-store';
import { kubeconfigOf } from '../../support/kubeconfig';
import { NON_MUTATING_PLUGINS } from '../../support/objects/non-mutating-plugins';
import { stopAfterTest, useResource } from '../../support/use-resource';
import { ADMIN, ALICE, call, MERGE_PATCH, type ApiResponse, type CallOptions, type RequestBody } from './api-call';

export { ADMIN };

export const HOUR_MS = 3_600_000;

export type FixtureOptions = Partial<ServerOptions> & {
  /** Authority of authenticating proxies, as PEM. */
  readonly proxyCa?: Buffer;
  /** The caller wraps the store for spans of store calls. */
  readonly tracing?: Tracing;
};

interface StartedServer {
  readonly server: RunningServer;
  readonly authority: Credential;
}

/** The last object of each kind that a server with upstream's names creates by itself after it is ready. */
const SERVER_OBJECTS: readonly string[] = [
  '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
];

/** The tokens of recorded requests by user. */
export const STEP_TOKENS = { admin: ADMIN, alice: ALICE, bad: 'unknown-token', nobody: null } as const satisfies Readonly<
  Record<RequestStep['as'], string | null>
>;

/** An API server, and requests to it that authenticate as an administrator by default. */
export class Fixture {
  private started: StartedServer | undefined;

  constructor(private readonly open: () => Promise<StartedServer>) {}

  async start(): Promise<this> {
    this.started = await this.open();
    return this;
  }

  get server(): RunningServer {
    return this.running.server;
  }

  /** The authority that signs the server's certificate and client certificates. */
  get authority(): Credential {
    return this.running.authority;
  }

  private get running(): StartedServer {
    if (this.started === undefined) throw new Error('the server has not been started');
    return this.started;
  }

  stop(): Promise<void> {
    return this.server.shutdown();
  }

  call(path: string, options?: CallOptions): Promise<ApiResponse> {
    return call(this, path, options);
  }

  get(path: string, options?: Omit<CallOptions, 'method'>): Promise<ApiResponse> {
    return this.call(path, options);
  }

  /** Returns the object in the response to a GET. */
  async read(path: string, options?: Omit<CallOptions, 'method'>): Promise<Record<string, unknown>> {
    return (await this.get(path, options)).json;
  }

  post(path: string, body: RequestBody, options: CallOptions = {}): Promise<ApiResponse> {
    return this.call(path, { method: 'POST', body, ...options });
  }

  put(path: string, body: RequestBody, options: CallOptions = {}): Promise<ApiResponse> {
    return this.call(path, { method: 'PUT', body, ...options });
  }

  patch(path: string, body: RequestBody, type: string, options: CallOptions = {}): Promise<ApiResponse> {
    return this.call(path, { method: 'PATCH', body, type, ...options });
  }

  mergePatch(path: string, body: RequestBody, options: CallOptions = {}): Promise<ApiResponse> {
    return this.patch(path, body, MERGE_PATCH, options);
  }

  delete(path: string, options: CallOptions = {}): Promise<ApiResponse> {
    return this.call(path, { method: 'DELETE', ...options });
  }

  /** Throws an error with the response when the server rejects the object. */
  async create(path: string, body: RequestBody): Promise<ApiResponse> {
    return requireSuccess(await this.post(path, body));
  }

  /** Sends a recorded request; its headers take precedence over `more`. */
  callStep({ as, method, path, body, type, headers }: RequestStep, more: Readonly<Record<string, string>>): Promise<ApiResponse> {
    const content = { ...(body === undefined ? {} : { body }), ...(type === undefined ? {} : { type }) };
    return this.call(path, { method, token: STEP_TOKENS[as], headers: { ...more, ...headers }, ...content });
  }

  async createConfigMap(name: string, data: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.create('/api/v1/namespaces/default/configmaps', { metadata: { name, labels: { app: 'demo' } }, data });
  }

  /** Creates a CustomResourceDefinition and waits until its objects are served at `path`. */
  async defineCustomResource(definition: object, path: string): Promise<void> {
    await this.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await this.waitUntilServed(path);
  }

  /**
   * Waits until a GET of the path succeeds, such as that of a new custom resource or of an object that the server
   * creates.
   */
  async waitUntilServed(path: string): Promise<void> {
    while ((await this.get(path)).status !== 200);
  }

  /**
   * Waits until a server with upstream's names has created its own objects. Tests that count requests would otherwise
   * count these writes too.
   */
  async waitForServerObjects(): Promise<void> {
    for (const path of SERVER_OBJECTS) await this.waitUntilServed(path);
  }

  async metrics(): Promise<string> {
    return (await this.get('/metrics')).text;
  }

  /** The value of the first series that matches the pattern; 0 when there is none with an integer value. */
  async metric(series: string): Promise<number> {
    return Number(new RegExp(`^${series} (\\d+)$`, 'm').exec(await this.metrics())?.[1] ?? 0);
  }

  /** Opens a TLS connection for raw HTTP/1.1. */
  openSocket(): TLSSocket {
    const socket = openSocket({ host: '127.0.0.1', port: this.server.port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    return socket.on('error', () => undefined);
  }

  connectHttp2(settings: SecureClientSessionOptions = {}): ClientHttp2Session {
    const session = connectHttp2(`https://127.0.0.1:${this.server.port}`, { rejectUnauthorized: false, ...settings });
    return session.on('error', () => undefined);
  }
}

/** Throws an error with the response when the server rejected the request. */
export function requireSuccess(response: ApiResponse): ApiResponse {
  if (response.status >= 300) throw new Error(response.text);
  return response;
}

type Changes = FixtureOptions | (() => FixtureOptions | Promise<FixtureOptions>);

function createFixture(
  changes: Changes = {},
  store: Store = new MemoryStore(),
  logger: Logger = silentLogger,
  encryption?: EncryptionAtRest,
) {
  return new Fixture(async () => {
    const { tracing, ...others } = typeof changes === 'function' ? await changes() : changes;
    const { options, authority } = await fixtureOptions(others);
    const parts = { store, clock, random, logger, tracing, configurations: [] };
    const server = await startServer(options, { ...parts, ...(encryption === undefined ? {} : { encryption }) });
    await server.whenReady();
    return { server, authority };
  });
}

/** Starts a server. Replicas of one cluster get the same `store`. */
export function startFixture(...parts: Parameters<typeof createFixture>): Promise<Fixture> {
  return createFixture(...parts).start();
}

/** A server that is started before the tests of a file or block and stopped after them. */
export function useServer(...parts: Parameters<typeof createFixture>): Fixture {
  const fixture = createFixture(...parts);
  useResource(
    () => fixture.start(),
    () => fixture.stop(),
    60_000,
  );
  return fixture;
}

/** Returns a function that starts servers; each is stopped after the test that started it. */
export function useStarter(): typeof startFixture {
  const stopLater = stopAfterTest((server: Fixture) => server.stop());
  return async (...parts) => stopLater(await startFixture(...parts));
}

/** Two servers over one store. */
export function useReplicas(changes: FixtureOptions = {}, store: Store = new MemoryStore()): readonly [Fixture, Fixture] {
  return [useServer(changes, store), useServer(changes, store)];
}

/** The options of a server, and the authority that signs its certificate and client certificates. */
export async function fixtureOptions({
  proxyCa,
  ...changes
}: Omit<FixtureOptions, 'tracing'>): Promise<{ readonly options: ServerOptions; readonly authority: Credential }> {
  const authority = await createAuthority({ subject: { commonName: 'test-ca' }, lifetimeMs: HOUR_MS, clock });
  const tokens = parseTokenFile('tokens.csv', `${ADMIN},admin,1,"system:masters"\n${ALICE},alice,2,"devs"\n`, () => undefined);
  const options: ServerOptions = {
    host: '127.0.0.1',
    port: 0,
    tls: {
      ...tlsPairOf(await issueServerCertificate(authority)),
      clientCa: Buffer.from(authority.certificate),
      ...(proxyCa === undefined ? {} : { proxyCa }),
    },
    local: { host: '127.0.0.1', port: 0 },
    naming: 'platform',
    gates: featureGates(new Map([['WatchList', true]])),
    prefix: '/registry',
    advertiseAddress: '192.0.2.1',
    serviceRanges: FLAGS['service-cluster-ip-range'].default,
    plugins: NON_MUTATING_PLUGINS,
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
    anonymous: allowEverywhere,
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

type ServiceAccounts = NonNullable<ServerOptions['serviceAccounts']>;

/** Options with which a server issues service account tokens. Each call creates a key, which signs and verifies them. */
export function serviceAccountOptions(changes: Partial<ServiceAccounts> = {}): ServiceAccounts {
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys = { verifying: readPublicKeys('sa.key', pem), signing: readPrivateKey('sa.key', pem) };
  return { issuers: ['https://issuer.example'], keys: () => keys, extendExpiration: false, ...changes };
}

/** Issues a client certificate, by default of a member of `system:masters`. */
export const issueClientCertificate = (authority: Credential, commonName = 'jane', organizations: readonly string[] = ['system:masters']) =>
  issueCertificate({ authority, usage: 'client', subject: { commonName, organizations }, lifetimeMs: HOUR_MS, clock });

/** Writes a kubeconfig of the administrator to the folder, and returns its path. */
export function writeKubeconfig({ server, authority }: Fixture, folder: string): string {
  const file = path.join(folder, 'kubeconfig');
  const cluster = {
    server: `https://127.0.0.1:${server.port}`,
    'certificate-authority-data': Buffer.from(authority.certificate).toString('base64'),
  };
  writeFileSync(file, JSON.stringify(kubeconfigOf({ cluster, user: { token: ADMIN } })));
  return file;
}

/** Issues a serving certificate for this machine, or for other names. */
export const issueServerCertificate = (authority: Credential, names: readonly string[] = ['localhost', '127.0.0.1']): Promise<Credential> =>
  issueCertificate({ authority, usage: 'server', subject: { commonName: 'server' }, names, lifetimeMs: HOUR_MS, clock });

/** The certificate and key as Node's TLS options. */
export const tlsPairOf = ({ certificate, key }: Credential): { readonly cert: Buffer; readonly key: Buffer } => ({
  cert: Buffer.from(certificate),
  key: Buffer.from(key),
});
