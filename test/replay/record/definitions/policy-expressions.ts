/**
 * Records how a server evaluates CEL expressions (format `policy-expressions`). A ValidatingAdmissionPolicy holds a
 * batch of rules as validations: a dry run shows which are rejected, the others are put into force with the action
 * Warn, and a ConfigMap with the policy's name shows their outcomes.
 */
import { waitUntil } from '../../../support/programs';
import { readRecording } from '../../recording';
import { causesOf, type Body, type Json } from '../../json-response';
import { anything, number, shape, text } from '../../shape';
import type { ReferenceServer } from '../reference-server';

const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const OBJECTS = '/api/v1/namespaces/default/configmaps?dryRun=All';
/** The message of a validation that always fails, so that its warning shows that the policy is in force. */
const IN_FORCE = 'in force';
/** The beginning of the message about a rejected expression: the expression itself. */
const REJECTION_HEAD = /^Invalid value: "(?:[^"\\]|\\.)*": /s;

/** `holds`, `does not hold`, `{ fails }` or `{ refused }` with a message, or `no answer`. */
type Outcome = Json;
type OutcomesByRule = Map<string, Outcome>;

/** The server truncates long warnings when there are many, so that rules that mostly fail need a smaller `batch`. */
const isHead = shape({ format: text, batch: number }, { source: text });
/** A line without a rule only documents why there is none. */
const isCase = shape({}, { name: text, source: text, type: text, expects: text, omitted: text, rule: text, answer: anything });

export async function recordPolicyExpressions(recording: string, server: ReferenceServer): Promise<readonly unknown[]> {
  const { head, cases } = readRecording(recording, isHead, isCase);
  const rules = [...new Set(cases.flatMap(({ rule }) => (rule === undefined ? [] : [rule])))];
  const outcomes: OutcomesByRule = new Map();
  for (const batch of batchesOf(rules, head.batch)) await addRejections(server, batch, outcomes);
  const accepted = rules.filter((rule) => !outcomes.has(rule));
  for (const [index, batch] of batchesOf(accepted, head.batch).entries()) {
    await addOutcomes(server, `case-${index}`, batch, outcomes);
  }
  return [head, ...cases.map((line) => (line.rule === undefined ? line : { ...line, answer: outcomes.get(line.rule) }))];
}

function batchesOf(rules: readonly string[], size: number): readonly (readonly string[])[] {
  return Array.from({ length: Math.ceil(rules.length / size) }, (_, index) => rules.slice(index * size, (index + 1) * size));
}

/**
 * Adds the outcomes of the rules that the server rejects. Halves the batch to find a rule that makes the server close the
 * connection; its outcome is `no answer`.
 */
async function addRejections(server: ReferenceServer, rules: readonly string[], outcomes: OutcomesByRule): Promise<void> {
  const reply = await server.sendJson('POST', `${POLICIES}?dryRun=All`, policy('refused', rules)).catch(() => undefined);
  if (reply === undefined) {
    const [first] = rules;
    if (rules.length === 1 && first !== undefined) outcomes.set(first, 'no answer');
    if (rules.length <= 1) return;
    const middle = Math.floor(rules.length / 2);
    await addRejections(server, rules.slice(0, middle), outcomes);
    await addRejections(server, rules.slice(middle), outcomes);
    return;
  }
  for (const [field, , message] of causesOf(reply)) {
    const [, index = ''] = /^spec\.validations\[(\d+)\]/.exec(field) ?? [];
    // Each rule has two validations.
    const rule = rules[Number(index) / 2];
    if (rule !== undefined) outcomes.set(rule, { refused: message.replace(REJECTION_HEAD, '') });
  }
}

/** Adds the outcomes of rules that the server accepts, with a policy and a binding of this name. */
async function addOutcomes(server: ReferenceServer, name: string, rules: readonly string[], outcomes: OutcomesByRule): Promise<void> {
  const metadata = { name };
  await server.create(POLICIES, policy(name, rules));
  await server.create(BINDINGS, { metadata, spec: { policyName: name, validationActions: ['Warn'] } });
  const warnings = await waitUntil(`the policy ${name} to be in force`, async () => {
    const reply = await server.sendJson('POST', OBJECTS, { metadata });
    return reply.warnings.some((warning) => warning.endsWith(IN_FORCE)) && reply.warnings;
  });
  // Without the names of the policy and the binding.
  const messages = warnings.map((warning) => warning.replace(/^.*? with binding '[^']*': /s, ''));
  for (const [index, rule] of rules.entries()) outcomes.set(rule, outcomeOf(messages, rule, index));
  for (const path of [BINDINGS, POLICIES]) await server.sendJson('DELETE', `${path}/${name}`);
}

/** The messages of the two validations of a rule. */
const failedMessage = (index: number): string => `not ${index}`;
const negationFailedMessage = (index: number): string => `well ${index}`;

/**
 * Each rule has two validations, the rule and its negation: the server does not report the errors of a rule with line
 * breaks.
 */
function policy(name: string, rules: readonly string[]): Body {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'], resourceNames: [name] };
  const validations = rules.flatMap((expression, index): Body[] => [
    { expression, message: failedMessage(index) },
    { expression: `!(${expression})`, message: negationFailedMessage(index) },
  ]);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { resourceRules: [rule] },
      validations: [...validations, { expression: 'false', message: IN_FORCE }],
    },
  };
}

/** The outcome of the rule at `index`, from the messages of the validations that failed. */
function outcomeOf(messages: readonly string[], rule: string, index: number): Outcome {
  if (messages.includes(failedMessage(index))) return 'does not hold';
  if (messages.includes(negationFailedMessage(index))) return 'holds';
  const head = `expression '${rule}' resulted in error: `;
  const failure = messages.find((message) => message.startsWith(head));
  if (failure === undefined) throw new Error(`no outcome of ${rule}`);
  return { fails: failure.slice(head.length) };
}
