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
  const error =
    storageError(flags) ??
    servingCertificateError(flags) ??
    workersError(flags) ??
    serviceAccountFlagError(flags) ??
    auditFlagError(flags) ??
    oidcFlagError(flags) ??
    authorizationFlagError(flags, given) ??
    pluginOverridesError(pluginSwitches(flags)) ??
    (flags['tls-min-version'] === 'VersionTLS12' ? cipherSuitesError(flags['tls-cipher-suites']) : undefined) ??
    addressError(flags);
  if (error !== undefined) throw new UsageError(error);
}

function storageError(flags: ServerFlags): string | undefined {
  switch (flags['storage-backend']) {
    case 'etcd3':
      return flags['etcd-servers'].length === 0 ? '--etcd-servers is required, or --storage-backend=embedded' : undefined;
    case 'embedded':
      return flags['storage-dir'] === '' ? '--storage-backend=embedded needs --storage-dir' : undefined;
  }
}

function servingCertificateError(flags: ServerFlags): string | undefined {
  const hasCertificate = flags['tls-cert-file'] !== '';
  const hasKey = flags['tls-private-key-file'] !== '';
  return hasCertificate === hasKey ? undefined : '--tls-cert-file and --tls-private-key-file must be set together';
}

function addressError(flags: ServerFlags): string | undefined {
  const advertised = flags['advertise-address'];
  if (advertised !== '' && isIP(advertised) === 0) return '--advertise-address must be an IP address';
  if (hasProxyHeaderFlags(flags) && flags['requestheader-client-ca-file'] === '') {
    return 'headers of an authenticating proxy need --requestheader-client-ca-file';
  }
  const insecureAddress = flags['insecure-bind-address'];
  const isLoopback = insecureAddress === '::1' || (isIP(insecureAddress) === 4 && insecureAddress.startsWith('127.'));
  if (flags['insecure-port'] === 0 || isLoopback) return undefined;
  return '--insecure-bind-address must be a loopback address: every connection to it acts as an administrator';
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
