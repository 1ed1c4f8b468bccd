/**
 * PodTolerationRestriction: adds the default tolerations of a namespace to its new pods, and rejects pods with
 * tolerations that the whitelist of the namespace does not cover. Both lists come from annotations of the namespace,
 * else from the configuration. Pods that are not BestEffort get a toleration of memory pressure as well.
 */
import { listSchema, integerSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../../../shared/configuration/schema';
import type { ConfigurationFormat } from '../../../../shared/configuration/read-configuration';
import type { GeneratedNames } from '../../../../shared/names/dialect';
import { isBestEffort } from '../../../../shared/quota/pod-amounts';
import { DecodeError, decodeObject, jsonKindOf } from '../../../../shared/api/types';
import { parseJson, ParseError } from '../../../../shared/serialization';
import { isObject, type JsonValue } from '../../../../shared/values/json';
import type { CoreV1PodSpec, CoreV1Toleration } from '../../../../shared/api/types/generated/members';
import type { AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { schedulingAnnotation } from './scheduling-annotation';
import { newForbidden } from '../../new-forbidden';
import { podMutatingPlugin, podValidatingPlugin, ON_CREATE_OR_UPDATE } from '../../pod-plugin';
import { TolerationIndex, withoutRedundant } from './toleration-index';

const NAME = 'PodTolerationRestriction';

const TOLERATION_SCHEMA = objectSchema(
  {},
  {
    key: stringSchema(),
    operator: enumSchema('Exists', 'Equal'),
    value: stringSchema(),
    effect: enumSchema('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    tolerationSeconds: integerSchema(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  },
);
const FILE_SCHEMA = objectSchema({}, { default: listSchema(TOLERATION_SCHEMA), whitelist: listSchema(TOLERATION_SCHEMA) });

/** Defaults for namespaces without the annotations. */
export type TolerationSettings = ValueOf<typeof FILE_SCHEMA>;

/** The format of the configuration file. */
export const TOLERATION_FORMAT: ConfigurationFormat<TolerationSettings> = {
  kind: 'Configuration',
  apiVersions: ['podtolerationrestriction.admission.platform.io/v1alpha1'],
  schema: FILE_SCHEMA,
};

/** `prefix`: domain of the names that the server writes (`platform.io`). */
export function podTolerationRestriction(
  { prefix }: Pick<GeneratedNames, 'prefix'>,
  settings: TolerationSettings = {},
): { readonly mutating: MutatingPlugin; readonly validating: ValidatingPlugin } {
  const memoryPressure: CoreV1Toleration = { key: `node.${prefix}/memory-pressure`, operator: 'Exists', effect: 'NoSchedule' };
  return {
    mutating: podMutatingPlugin(NAME, ON_CREATE_OR_UPDATE, (request, spec) => {
      const { tolerations: current = [] } = spec;
      const namespaceDefaults = request.operation === 'CREATE' ? namespaceDefaultsOf(request, settings) : [];
      const added = [...namespaceDefaults, ...(isBestEffort(request.object ?? {}) ? [] : [memoryPressure])];
      // The pod's own list stays as it is, duplicates included, when nothing is added (upstream behaviour).
      const merged = added.length === 0 ? current : withoutRedundant([...current, ...added]);
      if (merged.length > 0) spec.tolerations = [...merged];
      rejectNotAllowed(request, spec, settings);
    }),
    validating: podValidatingPlugin(NAME, ON_CREATE_OR_UPDATE, (request, spec) => rejectNotAllowed(request, spec, settings)),
  };
}

const namespaceDefaultsOf = (request: AdmissionRequest, settings: TolerationSettings): readonly CoreV1Toleration[] =>
  annotatedTolerations(request, 'defaultTolerations') ?? copyTolerations(settings.default);

/** Throws when the whitelist of the namespace, unless it is empty, does not cover a toleration of the pod. */
function rejectNotAllowed(request: AdmissionRequest, { tolerations = [] }: CoreV1PodSpec, settings: TolerationSettings): void {
  const whitelist = annotatedTolerations(request, 'tolerationsWhitelist') ?? copyTolerations(settings.whitelist);
  const allowed = new TolerationIndex(whitelist);
  if (whitelist.length > 0 && !tolerations.every((toleration) => allowed.findCovering(toleration) !== undefined))
    throw newForbidden(
      request,
      'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist',
    );
}

/** Copies, because the configured tolerations are shared by all requests. */
const copyTolerations = (settings: TolerationSettings['default']): readonly CoreV1Toleration[] =>
  (settings ?? []).map((toleration) => ({ ...toleration }));

/** Rejects the request when the annotation is invalid. `undefined` when the namespace has no such annotation. */
function annotatedTolerations(request: AdmissionRequest, name: string): readonly CoreV1Toleration[] | undefined {
  const annotation = schedulingAnnotation(request.namespaceEntry, name);
  if (annotation === undefined) return undefined;
  if (annotation === '') return [];
  try {
    return parseTolerations(annotation);
  } catch (error) {
    if (error instanceof ParseError || error instanceof DecodeError) throw newForbidden(request, error.message);
    throw error;
  }
}

/** The Go type of a toleration in messages. */
const GO_TYPE = 'v1.Toleration';

/**
 * Parses a JSON list of tolerations that no schema has checked. Unknown members are dropped. `null` counts as an empty
 * list, and as an empty toleration inside the list. Throws ParseError or DecodeError, with upstream's texts.
 */
function parseTolerations(text: string): readonly CoreV1Toleration[] {
  const { value } = parseJson(Buffer.from(text));
  if (value === null) return [];
  if (!Array.isArray(value)) throw mismatch(value, `[]${GO_TYPE}`);
  return value.map((item) => {
    if (item !== null && !isObject(item)) throw mismatch(item, GO_TYPE);
    return decodeObject('core.v1.Toleration', item ?? {}).object;
  });
}

const mismatch = (value: JsonValue, goType: string): DecodeError =>
  new DecodeError(`json: cannot unmarshal ${jsonKindOf(value)} into Go value of type ${goType}`);
