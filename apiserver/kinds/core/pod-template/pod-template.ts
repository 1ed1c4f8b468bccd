/** What the template of a workload's Pods may look like. Never judges how it fits the workload: selectors, restart policies. */
import { forbiddenField } from '../../../../shared/api/errors/field-error';
import { validateAnnotations, validateLabels } from '../../../../shared/api/metadata/object-meta-rules';
import { checkKnownAnnotations, checkProfilesAgree } from './annotations';
import { checkPodSpec } from './pod-spec';
import type { Errors } from '../../rules/checks';
import type { CoreV1PodTemplateSpec } from '../../../../shared/api/types/generated/members';

/** `place` = the path of the template (`spec.template`). */
export function checkPodTemplate(template: CoreV1PodTemplateSpec, place: string, errors: Errors): void {
  const metadata = template.metadata ?? {};
  const spec = template.spec ?? {};
  const annotations = metadata.annotations;
  validateLabels(metadata.labels ?? {}, `${place}.labels`, errors);
  validateAnnotations(annotations ?? {}, `${place}.annotations`, errors);
  checkKnownAnnotations(annotations, spec, `${place}.annotations`, errors);
  checkPodSpec(spec, `${place}.spec`, undefined, errors);
  checkProfilesAgree(annotations, spec, `${place}.spec`, errors);
  if ((spec.ephemeralContainers ?? []).length > 0) {
    errors.push(forbiddenField(`${place}.spec.ephemeralContainers`, 'ephemeral containers not allowed in pod template'));
  }
}
