/**
 * Reads the key and certificate files that flags name for service account tokens and for connections to kubelets and
 * aggregated API servers, and watches them for changes. Those of etcd are opened with the store.
 */
import type { CertificateExpirations } from '../../shared/pki/certificate-expirations';
import type { Clock } from '../../shared/runtime/clock';
import type { DynamicValue } from '../../shared/runtime/files/file-backed-value';
import type { Logger } from '../../shared/runtime/logger';
import { readFlagFilesSync } from '../../shared/runtime/process/flag-files';
import type { Lifecycle } from '../../shared/runtime/process/lifecycle';
import type { ProxyCredentials } from '../aggregation/extension-servers';
import type { KubeletCredentials } from '../endpoints/forward/backend';
import { openTokenKeyFiles } from './authentication/service-account-options';
import type { TokenKeyFiles } from './authentication/token-key-files';
import type { ServerFlags } from './flags/flags';
import { kubeletCredentialFiles, proxyCredentialFiles } from './storage/client-credential-files';

/** The credentials that flags name, reloaded when their files change. */
export interface OpenedCredentials {
  /** `undefined` without service account tokens. */
  readonly tokenKeys: TokenKeyFiles | undefined;
  readonly kubelets: DynamicValue<KubeletCredentials>;
  /** The credentials with which this server calls aggregated API servers. */
  readonly proxies: DynamicValue<ProxyCredentials>;
}

/** Dependencies of {@link openCredentials}, and of the later reloads of the files. */
export interface CredentialDependencies {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  /** Receives the client certificates. */
  readonly expirations: CertificateExpirations;
}

const TOKEN_KEY_FILES = ['service-account-key-file', 'service-account-signing-key-file'] as const;
const KUBELET_FILES = ['kubelet-certificate-authority', 'kubelet-client-certificate', 'kubelet-client-key'] as const;
const PROXY_FILES = ['proxy-client-cert-file', 'proxy-client-key-file'] as const;

/** Throws PermanentError when a file is unusable. The watches end with the lifecycle. */
export function openCredentials(flags: ServerFlags, { clock, logger, lifecycle, expirations }: CredentialDependencies): OpenedCredentials {
  const tokenKeys = readFlagFilesSync(flags, TOKEN_KEY_FILES, () => openTokenKeyFiles(flags));
  if (tokenKeys !== undefined) lifecycle.onStop({ name: 'token keys', timeoutMs: 1000, run: tokenKeys.watch(clock, logger) });
  const kubelets = readFlagFilesSync(flags, KUBELET_FILES, () => kubeletCredentialFiles(flags));
  lifecycle.onStop({ name: 'client credentials for kubelets', timeoutMs: 1000, run: kubelets.watch(clock, logger) });
  const proxies = readFlagFilesSync(flags, PROXY_FILES, () => proxyCredentialFiles(flags));
  lifecycle.onStop({ name: 'client credentials for aggregated API servers', timeoutMs: 1000, run: proxies.watch(clock, logger) });
  expirations.addChain('kubelet-client', () => kubelets.current().cert);
  expirations.addChain('front-proxy-client', () => proxies.current().cert);
  return { tokenKeys, kubelets, proxies };
}
