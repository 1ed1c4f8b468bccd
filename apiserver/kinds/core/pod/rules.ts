/** What a Pod may look like: its spec, and what is asked of Pods but not of templates. Errors come in upstream's order. */
import { append } from '../../../../shared/values/append';
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import { objectAt, stringAt, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { listed } from '../../rules/field-rules';
import { checkKnownAnnotations, checkProfilesAgree } from '../pod-template/annotations';
import type { Errors } from '../../rules/checks';
import { spacedImage } from '../pod-template/containers';
import { podSpecErrors } from '../pod-template/pod-spec';

export function validatePod(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const annotations = objectAt(readMetadata(object), 'annotations');
  const errors: Errors = [];
  checkKnownAnnotations(annotations, spec, 'metadata.annotations', errors);
  append(errors, podSpecErrors(spec, 'spec'));
  checkTokens(spec, errors);
  checkImages(spec, errors);
  checkProfilesAgree(annotations, spec, 'spec', errors);
  return errors;
}

/** What a new Pod may not have. */
export function notAtFirst(object: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const errors: Errors = [];
  if (listed(spec, 'ephemeralContainers').length > 0) errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  if (listed(spec, 'schedulingGates').length > 0 && (stringAt(spec, 'nodeName') ?? '') !== '') {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}

/** A token is of an account. */
function checkTokens(spec: JsonObject, errors: Errors): void {
  if ((stringAt(spec, 'serviceAccountName') ?? '') !== '') return;
  listed(spec, 'volumes').forEach((volume, index) =>
    listed(objectAt(volume, 'projected'), 'sources').forEach((source, at) => {
      if (objectAt(source, 'serviceAccountToken') === undefined) return;
      const field = `spec.volumes[${index}].projected.sources[${at}].serviceAccountToken`;
      errors.push(forbiddenField(field, 'must not be specified when serviceAccountName is not set'));
    }),
  );
}

function checkImages(spec: JsonObject, errors: Errors): void {
  for (const member of ['containers', 'initContainers']) {
    listed(spec, member).forEach((container, index) => {
      const image = stringAt(container, 'image') ?? '';
      if (image !== image.trim()) errors.push(spacedImage(`spec.${member}[${index}].image`, image));
    });
  }
}
