/** Names for tracking the use of the service account tokens that are stored in Secrets, in both dialects. */
import type { Dialect } from './dialect';

/** Labels of such a Secret, without their prefix (`platform.io/` or `kubernetes.io/`). */
export const LEGACY_TOKEN_LABELS = {
  /** The day of the last use: `2026-01-31`. */
  lastUsed: 'legacy-token-last-used',
  /** A non-empty value invalidates the token. */
  invalidSince: 'legacy-token-invalid-since',
} as const;

/** The ConfigMap in the system namespace that contains under `since` the date from which on uses are recorded. */
export const TOKEN_TRACKING_CONFIG_MAP: Readonly<Record<Dialect, string>> = {
  platform: 'platform-apiserver-legacy-service-account-token-tracking',
  kubernetes: 'kube-apiserver-legacy-service-account-token-tracking',
};
