/**
 * The kinds as which the built-in types are published, in the extension `x-kubernetes-group-version-kind` of their schemas.
 * Clients find the schema of an object by it.
 */
import type { KindRow } from '../../../shared/api/kinds';
import type { PublishedKind } from '../../../shared/api/types';
import { groupInDialect, type Dialect } from '../../../shared/names/dialect';
import { DELETE_OPTIONS_TYPE, RESOURCE_LIST_TYPE, STATUS_TYPE, WATCH_EVENT_TYPE } from './operations';

/** Types that are kinds of core/v1. */
const SHARED_TYPES = [
  STATUS_TYPE,
  RESOURCE_LIST_TYPE,
  DELETE_OPTIONS_TYPE,
  WATCH_EVENT_TYPE,
  'meta.v1.APIGroup',
  'meta.v1.APIGroupList',
  'meta.v1.APIVersions',
];

/**
 * The kinds as which a type is published. DeleteOptions and WatchEvent are kinds of every group version except those of
 * custom kinds.
 */
export function publishedKinds(rows: readonly KindRow[], dialects: readonly Dialect[]): ReadonlyMap<string, readonly PublishedKind[]> {
  const kinds = new Map<string, PublishedKind[]>();
  const publish = (type: string, kind: PublishedKind): void => {
    const published = kinds.get(type) ?? [];
    const isPublished = published.some((other) => other.group === kind.group && other.version === kind.version);
    if (!isPublished) kinds.set(type, [...published, kind]);
  };
  const builtInRows = rows.filter(({ custom }) => custom === undefined);
  for (const shared of SHARED_TYPES) {
    publish(shared, { group: '', version: 'v1', kind: shared.slice(shared.lastIndexOf('.') + 1) });
  }
  for (const dialect of dialects) {
    for (const row of builtInRows) {
      const group = groupInDialect(dialect, row.group);
      const { version } = row;
      publish(row.type, { group, version, kind: row.kind });
      publish(`${row.type}List`, { group, version, kind: `${row.kind}List` });
      publish(DELETE_OPTIONS_TYPE, { group, version, kind: 'DeleteOptions' });
      publish(WATCH_EVENT_TYPE, { group, version, kind: 'WatchEvent' });
      for (const { kind: body, connects } of row.subresources ?? []) {
        if (body === undefined || connects !== undefined) continue;
        publish(body.type, { group: groupInDialect(dialect, body.group), version: body.version, kind: body.kind });
      }
    }
  }
  return kinds;
}
