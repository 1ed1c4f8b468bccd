/** PodTemplate: a template that stands alone. */
import type { FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { podTemplateErrors } from '../pod-template/pod-template';
import type { Strategy } from '../../../registry/strategy';
import { templateWarnings } from './template-warnings';

export const podTemplate: Strategy = {
  ...templateWarnings([]),
  validate: templateErrors,
  update: { validate: templateErrors },
};

function templateErrors(object: JsonObject): readonly FieldError[] {
  return podTemplateErrors(objectAt(object, 'template') ?? {}, 'template');
}
