/**
 * The scale of a workload: the part of it that autoscalers read, as an object of its own kind. Only looks; what a written scale does to the
 * workload is in write/scale.ts.
 */
import { objectAt, own, type JsonObject } from '../../shared/api/json';
import type { KindRow } from '../../shared/api/kinds';
import { readMetadata } from '../../shared/api/object-meta';
import { encodeBody } from '../../shared/api/schema';
import { formatLabelSelector } from '../../shared/api/selectors/label-selector';
import { requirementsOf, requirementsOfLabels } from '../../shared/api/selectors/object-selector';
import type { Entry } from '../cache/contract';
import { parseEntry } from './write/stored-object';

const SHOWN_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];

/** The workload's scale, without kind and apiVersion. */
export function scaleOf(workload: JsonObject): JsonObject {
  const metadata = readMetadata(workload);
  const spec = objectAt(workload, 'spec') ?? {};
  const shown = SHOWN_METADATA.flatMap((name) => {
    const value = own(metadata, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const replicas = own(spec, 'replicas') ?? 0;
  return {
    metadata: Object.fromEntries(shown),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: own(objectAt(workload, 'status') ?? {}, 'replicas') ?? 0,
      selector: selectorText(objectAt(spec, 'selector') ?? {}),
    },
  };
}

/** The entry of a workload as one of its scale. */
export function scaleEntry(row: KindRow, entry: Entry): Entry {
  const bytes = Buffer.from(encodeBody(row.type, scaleOf(parseEntry(entry).object)));
  return { key: entry.key, revision: entry.revision, bytes, labels: {}, fields: {}, dialectSensitive: false };
}

/** A selector as it stands in a query; a plain map of labels is one as well. */
function selectorText(selector: JsonObject): string {
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return formatLabelSelector(isPlain ? requirementsOfLabels(selector) : requirementsOf(selector));
}
