/**
 * RuntimeClass strategy: the handler is immutable; overhead and scheduling follow the rules of Pods. Adding them to
 * Pods is left to the RuntimeClass plug-in.
 */
import { duplicateValue, invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { stringifyJson } from '../../../shared/values/json';
import { checkDnsLabel } from '../../../shared/values/name-formats';
import { validateLabels } from '../../../shared/api/metadata/object-meta-rules';
import { checkFormat, type Errors } from '../rules/checks';
import { findDeprecatedNodeLabels } from '../core/node/deprecated-node-labels';
import { checkResources } from '../core/pod-template/containers/resources';
import { checkToleration } from '../core/pod-template/tolerations';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import type { NodeV1RuntimeClass, NodeV1Scheduling } from '../../../shared/api/types/generated/members';

export const runtimeClass: Strategy<NodeV1RuntimeClass> = {
  validate(object) {
    const errors: Errors = [];
    checkFormat(object.handler ?? '', 'handler', checkDnsLabel, errors);
    const limits = object.overhead?.podFixed;
    // Upstream validates the overhead as limits and names it so.
    if (limits !== undefined) checkResources({ limits }, 'overhead', errors);
    if (object.scheduling !== undefined) checkScheduling(object.scheduling, errors);
    return errors;
  },
  update: { stages: UPDATE.objectThenChange, validate: validateHandlerUnchanged },
  warningsOnCreate: selectorWarnings,
  warningsOnUpdate: selectorWarnings,
};

function selectorWarnings({ scheduling }: NodeV1RuntimeClass): readonly string[] {
  return findDeprecatedNodeLabels(Object.keys(scheduling?.nodeSelector ?? {})).map(({ advice }) => `scheduling.nodeSelector: ${advice}`);
}

function checkScheduling({ nodeSelector: selector, tolerations }: NodeV1Scheduling, errors: Errors): void {
  if (selector !== undefined) validateLabels(selector, 'scheduling.nodeSelector', errors);
  const seen = new Set<string>();
  tolerations?.forEach((toleration, index) => {
    const key = stringifyJson(toleration, 'sorted');
    if (seen.has(key)) errors.push(duplicateValue(`scheduling.tolerations[${index}]`, toleration));
    seen.add(key);
    // Upstream's field path contains `tolerations` twice.
    checkToleration(toleration, `scheduling.tolerations.tolerations[${index}]`, errors);
  });
}

function validateHandlerUnchanged(object: NodeV1RuntimeClass, old: NodeV1RuntimeClass): readonly FieldError[] {
  const handler = object.handler ?? '';
  return handler === (old.handler ?? '') ? [] : [invalidValue('handler', handler, 'field is immutable')];
}
