/** The flags of a running program as text, one `name=value` per line. Credentials in URLs are masked. */
import type { FlagTable, FlagValues } from './flags';

/** `user:password@` of a URL. The text before it is bounded by the characters that cannot be part of it. */
const USER_INFO = /\/\/[^/?#@,\s]*@/g;

/** In the order of the names; hidden flags are left out. */
export function formatFlagLines<Table extends FlagTable>(table: Table, values: FlagValues<Table>): readonly string[] {
  const valueOf: Readonly<Record<string, unknown>> = values;
  return Object.entries(table)
    .filter(([, { isHidden }]) => isHidden !== true)
    .map(([name, flag]) => `${name}=${flag.formatDefault(valueOf[name]).replace(USER_INFO, '//xxxxx@')}`)
    .sort();
}
