/**
 * Validates Pods, in upstream's order: the rules that Pods share with templates, and those that apply to Pods only.
 * What an update may change is left to pod-update.ts.
 */
import { forbiddenField, type FieldError } from '../../../../shared/api/errors/field-error';
import { checkKnownAnnotations, checkAnnotationsMatchProfiles } from '../pod-template/annotations';
import type { Errors } from '../../rules/checks';
import { imageWhitespaceError } from '../pod-template/containers/containers';
import { checkPodSpec } from '../pod-template/pod-spec';
import type { CoreV1Pod, CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

export function validatePod(object: CoreV1Pod): readonly FieldError[] {
  const spec = object.spec ?? {};
  const annotations = object.metadata?.annotations;
  const errors: Errors = [];
  checkKnownAnnotations(annotations, spec, 'metadata.annotations', errors);
  checkPodSpec(spec, 'spec', object.metadata?.name, errors);
  checkServiceAccountTokens(spec, errors);
  checkImages(spec, errors);
  checkAnnotationsMatchProfiles(annotations, spec, 'spec', errors);
  return errors;
}

/** Fields that are forbidden at creation. */
export function validatePodCreate(object: CoreV1Pod): readonly FieldError[] {
  const spec = object.spec ?? {};
  const errors: Errors = [];
  if ((spec.ephemeralContainers ?? []).length > 0) errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  if ((spec.schedulingGates ?? []).length > 0 && (spec.nodeName ?? '') !== '') {
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  }
  return errors;
}

/** Projected tokens need a service account. */
function checkServiceAccountTokens(spec: CoreV1PodSpec, errors: Errors): void {
  if ((spec.serviceAccountName ?? '') !== '') return;
  spec.volumes?.forEach((volume, index) =>
    volume.projected?.sources?.forEach((source, sourceIndex) => {
      if (source.serviceAccountToken === undefined) return;
      const field = `spec.volumes[${index}].projected.sources[${sourceIndex}].serviceAccountToken`;
      errors.push(forbiddenField(field, 'must not be specified when serviceAccountName is not set'));
    }),
  );
}

function checkImages(spec: CoreV1PodSpec, errors: Errors): void {
  for (const member of ['containers', 'initContainers'] as const) {
    spec[member]?.forEach((container, index) => {
      const image = container.image ?? '';
      if (image !== image.trim()) errors.push(imageWhitespaceError(`spec.${member}[${index}].image`, image));
    });
  }
}
