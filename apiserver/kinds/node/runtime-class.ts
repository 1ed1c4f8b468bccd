/** RuntimeClass: a handler that stays, and what pods of the class are given. */
import { append } from '../../../shared/values/append';
import { duplicate, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { stringifyJson } from '../../../shared/values/json';
import { dnsLabel } from '../../../shared/values/name-formats';
import { validateLabels } from '../../../shared/api/metadata/object-meta-rules';
import { misnamed } from '../rules/field-rules';
import { checkResources } from '../core/pod-template/resources';
import { tolerationErrors } from '../core/pod-template/tolerations';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { NodeV1RuntimeClass, NodeV1Scheduling } from '../../../shared/api/types/generated/members';

export const runtimeClass: Strategy<NodeV1RuntimeClass> = {
  validate: (object) => [
    ...misnamed(object.handler ?? '', 'handler', dnsLabel),
    ...overheadErrors(object.overhead?.podFixed),
    ...schedulingErrors(object.scheduling),
  ],
  update: { stages: UPDATE.objectThenChange, validate: sameHandler },
};

/** Upstream judges the overhead as limits, and names it so. */
function overheadErrors(limits: Record<string, string> | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (limits !== undefined) checkResources({ limits }, 'overhead', errors);
  return errors;
}

function schedulingErrors(scheduling: NodeV1Scheduling | undefined): readonly FieldError[] {
  const errors: FieldError[] = [];
  const selector = scheduling?.nodeSelector;
  if (selector !== undefined) validateLabels(selector, 'scheduling.nodeSelector', errors);
  const tolerations = scheduling?.tolerations ?? [];
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

function sameHandler(object: NodeV1RuntimeClass, old: NodeV1RuntimeClass): readonly FieldError[] {
  const handler = object.handler ?? '';
  return handler === (old.handler ?? '') ? [] : [invalidValue('handler', handler, 'field is immutable')];
}
