/**
 * Options of the API servers of {@link Fixture}: random ports on loopback addresses, TLS with an authority of the
 * server's own, the tokens of `api-call.ts`, RBAC, and no admission plug-in that changes objects. A test states only
 * the options that it needs to differ.
 */
import { generateKeyPairSync } from 'node:crypto';
import { allowEverywhere } from '../../../apiserver/authentication/anonymous';
import { parseTokenFile } from '../../../apiserver/authentication/token-file';
import { FLAGS } from '../../../apiserver/options/flags/flags';
import type { ServerOptions } from '../../../apiserver/server/wiring/server-options';
import type { Tracing } from '../../../apiserver/tracing/span';
import { readPrivateKey, readPublicKeys } from '../../../shared/api/identity/token-keys';
import { featureGates } from '../../../shared/cli/feature-gates';
import { createAuthority, type Credential } from '../../../shared/pki/certificates';
import { systemClock as clock } from '../../../shared/runtime/clock';
import { NON_MUTATING_PLUGINS } from '../../support/objects/non-mutating-plugins';
import { ADMIN, ALICE } from './api-call';
import { HOUR_MS, issueServerCertificate, tlsPairOf } from './issue-certificates';

export type FixtureOptions = Partial<ServerOptions> & {
  /** Authority of authenticating proxies, as PEM. */
  readonly proxyCa?: Buffer;
  /** The caller wraps the store for spans of store calls. */
  readonly tracing?: Tracing;
};

export interface GeneratedOptions {
  readonly options: ServerOptions;
  /** Signs the certificate of the server and the client certificates that it accepts. */
  readonly authority: Credential;
}

/** Creates an authority for the server, and the options with the changes of a test. */
export async function fixtureOptions({ proxyCa, ...changes }: Omit<FixtureOptions, 'tracing'>): Promise<GeneratedOptions> {
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
