/**
 * Validates Pod templates: the rules of Pods that apply to them. That a template fits its workload (selector, restart
 * policy) is left to the strategies of workloads.
 */
import { forbiddenField } from '../../../../shared/api/errors/field-error';
import { validateAnnotations, validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { checkKnownAnnotations, checkAnnotationsMatchProfiles } from './annotations';
import { checkPodSpec } from './pod-spec';
import type { Errors } from '../../rules/checks';
import type { CoreV1PodTemplateSpec } from '../../../../shared/api/types/generated/members';

/** `fieldPath` is the path of the template (`spec.template`). */
export function checkPodTemplate(template: CoreV1PodTemplateSpec, fieldPath: string, errors: Errors): void {
  const metadata = template.metadata ?? {};
  const spec = template.spec ?? {};
  const annotations = metadata.annotations;
  validateLabels(metadata.labels ?? {}, `${fieldPath}.labels`, errors);
  validateAnnotations(annotations ?? {}, `${fieldPath}.annotations`, errors);
  checkKnownAnnotations(annotations, spec, `${fieldPath}.annotations`, errors);
  checkPodSpec(spec, `${fieldPath}.spec`, undefined, errors);
  checkAnnotationsMatchProfiles(annotations, spec, `${fieldPath}.spec`, errors);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenField(`${fieldPath}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
}
