/** Containers that are processes of a Windows host: a pod has only such containers, or none. */
import { invalidAs, invalidValue } from '../../../../shared/api/errors/field-error';
import { objectAt, own, type JsonObject } from '../../../../shared/values/json';
import { listed } from '../../rules/field-rules';
import type { Errors } from '../../rules/checks';

function ofContext(holder: JsonObject): boolean | undefined {
  const options = objectAt(objectAt(holder, 'securityContext'), 'windowsOptions');
  const value = options === undefined ? undefined : own(options, 'hostProcess');
  return typeof value === 'boolean' ? value : undefined;
}

export function checkHostProcess(spec: JsonObject, place: string, errors: Errors): void {
  const ofPod = ofContext(spec);
  let some = false;
  let all = true;
  for (const list of ['containers', 'initContainers', 'ephemeralContainers']) {
    listed(spec, list).forEach((container, index) => {
      const own = ofContext(container);
      if (own !== undefined && ofPod !== undefined && own !== ofPod) {
        const field = `${place}.${list}[${index}].securityContext.windowsOptions.hostProcess`;
        errors.push(invalidAs(field, String(own), `pod hostProcess value must be identical if both are specified, was ${ofPod}`));
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
  if (own(spec, 'hostNetwork') !== true) {
    const text = 'hostNetwork must be true if pod contains any hostProcess containers';
    errors.push(invalidAs(`${place}.hostNetwork`, 'false', text));
  }
}
