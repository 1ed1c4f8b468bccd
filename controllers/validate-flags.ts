/**
 * Validates the flags of the controllers against each other and their ranges. That a value has the type of its flag was
 * checked when it was parsed; files are not read.
 */
import { isIP } from 'node:net';
import type { ControllerFlags } from './flags';

/** The time until a retry is at most the period times this, because of jitter; the factor of client-go. */
const RETRY_JITTER_FACTOR = 1.2;

/** Returns the error of values that are out of range or contradict each other; `undefined` when there is none. */
export function validateFlags(values: ControllerFlags): string | undefined {
  const durationMs = values['leader-elect-lease-duration'];
  const deadlineMs = values['leader-elect-renew-deadline'];
  const retryMs = values['leader-elect-retry-period'];
  if (durationMs < 1_000) return '--leader-elect-lease-duration must be at least 1s';
  if (deadlineMs >= durationMs) return '--leader-elect-renew-deadline must be less than --leader-elect-lease-duration';
  if (retryMs <= 0) return '--leader-elect-retry-period must be more than 0s';
  for (const name of [
    'resource-quota-sync-period',
    'node-monitor-period',
    'node-monitor-grace-period',
    'horizontal-pod-autoscaler-sync-period',
  ] as const)
    if (values[name] < 100) return `--${name} must be at least 100ms`;
  if (isIP(values['bind-address']) === 0) return '--bind-address must be an IP address';
  if ((values['tls-cert-file'] === '') !== (values['tls-private-key-file'] === ''))
    return '--tls-cert-file and --tls-private-key-file must be set together';
  if (deadlineMs <= retryMs * RETRY_JITTER_FACTOR)
    return '--leader-elect-renew-deadline must be more than 1.2 times --leader-elect-retry-period';
  return undefined;
}
