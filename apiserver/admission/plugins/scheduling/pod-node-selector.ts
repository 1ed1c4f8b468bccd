/**
 * PodNodeSelector: adds the node selector of a namespace to its pods, and rejects pods with a selector that conflicts with
 * it. The selector comes from an annotation of the namespace, else from the cluster default of the configuration. For a
 * namespace that the configuration lists, its pods may select only the listed labels.
 */
import { appendFieldPath } from '../../../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../../../shared/configuration/read-configuration';
import { mapSchema, objectSchema, stringSchema, type ValueOf } from '../../../../shared/configuration/schema';
import { bothSpellings, valueInEitherSpelling } from '../../../../shared/names/spellings';
import { checkLabelValue, checkQualifiedName } from '../../../../shared/values/name-formats';
import type { AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { schedulingAnnotation } from './scheduling-annotation';
import { newForbidden } from '../../new-forbidden';
import { ON_CREATE, podMutatingPlugin, podValidatingPlugin } from '../../pod-plugin';

const NAME = 'PodNodeSelector';

const FILE_SCHEMA = objectSchema({}, { podNodeSelectorPluginConfig: mapSchema(stringSchema()) });

/** The format of the configuration file, which has neither kind nor apiVersion: `kind` only names it in errors. */
export const NODE_SELECTOR_FORMAT: ConfigurationFormat<ValueOf<typeof FILE_SCHEMA>> = {
  kind: 'configuration of PodNodeSelector',
  apiVersions: [],
  schema: FILE_SCHEMA,
  validate: ({ podNodeSelectorPluginConfig = {} }) =>
    Object.entries(podNodeSelectorPluginConfig).flatMap(([name, selector]) =>
      parseNodeSelector(selector) === undefined
        ? [{ path: appendFieldPath('podNodeSelectorPluginConfig', name), reason: 'must be of the form a=b,c=d' }]
        : [],
    ),
};

/** The key of the file that is not the name of a namespace. */
const CLUSTER_DEFAULT_KEY = 'clusterDefaultNodeSelector';

type Labels = Readonly<Record<string, string>>;
const NO_LABELS: Labels = {};

/** The content of the configuration file. */
export interface NodeSelectorSettings {
  /** For namespaces without the annotation. */
  readonly clusterDefault: Labels;
  /** By namespace, the labels that its pods may select. */
  readonly allowedByNamespace: ReadonlyMap<string, Labels>;
}

const NO_SETTINGS: NodeSelectorSettings = { clusterDefault: NO_LABELS, allowedByNamespace: new Map() };

/**
 * The settings of a validated file. An entry for `kube-system` also applies to the namespace `platform-system`, and vice
 * versa, unless the file has an entry for that namespace as well.
 */
export function nodeSelectorSettings({ podNodeSelectorPluginConfig: texts = {} }: ValueOf<typeof FILE_SCHEMA>): NodeSelectorSettings {
  const selectors = Object.entries(texts).map(([name, selector]) => ({ name, labels: parseNodeSelector(selector) ?? NO_LABELS }));
  const allowedByNamespace = new Map<string, Labels>();
  for (const { name, labels } of selectors) for (const spelling of bothSpellings([name])) allowedByNamespace.set(spelling, labels);
  // Last, so that an entry replaces what follows from the entry of the other spelling.
  for (const { name, labels } of selectors) allowedByNamespace.set(name, labels);
  const clusterDefault = allowedByNamespace.get(CLUSTER_DEFAULT_KEY) ?? NO_LABELS;
  allowedByNamespace.delete(CLUSTER_DEFAULT_KEY);
  return { clusterDefault, allowedByNamespace };
}

/** The mutating half sets and checks the selector. The validating half checks it again, after webhooks may have changed it. */
export function podNodeSelector(settings: NodeSelectorSettings = NO_SETTINGS): {
  readonly mutating: MutatingPlugin;
  readonly validating: ValidatingPlugin;
} {
  return {
    mutating: podMutatingPlugin(NAME, ON_CREATE, (request, spec) => {
      const namespaceSelector = namespaceSelectorOf(request, settings);
      const podSelector = spec.nodeSelector ?? {};
      rejectConflict(request, podSelector, namespaceSelector);
      const merged = { ...podSelector, ...namespaceSelector };
      if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
      rejectNotAllowed(request, merged, settings);
    }),
    validating: podValidatingPlugin(NAME, ON_CREATE, (request, spec) => {
      const podSelector = spec.nodeSelector ?? {};
      rejectConflict(request, podSelector, namespaceSelectorOf(request, settings));
      rejectNotAllowed(request, podSelector, settings);
    }),
  };
}

/** The selector of the namespace. Throws when its annotation is invalid. */
function namespaceSelectorOf(request: AdmissionRequest, { clusterDefault }: NodeSelectorSettings): Labels {
  const annotation = schedulingAnnotation(request.namespaceEntry, 'node-selector');
  if (annotation === undefined) return clusterDefault;
  const labels = parseNodeSelector(annotation);
  if (labels === undefined) throw newForbidden(request, `invalid selector: [${annotation}]`);
  return labels;
}

/** Throws when the pod selects another value of a label than its namespace. */
function rejectConflict(request: AdmissionRequest, podSelector: Labels, namespaceSelector: Labels): void {
  const isConflict = ([key, value]: [string, string]): boolean => (valueInEitherSpelling(podSelector, key) ?? value) !== value;
  if (Object.entries(namespaceSelector).some(isConflict))
    throw newForbidden(request, 'pod node label selector conflicts with its namespace node label selector');
}

/** Throws when the configuration lists labels for the namespace, and the pod selects another one. */
function rejectNotAllowed(request: AdmissionRequest, podSelector: Labels, { allowedByNamespace }: NodeSelectorSettings): void {
  const allowed = allowedByNamespace.get(request.namespace) ?? NO_LABELS;
  if (Object.keys(allowed).length === 0) return;
  const isForbidden = ([key, value]: [string, string]): boolean => valueInEitherSpelling(allowed, key) !== value;
  if (Object.entries(podSelector).some(isForbidden))
    throw newForbidden(request, 'pod node label selector labels conflict with its namespace whitelist');
}

/** Parses `a=b,c=d`; `undefined` when the text has another form. The last value of a repeated key is used. */
function parseNodeSelector(text: string): Labels | undefined {
  const labels = new Map<string, string>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [key = '', value, ...furtherParts] = part.split('=').map((side) => side.trim());
    if (value === undefined || furtherParts.length > 0) return undefined;
    if (checkQualifiedName(key).length > 0 || checkLabelValue(value).length > 0) return undefined;
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}
