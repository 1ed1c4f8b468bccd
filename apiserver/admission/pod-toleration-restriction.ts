/**
 * Pods tolerate what their namespace gives them, by an annotation or by the cluster's default, and nothing that it does not list. Who asks for memory or CPU stays on nodes that
 * run short of memory.
 */
import { listSchema, integerSchema, objectSchema, stringSchema, enumSchema, type ValueOf } from '../../shared/configuration/schema';
import type { ConfigurationFormat } from '../../shared/configuration/read-configuration';
import type { GeneratedNames } from '../../shared/names/dialect';
import { isBestEffort } from '../../shared/quota/pod-amounts';
import { parseJson, SyntaxFault } from '../../shared/serialization';
import { arrayAt, isObject, type JsonObject } from '../../shared/values/json';
import type { AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { schedulingNote } from './namespace-notes';
import { podMutation, podValidation, refused, WRITTEN_PODS } from './pod-creation';
import { Tolerations, withoutCovered } from './tolerations';

const NAME = 'PodTolerationRestriction';

const TOLERATION = objectSchema(
  {},
  {
    key: stringSchema(),
    operator: enumSchema('Exists', 'Equal'),
    value: stringSchema(),
    effect: enumSchema('NoSchedule', 'PreferNoSchedule', 'NoExecute'),
    tolerationSeconds: integerSchema(Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
  },
);
const SCHEMA = objectSchema({}, { default: listSchema(TOLERATION), whitelist: listSchema(TOLERATION) });

/** What holds for namespaces that say nothing. */
export type TolerationSettings = ValueOf<typeof SCHEMA>;

export const TOLERATION_FORMAT: ConfigurationFormat<TolerationSettings> = {
  kind: 'Configuration',
  apiVersions: ['podtolerationrestriction.admission.platform.io/v1alpha1'],
  schema: SCHEMA,
};

/** `prefix`: of the names that the server writes (`platform.io`). */
export function podTolerationRestriction(
  { prefix }: Pick<GeneratedNames, 'prefix'>,
  settings: TolerationSettings = {},
): { readonly mutating: MutatingPlugin; readonly validating: ValidatingPlugin } {
  const shortOfMemory: JsonObject = { key: `node.${prefix}/memory-pressure`, operator: 'Exists', effect: 'NoSchedule' };
  return {
    mutating: podMutation(NAME, WRITTEN_PODS, (request, spec) => {
      const before = tolerationsIn(spec);
      const given = request.operation === 'CREATE' ? (notedList(request, 'defaultTolerations') ?? copies(settings.default)) : [];
      const more = [...given, ...(isBestEffort(request.object ?? {}) ? [] : [shortOfMemory])];
      const merged = more.length === 0 ? before : withoutCovered([...before, ...more]);
      if (merged.length > 0) spec['tolerations'] = [...merged];
      refuseUnlisted(request, spec, settings);
    }),
    validating: podValidation(NAME, WRITTEN_PODS, (request, spec) => refuseUnlisted(request, spec, settings)),
  };
}

function refuseUnlisted(request: AdmissionRequest, spec: JsonObject, settings: TolerationSettings): void {
  const listed = notedList(request, 'tolerationsWhitelist') ?? copies(settings.whitelist);
  const allowed = new Tolerations(listed);
  if (listed.length > 0 && !tolerationsIn(spec).every((one) => allowed.coverOf(one) !== undefined))
    throw refused(request, 'pod tolerations (possibly merged with namespace default tolerations) conflict with its namespace whitelist');
}

const tolerationsIn = (spec: JsonObject): readonly JsonObject[] => (arrayAt(spec, 'tolerations') ?? []).filter(isObject);

const copies = (settings: TolerationSettings['default']): readonly JsonObject[] => (settings ?? []).map((one) => ({ ...one }));

/** Undefined = the namespace says nothing; no text at all is an empty list. */
function notedList(request: AdmissionRequest, name: string): readonly JsonObject[] | undefined {
  const said = schedulingNote(request.namespaceEntry, name);
  if (said === undefined) return undefined;
  if (said === '') return [];
  try {
    const { value } = parseJson(Buffer.from(said));
    return Array.isArray(value) ? value.filter(isObject) : [];
  } catch (error) {
    if (error instanceof SyntaxFault) throw refused(request, error.message);
    throw error;
  }
}
