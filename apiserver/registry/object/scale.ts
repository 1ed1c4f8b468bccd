/**
 * The scale of a workload: the part of it that autoscalers read, as an object of its own kind. Only looks; what a written scale does to the
 * workload is in write/scale.ts.
 */
import { membersOfPath } from '../../../shared/api/structural/member-path';
import type { ScalePaths } from '../../../shared/api/structural/version';
import { isObject, objectAt, own, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { quote } from '../../../shared/values/quote';
import { internalError } from '../../../shared/api/errors/status';
import { encodeBody } from '../../../shared/api/types';
import { formatLabelSelector } from '../../../shared/api/selectors/label-selector';
import { requirementsOfSelector, requirementsOfLabels } from '../../../shared/api/selectors/object-selector';
import type { Entry } from '../../cache/cache';
import { codecOf } from '../../../shared/api/codec/codec';
import { readEntry } from './stored-object';

const SHOWN_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];

/** The workload's scale, without kind and apiVersion. Of a custom kind `paths` say what it is; one that has no number yet has none of replicas. */
export function scaleOf(workload: JsonObject, paths?: ScalePaths): JsonObject {
  const metadata = readMetadata(workload);
  const spec = objectAt(workload, 'spec') ?? {};
  const shown = SHOWN_METADATA.flatMap((name) => {
    const value = own(metadata, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (paths !== undefined) return { metadata: Object.fromEntries(shown), ...customScale(workload, paths) };
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

function customScale(object: JsonObject, paths: ScalePaths): JsonObject {
  const given = valueAt(object, membersOfPath(paths.specReplicas));
  const replicas = typeof given === 'number' ? given : 0;
  const current = valueAt(object, membersOfPath(paths.statusReplicas));
  const selector = paths.labelSelector === '' ? undefined : valueAt(object, membersOfPath(paths.labelSelector));
  return {
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: typeof current === 'number' ? current : 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  };
}

/** Throws the 500 of a custom object whose number of replicas is not there to be read. */
function checkReadable(workload: JsonObject, paths: ScalePaths): void {
  if (typeof valueAt(workload, membersOfPath(paths.specReplicas)) !== 'number')
    throw internalError(`the spec replicas field ${quote(paths.specReplicas)} does not exist`);
}

function valueAt(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const member of path) value = isObject(value) ? own(value, member) : undefined;
  return value;
}

/** The entry of a workload as one of its scale. `row` is the scale's. Throws where a custom object has no number. */
export function scaleEntry(row: KindRow, entry: Entry, workload: KindRow): Entry {
  const { object } = readEntry({ row: workload, codec: codecOf(workload) }, entry);
  const paths = workload.custom?.scale;
  if (paths !== undefined) checkReadable(object, paths);
  const bytes = Buffer.from(encodeBody(row.type, scaleOf(object, paths)));
  return { key: entry.key, revision: entry.revision, bytes, labels: {}, fields: {}, isDialectSensitive: false };
}

/** A selector as it stands in a query; a plain map of labels is one as well. */
function selectorText(selector: JsonObject): string {
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return formatLabelSelector(isPlain ? requirementsOfLabels(selector) : requirementsOfSelector(selector));
}
