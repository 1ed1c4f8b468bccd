/** API servers in this process on a store in memory, and requests to them. */
import { generateKeyPairSync } from 'node:crypto';
import { connect as connectHttp2, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import { connect, type TLSSocket } from 'node:tls';
import { FLAGS } from '../../../apiserver/options/flags';
import { everywhere } from '../../../apiserver/authentication/anonymous';
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
import type { RequestStep } from '../../replay/request-step';
import { MemoryStore } from '../../support/memory-store';
import { UNCHANGED } from '../../support/plugin-switches';
import { useResource } from '../../support/use-resource';
import { ADMIN, ALICE, call, MERGE_PATCH, type Answer, type Call, type RequestBody } from './call';

export { ADMIN };

export const HOUR_MS = 3_600_000;

export type FixtureChanges = Partial<ServerOptions> & {
  /** PEM. */
  readonly proxyCa?: Buffer;
  /** Its store is the caller's to wrap. */
  readonly tracing?: Tracing;
};

interface Started {
  readonly server: RunningServer;
  readonly authority: Credential;
}

/** What a server makes for itself after it is ready, the last of each row of things; named as upstream does. */
const OWN: readonly string[] = [
  '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication',
  '/api/v1/namespaces/kube-system/configmaps/kube-apiserver-legacy-service-account-token-tracking',
  '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes',
];

const TOKENS: Readonly<Record<RequestStep['as'], string | null>> = { admin: ADMIN, alice: ALICE, bad: 'unknown', nobody: null };

/** A server, and requests to it in the name of an administrator unless they say otherwise. */
export class Fixture {
  private started: Started | undefined;

  constructor(private readonly open: () => Promise<Started>) {}

  async start(): Promise<this> {
    this.started = await this.open();
    return this;
  }

  get server(): RunningServer {
    return this.running.server;
  }

  /** The authority of the server's certificate and of its clients'. */
  get authority(): Credential {
    return this.running.authority;
  }

  private get running(): Started {
    if (this.started === undefined) throw new Error('the server has not been started');
    return this.started;
  }

  stop(): Promise<void> {
    return this.server.shutdown();
  }

  call(path: string, options?: Call): Promise<Answer> {
    return call(this, path, options);
  }

  get(path: string, options?: Omit<Call, 'method'>): Promise<Answer> {
    return this.call(path, options);
  }

  /** The object that a GET is answered with. */
  async read(path: string, options?: Omit<Call, 'method'>): Promise<Record<string, unknown>> {
    return (await this.get(path, options)).json;
  }

  post(path: string, body: RequestBody, options: Call = {}): Promise<Answer> {
    return this.call(path, { method: 'POST', body, ...options });
  }

  put(path: string, body: RequestBody, options: Call = {}): Promise<Answer> {
    return this.call(path, { method: 'PUT', body, ...options });
  }

  patch(path: string, body: RequestBody, type: string, options: Call = {}): Promise<Answer> {
    return this.call(path, { method: 'PATCH', body, type, ...options });
  }

  merge(path: string, body: RequestBody, options: Call = {}): Promise<Answer> {
    return this.patch(path, body, MERGE_PATCH, options);
  }

  delete(path: string, options: Call = {}): Promise<Answer> {
    return this.call(path, { method: 'DELETE', ...options });
  }

  /** Throws what the server says where it refuses to create the object. */
  async create(path: string, body: RequestBody): Promise<Answer> {
    return accepted(await this.post(path, body));
  }

  /** A recorded request; its headers take precedence over `more`. */
  callStep({ as, method, path, body, type, headers }: RequestStep, more: Readonly<Record<string, string>>): Promise<Answer> {
    const content = { ...(body === undefined ? {} : { body }), ...(type === undefined ? {} : { type }) };
    return this.call(path, { method, token: TOKENS[as], headers: { ...more, ...headers }, ...content });
  }

  async createConfigMap(name: string, data: Readonly<Record<string, string>> = {}): Promise<void> {
    await this.create('/api/v1/namespaces/default/configmaps', { metadata: { name, labels: { app: 'demo' } }, data });
  }

  /** Creates the definition of a custom resource, and waits until its objects are served at `path`. */
  async define(definition: object, path: string): Promise<void> {
    await this.create('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    await this.served(path);
  }

  /** Until a path answers: that of a definition that was just made, or of an object that the server makes. */
  async served(path: string): Promise<void> {
    while ((await this.get(path)).status !== 200);
  }

  /** Until the server, which follows upstream's names, has made what it makes for itself. A test that counts requests would count those too. */
  async settled(): Promise<void> {
    for (const path of OWN) await this.served(path);
  }

  async metrics(): Promise<string> {
    return (await this.get('/metrics')).text;
  }

  /** The value of a metric without labels, or of the series that `pattern` finds; 0 where there is none. */
  async metric(series: string): Promise<number> {
    return Number(new RegExp(`^${series} (\\d+)$`, 'm').exec(await this.metrics())?.[1] ?? 0);
  }

  /** A connection for the bytes of HTTP/1.1. */
  connect(): TLSSocket {
    const socket = connect({ host: '127.0.0.1', port: this.server.port, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] });
    return socket.on('error', () => undefined);
  }

  connectHttp2(settings: SecureClientSessionOptions = {}): ClientHttp2Session {
    const session = connectHttp2(`https://127.0.0.1:${this.server.port}`, { rejectUnauthorized: false, ...settings });
    return session.on('error', () => undefined);
  }
}

export function accepted(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(answer.text);
  return answer;
}

type Changes = FixtureChanges | (() => FixtureChanges | Promise<FixtureChanges>);

function fixtureOf(changes: Changes = {}, store: Store = new MemoryStore(), logger: Logger = silentLogger, encryption?: EncryptionAtRest) {
  return new Fixture(async () => {
    const { tracing, ...others } = typeof changes === 'function' ? await changes() : changes;
    const { options, authority } = await fixtureOptions(others);
    const parts = { store, clock, random, logger, tracing, configurations: [] };
    const server = await startServer(options, { ...parts, ...(encryption === undefined ? {} : { encryption }) });
    await server.whenReady();
    return { server, authority };
  });
}

/** `store`: that of another replica. */
export function startFixture(...parts: Parameters<typeof fixtureOf>): Promise<Fixture> {
  return fixtureOf(...parts).start();
}

/** A server that is started before the tests of a file or block and stopped after them. */
export function useServer(...parts: Parameters<typeof fixtureOf>): Fixture {
  const fixture = fixtureOf(...parts);
  useResource(
    () => fixture.start(),
    () => fixture.stop(),
    60_000,
  );
  return fixture;
}

/** Two servers over one store. */
export function useReplicas(changes: FixtureChanges = {}, store: Store = new MemoryStore()): readonly [Fixture, Fixture] {
  return [useServer(changes, store), useServer(changes, store)];
}

/** The options of the server, and the authority of its certificate and of its clients'. */
export async function fixtureOptions({
  proxyCa,
  ...changes
}: Omit<FixtureChanges, 'tracing'>): Promise<{ readonly options: ServerOptions; readonly authority: Credential }> {
  const authority = await createAuthority({ subject: { commonName: 'test-ca' }, lifetimeMs: HOUR_MS, clock });
  const tokens = parseTokenFile('tokens.csv', `${ADMIN},admin,1,"system:masters"\n${ALICE},alice,2,"devs"\n`, () => undefined);
  const options: ServerOptions = {
    host: '127.0.0.1',
    port: 0,
    tls: {
      ...pairOf(await serverOf(authority)),
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

type ServiceAccounts = NonNullable<ServerOptions['serviceAccounts']>;

/** Tokens are issued for service accounts, with keys of their own. */
export function issuingAccounts(changes: Partial<ServiceAccounts> = {}): ServiceAccounts {
  const pem = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const keys = { verifying: readPublicKeys('sa.key', pem), signing: readPrivateKey('sa.key', pem) };
  return { issuers: ['https://issuer.example'], keys: () => keys, extendExpiration: false, ...changes };
}

/** The certificate of a client. */
export const clientOf = (authority: Credential, commonName = 'jane', organizations: readonly string[] = ['system:masters']) =>
  issueCertificate({ authority, usage: 'client', subject: { commonName, organizations }, lifetimeMs: HOUR_MS, clock });

/** A definition of custom resources with one version; `schema` is that of the whole object. */
export function definitionOf(plural: string, kind: string, group: string, schema: object, more: object = {}, version: object = {}): object {
  const openAPIV3Schema = { type: 'object', ...schema };
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema }, ...version }];
  return { metadata: { name: `${plural}.${group}` }, spec: { group, scope: 'Namespaced', names: { plural, kind }, versions, ...more } };
}

/** The certificate of a server on this machine, or of another name. */
export const serverOf = (authority: Credential, names: readonly string[] = ['localhost', '127.0.0.1']): Promise<Credential> =>
  issueCertificate({ authority, usage: 'server', subject: { commonName: 'server' }, names, lifetimeMs: HOUR_MS, clock });

/** As the options of servers and clients have it. */
export const pairOf = ({ certificate, key }: Credential): { readonly cert: Buffer; readonly key: Buffer } => ({
  cert: Buffer.from(certificate),
  key: Buffer.from(key),
});
