/** The cache of tests: without logs, periodic checks and compactions, which a test would have to wait for. */
import { openCache, type CacheOptions, type OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';

export type TestCacheOptions = Partial<CacheOptions> & Pick<CacheOptions, 'store' | 'types' | 'clock'>;

export const testCacheOptions = (options: TestCacheOptions): CacheOptions => ({
  prefix: '/registry',
  random: systemRandom,
  logger: silentLogger,
  checkMs: 0,
  compactionMs: 0,
  ...options,
});

/** Starts to load; see {@link openCache}. `options` override those of tests. */
export const openTestCache = (options: TestCacheOptions): OpenedCache => openCache(testCacheOptions(options));
