/** Where bootstrap tokens stand; what bears the product's name in both dialects. */
import type { Dialect } from './dialect';

/** The type of a token's Secret, in the system namespace. */
export const BOOTSTRAP_TOKEN_TYPE: Readonly<Record<Dialect, string>> = {
  platform: 'bootstrap.platform.io/token',
  kubernetes: 'bootstrap.kubernetes.io/token',
};

/** What the name of a token's Secret begins with; the token's id follows. */
export const BOOTSTRAP_SECRET_PREFIX = 'bootstrap-token-';
