/**
 * Creates the OIDC issuers and the anonymous policy from the flags, or from a configuration file that may change while
 * the server runs.
 */
import type { ConfigurationFiles } from '../../../shared/configuration/configuration-files';
import { readCertificateBundle } from '../../../shared/pki/certificate-bundle';
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import { allowEverywhere, allowNowhere, allowAtPaths, type AnonymousPolicy } from '../../authentication/anonymous';
import type { OidcIssuer } from '../../authentication/oidc/authenticator';
import type { TokenIssuerConfig } from '../../authentication/oidc/issuer';
import { compileClaimMapping } from '../../authentication/oidc/claim-mapping';
import { OidcProvider } from '../../authentication/oidc/provider';
import { authenticationFormat, issuersOf, type AuthenticationConfiguration } from './authentication-configuration';
import type { ServerFlags } from '../flags/flags';
import { issuerFromFlags } from './oidc-options';

/** The issuers of ID tokens, and where anonymous requests are accepted. */
export interface TokenIssuers {
  /** By issuer URL; the same map until the configuration changes. */
  readonly issuers: () => ReadonlyMap<string, OidcIssuer>;
  /** Whether requests without credentials are accepted at a path. */
  readonly anonymous: AnonymousPolicy;
}

/** Dependencies of {@link openTokenIssuers}, and of the later reloads of the configuration. */
export interface TokenIssuersDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly configurations: ConfigurationFiles;
}

/** The value and the presence of the flag --anonymous-auth. */
export interface AnonymousFlag {
  readonly isAllowed: boolean;
  /** Whether the flag is on the command line. */
  readonly isGiven: boolean;
}

/**
 * Opens the issuers of the file, or of the flags without one. Rejects when a file is unusable at the start. While a
 * changed file is unusable, the previous issuers and rules stay in use.
 */
export async function openTokenIssuers(
  flags: ServerFlags,
  anonymous: AnonymousFlag,
  deps: TokenIssuersDependencies,
): Promise<TokenIssuers> {
  const file = flags['authentication-config'];
  const flagPolicy = anonymous.isAllowed ? allowEverywhere : allowNowhere;
  const authority = flags['oidc-ca-file'] === '' ? undefined : readCertificateBundle(flags['oidc-ca-file']).toString();
  const config = issuerFromFlags(flags, authority);
  let issuers = openIssuers(config === undefined ? [] : [config], deps);
  if (file === '') return { issuers: () => issuers, anonymous: flagPolicy };
  let policy = flagPolicy;
  await deps.configurations.loadConfiguration({
    name: 'authentication',
    path: file,
    formats: [authenticationFormat(flags['feature-gates'], flags['service-account-issuer'])],
    apply(configuration) {
      if (anonymous.isGiven && configuration.anonymous !== undefined) {
        throw new Error('anonymous: cannot be combined with --anonymous-auth');
      }
      issuers = openIssuers(issuersOf(configuration), deps);
      policy = policyOf(configuration, flagPolicy);
    },
  });
  return { issuers: () => issuers, anonymous: (target) => policy(target) };
}

/** The policy of the file; that of the flag when the file has none. */
function policyOf({ anonymous }: AuthenticationConfiguration, flagPolicy: AnonymousPolicy): AnonymousPolicy {
  if (anonymous === undefined) return flagPolicy;
  if (anonymous.enabled !== true) return allowNowhere;
  const { conditions = [] } = anonymous;
  return conditions.length === 0 ? allowEverywhere : allowAtPaths(conditions.map(({ path = '' }) => path));
}

/** Throws when a claim mapping does not compile. Requests the keys of the issuers at once, so that no token waits for them. */
function openIssuers(configs: readonly TokenIssuerConfig[], { clock, logger }: TokenIssuersDependencies): ReadonlyMap<string, OidcIssuer> {
  const onError = (message: string, error: unknown): void => logger.warn(message, { error });
  return new Map(
    configs.map((config) => {
      const mapping = compileClaimMapping(config);
      if ('errors' in mapping) throw new Error(mapping.errors.map(({ path, reason }) => `${path}: ${reason}`).join('; '));
      const { url, discoveryUrl, authority } = config;
      const provider = new OidcProvider({ issuer: url, discoveryUrl, authority, clock, onError });
      void provider.candidates(undefined);
      return [url, { config, mapping, provider }];
    }),
  );
}
