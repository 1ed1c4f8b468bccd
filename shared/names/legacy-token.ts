/** What the server writes down about the use of tokens that are kept in Secrets, in both dialects. */
import type { Dialect } from './dialect';

/** The names of labels of such a Secret, after the prefix that the dialect puts before them. */
export const LEGACY_TOKEN_LABELS = {
  /** The day of the last use. */
  lastUsed: 'legacy-token-last-used',
  /** Whoever sets it takes the token out of use. */
  invalidSince: 'legacy-token-invalid-since',
} as const;

/** The ConfigMap in the system namespace that says under `since` from which day on uses are recorded. */
export const TOKEN_TRACKING_CONFIG_MAP: Readonly<Record<Dialect, string>> = {
  platform: 'platform-apiserver-legacy-service-account-token-tracking',
  kubernetes: 'kube-apiserver-legacy-service-account-token-tracking',
};
