/**
 * Rejects flags that are valid one by one, but not together. Reads no files: what the files contain is validated when
 * they are opened.
 */
import { isIP } from 'node:net';
import { UsageError } from '../../shared/cli/flags';
import { pluginOverridesError, type PluginOverrides } from '../admission/plugins/plugin-overrides';
import { auditFlagError } from './audit-flag-error';
import { hasProxyHeaderFlags } from './authentication/front-proxy-options';
import { oidcFlagError } from './authentication/oidc-options';
import { serviceAccountFlagError } from './authentication/service-account-options';
import { authorizationFlagError } from './authorizer-links';
import { cipherSuitesError } from './flags/cipher-suites';
import type { ServerFlags } from './flags/flags';

/**
 * Throws {@link UsageError} for the first contradiction, or the first flag that another one requires and that is
 * missing. `given`: names of the flags on the command line, without those that have their defaults.
 */
export function refuseContradictions(flags: ServerFlags, given: ReadonlySet<string>): void {
  if (flags['storage-backend'] === 'etcd3' && flags['etcd-servers'].length === 0)
    throw new UsageError('--etcd-servers is required, or --storage-backend=embedded');
  if (flags['storage-backend'] === 'embedded' && flags['storage-dir'] === '')
    throw new UsageError('--storage-backend=embedded needs --storage-dir');
  if ((flags['tls-cert-file'] === '') !== (flags['tls-private-key-file'] === ''))
    throw new UsageError('--tls-cert-file and --tls-private-key-file must be set together');
  const error =
    workersError(flags) ??
    serviceAccountFlagError(flags) ??
    auditFlagError(flags) ??
    oidcFlagError(flags) ??
    authorizationFlagError(flags, given) ??
    pluginOverridesError(pluginSwitches(flags)) ??
    (flags['tls-min-version'] === 'VersionTLS12' ? cipherSuitesError(flags['tls-cipher-suites']) : undefined);
  if (error !== undefined) throw new UsageError(error);
  const advertised = flags['advertise-address'];
  if (advertised !== '' && isIP(advertised) === 0) throw new UsageError('--advertise-address must be an IP address');
  if (hasProxyHeaderFlags(flags) && flags['requestheader-client-ca-file'] === '')
    throw new UsageError('headers of an authenticating proxy need --requestheader-client-ca-file');
  const insecureAddress = flags['insecure-bind-address'];
  const isLoopback = insecureAddress === '::1' || (isIP(insecureAddress) === 4 && insecureAddress.startsWith('127.'));
  if (flags['insecure-port'] !== 0 && !isLoopback) {
    throw new UsageError('--insecure-bind-address must be a loopback address: every connection to it acts as an administrator');
  }
}

function workersError(flags: ServerFlags): string | undefined {
  if (flags.workers === 1) return undefined;
  if (flags['storage-backend'] === 'embedded') return '--workers above 1 needs etcd: only one process can open the embedded store';
  const file = flags['audit-log-path'];
  return file === '' || file === '-' ? undefined : '--workers above 1 cannot share --audit-log-path: use - (standard output) or a webhook';
}

/** The admission plug-ins that flags enable or disable. */
export const pluginSwitches = (flags: ServerFlags): PluginOverrides => ({
  enabled: flags['enable-admission-plugins'],
  disabled: flags['disable-admission-plugins'],
});
