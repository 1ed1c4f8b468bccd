/** Containers that are processes of a Windows host: a pod has only such containers, or none. */
import { invalidShownValue, invalidValue } from '../../../../shared/api/errors/field-error';
import type { Errors } from '../../rules/checks';
import type { CoreV1Container, CoreV1PodSpec } from '../../../../shared/api/types/generated/members';

const ofContext = (holder: CoreV1PodSpec | CoreV1Container): boolean | undefined => holder.securityContext?.windowsOptions?.hostProcess;

export function checkHostProcess(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  const ofPod = ofContext(spec);
  let some = false;
  let all = true;
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'] as const) {
    spec[list]?.forEach((container, index) => {
      const own = ofContext(container);
      if (own !== undefined && ofPod !== undefined && own !== ofPod) {
        const field = `${place}.${list}[${index}].securityContext.windowsOptions.hostProcess`;
        errors.push(invalidShownValue(field, String(own), `pod hostProcess value must be identical if both are specified, was ${ofPod}`));
      }
      if (own ?? ofPod ?? false) some = true;
      else all = false;
    });
  }
  if (!some) return;
  if (!all) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidValue(place, '', text));
  }
  if (spec.hostNetwork !== true) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidShownValue(`${place}.hostNetwork`, 'false', text));
  }
}
