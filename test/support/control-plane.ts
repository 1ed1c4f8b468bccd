/**
 * For tests with real API servers: the REST client of an administrator, and processes of controllers with any clock.
 */
import path from 'node:path';
import type { Certificates } from '../../deploy/local/certificates';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { connectClient, type ConnectOptions } from './connect-client';
import { repository } from './repository';
import { startProgram, type ApiServer, type ProgramProcess } from './programs';

interface AdminClientOptions extends ConnectOptions {
  /** Uses HTTP/1.1; HTTP/2 by default. */
  readonly http1?: boolean;
}

/** A client with the administrator's credentials for all of the addresses. */
export function adminClient(
  addresses: readonly string[],
  certificates: Certificates,
  { http1 = false, ...options }: AdminClientOptions = {},
): RestClient {
  const servers = addresses.map((address) => new URL(address));
  const tls = { ca: certificates.authority, cert: certificates.admin.certificate, key: certificates.admin.key };
  return connectClient({ servers, tls, credentials: { type: 'none' }, http1 }, options);
}

/** The environment of programs that load a module of test/support/clock first, which replaces their clock. */
const clockEnvironment = (name: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --require=${path.join(repository, 'dist/test/support/clock', name)}`,
});

/** The environment of programs with the accelerated clock. */
export const ACCELERATED_CLOCK: NodeJS.ProcessEnv = clockEnvironment('accelerated-clock.js');

/** Starts `dist/controllers/main.js` against the server. The health port is closed unless the arguments open one. */
export function startControllers(server: ApiServer, ...args: readonly string[]): ProgramProcess {
  return startProgram('controllers/main.js', controllerArguments(server, args));
}

/** Like {@link startControllers}, with an accelerated clock and without leader election. */
export function startAcceleratedControllers(server: ApiServer, ...args: readonly string[]): ProgramProcess {
  return startProgram('controllers/main.js', controllerArguments(server, ['--leader-elect=false', ...args]), ACCELERATED_CLOCK);
}

/** Like {@link startControllers}, with the variables of `environment`, such as those of another clock. */
export function startControllersWithEnvironment(
  environment: NodeJS.ProcessEnv,
  server: ApiServer,
  ...args: readonly string[]
): ProgramProcess {
  return startProgram('controllers/main.js', controllerArguments(server, args), environment);
}

/** The environment of programs with a wall clock that is ahead by `ms` (behind when negative). */
export const clockAhead = (ms: number): NodeJS.ProcessEnv => ({ ...clockEnvironment('shifted-clock.js'), CLOCK_AHEAD_MS: String(ms) });

/** The flags of controllers that run against a test server. */
export const controllerArguments = (
  server: Pick<ApiServer, 'controllersKubeconfig' | 'pki'>,
  args: readonly string[],
): readonly string[] => [
  `--kubeconfig=${server.controllersKubeconfig}`,
  '--use-service-account-credentials',
  `--service-account-private-key-file=${server.pki}/sa.key`,
  `--cluster-signing-cert-file=${server.pki}/ca.crt`,
  `--cluster-signing-key-file=${server.pki}/ca.key`,
  '--secure-port=0',
  '--log-level=info',
  ...args,
];
