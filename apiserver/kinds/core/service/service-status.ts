/**
 * Prepares and validates status updates of Services: the ingress points of a load balancer, and conditions. Rules of the
 * spec are left to validate-service.ts.
 */
import { forbiddenField, invalidValue, requiredValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { CoreV1LoadBalancerIngress, CoreV1PortStatus, CoreV1Service } from '../../../../shared/api/types/generated/members';
import { conditionsErrors, setTransitionTimes } from '../../../../shared/api/metadata/conditions';
import { appendAll } from '../../../../shared/values/append';
import { equalJson } from '../../../../shared/values/json';
import { checkDnsSubdomain, checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkIp, ipFamily } from '../../rules/addresses';
import { checkEnum, checkFormat, checkIfPresent, checkRequiredEnum, type Errors } from '../../rules/checks';
import { checkPort, PROTOCOLS } from '../../rules/numbers';

const IP_MODES = ['Proxy', 'VIP'];

/**
 * Sets the missing transition times of changed conditions. Upstream's server accepts conditions without a time, so its
 * clients may send them. `now` in milliseconds since 1970.
 */
export function setConditionTimes({ status }: CoreV1Service, { status: before }: CoreV1Service, now: number): void {
  if (!equalJson(status?.conditions, before?.conditions)) setTransitionTimes(status?.conditions ?? [], before?.conditions ?? [], now);
}

/**
 * Validates the status that a load balancer controller writes. Conditions and ports must follow the documentation of
 * their fields, such as the format of a condition's reason. Upstream's server does not check them, so stored values
 * stay valid until they change.
 */
export function validateServiceStatus({ spec = {}, status }: CoreV1Service, { status: before }: CoreV1Service): readonly FieldError[] {
  const errors: Errors = [];
  const field = 'status.loadBalancer.ingress';
  if (status !== undefined && !equalJson(status.conditions, before?.conditions)) {
    appendAll(errors, conditionsErrors(status, 'status.conditions'));
  }
  const ingress = status?.loadBalancer?.ingress ?? [];
  if (ingress.length === 0) return errors;
  const storedIngress = before?.loadBalancer?.ingress ?? [];
  ingress.forEach(({ ports = [] }, index) => {
    const isStored = storedIngress.some((stored) => equalJson(stored.ports, ports));
    if (!isStored) checkPortStatuses(ports, `${field}[${index}].ports`, errors);
  });
  if (spec.type === 'LoadBalancer') ingress.forEach((item, index) => checkIngress(item, `${field}[${index}]`, errors));
  else errors.push(forbiddenField(field, "may only be used when `spec.type` is 'LoadBalancer'"));
  return errors;
}

function checkPortStatuses(ports: readonly CoreV1PortStatus[], fieldPath: string, errors: Errors): void {
  ports.forEach((item, index) => {
    const field = `${fieldPath}[${index}]`;
    checkPort(item.port ?? 0, `${field}.port`, errors);
    checkRequiredEnum(item, 'protocol', field, PROTOCOLS, errors);
    checkIfPresent(item, 'error', field, errors, checkQualifiedName);
  });
}

function checkIngress(item: CoreV1LoadBalancerIngress, field: string, errors: Errors): void {
  const { ip = '', ipMode: mode, hostname = '' } = item;
  if (ip !== '') checkIp(ip, `${field}.ip`, errors);
  if (ip !== '' && mode === undefined) errors.push(requiredValue(`${field}.ipMode`, 'must be specified when `ip` is set'));
  else if (ip === '' && mode !== undefined) errors.push(forbiddenField(`${field}.ipMode`, 'may not be specified when `ip` is not set'));
  else checkEnum(item, 'ipMode', field, IP_MODES, errors);
  if (hostname === '') return;
  checkFormat(hostname, `${field}.hostname`, checkDnsSubdomain, errors);
  if (ipFamily(hostname) !== 0) errors.push(invalidValue(`${field}.hostname`, hostname, 'must be a DNS name, not an IP address'));
}
