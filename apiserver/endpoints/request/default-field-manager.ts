/**
 * Derives the field manager of a write that names none from its user agent, as upstream does. Results are cached, because
 * clients send few different user agents.
 */
import { MAX_MANAGER_BYTES, UNPRINTABLE_CHARACTER } from '../../../shared/api/metadata/manager-name';

/** The cache is cleared when it is full, because clients choose their user agents. Longer ones are not cached. */
const MAX_CACHED_MANAGERS = 256;
const MAX_CACHED_LENGTH = 512;
const managerByUserAgent = new Map<string, string>();

const UNKNOWN_MANAGER = 'unknown';

/** The user agent up to its first slash, without unprintable characters, at most {@link MAX_MANAGER_BYTES} long. */
export function defaultFieldManager(userAgent: string | undefined): string {
  if (userAgent === undefined || userAgent === '') return UNKNOWN_MANAGER;
  const cached = managerByUserAgent.get(userAgent);
  if (cached !== undefined) return cached;
  const manager = managerOf(userAgent);
  if (managerByUserAgent.size >= MAX_CACHED_MANAGERS) managerByUserAgent.clear();
  if (userAgent.length <= MAX_CACHED_LENGTH) managerByUserAgent.set(userAgent, manager);
  return manager;
}

function managerOf(userAgent: string): string {
  // Node decodes header bytes as latin1.
  const text = Buffer.from(userAgent, 'latin1').toString('utf8');
  const [product = ''] = text.split('/', 1);
  let manager = '';
  for (const character of product) {
    if (UNPRINTABLE_CHARACTER.test(character)) continue;
    if (Buffer.byteLength(manager) + Buffer.byteLength(character) > MAX_MANAGER_BYTES) break;
    manager += character;
  }
  return manager === '' ? UNKNOWN_MANAGER : manager;
}
