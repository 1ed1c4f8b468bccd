/** Names for tracking the use of service account tokens in Secrets, in both dialects. */
import type { Dialect } from './dialect';

/** Labels of such a Secret, without the prefix of the dialect. */
export const LEGACY_TOKEN_LABELS = {
  /** The date of the last use. */
  lastUsed: 'legacy-token-last-used',
  /** A non-empty value invalidates the token. */
  invalidSince: 'legacy-token-invalid-since',
} as const;

/** The ConfigMap in the system namespace that contains under `since` the date from which on uses are recorded. */
export const TOKEN_TRACKING_CONFIG_MAP: Readonly<Record<Dialect, string>> = {
  platform: 'platform-apiserver-legacy-service-account-token-tracking',
  kubernetes: 'kube-apiserver-legacy-service-account-token-tracking',
};
