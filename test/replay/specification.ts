/**
 * Records what the reference server says of the conformance cases of the language's specification (expressions/specification.ts), and of the rules about
 * messages (expressions/messages.ts); with `messages` only of these:
 *   node deploy/scripts/run.mjs test/replay/specification.js [messages]
 * A policy takes a few cases as its validations. A dry run tells which are refused; the others are put into force, each policy for a name of its own, and warn.
 */
import { MESSAGE_RULES } from './expressions/messages';
import { specifiedCases, type SpecifiedAnswer } from './expressions/specification';
import { writeRecording } from './recording';
import { call, causesOf, hangUp, type Body, type Reply } from './reference';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const OBJECTS = '/api/v1/namespaces/default/configmaps?dryRun=All';
/** Few, because long warnings are cut when there are many; of rules that mostly fail, fewer. */
const AT_ONCE = 8;
const FAILING_AT_ONCE = 4;
const IN_FORCE = 'in force';
const REFUSAL = /^Invalid value: "(?:[^"\\]|\\.)*": /s;

interface Asked {
  readonly name: string;
  readonly rule: string;
}

async function main(): Promise<void> {
  if (process.argv[2] !== 'messages') {
    const cases = specifiedCases().flatMap(({ name, rule }) => (rule === undefined ? [] : [{ name, rule }]));
    const answers = await answersTo(cases, AT_ONCE);
    writeRecording(
      'expressions/specification',
      cases.map(({ name }) => ({ name, answer: answers.get(name) })),
    );
  }
  const answers = await answersTo(
    MESSAGE_RULES.map((rule) => ({ name: rule, rule })),
    FAILING_AT_ONCE,
  );
  writeRecording(
    'expressions/messages',
    MESSAGE_RULES.map((rule) => ({ rule, answer: answers.get(rule) })),
  );
  hangUp();
}

async function answersTo(cases: readonly Asked[], atOnce: number): Promise<ReadonlyMap<string, SpecifiedAnswer>> {
  const answers = new Map<string, SpecifiedAnswer>();
  const sound: Asked[] = [];
  for (let at = 0; at < cases.length; at += atOnce) {
    const batch = cases.slice(at, at + atOnce);
    for (const [name, answer] of await refusalsOf(batch)) answers.set(name, answer);
    sound.push(...batch.filter(({ name }) => !answers.has(name)));
    process.stderr.write(`${at + batch.length} of ${cases.length}\n`);
  }
  for (const [name, answer] of await outcomesOf(sound, atOnce)) answers.set(name, answer);
  return answers;
}

type Answers = readonly (readonly [name: string, SpecifiedAnswer])[];

/** Which cases are refused, and why. A rule on which the server fails takes those beside it with it. */
async function refusalsOf(cases: readonly Asked[]): Promise<Answers> {
  const reply = await call('POST', `${POLICIES}?dryRun=All`, 'application/json', policy('refused', cases)).catch(() => undefined);
  if (reply === undefined) {
    if (cases.length === 1) return cases.map(({ name }) => [name, 'no answer']);
    const middle = cases.length >> 1;
    return [...(await refusalsOf(cases.slice(0, middle))), ...(await refusalsOf(cases.slice(middle)))];
  }
  return causesOf(reply).flatMap(([field, , message]): [string, SpecifiedAnswer][] => {
    const [, index = ''] = /^spec\.validations\[(\d+)\]/.exec(field) ?? [];
    const refused = cases[Number(index) / 2];
    return refused === undefined ? [] : [[refused.name, { refused: message.replace(REFUSAL, '') }]];
  });
}

function policy(name: string, cases: readonly Asked[]): Body {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], resourceNames: [name] };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      validations: [...cases.flatMap(validationsOf), { expression: 'false', message: IN_FORCE }],
    },
  };
}

/** Each rule and its opposite: of a rule with line breaks no error is told. */
function validationsOf({ rule }: Asked, index: number): Body[] {
  return [
    { expression: rule, message: `not ${index}` },
    { expression: `!(${rule})`, message: `well ${index}` },
  ];
}

/** How rules fare that are not refused. */
async function outcomesOf(cases: readonly Asked[], atOnce: number): Promise<Answers> {
  const batches = Array.from({ length: Math.ceil(cases.length / atOnce) }, (_, at) => cases.slice(at * atOnce, (at + 1) * atOnce));
  for (const [at, batch] of batches.entries()) {
    const name = `case-${at}`;
    await made(POLICIES, policy(name, batch));
    await made(BINDINGS, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: { name },
      spec: { policyName: name, validationActions: ['Warn'] },
    });
  }
  const answers: (readonly [string, SpecifiedAnswer])[] = [];
  for (const [at, batch] of batches.entries()) {
    const name = `case-${at}`;
    const warnings = await warningsOf(name);
    answers.push(...batch.map((one, index) => [one.name, outcome(warnings, one.rule, index)] as const));
    for (const path of [BINDINGS, POLICIES]) await call('DELETE', `${path}/${name}`, 'application/json');
  }
  return answers;
}

async function made(path: string, object: Body): Promise<void> {
  const reply = await call('POST', path, 'application/json', object);
  if (reply.code !== 201) throw new Error(JSON.stringify(reply.body).slice(0, 2000));
}

/** What is said of an object of this name, once its policy is in force. */
async function warningsOf(name: string): Promise<readonly string[]> {
  for (let turn = 0; turn < 10_000; turn += 1) {
    const { warnings }: Reply = await call('POST', OBJECTS, 'application/json', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name },
    });
    if (warnings.some((warning) => warning.endsWith(IN_FORCE)))
      return warnings.map((warning) => warning.replace(/^.*? with binding '[^']*': /s, ''));
  }
  throw new Error(`${name} is never in force`);
}

function outcome(warnings: readonly string[], rule: string, index: number): SpecifiedAnswer {
  if (warnings.includes(`not ${index}`)) return 'does not hold';
  if (warnings.includes(`well ${index}`)) return 'holds';
  const head = `expression '${rule}' resulted in error: `;
  const failure = warnings.find((warning) => warning.startsWith(head));
  if (failure === undefined) throw new Error(`nothing is said of ${rule}`);
  return { fails: failure.slice(head.length) };
}

void main();
