/** What the template of a workload's Pods may look like. Never judges how it fits the workload: selectors, restart policies. */
import { append } from '../../../../shared/values/append';
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { validateAnnotations, validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { listed } from '../../rules/field-rules';
import { checkKnownAnnotations, checkProfilesAgree } from './annotations';
import { podSpecErrors } from './pod-spec';

/** `place` = the path of the template (`spec.template`). */
export function podTemplateErrors(template: JsonObject, place: string): readonly FieldError[] {
  const metadata = readMetadata(template);
  const spec = objectAt(template, 'spec') ?? {};
  const annotations = objectAt(metadata, 'annotations');
  const errors: FieldError[] = [];
  validateLabels(objectAt(metadata, 'labels') ?? {}, `${place}.labels`, errors);
  validateAnnotations(annotations ?? {}, `${place}.annotations`, errors);
  checkKnownAnnotations(annotations, spec, `${place}.annotations`, errors);
  append(errors, podSpecErrors(spec, `${place}.spec`));
  checkProfilesAgree(annotations, spec, `${place}.spec`, errors);
  if (listed(spec, 'ephemeralContainers').length > 0) {
    errors.push(forbiddenField(`${place}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
  return errors;
}
