/**
 * TaintNodesByCondition: gives a new node the NoSchedule taint `not-ready`, so that no pod is scheduled to it before it
 * is ready. The node lifecycle controller removes the taint.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1Node, CoreV1Taint } from '../../../../shared/api/types/generated/members';
import type { AdmissionRequest, AdmissionTarget } from '../../../registry/admission';
import type { MutatingPlugin } from '../../chain';

const NOT_READY = 'not-ready';
const EFFECT = 'NoSchedule';

const isNode = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === '' && row.resource === 'nodes' && subresource === undefined;

/** `prefix`: domain of the names that the server writes (`platform.io`). */
export function taintNodes(prefix: string): MutatingPlugin {
  return {
    name: 'TaintNodesByCondition',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: isNode,
    mutate(request) {
      const { object }: AdmissionRequest<CoreV1Node> = request;
      if (!isNode(request) || object === undefined) return undefined;
      const { taints = [] } = object.spec ?? {};
      if (taints.some(isNotReadyTaint)) return undefined;
      object.spec = { ...object.spec, taints: [...taints, { key: `node.${prefix}/${NOT_READY}`, effect: EFFECT }] };
      return undefined;
    },
  };
}

const isNotReadyTaint = ({ key = '', effect }: CoreV1Taint): boolean =>
  canonicalQualifiedName(key) === `node.platform.io/${NOT_READY}` && effect === EFFECT;
