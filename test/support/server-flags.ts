/** The flags of the API server as its code gets them. */
import { FLAGS, type ServerFlags } from '../../apiserver/options/flags/flags';
import { parseFlags } from '../../shared/cli/flags';

/** The values of a command line; throws when it is rejected. */
export function parseServerFlags(...argv: readonly string[]): ServerFlags {
  const parsed = parseFlags({ name: 'apiserver', description: '' }, FLAGS, [...argv]);
  if (parsed.kind !== 'values') throw new Error(JSON.stringify(parsed));
  return parsed.values;
}
