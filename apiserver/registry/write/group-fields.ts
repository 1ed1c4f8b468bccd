/**
 * The fields whose values name an API group or a namespace, so that their spelling follows the dialect: read into the canonical one before
 * anything else looks at an object, and noted at the stored value so that answers know whether there is anything to respell.
 */
import { arrayAt, isObject, own, stringAt, type JsonObject, type JsonValue } from '../../../shared/api/json';
import {
  apiVersionIn,
  canonicalApiVersion,
  canonicalGroup,
  canonicalNamespace,
  groupIn,
  type GeneratedNames,
} from '../../../shared/names/dialect';

export interface GroupField {
  /** Members from the top; `*` = every item of a list. */
  readonly path: readonly string[];
  readonly holds: 'apiVersion' | 'group' | 'namespace';
}

const field = (path: string, holds: GroupField['holds'] = 'apiVersion'): GroupField => ({ path: path.split('.'), holds });

const EVERY_TYPE: readonly GroupField[] = [field('metadata.ownerReferences.*.apiVersion'), field('metadata.managedFields.*.apiVersion')];

const CLAIM_SOURCES = (spec: string): GroupField[] => [
  field(`${spec}.dataSource.apiGroup`, 'group'),
  field(`${spec}.dataSourceRef.apiGroup`, 'group'),
];
const BINDING: readonly GroupField[] = [
  field('roleRef.apiGroup', 'group'),
  field('subjects.*.apiGroup', 'group'),
  field('subjects.*.namespace', 'namespace'),
];

const BY_TYPE: Readonly<Record<string, readonly GroupField[]>> = {
  'admissionregistration.v1.ValidatingAdmissionPolicy': [field('spec.paramKind.apiVersion')],
  'apps.v1.StatefulSet': [field('spec.volumeClaimTemplates.*.apiVersion'), ...CLAIM_SOURCES('spec.volumeClaimTemplates.*.spec')],
  'autoscaling.v2.HorizontalPodAutoscaler': [
    field('spec.scaleTargetRef.apiVersion'),
    field('spec.metrics.*.object.describedObject.apiVersion'),
  ],
  'core.v1.Endpoints': [field('subsets.*.addresses.*.targetRef.apiVersion'), field('subsets.*.notReadyAddresses.*.targetRef.apiVersion')],
  'core.v1.Event': [
    field('involvedObject.apiVersion'),
    field('involvedObject.namespace', 'namespace'),
    field('related.apiVersion'),
    field('related.namespace', 'namespace'),
  ],
  'core.v1.PersistentVolume': [field('spec.claimRef.apiVersion'), field('spec.claimRef.namespace', 'namespace')],
  'core.v1.PersistentVolumeClaim': CLAIM_SOURCES('spec'),
  'core.v1.ServiceAccount': [field('secrets.*.apiVersion')],
  'discovery.v1.EndpointSlice': [field('endpoints.*.targetRef.apiVersion')],
  'networking.v1.Ingress': [
    field('spec.defaultBackend.resource.apiGroup', 'group'),
    field('spec.rules.*.http.paths.*.backend.resource.apiGroup', 'group'),
  ],
  'networking.v1.IngressClass': [field('spec.parameters.apiGroup', 'group'), field('spec.parameters.namespace', 'namespace')],
  'rbac.v1.ClusterRoleBinding': BINDING,
  'rbac.v1.RoleBinding': BINDING,
};

/** The fields below a type's top. */
export function groupFieldsOf(type: string): readonly GroupField[] {
  const own = BY_TYPE[type];
  return own === undefined ? EVERY_TYPE : [...EVERY_TYPE, ...own];
}

/** Respells the fields of a decoded object in place. Returns whether some value has another spelling in the other dialect. */
export function canonicalizeGroups(object: JsonObject, fields: readonly GroupField[], names: GeneratedNames): boolean {
  let sensitive = false;
  for (const { path, holds } of fields) {
    visit(object, path, 0, (owner, member, value) => {
      if (holds === 'namespace') {
        owner[member] = canonicalNamespace(names, value);
        return;
      }
      const canonical = holds === 'group' ? canonicalGroup(value) : canonicalApiVersion(value);
      if (canonical !== value) owner[member] = canonical;
      const upstream = holds === 'group' ? groupIn('kubernetes', canonical) : apiVersionIn('kubernetes', canonical);
      if (upstream !== canonical) sensitive = true;
    });
  }
  return sensitive;
}

function visit(
  value: JsonValue | undefined,
  path: readonly string[],
  depth: number,
  found: (owner: JsonObject, member: string, value: string) => void,
): void {
  const member = path[depth];
  if (member === undefined || !isObject(value)) return;
  if (depth === path.length - 1) {
    const text = stringAt(value, member);
    if (text !== undefined) found(value, member, text);
    return;
  }
  if (path[depth + 1] !== '*') {
    visit(own(value, member), path, depth + 1, found);
    return;
  }
  for (const item of arrayAt(value, member) ?? []) visit(item, path, depth + 2, found);
}
