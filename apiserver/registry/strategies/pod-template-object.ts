/** PodTemplate: a template that stands alone. */
import type { FieldError } from '../../../shared/api/field-error';
import { objectAt, type JsonObject } from '../../../shared/api/json';
import { podTemplateErrors } from './pod-template/pod-template';
import type { Strategy } from './strategy';
import { templateWarnings } from './workload/template-warnings';

export const podTemplate: Strategy = {
  warnings: templateWarnings([]),
  validate: (object) => templateErrors(object, undefined),
  update: { validate: (object, old) => templateErrors(object, old) },
};

function templateErrors(object: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  return podTemplateErrors(objectAt(object, 'template') ?? {}, 'template', objectAt(old, 'template'));
}
