/**
 * How the bodies of one kind are spelled in an answer: the dialect of group names, and a system namespace's alias where the path used it.
 * The stored bytes are handed on untouched where nothing is to be respelled. Encoders get bodies from here only.
 */
import { groupFieldsOf, type GroupFields } from '../../../shared/api/group-fields';
import { groupResourceText } from '../../../shared/api/identity';
import type { KindRow } from '../../../shared/api/kinds';
import type { Dialect, NamespaceAlias } from '../../../shared/names/dialect';
import type { Entry } from '../../cache/contract';
import type { EncodingCache } from './encoding-cache';
import { apiVersionText, convertBody } from './entry-json';

export class Spelling {
  /** Different for any two spellings of a kind; part of every encoder's key. */
  readonly key: string;
  /** The kind's `apiVersion` in the dialect. */
  readonly apiVersion: string;
  private readonly fields: GroupFields;
  private readonly placed: ((body: Buffer) => Buffer) | undefined;

  constructor(
    readonly row: KindRow,
    readonly dialect: Dialect,
    alias: NamespaceAlias | undefined,
    private readonly cache: EncodingCache,
  ) {
    this.apiVersion = apiVersionText(row, dialect);
    this.key = `${this.apiVersion}/${dialect}${alias === undefined ? '' : `/${alias.shown}`}`;
    this.fields = groupFieldsOf(row.type);
    this.placed = alias === undefined ? undefined : placer(row, alias);
  }

  /** An entry's body as the answer shows it. `keep` = a conversion may stay in the cache. */
  body(entry: Entry, keep: boolean): Buffer {
    const { placed } = this;
    const body = this.dialect === 'platform' || !entry.dialectSensitive ? entry.bytes : this.converted(entry, keep);
    return placed === undefined ? body : placed(body);
  }

  /** The body in the canonical dialect, with the alias: what rules about objects read. */
  canonicalBody(entry: Entry): Buffer {
    return this.placed?.(entry.bytes) ?? entry.bytes;
  }

  private converted(entry: Entry, keep: boolean): Buffer {
    return this.cache.get(entry, 'body', keep, (source) => ({ bytes: convertBody(source, this.fields, this.dialect) })).bytes;
  }
}

/** Replaces the one member that names the system namespace. Bodies without it (bookmarks) stay as they are. */
function placer(row: KindRow, { stored, shown }: NamespaceAlias): (body: Buffer) => Buffer {
  const named = groupResourceText(row) === 'namespaces';
  const member = named ? `{"metadata":{"name":"${stored}"` : `"namespace":"${stored}"`;
  const shownMember = Buffer.from(member.replace(stored, shown));
  return (body) => {
    // Quotes inside strings are escaped and nothing but names stands before the namespace, so the first such text is the member itself.
    const at = body.indexOf(member, 0, 'latin1');
    if (at < 0 || (named && at > 0)) return body;
    const after = at + member.length;
    const bytes = Buffer.allocUnsafeSlow(body.length - member.length + shownMember.length);
    body.copy(bytes, 0, 0, at);
    shownMember.copy(bytes, at);
    body.copy(bytes, at + shownMember.length, after);
    return bytes;
  };
}
