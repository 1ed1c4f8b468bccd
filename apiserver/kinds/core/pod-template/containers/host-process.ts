/**
 * Validates Windows HostProcess containers, which need the host's network: either all containers of a Pod are
 * HostProcess containers, or none is. A container inherits the setting of its Pod.
 */
import { invalidShownValue, invalidValue } from '../../../../../shared/api/errors/field-error';
import type { Errors } from '../../../rules/checks';
import type { CoreV1Container, CoreV1PodSpec } from '../../../../../shared/api/types/generated/members';

const hostProcessOf = (holder: CoreV1PodSpec | CoreV1Container): boolean | undefined => holder.securityContext?.windowsOptions?.hostProcess;

export function checkHostProcess(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  const podHostProcess = hostProcessOf(spec);
  let isAnyHostProcess = false;
  let isEveryHostProcess = true;
  for (const list of ['containers', 'initContainers', 'ephemeralContainers'] as const) {
    spec[list]?.forEach((container, index) => {
      const containerHostProcess = hostProcessOf(container);
      const areBothSet = containerHostProcess !== undefined && podHostProcess !== undefined;
      if (areBothSet && containerHostProcess !== podHostProcess) {
        const field = `${fieldPath}.${list}[${index}].securityContext.windowsOptions.hostProcess`;
        const text = `pod hostProcess value must be identical if both are specified, was ${podHostProcess}`;
        errors.push(invalidShownValue(field, String(containerHostProcess), text));
      }
      if (containerHostProcess ?? podHostProcess ?? false) isAnyHostProcess = true;
      else isEveryHostProcess = false;
    });
  }
  if (!isAnyHostProcess) return;
  if (!isEveryHostProcess) {
    const text = 'If pod contains any hostProcess containers then all containers must be HostProcess containers';
    errors.push(invalidValue(fieldPath, '', text));
  }
  if (spec.hostNetwork !== true) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidShownValue(`${fieldPath}.hostNetwork`, 'false', text));
  }
}
