/**
 * Validates probes, lifecycle hooks and their handlers: each has exactly one action. Actions are executed by the
 * kubelet.
 */
import { invalidShownValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { patternMessage, checkPortName, type NameCheck } from '../../../../../shared/values/name-formats';
import { checkFirstUnionMember, type UnionMember, type UnionMemberOf } from '../../../rules/union-members';
import { checkFormat, checkRequiredEnum, type Errors } from '../../../rules/checks';
import { checkNonNegative, checkPort } from '../../../rules/numbers';
import type {
  CoreV1Container,
  CoreV1ExecAction,
  CoreV1GRPCAction,
  CoreV1HTTPGetAction,
  CoreV1LifecycleHandler,
  CoreV1Probe,
  CoreV1SleepAction,
  CoreV1TCPSocketAction,
} from '../../../../../shared/api/types/generated/members';

const HEADER_NAME = /^[-A-Za-z0-9]+$/;
const HEADER_TEXT = patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name');
const checkHeaderName: NameCheck = (name) => (HEADER_NAME.test(name) ? [] : [HEADER_TEXT]);

const PROBE_ACTIONS: readonly UnionMemberOf<CoreV1Probe>[] = [
  { member: 'exec', rule: checkExec },
  { member: 'httpGet', rule: checkHttpGet },
  { member: 'tcpSocket', rule: checkActionPort },
  { member: 'grpc', rule: checkActionPort },
];

/** Requires exactly one of the actions; a second one is reported but not validated. */
function checkHandler(
  handler: CoreV1Probe | CoreV1LifecycleHandler,
  fieldPath: string,
  actions: readonly UnionMember[],
  errors: Errors,
): void {
  const count = checkFirstUnionMember(handler, fieldPath, actions, 'may not specify more than 1 handler type', errors);
  if (count === 0) errors.push(requiredValue(fieldPath, 'must specify a handler type'));
}

function checkExec(action: CoreV1ExecAction, fieldPath: string, errors: Errors): void {
  if ((action.command ?? []).length === 0) errors.push(requiredValue(`${fieldPath}.command`));
}

function checkHttpGet(action: CoreV1HTTPGetAction, fieldPath: string, errors: Errors): void {
  if ((action.path ?? '') === '') errors.push(requiredValue(`${fieldPath}.path`));
  checkActionPort(action, fieldPath, errors);
  checkRequiredEnum(action, 'scheme', fieldPath, ['HTTP', 'HTTPS'], errors);
  for (const header of action.httpHeaders ?? []) checkFormat(header.name ?? '', `${fieldPath}.httpHeaders`, checkHeaderName, errors);
}

/** The port is a number or a name. */
function checkActionPort(action: CoreV1HTTPGetAction | CoreV1TCPSocketAction | CoreV1GRPCAction, fieldPath: string, errors: Errors): void {
  const port = action.port ?? 0;
  if (typeof port === 'string') checkFormat(port, `${fieldPath}.port`, checkPortName, errors);
  else checkPort(port, `${fieldPath}.port`, errors);
}

const PROBE_NUMBERS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;

type ProbeName = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

export function checkProbe(container: CoreV1Container, name: ProbeName, containerPath: string, errors: Errors): void {
  const probe = container[name];
  if (probe === undefined) return;
  const fieldPath = `${containerPath}.${name}`;
  checkHandler(probe, fieldPath, PROBE_ACTIONS, errors);
  for (const member of PROBE_NUMBERS) checkNonNegative(probe, member, fieldPath, errors);
  const grace = probe.terminationGracePeriodSeconds;
  const graceField = `${fieldPath}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalidShownValue(graceField, String(grace), 'must be greater than 0'));
  // A readiness probe restarts nothing, so it has no grace period and may require several successes.
  if (name === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalidShownValue(graceField, String(grace), 'must not be set for readinessProbes'));
    return;
  }
  const successes = probe.successThreshold ?? 0;
  if (successes !== 1) errors.push(invalidShownValue(`${fieldPath}.successThreshold`, String(successes), 'must be 1'));
}

/** `grace`: the Pod's termination grace period in seconds. */
export function checkLifecycle(container: CoreV1Container, containerPath: string, grace: number | bigint, errors: Errors): void {
  const lifecycle = container.lifecycle;
  if (lifecycle === undefined) return;
  const actions: readonly UnionMemberOf<CoreV1LifecycleHandler>[] = [
    { member: 'exec', rule: checkExec },
    { member: 'httpGet', rule: checkHttpGet },
    { member: 'tcpSocket', rule: checkActionPort },
    { member: 'sleep', rule: (action, fieldPath) => checkSleep(action, fieldPath, grace, errors) },
  ];
  for (const member of ['postStart', 'preStop'] as const) {
    const hook = lifecycle[member];
    if (hook !== undefined) checkHandler(hook, `${containerPath}.lifecycle.${member}`, actions, errors);
  }
}

/** A sleep may last as long as the grace period, despite the message (upstream behaviour). */
function checkSleep(action: CoreV1SleepAction, fieldPath: string, grace: number | bigint, errors: Errors): void {
  const seconds = action.seconds ?? 0;
  if (seconds > 0 && seconds <= grace) return;
  errors.push(
    invalidShownValue(fieldPath, String(seconds), `must be greater than 0 and less than terminationGracePeriodSeconds (${grace})`),
  );
}
