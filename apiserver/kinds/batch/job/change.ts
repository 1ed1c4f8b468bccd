/** What of a Job never changes; a suspended one may still be sent to other nodes, an indexed one may grow with its parallelism. */
import { invalidAs, invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import { goLabelSelector } from '../../../../shared/values/go-values';
import { equalJson, isObject, objectAt, own, type JsonObject, type JsonValue } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { isIndexed } from './spec';

const IMMUTABLE = 'field is immutable';
/** After the selector and the template, in their order. */
const MEMBERS = ['completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'];

export function jobChangeErrors(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const [spec, before] = [objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}];
  const errors = [...completionsErrors(spec, before), ...changed(spec, before, 'selector', goLabelSelector)];
  const wasHeldBack = own(before, 'suspend') === true && (own(objectAt(old, 'status') ?? {}, 'startTime') ?? null) === null;
  const template = objectAt(spec, 'template') ?? {};
  const allowed = objectAt(before, 'template') ?? {};
  if (!equalJson(template, wasHeldBack ? scheduledAs(allowed, template) : allowed)) {
    errors.push(invalidValue('spec.template', template, IMMUTABLE));
  }
  return [...errors, ...MEMBERS.flatMap((member) => changed(spec, before, member))];
}

function completionsErrors(spec: JsonObject, old: JsonObject): readonly FieldError[] {
  const completions = own(spec, 'completions') ?? null;
  if (!isIndexed(spec)) return changed(spec, old, 'completions');
  if (completions === null || completions === own(old, 'completions') || completions === own(spec, 'parallelism')) return [];
  return [invalidAs('spec.completions', shown(completions), 'can only be modified in tandem with spec.parallelism')];
}

function changed(spec: JsonObject, old: JsonObject, member: string, print?: (value: JsonObject) => string): readonly FieldError[] {
  const [value, before] = [own(spec, member) ?? null, own(old, member) ?? null];
  if (equalJson(value, before)) return [];
  return [invalidAs(`spec.${member}`, print !== undefined && isObject(value) ? print(value) : shown(value), IMMUTABLE)];
}

/** An absent value stands in quotes (upstream behaviour). */
const shown = (value: JsonValue): string => (value === null ? '"null"' : JSON.stringify(value));

const SCHEDULING = ['nodeSelector', 'tolerations', 'schedulingGates'];

/** The old template with what the new one says of nodes, labels and annotations. */
function scheduledAs(old: JsonObject, template: JsonObject): JsonObject {
  const metadata = { ...readMetadata(old) };
  for (const member of ['labels', 'annotations']) take(metadata, readMetadata(template), member);
  const [spec, asked] = [{ ...objectAt(old, 'spec') }, objectAt(template, 'spec') ?? {}];
  for (const member of SCHEDULING) take(spec, asked, member);
  const affinity = { ...objectAt(spec, 'affinity') };
  take(affinity, objectAt(asked, 'affinity') ?? {}, 'nodeAffinity');
  if (objectAt(asked, 'affinity') !== undefined || Object.keys(affinity).length > 0) spec['affinity'] = affinity;
  else delete spec['affinity'];
  return { ...old, metadata, spec };
}

function take(target: JsonObject, source: JsonObject, member: string): void {
  const value = own(source, member);
  if (value === undefined) delete target[member];
  else target[member] = value;
}
