/**
 * The subjects of the v3 documents: a group version in one dialect, an API group, or the server itself. Derived from
 * the served kinds; the contents of the documents are built by documents.ts.
 */
import { apiVersionOf } from '../../../shared/api/identity/identity';
import type { KindRow } from '../../../shared/api/kinds';
import { type Dialect, DIALECTS, groupInDialect } from '../../../shared/names/dialect';
import { compareBytes } from '../../../shared/values/json';
import type { BuiltInSubject } from '../documents/documents';
import type { PathEntry } from '../documents/operations';
import { OPENID_OVERVIEWS, OVERVIEWS, overviewsOf } from '../documents/overviews';

/** The subject of a v3 document. */
export interface DocumentSubject extends BuiltInSubject {
  /** Whether it has built-in kinds or is about the server itself. */
  readonly isBuiltIn: boolean;
  /** Custom kinds. */
  readonly custom: readonly KindRow[];
}

/** By document name. */
export type DocumentSubjects = ReadonlyMap<string, DocumentSubject>;

/** What the subjects depend on, besides the served kinds. */
export interface SubjectOptions {
  /** The dialect of documents that have the same name in both dialects. */
  readonly naming: Dialect;
  /** Whether the OpenID discovery documents of service account tokens are served. */
  readonly servesOpenId: boolean;
}

/** Groups the served kinds by document; see {@link DocumentSubjects}. */
export function subjectsOf(rows: readonly KindRow[], options: SubjectOptions): DocumentSubjects {
  const subjects = new Map<string, DocumentSubject & { isBuiltIn: boolean; custom: KindRow[] }>();
  for (const row of rows) {
    for (const dialect of dialectsOf(row, options.naming)) {
      const groupVersion = apiVersionOf({ group: groupInDialect(dialect, row.group), version: row.version });
      const name = row.group === '' ? `api/${groupVersion}` : `apis/${groupVersion}`;
      const subject = subjects.get(name) ?? { name, group: row.group, version: row.version, dialect, isBuiltIn: false, custom: [] };
      if (row.custom === undefined) subject.isBuiltIn = true;
      else subject.custom.push(row);
      subjects.set(name, subject);
    }
  }
  for (const { custom } of subjects.values()) custom.sort(byName);
  return new Map([...overviewSubjects(rows, options), ...subjects]);
}

/** The documents about the server itself and about API groups. */
function overviewSubjects(rows: readonly KindRow[], { naming, servesOpenId }: SubjectOptions): DocumentSubjects {
  const subjectsFrom = (overviews: ReadonlyMap<string, PathEntry>, dialect: Dialect): [string, DocumentSubject][] =>
    [...overviews].map(([name, overview]) => [name, { name, group: '', version: '', dialect, isBuiltIn: true, overview, custom: [] }]);
  const groups = DIALECTS.flatMap((dialect) => {
    const listedRows = rows.filter((row) => dialectsOf(row, naming).includes(dialect));
    return subjectsFrom(overviewsOf(listedRows, dialect), dialect);
  });
  return new Map([...subjectsFrom(OVERVIEWS, naming), ...(servesOpenId ? subjectsFrom(OPENID_OVERVIEWS, naming) : []), ...groups]);
}

/**
 * The dialects in which a group has documents. A group that is spelled alike in both has one document; that of the core
 * group is named as this server names things, that of any other such group as upstream does.
 */
function dialectsOf({ group }: KindRow, naming: Dialect): readonly Dialect[] {
  if (group === '') return [naming];
  return groupInDialect('kubernetes', group) === group ? ['kubernetes'] : DIALECTS;
}

/** A canonical order, because replicas see definitions in different orders. */
export function byName(a: KindRow, b: KindRow): number {
  return compareBytes(a.group, b.group) || compareBytes(a.version, b.version) || compareBytes(a.resource, b.resource);
}
