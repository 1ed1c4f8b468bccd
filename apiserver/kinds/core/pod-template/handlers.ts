/** Probes and lifecycle hooks, and the actions that both take. */
import { invalidShownValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { patternMessage, checkPortName, type NameCheck } from '../../../../shared/values/name-formats';
import { checkFirstPart, type Part, type PartOf } from '../../rules/parts';
import { checkFormat, checkRequiredChoice, type Errors } from '../../rules/checks';
import { checkNotNegative, checkPort } from '../../rules/numbers';
import type {
  CoreV1Container,
  CoreV1ExecAction,
  CoreV1GRPCAction,
  CoreV1HTTPGetAction,
  CoreV1LifecycleHandler,
  CoreV1Probe,
  CoreV1SleepAction,
  CoreV1TCPSocketAction,
} from '../../../../shared/api/types/generated/members';

const HEADER = /^[-A-Za-z0-9]+$/;
const HEADER_TEXT = patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name');
const headerName: NameCheck = (name) => (HEADER.test(name) ? [] : [HEADER_TEXT]);

const PROBE_ACTIONS: readonly PartOf<CoreV1Probe>[] = [
  { member: 'exec', rule: checkExec },
  { member: 'httpGet', rule: checkHttp },
  { member: 'tcpSocket', rule: checkPortOf },
  { member: 'grpc', rule: checkPortOf },
];

/** Exactly one action; a second one is not looked at. */
function checkAction(handler: CoreV1Probe | CoreV1LifecycleHandler, place: string, actions: readonly Part[], errors: Errors): void {
  const found = checkFirstPart(handler, place, actions, 'may not specify more than 1 handler type', errors);
  if (found === 0) errors.push(requiredValue(place, 'must specify a handler type'));
}

function checkExec(action: CoreV1ExecAction, place: string, errors: Errors): void {
  if ((action.command ?? []).length === 0) errors.push(requiredValue(`${place}.command`));
}

function checkHttp(action: CoreV1HTTPGetAction, place: string, errors: Errors): void {
  if ((action.path ?? '') === '') errors.push(requiredValue(`${place}.path`));
  checkPortOf(action, place, errors);
  checkRequiredChoice(action, 'scheme', place, ['HTTP', 'HTTPS'], errors);
  for (const header of action.httpHeaders ?? []) checkFormat(header.name ?? '', `${place}.httpHeaders`, headerName, errors);
}

/** A number, or the name of a port. */
function checkPortOf(action: CoreV1HTTPGetAction | CoreV1TCPSocketAction | CoreV1GRPCAction, place: string, errors: Errors): void {
  const port = action.port ?? 0;
  if (typeof port === 'string') checkFormat(port, `${place}.port`, checkPortName, errors);
  else checkPort(port, `${place}.port`, errors);
}

const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const;

type ProbeName = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

export function checkProbe(container: CoreV1Container, name: ProbeName, containerPlace: string, errors: Errors): void {
  const probe = container[name];
  if (probe === undefined) return;
  const place = `${containerPlace}.${name}`;
  checkAction(probe, place, PROBE_ACTIONS, errors);
  for (const member of COUNTS) checkNotNegative(probe, member, place, errors);
  const grace = probe.terminationGracePeriodSeconds;
  const graceField = `${place}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalidShownValue(graceField, String(grace), 'must be greater than 0'));
  if (name === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalidShownValue(graceField, String(grace), 'must not be set for readinessProbes'));
    return;
  }
  const successes = probe.successThreshold ?? 0;
  if (successes !== 1) errors.push(invalidShownValue(`${place}.successThreshold`, String(successes), 'must be 1'));
}

/** `grace` = how long the pod has to end. */
export function checkLifecycle(container: CoreV1Container, containerPlace: string, grace: number | bigint, errors: Errors): void {
  const lifecycle = container.lifecycle;
  if (lifecycle === undefined) return;
  const actions: readonly PartOf<CoreV1LifecycleHandler>[] = [
    { member: 'exec', rule: checkExec },
    { member: 'httpGet', rule: checkHttp },
    { member: 'tcpSocket', rule: checkPortOf },
    { member: 'sleep', rule: (action, place) => checkSleep(action, place, grace, errors) },
  ];
  for (const member of ['postStart', 'preStop'] as const) {
    const hook = lifecycle[member];
    if (hook !== undefined) checkAction(hook, `${containerPlace}.lifecycle.${member}`, actions, errors);
  }
}

function checkSleep(action: CoreV1SleepAction, place: string, grace: number | bigint, errors: Errors): void {
  const seconds = action.seconds ?? 0;
  if (seconds > 0 && seconds <= grace) return;
  errors.push(invalidShownValue(place, String(seconds), `must be greater than 0 and less than terminationGracePeriodSeconds (${grace})`));
}
