/** TaintNodesByCondition: a new node gets a NoSchedule taint until it is ready; controllers remove the taint. */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, type JsonValue } from '../../../../shared/values/json';
import type { AdmissionTarget } from '../../../registry/admission';
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
      if (!isNode(request) || request.object === undefined) return undefined;
      const spec = objectAt(request.object, 'spec') ?? {};
      const taints = arrayAt(spec, 'taints') ?? [];
      if (taints.some(isNotReadyTaint)) return undefined;
      request.object['spec'] = { ...spec, taints: [...taints, { key: `node.${prefix}/${NOT_READY}`, effect: EFFECT }] };
      return undefined;
    },
  };
}

const isNotReadyTaint = (taint: JsonValue): boolean =>
  isObject(taint) &&
  canonicalQualifiedName(stringAt(taint, 'key') ?? '') === `node.platform.io/${NOT_READY}` &&
  stringAt(taint, 'effect') === EFFECT;
