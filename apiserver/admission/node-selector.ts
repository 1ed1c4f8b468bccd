/**
 * Pods go to the nodes that their namespace selects, by an annotation or by the cluster's default, and may ask for no others. Where the configuration confines a namespace, its
 * pods select nodes by nothing else.
 */
import { memberPath } from '../../shared/configuration/fault';
import type { Format } from '../../shared/configuration/read';
import { mapOf, object, text, type Configured } from '../../shared/configuration/schema';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { labelValue, qualifiedName } from '../../shared/values/name-formats';
import type { AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { schedulingNote } from './namespace-notes';
import { isPod, podSpec, refused } from './pod-creation';

const NAME = 'PodNodeSelector';

const SCHEMA = object({}, { podNodeSelectorPluginConfig: mapOf(text()) });

export const NODE_SELECTOR_FORMAT: Format<Configured<typeof SCHEMA>> = {
  kind: 'configuration of PodNodeSelector',
  apiVersions: [],
  schema: SCHEMA,
  rules: ({ podNodeSelectorPluginConfig = {} }) =>
    Object.entries(podNodeSelectorPluginConfig).flatMap(([name, said]) =>
      labelsIn(said) === undefined
        ? [{ path: memberPath('podNodeSelectorPluginConfig', name), reason: 'must be of the form a=b,c=d' }]
        : [],
    ),
};

/** By namespace, those that its pods are confined to; under `clusterDefaultNodeSelector`, what a namespace selects that says nothing. */
export type NodeSelectorTexts = NonNullable<Configured<typeof SCHEMA>['podNodeSelectorPluginConfig']>;

const DEFAULT = 'clusterDefaultNodeSelector';

type Labels = Readonly<Record<string, string>>;

export function podNodeSelector(texts: NodeSelectorTexts = {}): {
  readonly mutating: MutatingPlugin;
  readonly validating: ValidatingPlugin;
} {
  const handles: MutatingPlugin['handles'] = (operation) => operation === 'CREATE';
  return {
    mutating: {
      name: NAME,
      handles,
      looksInto: isPod,
      mutate(request) {
        const spec = podSpec(request);
        if (spec === undefined) return undefined;
        const selected = selectedBy(request, texts);
        const own = ownSelector(spec);
        refuseConflict(request, own, selected);
        const merged = { ...own, ...selected };
        if (Object.keys(merged).length > 0) spec['nodeSelector'] = merged;
        refuseUnlisted(request, merged, texts);
        return undefined;
      },
    },
    validating: {
      name: NAME,
      handles,
      looksInto: isPod,
      validate(request) {
        const spec = podSpec(request);
        if (spec === undefined) return undefined;
        const own = ownSelector(spec);
        refuseConflict(request, own, selectedBy(request, texts));
        refuseUnlisted(request, own, texts);
        return undefined;
      },
    },
  };
}

function ownSelector(spec: JsonObject): Labels {
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  return Object.fromEntries(Object.keys(selector).map((key) => [key, stringAt(selector, key) ?? '']));
}

function selectedBy(request: AdmissionRequest, texts: NodeSelectorTexts): Labels {
  const said = schedulingNote(request.namespaceEntry, 'node-selector') ?? texts[DEFAULT] ?? '';
  const labels = labelsIn(said);
  if (labels === undefined) throw refused(request, `invalid selector: [${said}]`);
  return labels;
}

function refuseConflict(request: AdmissionRequest, own: Labels, selected: Labels): void {
  if (Object.entries(selected).some(([key, value]) => own[key] !== undefined && own[key] !== value))
    throw refused(request, 'pod node label selector conflicts with its namespace node label selector');
}

function refuseUnlisted(request: AdmissionRequest, own: Labels, texts: NodeSelectorTexts): void {
  const listed = labelsIn(texts[request.namespace] ?? '') ?? {};
  if (Object.keys(listed).length > 0 && Object.entries(own).some(([key, value]) => listed[key] !== value))
    throw refused(request, 'pod node label selector labels conflict with its namespace whitelist');
}

/** `a=b,c=d`; undefined = it is no such text. The last of several with one key counts. */
export function labelsIn(text: string): Labels | undefined {
  if (text === '') return {};
  const labels: Record<string, string> = {};
  for (const part of text.split(',')) {
    const [key = '', value, ...more] = part.split('=').map((side) => side.trim());
    if (value === undefined || more.length > 0 || qualifiedName(key).length > 0 || labelValue(value).length > 0) return undefined;
    labels[key] = value;
  }
  return labels;
}
