/**
 * API servers in this process, over an in-memory store unless given another one, and requests to them. The hooks start a
 * server before the tests of a file or block and stop it after them; what differs between servers is an option.
 */
import { writeFileSync } from 'node:fs';
import { connect as connectHttp2, type ClientHttp2Session, type SecureClientSessionOptions } from 'node:http2';
import path from 'node:path';
import { connect as openSocket, type TLSSocket } from 'node:tls';
import { startServer, type RunningServer } from '../../../apiserver/server/wiring/start-server';
import type { EncryptionAtRest } from '../../../apiserver/server/wiring/server-options';
import type { Store } from '../../../apiserver/storage/store';
import type { Credential } from '../../../shared/pki/certificates';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { silentLogger, type Logger } from '../../../shared/runtime/logger';
import { systemRandom as random } from '../../../shared/runtime/random';
import type { RequestStep } from '../../replay/requests/request-step';
import { kubeconfigOf } from '../../support/kubeconfig';
import { MemoryStore } from '../../support/store/memory-store';
import { stopAfterTest, useResource } from '../../support/use-resource';
import { ADMIN, ALICE, call, MERGE_PATCH, type ApiResponse, type CallOptions, type RequestBody } from './api-call';
import { fixtureOptions, type FixtureOptions } from './fixture-options';

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

/** The tokens of the users that recorded requests name; `null` for anonymous requests. */
export const STEP_TOKENS = { admin: ADMIN, alice: ALICE, bad: 'unknown-token', nobody: null } as const satisfies Readonly<
  Record<RequestStep['as'], string | null>
>;

/** An API server, and requests to it that authenticate as an administrator by default. */
export class Fixture {
  private started: StartedServer | undefined;

  constructor(private readonly startApiServer: () => Promise<StartedServer>) {}

  async start(): Promise<this> {
    this.started = await this.startApiServer();
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

  /** Sends a recorded request; its own headers take precedence over the added ones. */
  callStep({ as, method, path, body, type, headers }: RequestStep, addedHeaders: Readonly<Record<string, string>>): Promise<ApiResponse> {
    const content = { ...(body === undefined ? {} : { body }), ...(type === undefined ? {} : { type }) };
    return this.call(path, { method, token: STEP_TOKENS[as], headers: { ...addedHeaders, ...headers }, ...content });
  }

  /** Creates a ConfigMap with the label `app=demo` in the namespace `default`. */
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

  /** All metrics of the server in the text format of Prometheus. */
  async metrics(): Promise<string> {
    return (await this.get('/metrics')).text;
  }

  /**
   * The value of the first series that matches the regular expression `seriesPattern`; 0 when there is none with an
   * integer value.
   */
  async metric(seriesPattern: string): Promise<number> {
    return Number(new RegExp(`^${seriesPattern} (\\d+)$`, 'm').exec(await this.metrics())?.[1] ?? 0);
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

/** The options that differ from {@link fixtureOptions}, or a function that is called when the server starts. */
type Changes = FixtureOptions | (() => FixtureOptions | Promise<FixtureOptions>);

/** The dependencies of a server that tests replace. */
export interface FixtureDependencies {
  /** In memory by default. Replicas of one cluster get the same store. */
  readonly store?: Store;
  /** Discards its lines by default. */
  readonly logger?: Logger;
  readonly encryption?: EncryptionAtRest;
}

function createFixture(
  changes: Changes = {},
  { store = new MemoryStore(), logger = silentLogger, encryption }: FixtureDependencies = {},
): Fixture {
  return new Fixture(async () => {
    const { tracing, ...others } = typeof changes === 'function' ? await changes() : changes;
    const { options, authority } = await fixtureOptions(others);
    const dependencies = { store, clock, random, logger, tracing, configurations: [] };
    const server = await startServer(options, { ...dependencies, ...(encryption === undefined ? {} : { encryption }) });
    await server.whenReady();
    return { server, authority };
  });
}

/** Starts a server, which the caller stops. */
export function startFixture(changes?: Changes, dependencies?: FixtureDependencies): Promise<Fixture> {
  return createFixture(changes, dependencies).start();
}

/** A server that is started before the tests of a file or block and stopped after them. */
export function useServer(changes?: Changes, dependencies?: FixtureDependencies): Fixture {
  const fixture = createFixture(changes, dependencies);
  useResource(
    () => fixture.start(),
    () => fixture.stop(),
    60_000,
  );
  return fixture;
}

/** Returns a function that starts servers; each is stopped after the test that started it. */
export function useStarter(): typeof startFixture {
  const stopServerAfterTest = stopAfterTest((server: Fixture) => server.stop());
  return async (changes, dependencies) => stopServerAfterTest(await startFixture(changes, dependencies));
}

/** Two servers over one store in memory. */
export function useReplicas(changes: FixtureOptions = {}): readonly [Fixture, Fixture] {
  const store = new MemoryStore();
  return [useServer(changes, { store }), useServer(changes, { store })];
}

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
