/**
 * Validates container ports and host ports: names are unique within a container, host ports among the containers that
 * the caller checks together. Conflicts with other Pods of a node are left to the scheduler.
 */
import { duplicateValue, invalidShownValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { checkPortName } from '../../../../../shared/values/name-formats';
import { checkFormat, checkRequiredEnum, type Errors } from '../../../rules/checks';
import { checkPort, PROTOCOLS } from '../../../rules/numbers';
import type { CoreV1Container } from '../../../../../shared/api/types/generated/members';

export function checkContainerPorts(container: CoreV1Container, fieldPath: string, errors: Errors): void {
  const names = new Set<string>();
  container.ports?.forEach((port, index) => {
    const field = `${fieldPath}.ports[${index}]`;
    const name = port.name ?? '';
    if (name !== '') {
      const errorCountBefore = errors.length;
      checkFormat(name, `${field}.name`, checkPortName, errors);
      if (errors.length === errorCountBefore && names.has(name)) errors.push(duplicateValue(`${field}.name`, name));
      names.add(name);
    }
    const number = port.containerPort ?? 0;
    if (number === 0) errors.push(requiredValue(`${field}.containerPort`));
    else checkPort(number, `${field}.containerPort`, errors);
    const hostPort = port.hostPort ?? 0;
    if (hostPort !== 0) checkPort(hostPort, `${field}.hostPort`, errors);
    checkRequiredEnum(port, 'protocol', field, PROTOCOLS, errors);
  });
}

/** Reports host ports in `used` and adds those of the container to it. */
export function checkHostPorts(container: CoreV1Container, fieldPath: string, used: Set<string>, errors: Errors): void {
  container.ports?.forEach((port, index) => {
    const hostPort = port.hostPort ?? 0;
    if (hostPort === 0) return;
    const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${hostPort}`;
    if (used.has(key)) errors.push(duplicateValue(`${fieldPath}.ports[${index}].hostPort`, key));
    else used.add(key);
  });
}

/** With `hostNetwork`, a host port must equal the container port; templates may leave it to defaulting. */
export function checkHostNetworkPorts(container: CoreV1Container, fieldPath: string, errors: Errors): void {
  container.ports?.forEach((port, index) => {
    const hostPort = port.hostPort ?? 0;
    if (hostPort === 0 || hostPort === (port.containerPort ?? 0)) return;
    errors.push(
      invalidShownValue(`${fieldPath}.ports[${index}].hostPort`, String(hostPort), 'must match `containerPort` when `hostNetwork` is true'),
    );
  });
}
