/**
 * The names in operations: of kinds in the spelling of a document, and of groups and versions in paths, tags and operation
 * ids.
 */
import { capitalize } from '../../../shared/values/text/capitalize';
import type { KindRow } from '../../../shared/api/kinds';
import { groupInDialect, groupStem, type Dialect } from '../../../shared/names/dialect';

/** The kind that an operation acts on, in the spelling of its document. */
export interface GroupVersionKindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The names of a kind that its operations contain. */
export interface OperationNames extends GroupVersionKindNames {
  /** The same names where they are values of extensions, which some encodings quote. */
  readonly valueNames: GroupVersionKindNames;
  readonly resource: string;
  /** The kind at the start of an operation id. */
  readonly idKind: string;
  /** The type of its objects; the type of its lists has the suffix `List`. */
  readonly type: string;
  readonly tag: string;
  /** The group version in operation ids, such as `AppsV1`. */
  readonly idPrefix: string;
}

/** The names of a kind, with its group in the dialect. */
export function operationNames(row: Omit<KindRow, 'custom'>, dialect: Dialect): OperationNames {
  const { version, kind, resource, type } = row;
  const valueNames = { group: groupInDialect(dialect, row.group), version, kind };
  return { ...valueNames, valueNames, resource, type, idKind: capitalize(kind), ...groupVersionNames(row.group, version) };
}

/** The names of a group: in tags, and at the start of operation ids after the verb. */
export function groupNames(group: string): { readonly tag: string; readonly prefix: string } {
  const tag = groupWord(group);
  return { tag, prefix: capitalize(tag) };
}

/** The path of a group version. */
export function groupVersionPathOf(group: string, version: string): string {
  return group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
}

/** The tag of a group version, and its name in operation ids. */
export function groupVersionNames(group: string, version: string): { readonly tag: string; readonly idPrefix: string } {
  const { tag, prefix } = groupNames(group);
  return { tag: `${tag}_${version}`, idPrefix: prefix + capitalize(version) };
}

/**
 * The group as one word: the empty group becomes `core`, `rbac.authorization.platform.io` becomes `rbacAuthorization`,
 * and `acme.cert-manager.io` becomes `acmeCertManagerIo`.
 */
function groupWord(group: string): string {
  if (group === '') return 'core';
  const [first = '', ...more] = groupStem(group).split(/[.-]+/);
  return first + more.map(capitalize).join('');
}
