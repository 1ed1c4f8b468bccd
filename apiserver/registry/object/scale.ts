/**
 * Reads the scale of a workload as an `autoscaling/v1` Scale: from the fixed paths of built-in workloads, or from those
 * that a custom kind declares. Writes through a scale are in write/scale.ts.
 */
import { membersOfPath } from '../../../shared/api/structural/member-path';
import type { ScalePaths } from '../../../shared/api/structural/version';
import { objectAt, ownMember, type JsonObject } from '../../../shared/values/json';
import type { KindRow } from '../../../shared/api/kinds';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { quote } from '../../../shared/values/text/quote';
import { internalError } from '../../../shared/api/errors/status';
import { encodeBody } from '../../../shared/api/types';
import { formatLabelSelector } from '../../../shared/api/selectors/label-selector';
import { requirementsOfSelector, requirementsOfLabels } from '../../../shared/api/selectors/object-selector';
import type { Entry } from '../../cache/cache';
import { codecOf } from '../../../shared/api/codec/codec';
import { valueAtPath } from './field-reader';
import { readEntry, transientEntry } from './stored-object';

const SCALE_METADATA = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'];

/**
 * The scale of a workload, without kind and apiVersion. `paths`: the scale subresource of a custom kind. Absent replicas
 * count as 0. As in upstream's output, replicas of 0 are left out of the spec, not of the status.
 */
export function scaleOf(workload: JsonObject, paths?: ScalePaths): JsonObject {
  const metadata = readMetadata(workload);
  const spec = objectAt(workload, 'spec') ?? {};
  const scaleMetadata = SCALE_METADATA.flatMap((name) => {
    const value = ownMember(metadata, name);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (paths !== undefined) return { metadata: Object.fromEntries(scaleMetadata), ...customScale(workload, paths) };
  const replicas = ownMember(spec, 'replicas') ?? 0;
  return {
    metadata: Object.fromEntries(scaleMetadata),
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: ownMember(objectAt(workload, 'status') ?? {}, 'replicas') ?? 0,
      selector: selectorText(objectAt(spec, 'selector') ?? {}),
    },
  };
}

function customScale(object: JsonObject, paths: ScalePaths): JsonObject {
  const specReplicas = valueAtPath(object, membersOfPath(paths.specReplicas));
  const replicas = typeof specReplicas === 'number' ? specReplicas : 0;
  const statusReplicas = valueAtPath(object, membersOfPath(paths.statusReplicas));
  const selector = paths.labelSelector === '' ? undefined : valueAtPath(object, membersOfPath(paths.labelSelector));
  return {
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: typeof statusReplicas === 'number' ? statusReplicas : 0,
      ...(typeof selector === 'string' && selector !== '' ? { selector } : {}),
    },
  };
}

/**
 * Converts the entry of a workload of the kind `workloadRow` to an entry of its scale. Throws 500 when a custom object
 * has no replicas.
 */
export function scaleEntry(scaleRow: KindRow, entry: Entry, workloadRow: KindRow): Entry {
  const { object } = readEntry({ row: workloadRow, codec: codecOf(workloadRow) }, entry);
  const paths = workloadRow.custom?.scale;
  if (paths !== undefined && typeof valueAtPath(object, membersOfPath(paths.specReplicas)) !== 'number')
    throw internalError(`the spec replicas field ${quote(paths.specReplicas)} does not exist`);
  return transientEntry(entry.key, entry.revision, Buffer.from(encodeBody(scaleRow.type, scaleOf(object, paths))));
}

/** A selector in the syntax of `labelSelector`. The selector of a ReplicationController is a plain map of labels. */
function selectorText(selector: JsonObject): string {
  const isPlain = !('matchLabels' in selector) && !('matchExpressions' in selector);
  return formatLabelSelector(isPlain ? requirementsOfLabels(selector) : requirementsOfSelector(selector));
}
