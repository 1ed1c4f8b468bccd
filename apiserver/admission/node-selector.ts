/**
 * Pods go to the nodes that their namespace selects, by an annotation or by the cluster's default, and may ask for no others. Where the configuration confines a namespace, its
 * pods select nodes by nothing else.
 */
import { appendFieldPath } from '../../shared/configuration/configuration-error';
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import { mapSchema, objectSchema, stringSchema, type ValueOf } from '../../shared/configuration/schema';
import { bothSpellings, valueInEitherSpelling } from '../../shared/names/spellings';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { checkLabelValue, checkQualifiedName } from '../../shared/values/name-formats';
import type { AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { schedulingNote } from './namespace-notes';
import { NEW_PODS, podMutation, podValidation, refused } from './pod-creation';

const NAME = 'PodNodeSelector';

const SCHEMA = objectSchema({}, { podNodeSelectorPluginConfig: mapSchema(stringSchema()) });

export const NODE_SELECTOR_FORMAT: ConfigurationFormat<ValueOf<typeof SCHEMA>> = {
  kind: 'configuration of PodNodeSelector',
  apiVersions: [],
  schema: SCHEMA,
  validate: ({ podNodeSelectorPluginConfig = {} }) =>
    Object.entries(podNodeSelectorPluginConfig).flatMap(([name, said]) =>
      labelsIn(said) === undefined
        ? [{ path: appendFieldPath('podNodeSelectorPluginConfig', name), reason: 'must be of the form a=b,c=d' }]
        : [],
    ),
};

const DEFAULT = 'clusterDefaultNodeSelector';

type Labels = Readonly<Record<string, string>>;
const NONE: Labels = {};

export interface NodeSelectorSettings {
  /** Of namespaces that say nothing. */
  readonly usual: Labels;
  /** By namespace, those that its pods are confined to. */
  readonly confined: ReadonlyMap<string, Labels>;
}

const UNSAID: NodeSelectorSettings = { usual: NONE, confined: new Map() };

export function nodeSelectorSettings({ podNodeSelectorPluginConfig: texts = {} }: ValueOf<typeof SCHEMA>): NodeSelectorSettings {
  const given = Object.entries(texts).map(([name, said]) => [name, labelsIn(said) ?? NONE] as const);
  const confined = new Map([...given.flatMap(([name, labels]) => bothSpellings([name]).map((one) => [one, labels] as const)), ...given]);
  const usual = confined.get(DEFAULT) ?? NONE;
  confined.delete(DEFAULT);
  return { usual, confined };
}

export function podNodeSelector(settings: NodeSelectorSettings = UNSAID): {
  readonly mutating: MutatingPlugin;
  readonly validating: ValidatingPlugin;
} {
  return {
    mutating: podMutation(NAME, NEW_PODS, (request, spec) => {
      const selected = selectedBy(request, settings);
      const own = ownSelector(spec);
      refuseConflict(request, own, selected);
      const merged = { ...own, ...selected };
      if (Object.keys(merged).length > 0) spec['nodeSelector'] = merged;
      refuseUnlisted(request, merged, settings);
    }),
    validating: podValidation(NAME, NEW_PODS, (request, spec) => {
      const own = ownSelector(spec);
      refuseConflict(request, own, selectedBy(request, settings));
      refuseUnlisted(request, own, settings);
    }),
  };
}

function ownSelector(spec: JsonObject): Labels {
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  return Object.fromEntries(Object.keys(selector).map((key) => [key, stringAt(selector, key) ?? '']));
}

function selectedBy(request: AdmissionRequest, { usual }: NodeSelectorSettings): Labels {
  const said = schedulingNote(request.namespaceEntry, 'node-selector');
  if (said === undefined) return usual;
  const labels = labelsIn(said);
  if (labels === undefined) throw refused(request, `invalid selector: [${said}]`);
  return labels;
}

function refuseConflict(request: AdmissionRequest, own: Labels, selected: Labels): void {
  if (Object.entries(selected).some(([key, value]) => (valueInEitherSpelling(own, key) ?? value) !== value))
    throw refused(request, 'pod node label selector conflicts with its namespace node label selector');
}

function refuseUnlisted(request: AdmissionRequest, own: Labels, { confined }: NodeSelectorSettings): void {
  const listed = confined.get(request.namespace) ?? NONE;
  if (Object.keys(listed).length > 0 && Object.entries(own).some(([key, value]) => valueInEitherSpelling(listed, key) !== value))
    throw refused(request, 'pod node label selector labels conflict with its namespace whitelist');
}

/** `a=b,c=d`; undefined = it is no such text. The last of several with one key counts. */
function labelsIn(text: string): Labels | undefined {
  const labels = new Map<string, string>();
  for (const part of text === '' ? [] : text.split(',')) {
    const [key = '', value, ...more] = part.split('=').map((side) => side.trim());
    if (value === undefined || more.length > 0 || checkQualifiedName(key).length > 0 || checkLabelValue(value).length > 0) return undefined;
    labels.set(key, value);
  }
  return Object.fromEntries(labels);
}
