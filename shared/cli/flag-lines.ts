/** The flags of a running program as text, one `name=value` per line. Credentials in URLs are masked. */
import type { FlagTable, FlagValues } from './flags';

/**
 * `user:password@` of a URL; the group is the text before it (`https://`). As URL parsers allow, there may be fewer
 * slashes than two, or backslashes. The password may contain `@`, commas and spaces: it ends at the last `@` before the
 * path, the query or the fragment.
 */
const USER_INFO = /([a-z]:[\\/]*|\/\/)[^\\/?#]*@/gi;

/** The lines, sorted; hidden flags are left out. */
export function formatFlagLines<Table extends FlagTable>(table: Table, values: FlagValues<Table>): readonly string[] {
  const valueOf: Readonly<Record<string, unknown>> = values;
  return Object.entries(table)
    .filter(([, { isHidden }]) => isHidden !== true)
    .map(([name, flag]) => `${name}=${flag.formatDefault(valueOf[name]).replace(USER_INFO, '$1xxxxx@')}`)
    .sort();
}
