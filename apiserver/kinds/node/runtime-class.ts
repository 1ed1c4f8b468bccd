/** RuntimeClass: a handler that stays, and what pods of the class are given. */
import { append } from '../../../shared/values/append';
import { duplicate, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { stringifyJson, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { dnsLabel } from '../../../shared/values/name-formats';
import { validateLabels } from '../../../shared/api/metadata/object-meta-rules';
import { listed, misnamed } from '../rules/field-rules';
import { checkResources } from '../core/pod-template/resources';
import { tolerationErrors } from '../core/pod-template/tolerations';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

export const runtimeClass: Strategy = {
  validate: (object) => [
    ...misnamed(stringAt(object, 'handler') ?? '', 'handler', dnsLabel),
    ...overheadErrors(objectAt(objectAt(object, 'overhead'), 'podFixed')),
    ...schedulingErrors(objectAt(object, 'scheduling')),
  ],
  update: { stages: UPDATE.objectThenChange, validate: sameHandler },
};

/** Upstream judges the overhead as limits, and names it so. */
function overheadErrors(limits: JsonObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (limits !== undefined) checkResources({ limits }, 'overhead', errors);
  return errors;
}

function schedulingErrors(scheduling: JsonObject | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const selector = objectAt(scheduling, 'nodeSelector');
  if (selector !== undefined) validateLabels(selector, 'scheduling.nodeSelector', errors);
  const tolerations = listed(scheduling, 'tolerations');
  const seen = new Set<string>();
  tolerations.forEach((toleration, index) => {
    const said = stringifyJson(toleration, 'sorted');
    if (seen.has(said)) errors.push(duplicate(`scheduling.tolerations[${index}]`, toleration));
    seen.add(said);
    // The member's name stands twice in upstream's messages.
    append(errors, tolerationErrors(toleration, `scheduling.tolerations.tolerations[${index}]`));
  });
  return errors;
}

function sameHandler(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const handler = stringAt(object, 'handler') ?? '';
  return handler === (stringAt(old, 'handler') ?? '') ? [] : [invalidValue('handler', handler, 'field is immutable')];
}
