/** PodTemplate: a template that stands alone. */
import type { FieldError } from '../../../shared/api/field-error';
import { objectAt, type JsonObject } from '../../../shared/api/json';
import { podTemplateErrors } from './pod-template/pod-template';
import type { Strategy } from './strategy';
import { templateWarnings } from './workload/template-warnings';

export const podTemplate: Strategy = {
  warnings: templateWarnings([]),
  validate: templateErrors,
  update: { validate: templateErrors },
};

function templateErrors(object: JsonObject): readonly FieldError[] {
  return podTemplateErrors(objectAt(object, 'template') ?? {}, 'template');
}
