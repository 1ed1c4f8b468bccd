/** The static token file: `token,user,uid[,"group1,group2"]` per line. Read once, at the start. */
import type { UserInfo } from '../../shared/api/identity/user';
import { fingerprint } from './fingerprint';

export class TokenFileError extends Error {}

/** Whose a token is. */
export type StaticTokens = (token: string) => UserInfo | undefined;

/** Throws {@link TokenFileError} for a line with too few columns. `warn` hears of lines that are skipped. */
export function parseTokenFile(file: string, text: string, warn: (message: string) => void): StaticTokens {
  const users = new Map<string, UserInfo>();
  // What is of another length need not be digested: tokens of accounts are long.
  const lengths = new Set<number>();
  text.split(/\r?\n/).forEach((line, index) => {
    if (line.trim() === '') return;
    const columns = parseLine(line);
    const [token = '', name = '', uid = '', groups = ''] = columns;
    if (columns.length < 3) {
      throw new TokenFileError(`token file '${file}' must have at least 3 columns (token, user name, user uid), found ${columns.length}`);
    }
    if (token === '') {
      warn(`empty token in token file '${file}', line ${index + 1}`);
      return;
    }
    const named = groups === '' ? [] : groups.split(',').map((group) => group.trim());
    lengths.add(token.length);
    users.set(fingerprint(token), { name, groups: named, ...(uid === '' ? {} : { uid }) });
  });
  return (token) => (lengths.has(token.length) ? users.get(fingerprint(token)) : undefined);
}

/** Comma-separated values; a quoted value may hold commas and doubled quotes. */
function parseLine(line: string): string[] {
  const values: string[] = [];
  let at = 0;
  while (at <= line.length) {
    if (line[at] === '"') {
      const { value, end } = quotedValue(line, at + 1);
      values.push(value);
      at = end + 1;
    } else {
      const comma = line.indexOf(',', at);
      const end = comma < 0 ? line.length : comma;
      values.push(line.slice(at, end).trim());
      at = end + 1;
    }
  }
  return values;
}

function quotedValue(line: string, start: number): { readonly value: string; readonly end: number } {
  let value = '';
  let at = start;
  while (at < line.length) {
    if (line[at] === '"' && line[at + 1] === '"') {
      value += '"';
      at += 2;
    } else if (line[at] === '"') {
      const comma = line.indexOf(',', at);
      return { value, end: comma < 0 ? line.length : comma };
    } else {
      value += line[at];
      at += 1;
    }
  }
  return { value, end: line.length };
}
