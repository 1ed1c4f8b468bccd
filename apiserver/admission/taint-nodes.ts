/** A node that registers takes no pods before it has been found ready. Controllers take the taint away. */
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, isObject, objectAt, stringAt, type JsonValue } from '../../shared/values/json';
import type { AdmissionTarget } from '../registry/admission';
import type { MutatingPlugin } from './chain';

const TAINT = 'not-ready';
const EFFECT = 'NoSchedule';

const isNode = ({ resource: { row }, subresource }: AdmissionTarget): boolean =>
  row.group === '' && row.resource === 'nodes' && subresource === undefined;

/** `prefix`: of the names that the server writes (`platform.io`). */
export function taintNodes(prefix: string): MutatingPlugin {
  return {
    name: 'TaintNodesByCondition',
    handles: (operation) => operation === 'CREATE',
    inspectsObject: isNode,
    mutate(request) {
      if (!isNode(request) || request.object === undefined) return undefined;
      const spec = objectAt(request.object, 'spec') ?? {};
      const taints = arrayAt(spec, 'taints') ?? [];
      if (taints.some(isOwn)) return undefined;
      request.object['spec'] = { ...spec, taints: [...taints, { key: `node.${prefix}/${TAINT}`, effect: EFFECT }] };
      return undefined;
    },
  };
}

const isOwn = (taint: JsonValue): boolean =>
  isObject(taint) &&
  canonicalQualifiedName(stringAt(taint, 'key') ?? '') === `node.platform.io/${TAINT}` &&
  stringAt(taint, 'effect') === EFFECT;
