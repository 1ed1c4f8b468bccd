/** What a Pod may look like: its spec, and what is asked of Pods but not of templates. Errors come in upstream's order. */
import { invalidValue, required, type FieldError } from '../../../shared/api/field-error';
import { objectAt, stringAt, type JsonObject } from '../../../shared/api/json';
import { listed } from './field-rules';
import { podSpecErrors } from './pod-template/pod-spec';

export function validatePod(object: JsonObject, old?: JsonObject): readonly FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  return [...podSpecErrors(spec, 'spec', objectAt(old, 'spec')), ...imageSpaces(spec)];
}

/** Images that an update left without a name. */
export function imagesRequired(spec: JsonObject): readonly FieldError[] {
  return ['containers', 'initContainers'].flatMap((member) =>
    listed(spec, member).flatMap((container, index) =>
      (stringAt(container, 'image') ?? '') === '' ? [required(`spec.${member}[${index}].image`)] : [],
    ),
  );
}

/** Only a Pod is held to this; templates are not. */
function imageSpaces(spec: JsonObject): readonly FieldError[] {
  return ['containers', 'initContainers'].flatMap((member) =>
    listed(spec, member).flatMap((container, index) => {
      const image = stringAt(container, 'image') ?? '';
      const spaced = image !== image.trim();
      return spaced ? [invalidValue(`spec.${member}[${index}].image`, image, 'must not have leading or trailing whitespace')] : [];
    }),
  );
}
