/**
 * Accessors of nodes that several controllers use. Taint and label keys are recognised in both dialects, and written in
 * the one that the server generates.
 */
import type { CoreV1Node, CoreV1Taint, CoreV1Toleration } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ObjectReference } from '../../shared/client/events/event-correlator';
import { canonicalQualifiedName, otherQualifiedName } from '../../shared/names/dialect';

export type Node = ApiObject<CoreV1Node>;

export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** The taint as the node has it. */
  readonly body: CoreV1Taint;
}

/** Absent members are ''. `body` is the taint as it is stored, for updates. */
export function taintsOf({ body }: Node): readonly Taint[] {
  return (body.spec?.taints ?? []).map((taint) => {
    const { key = '', value = '', effect = '' } = taint;
    return { key, value, effect, body: taint };
  });
}

/** The value of a label, by its canonical name. */
export function nodeLabel({ metadata }: Pick<Node, 'metadata'>, canonical: string): string | undefined {
  return metadata.labels?.[canonical] ?? metadata.labels?.[otherQualifiedName(canonical) ?? canonical];
}

export const isUnschedulable = ({ body }: Node): boolean => body.spec?.unschedulable === true;

/** The `involvedObject` of an Event. */
export function nodeReference({ name, uid }: ApiObject): ObjectReference {
  return { apiVersion: 'v1', kind: 'Node', namespace: '', name, uid };
}

/** Whether the toleration matches the taint, for however long. An unknown operator matches nothing. */
export function tolerates(toleration: CoreV1Toleration, { key, value, effect }: Pick<Taint, 'key' | 'value' | 'effect'>): boolean {
  if ((toleration.effect ?? '') !== '' && toleration.effect !== effect) return false;
  const tolerated = toleration.key ?? '';
  if (tolerated !== '' && canonicalQualifiedName(tolerated) !== canonicalQualifiedName(key)) return false;
  switch (toleration.operator ?? '') {
    case '':
    case 'Equal':
      return (toleration.value ?? '') === value;
    case 'Exists':
      return true;
    default:
      return false;
  }
}
