/** Probes and lifecycle hooks, and the actions that both take. */
import { forbiddenField, invalidAs, required } from '../../../../shared/api/errors/field-error';
import { arrayAt, objectAt, own, type JsonObject } from '../../../../shared/values/json';
import { patternMessage, portName, type NameCheck } from '../../../../shared/values/name-formats';
import { listed } from '../../rules/field-rules';
import { checkAtLeastZero, checkFormat, checkPort, checkRequiredChoice, integerAt, textAt, type Errors } from '../../rules/checks';

const HEADER = /^[-A-Za-z0-9]+$/;
const HEADER_TEXT = patternMessage("a valid HTTP header must consist of alphanumeric characters or '-'", '[-A-Za-z0-9]+', 'X-Header-Name');
const headerName: NameCheck = (name) => (HEADER.test(name) ? [] : [HEADER_TEXT]);

type Action = (action: JsonObject, place: string, errors: Errors) => void;
type Actions = readonly (readonly [member: string, rule: Action])[];

const PROBE_ACTIONS: Actions = [
  ['exec', checkExec],
  ['httpGet', checkHttp],
  ['tcpSocket', checkPortOf],
  ['grpc', checkPortOf],
];

/** Exactly one action; a second one is not looked at. */
function checkAction(handler: JsonObject, place: string, actions: Actions, errors: Errors): void {
  let found = 0;
  for (const [member, rule] of actions) {
    const action = objectAt(handler, member);
    if (action === undefined) continue;
    found += 1;
    if (found > 1) errors.push(forbiddenField(`${place}.${member}`, 'may not specify more than 1 handler type'));
    else rule(action, `${place}.${member}`, errors);
  }
  if (found === 0) errors.push(required(place, 'must specify a handler type'));
}

function checkExec(action: JsonObject, place: string, errors: Errors): void {
  if ((arrayAt(action, 'command') ?? []).length === 0) errors.push(required(`${place}.command`));
}

function checkHttp(action: JsonObject, place: string, errors: Errors): void {
  if (textAt(action, 'path') === '') errors.push(required(`${place}.path`));
  checkPortOf(action, place, errors);
  checkRequiredChoice(action, 'scheme', place, ['HTTP', 'HTTPS'], errors);
  for (const header of listed(action, 'httpHeaders')) checkFormat(textAt(header, 'name'), `${place}.httpHeaders`, headerName, errors);
}

/** A number, or the name of a port. */
function checkPortOf(action: JsonObject, place: string, errors: Errors): void {
  const port = own(action, 'port') ?? 0;
  if (typeof port === 'string') checkFormat(port, `${place}.port`, portName, errors);
  else if (typeof port === 'number' || typeof port === 'bigint') checkPort(port, `${place}.port`, errors);
}

const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'];

type ProbeName = 'livenessProbe' | 'readinessProbe' | 'startupProbe';

export function checkProbe(container: JsonObject, name: ProbeName, containerPlace: string, errors: Errors): void {
  const probe = objectAt(container, name);
  if (probe === undefined) return;
  const place = `${containerPlace}.${name}`;
  checkAction(probe, place, PROBE_ACTIONS, errors);
  for (const member of COUNTS) checkAtLeastZero(probe, member, place, errors);
  const grace = integerAt(probe, 'terminationGracePeriodSeconds');
  const graceField = `${place}.terminationGracePeriodSeconds`;
  if (grace !== undefined && grace <= 0) errors.push(invalidAs(graceField, String(grace), 'must be greater than 0'));
  if (name === 'readinessProbe') {
    if (grace !== undefined) errors.push(invalidAs(graceField, String(grace), 'must not be set for readinessProbes'));
    return;
  }
  const successes = integerAt(probe, 'successThreshold') ?? 0;
  if (successes !== 1) errors.push(invalidAs(`${place}.successThreshold`, String(successes), 'must be 1'));
}

/** `grace` = how long the pod has to end. */
export function checkLifecycle(container: JsonObject, containerPlace: string, grace: number | bigint, errors: Errors): void {
  const lifecycle = objectAt(container, 'lifecycle');
  if (lifecycle === undefined) return;
  const sleep: Action = (action, place) => checkSleep(action, place, grace, errors);
  const actions: Actions = [
    ['exec', checkExec],
    ['httpGet', checkHttp],
    ['tcpSocket', checkPortOf],
    ['sleep', sleep],
  ];
  for (const member of ['postStart', 'preStop']) {
    const hook = objectAt(lifecycle, member);
    if (hook !== undefined) checkAction(hook, `${containerPlace}.lifecycle.${member}`, actions, errors);
  }
}

function checkSleep(action: JsonObject, place: string, grace: number | bigint, errors: Errors): void {
  const seconds = integerAt(action, 'seconds') ?? 0;
  if (seconds > 0 && seconds <= grace) return;
  errors.push(invalidAs(place, String(seconds), `must be greater than 0 and less than terminationGracePeriodSeconds (${grace})`));
}
