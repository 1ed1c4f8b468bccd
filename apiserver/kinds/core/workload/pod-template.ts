/** PodTemplate strategy: the rules and warnings of the templates of workloads, without a selector that must match. */
import { type FieldError } from '../../../../shared/api/errors/field-error';
import type { Errors } from '../../rules/checks';
import { checkPodTemplate } from '../pod-template/pod-template';
import type { Strategy } from '../../../registry/strategy';
import { createTemplateWarnings } from './template-warnings';
import type { CoreV1PodTemplate } from '../../../../shared/api/types/generated/members';

export const podTemplate: Strategy<CoreV1PodTemplate> = {
  ...createTemplateWarnings((object: CoreV1PodTemplate) => object, ''),
  validate: validateTemplate,
  update: { validate: validateTemplate },
};

function validateTemplate(object: CoreV1PodTemplate): readonly FieldError[] {
  const errors: Errors = [];
  checkPodTemplate(object.template ?? {}, 'template', errors);
  return errors;
}
