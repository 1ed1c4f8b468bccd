import type { Value } from '../../../shared/expression/engine';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { AuthorizerValue, type AuthorizationDecision } from '../../../shared/expression/library/authorizer';
import type { JsonObject } from '../../../shared/values/json';
import { Decisions, Unanswered } from '../webhook/decisions';
import { evaluatePolicy, type PolicyAnswer } from './evaluate';
import { Policies, type AdmissionPolicy } from './policy';

function policyOf(spec: JsonObject): AdmissionPolicy {
  const policies = new Policies();
  policies.setPolicy('p', { spec });
  policies.setBinding('b', { spec: { policyName: 'p', validationActions: ['Deny'] } });
  const [bound] = policies.bound();
  if (bound === undefined) throw new Error('the policy is not bound');
  return bound.policy;
}

const values = (object: JsonObject, more: ReadonlyMap<string, Value> = new Map()): ReadonlyMap<string, Value> =>
  new Map<string, Value>([
    ['object', untypedValue(object)],
    ['oldObject', null],
    ['namespaceObject', null],
    ['request', untypedValue({})],
    ...more,
  ]);

function evaluated(policy: AdmissionPolicy, all: ReadonlyMap<string, Value>): PolicyAnswer {
  const steps = evaluatePolicy(policy, all);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

const messages = (answer: PolicyAnswer): readonly string[] =>
  answer.type === 'judged' ? answer.findings.map(({ message }) => message) : [];

test('policy evaluation evaluates a variable at its first read and only once', () => {
  const read: string[] = [];
  const ask = (): AuthorizationDecision => {
    read.push('asked');
    return { allowed: true, reason: '' };
  };
  const policy = policyOf({
    variables: [
      { name: 'mine', expression: "authorizer.path('/x').check('get').allowed()" },
      { name: 'unread', expression: 'object.nothing' },
    ],
    validations: [{ expression: 'variables.mine' }, { expression: 'variables.mine || variables.mine' }],
  });
  const answer = evaluated(policy, values({}, new Map([['authorizer', new AuthorizerValue(ask)]])));
  expect([answer, read]).toEqual([{ type: 'judged', findings: [], unnoted: [], notes: [] }, ['asked']]);
});

test('policy evaluation cancels an expression over its cost limit and skips the rest when the budget is spent', () => {
  const items = Array.from({ length: 400 }, (_, index) => index);
  const dear = 'object.items.all(x, object.items.all(y, object.items.all(z, x + y + z >= 0)))';
  const answer = evaluated(policyOf({ validations: Array.from({ length: 30 }, () => ({ expression: dear })) }), values({ items }));
  expect(messages(answer)[0]).toBe(`expression '${dear}' resulted in error: operation cancelled: actual cost limit exceeded`);
  expect(messages(answer).at(-1)).toBe('validation failed due to running out of cost budget, no further validation rules will be run');
  expect(messages(answer).length).toBeLessThan(15);
});

test('policy evaluation waits for an asynchronous authorizer and calls it once for each distinct check', async () => {
  const asked: string[] = [];
  const decisions = new Decisions(
    (user, question) => {
      asked.push(`${user.name} ${question.verb}`);
      return Promise.resolve({ allowed: question.verb === 'get', reason: '' });
    },
    { name: 'u', groups: [] },
  );
  const policy = policyOf({
    validations: [
      { expression: "authorizer.group('').resource('pods').check('get').allowed()" },
      { expression: "authorizer.serviceAccount('n', 'a').path('/x').check('put').allowed()" },
      { expression: "authorizer.group('').resource('pods').check('get').allowed()" },
    ],
  });
  const judged = async (): Promise<PolicyAnswer> => {
    try {
      return evaluated(policy, values({}, new Map([['authorizer', new AuthorizerValue(decisions.ask)]])));
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      await error.answer;
      return judged();
    }
  };
  const answer = await judged();
  expect(asked).toEqual(['u get', 'system:serviceaccount:n:a put']);
  expect(messages(answer)).toEqual(["failed expression: authorizer.serviceAccount('n', 'a').path('/x').check('put').allowed()"]);
});

test('policy evaluation reports a stored expression that does not compile, and ignores it under failurePolicy Ignore', () => {
  const policy = policyOf({ validations: [{ expression: 'no expression at all' }] });
  expect(messages(evaluated(policy, values({})))).toEqual(["expression 'no expression at all' resulted in error: it does not compile"]);
  expect(evaluated(policyOf({ failurePolicy: 'Ignore', validations: [{ expression: '(' }] }), values({}))).toMatchObject({
    findings: [],
  });
});
