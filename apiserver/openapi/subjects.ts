/**
 * Which documents of version 3 there are, and what each is about: a group version in one spelling, a group, or the server itself. Derived from what is
 * served; knows nothing of what they say.
 */
import { apiVersionOf } from '../../shared/api/identity/identity';
import type { KindRow } from '../../shared/api/kinds';
import { type Dialect, DIALECTS, groupInDialect } from '../../shared/names/dialect';
import { compareBytes } from '../../shared/values/json';
import type { BuiltInSubject } from './documents';
import type { PathEntry } from './operations';
import { OPENID_OVERVIEWS, OVERVIEWS, overviewsOf } from './overviews';

/** A document of version 3: what it is of. */
export interface DocumentSubject extends BuiltInSubject {
  /** Has kinds that are no definition's, or is about the server itself. */
  readonly isBuiltIn: boolean;
  /** Kinds of definitions. */
  readonly custom: readonly KindRow[];
}

/** By their names. */
export type DocumentSubjects = ReadonlyMap<string, DocumentSubject>;

/** `openId`: whether the OpenID discovery documents of service account tokens are served. */
export function subjectsOf(rows: readonly KindRow[], naming: Dialect, openId: boolean): DocumentSubjects {
  const subjects = new Map<string, DocumentSubject & { isBuiltIn: boolean; custom: KindRow[] }>();
  for (const row of rows) {
    for (const dialect of dialectsOf(row, naming)) {
      const groupVersion = apiVersionOf({ group: groupInDialect(dialect, row.group), version: row.version });
      const name = row.group === '' ? `api/${groupVersion}` : `apis/${groupVersion}`;
      const subject = subjects.get(name) ?? { name, group: row.group, version: row.version, dialect, isBuiltIn: false, custom: [] };
      if (row.custom === undefined) subject.isBuiltIn = true;
      else subject.custom.push(row);
      subjects.set(name, subject);
    }
  }
  for (const { custom } of subjects.values()) custom.sort(byName);
  return new Map([...overviewSubjects(rows, naming, openId), ...subjects]);
}

function overviewSubjects(rows: readonly KindRow[], naming: Dialect, openId: boolean): DocumentSubjects {
  const of = (overviews: ReadonlyMap<string, PathEntry>, dialect: Dialect): [string, DocumentSubject][] =>
    [...overviews].map(([name, overview]) => [name, { name, group: '', version: '', dialect, isBuiltIn: true, overview, custom: [] }]);
  const groups = DIALECTS.flatMap((dialect) =>
    of(
      overviewsOf(
        rows.filter((row) => dialectsOf(row, naming).includes(dialect)),
        dialect,
      ),
      dialect,
    ),
  );
  return new Map([...of(OVERVIEWS, naming), ...(openId ? of(OPENID_OVERVIEWS, naming) : []), ...groups]);
}

/** A group that is spelled alike in both has one document. */
function dialectsOf({ group }: KindRow, naming: Dialect): readonly Dialect[] {
  if (group === '') return [naming];
  return groupInDialect('kubernetes', group) === group ? ['kubernetes'] : DIALECTS;
}

/** Replicas learn of definitions in different orders. */
export function byName(a: KindRow, b: KindRow): number {
  return compareBytes(a.group, b.group) || compareBytes(a.version, b.version) || compareBytes(a.resource, b.resource);
}
