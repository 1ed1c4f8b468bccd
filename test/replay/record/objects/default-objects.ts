/**
 * Records the objects that a new server creates for itself (format `default-objects`): a line for each object of the
 * lists that the head names. Rules that a controller aggregates are recorded as null, because it may not have run yet.
 */
import { readRecording } from '../../recording';
import { membersOf, objectsIn, type Body } from '../../json-response';
import { anything, listOf, oneOf, shape, text } from '../../shape';
import type { ReferenceServer } from '../reference-server';

const isHead = shape({ format: oneOf('default-objects'), about: text, lists: listOf(text) }, { serverFlags: listOf(text) });

export async function recordDefaultObjects(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head } = readRecording(recording, isHead, anything);
  const lines: unknown[] = [head];
  for (const list of head.lists) {
    const { items } = (await server.sendJson('GET', list)).body;
    const [, resource = ''] = /([^/?]+)(?:\?|$)/.exec(list) ?? [];
    for (const item of objectsIn(items)) lines.push(lineOf(resource, item));
  }
  return lines;
}

function lineOf(resource: string, { metadata, ...members }: Body): Body {
  const { name = null, namespace = '', labels = null, annotations = null } = membersOf(metadata);
  const rules = members['aggregationRule'] === undefined ? {} : { rules: null };
  const object = { metadata: { name, labels, annotations }, ...members, ...rules };
  return { resource, namespace, name, object: withoutTimes(object) };
}

/** The object without times of conditions, which differ in each run. */
function withoutTimes(object: Body): Body {
  return JSON.parse(JSON.stringify(object), (member, value: unknown) => (member === 'lastTransitionTime' ? undefined : value));
}
