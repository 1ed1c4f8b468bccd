/**
 * Parses the static token file, which has a line `token,user,uid[,"group1,group2"]` for each token. The result keeps only
 * fingerprints of the tokens.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import { tokenFingerprint } from './token-fingerprint';

/** The token file is invalid; the message names it. */
export class TokenFileError extends Error {}

/** Returns the user of a token; `undefined` when the file does not contain the token. */
export type FindStaticTokenUser = (token: string) => UserInfo | undefined;

/**
 * Parses the text of `file`. Of two lines with the same token the last one counts. Throws {@link TokenFileError} for a
 * line with too few columns; `warn` is called for a line without a token, which is skipped.
 */
export function parseTokenFile(file: string, text: string, warn: (message: string) => void): FindStaticTokenUser {
  const users = new Map<string, UserInfo>();
  // A presented token of another length need not be hashed. Most tokens are service account tokens, which are long.
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
    const groupNames = groups === '' ? [] : groups.split(',').map((group) => group.trim());
    lengths.add(token.length);
    users.set(tokenFingerprint(token), { name, groups: groupNames, ...(uid === '' ? {} : { uid }) });
  });
  return (token) => (lengths.has(token.length) ? users.get(tokenFingerprint(token)) : undefined);
}

/**
 * The columns of a line: `secret, ann,1,"devs,""ops"""` -> `secret`, `ann`, `1` and `devs,"ops"`. A quoted value may
 * contain commas and doubled quotes.
 */
function parseLine(line: string): string[] {
  const values: string[] = [];
  let offset = 0;
  while (offset <= line.length) {
    if (line[offset] === '"') {
      const { value, end } = parseQuotedValue(line, offset + 1);
      values.push(value);
      offset = end + 1;
    } else {
      const comma = line.indexOf(',', offset);
      const end = comma < 0 ? line.length : comma;
      values.push(line.slice(offset, end).trim());
      offset = end + 1;
    }
  }
  return values;
}

/**
 * The quoted value with its first character at `start`, and the offset of the comma after it. Text between the closing
 * quote and the comma is dropped. A value without closing quote extends to the end of the line.
 */
function parseQuotedValue(line: string, start: number): { readonly value: string; readonly end: number } {
  let value = '';
  let offset = start;
  while (offset < line.length) {
    if (line[offset] === '"' && line[offset + 1] === '"') {
      value += '"';
      offset += 2;
    } else if (line[offset] === '"') {
      const comma = line.indexOf(',', offset);
      return { value, end: comma < 0 ? line.length : comma };
    } else {
      value += line[offset];
      offset += 1;
    }
  }
  return { value, end: line.length };
}
