/**
 * Accessors of nodes that several controllers use. Taint and label keys are recognised in both dialects.
 */
import type { CoreV1Node, CoreV1Taint, CoreV1Toleration } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { ObjectReference } from '../../shared/client/events/event-correlator';
import { canonicalQualifiedName, otherQualifiedName } from '../../shared/names/dialect';

export type Node = ApiObject<CoreV1Node>;

/** A taint with its absent members filled in as ''. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  /** The taint as the node has it, for updates. */
  readonly body: CoreV1Taint;
}

/** The taints of a node in the order of its spec. */
export function taintsOf({ body }: Node): readonly Taint[] {
  return (body.spec?.taints ?? []).map((taint) => {
    const { key = '', value = '', effect = '' } = taint;
    return { key, value, effect, body: taint };
  });
}

/**
 * The value of a label in either spelling. `canonical`: its name in canonical spelling. `undefined` without the label.
 */
export function nodeLabel({ metadata }: Pick<Node, 'metadata'>, canonical: string): string | undefined {
  return metadata.labels?.[canonical] ?? metadata.labels?.[otherQualifiedName(canonical) ?? canonical];
}

/** Whether the node is cordoned. */
export const isUnschedulable = ({ body }: Node): boolean => body.spec?.unschedulable === true;

/** The `involvedObject` of an Event. */
export function nodeReference({ name, uid }: ApiObject): ObjectReference {
  return { apiVersion: 'v1', kind: 'Node', namespace: '', name, uid };
}

/** Whether the toleration matches the taint, regardless of `tolerationSeconds`. An unknown operator matches nothing. */
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
