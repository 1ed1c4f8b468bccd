/**
 * Logs which etcd member is unreachable, the reason, and a remedy in terms of the flags. Each problem of each member
 * is logged at a limited rate, because there are many attempts. Makes no connections itself.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { Logger } from '../../../shared/runtime/logger';
import { throttleByKey } from '../../../shared/runtime/throttle';
import { validityError } from '../../../shared/pki/certificates';
import type { OnUnreachable } from '../../storage/etcd/member-connection';

/** Where lines are written, and what they may advise about. */
export interface EtcdUnreachableLogOptions {
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'warn'>;
  /** The client certificate shown to members; `undefined` without one. */
  readonly ownCertificate: () => Buffer | undefined;
}

/** Minimum time between two log lines about one member and remedy. */
const LOG_INTERVAL_MS = 30_000;

interface Remedy {
  readonly reason: RegExp;
  readonly remedy: string;
}

/** Remedies by the error texts of Node, TLS and gRPC; the first match is used. */
const REMEDIES: readonly Remedy[] = [
  { reason: /certificate has expired/i, remedy: 'renew the certificate of the member (its --cert-file), or of its certificate authority' },
  {
    reason: /certificate is not yet valid/i,
    remedy: 'correct the clock of this machine, or issue a certificate for the member that is valid now',
  },
  {
    reason: /self.signed certificate|unable to (get|verify)/i,
    remedy: '--etcd-cafile must contain the certificate authority of the members (--trusted-ca-file)',
  },
  {
    reason: /does not match certificate|altnames/i,
    remedy: 'use a name in --etcd-servers that the certificate of the member contains, or issue a certificate with this name',
  },
  {
    reason: /alert (bad certificate|unknown ca|certificate|access denied|handshake failure)/i,
    remedy:
      'the member rejects this server: --etcd-certfile and --etcd-keyfile must be a valid certificate of the authority that members trust for clients',
  },
  {
    reason: /wrong version number|packet length too long/i,
    remedy: 'the member does not serve TLS on this address: use http:// in --etcd-servers',
  },
  {
    reason: /the connection was closed|ECONNRESET|socket hang up/i,
    remedy: 'check whether the member serves TLS (https:// in --etcd-servers), and its log',
  },
];
const DEFAULT_REMEDY = 'check that etcd is running and that --etcd-servers is right';

/** Returns the function to call after every failed attempt. */
export function createEtcdUnreachableLog({ clock, logger, ownCertificate }: EtcdUnreachableLogOptions): OnUnreachable {
  const logUnreachable: OnUnreachable = (endpoint, reason) => {
    const certificate = ownCertificate()?.toString('latin1');
    const error = certificate === undefined ? undefined : validityError(certificate, clock.now());
    logger.warn('a member of etcd cannot be reached; retrying', {
      endpoint,
      reason,
      remedy: remedyFor(reason),
      ...(error !== undefined && {
        ownCertificate: `the certificate of --etcd-certfile ${error}: renew it; the file is reloaded without a restart`,
      }),
    });
  };
  return throttleByKey(clock, LOG_INTERVAL_MS, (endpoint, reason) => `${endpoint} ${remedyFor(reason)}`, logUnreachable);
}

const remedyFor = (reason: string): string => REMEDIES.find((row) => row.reason.test(reason))?.remedy ?? DEFAULT_REMEDY;
