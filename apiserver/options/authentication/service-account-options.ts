/**
 * Validates the service account flags with upstream's rules and messages, and turns them into server options. The key
 * files are read and watched by token-key-files.ts.
 */
import type { ServerFlags } from '../flags/flags';
import type { AccessOptions } from '../../server/access/access';
import { fileBackedTokenKeys, type TokenKeyFiles } from './token-key-files';

const HOUR_MS = 3_600_000;
/** Limit of `--service-account-max-token-expiration`, as upstream's: 2^32 seconds. */
const MAX_EXPIRATION_MS = 2 ** 32 * 1000;

/**
 * The error of the combined flags; `undefined` when they are valid, and when none is set: then no tokens are issued or
 * accepted.
 */
export function serviceAccountFlagError(flags: ServerFlags): string | undefined {
  const issuers = flags['service-account-issuer'];
  const keyFiles = flags['service-account-key-file'];
  const signingKeyFile = flags['service-account-signing-key-file'];
  const maxExpiration = flags['service-account-max-token-expiration'];
  const jwks = flags['service-account-jwks-uri'];
  const isConfigured = issuers.length > 0 || keyFiles.length > 0 || signingKeyFile !== '' || maxExpiration !== 0 || jwks !== '';
  if (!isConfigured) return undefined;
  const errors = issuers.length === 0 ? ['service-account-issuer is a required flag'] : issuers.flatMap(issuerErrors);
  if (keyFiles.length === 0) errors.push('service-account-key-file is a required flag');
  if (signingKeyFile === '') {
    errors.push('--service-account-signing-key-file, --service-account-issuer, and --api-audiences should be specified together');
  }
  if (maxExpiration !== 0 && (maxExpiration < HOUR_MS || maxExpiration > MAX_EXPIRATION_MS)) {
    errors.push('the service-account-max-token-expiration must be between 1 hour and 2^32 seconds');
  }
  if (jwks !== '' && !isHttpsUrl(jwks)) errors.push(`service-account-jwks-uri requires https scheme, parsed as: ${jwks}`);
  return errors.length > 1 ? `[${errors.join(', ')}]` : errors[0];
}

const isHttpsUrl = (text: string): boolean => URL.canParse(text) && new URL(text).protocol === 'https:';

function issuerErrors(issuer: string, index: number, issuers: readonly string[]): readonly string[] {
  if (issuer === '') return ['service-account-issuer should not be an empty string'];
  if (issuers.indexOf(issuer) < index) return [`service-account-issuer ${JSON.stringify(issuer)} is already specified`];
  if (!issuer.includes(':') || URL.canParse(issuer)) return [];
  return [`service-account-issuer ${JSON.stringify(issuer)} contained a ':' but was not a valid URL`];
}

/** The key files of the flags; `undefined` without an issuer. Throws KeyFileError and file system errors. */
export function openTokenKeyFiles(flags: ServerFlags): TokenKeyFiles | undefined {
  if (flags['service-account-issuer'].length === 0) return undefined;
  return fileBackedTokenKeys({
    verificationKeys: flags['service-account-key-file'],
    signingKey: flags['service-account-signing-key-file'],
  });
}

/**
 * The options of valid flags. `files`: the result of {@link openTokenKeyFiles}. Without `--api-audiences` the issuers are
 * the audiences.
 */
export function serviceAccountAccessOptions(
  flags: ServerFlags,
  files: TokenKeyFiles | undefined,
): Pick<AccessOptions, 'apiAudiences' | 'serviceAccounts'> {
  const [first, ...others] = flags['service-account-issuer'];
  const audiences = flags['api-audiences'];
  if (first === undefined || files === undefined) return { apiAudiences: audiences };
  const maxExpiration = flags['service-account-max-token-expiration'];
  return {
    apiAudiences: audiences.length > 0 ? audiences : [first, ...others],
    serviceAccounts: {
      issuers: [first, ...others],
      keys: files.current,
      ...(maxExpiration === 0 ? {} : { maxExpirationSeconds: Math.floor(maxExpiration / 1000) }),
      extendExpiration: flags['service-account-extend-token-expiration'],
    },
  };
}
