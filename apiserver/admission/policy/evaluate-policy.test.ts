/** The evaluation of one policy: variables, cost limits, the authorizer, and expressions that do not compile. */
import type { Value } from '../../../shared/expression/engine';
import { untypedValue } from '../../../shared/expression/untyped-json';
import { AuthorizerValue, type AuthorizationDecision } from '../../../shared/expression/library/authorizer';
import type { JsonObject } from '../../../shared/values/json';
import { AuthorizerDecisions, PendingResult } from '../webhook/authorizer-decisions';
import { evaluatePolicy, type PolicyResult } from './evaluate-policy';
import { AdmissionPolicies, type AdmissionPolicy } from './admission-policies';

/** The compiled policy with this spec. */
function policyOf(spec: JsonObject): AdmissionPolicy {
  const policies = new AdmissionPolicies();
  policies.setPolicy('p', { spec });
  policies.setBinding('b', { spec: { policyName: 'p', validationActions: ['Deny'] } });
  const [bound] = policies.bound();
  if (bound === undefined) throw new Error('the policy is not bound');
  return bound.policy;
}

/** The variables of a request to create `object`. */
const values = (object: JsonObject, extra: ReadonlyMap<string, Value> = new Map()): ReadonlyMap<string, Value> =>
  new Map<string, Value>([
    ['object', untypedValue(object)],
    ['oldObject', null],
    ['namespaceObject', null],
    ['request', untypedValue({})],
    ...extra,
  ]);

/** The result, without pauses between the expressions. */
function evaluateToEnd(policy: AdmissionPolicy, variables: ReadonlyMap<string, Value>): PolicyResult {
  const steps = evaluatePolicy(policy, variables);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The messages of the violations. */
const messages = (result: PolicyResult): readonly string[] =>
  result.type === 'evaluated' ? result.violations.map(({ message }) => message) : [];

describe('evaluatePolicy', () => {
  it('evaluates a variable at its first read and only once', () => {
    const checks: string[] = [];
    const authorize = (): AuthorizationDecision => {
      checks.push('called');
      return { allowed: true, reason: '' };
    };
    const policy = policyOf({
      variables: [
        { name: 'mine', expression: "authorizer.path('/x').check('get').allowed()" },
        { name: 'unread', expression: 'object.nothing' },
      ],
      validations: [{ expression: 'variables.mine' }, { expression: 'variables.mine || variables.mine' }],
    });
    const result = evaluateToEnd(policy, values({}, new Map([['authorizer', new AuthorizerValue(authorize)]])));
    expect(result).toEqual({ type: 'evaluated', violations: [], annotationErrors: [], auditAnnotations: [] });
    expect(checks).toEqual(['called']);
  });

  it('cancels an expression over its cost limit and skips the rest when the budget is spent', () => {
    const items = Array.from({ length: 400 }, (_, index) => index);
    const expensive = 'object.items.all(x, object.items.all(y, object.items.all(z, x + y + z >= 0)))';
    const result = evaluateToEnd(
      policyOf({ validations: Array.from({ length: 30 }, () => ({ expression: expensive })) }),
      values({ items }),
    );
    // Each expression is cancelled at a cost of 1 million, and the budget is 10 million.
    const [firstMessage] = messages(result);
    expect(firstMessage).toBe(`expression '${expensive}' resulted in error: operation cancelled: actual cost limit exceeded`);
    expect(messages(result).at(-1)).toBe('validation failed due to running out of cost budget, no further validation rules will be run');
    expect(messages(result).length).toBeLessThan(15);
  });

  it('waits for an asynchronous authorizer and calls it once for each distinct check', async () => {
    const checks: string[] = [];
    const decisions = new AuthorizerDecisions(
      (user, { verb }) => {
        checks.push(`${user.name} ${verb}`);
        return Promise.resolve({ allowed: verb === 'get', reason: '' });
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
    const evaluateWhenReady = async (): Promise<PolicyResult> => {
      try {
        return evaluateToEnd(policy, values({}, new Map([['authorizer', new AuthorizerValue(decisions.check)]])));
      } catch (error) {
        if (!(error instanceof PendingResult)) throw error;
        await error.ready;
        return evaluateWhenReady();
      }
    };
    const result = await evaluateWhenReady();
    expect(checks).toEqual(['u get', 'system:serviceaccount:n:a put']);
    expect(messages(result)).toEqual(["failed expression: authorizer.serviceAccount('n', 'a').path('/x').check('put').allowed()"]);
  });

  it('reports a stored expression that does not compile', () => {
    const policy = policyOf({ validations: [{ expression: 'no expression at all' }] });
    expect(messages(evaluateToEnd(policy, values({})))).toEqual([
      "expression 'no expression at all' resulted in error: it does not compile",
    ]);
  });

  it('ignores a stored expression that does not compile under failurePolicy Ignore', () => {
    expect(evaluateToEnd(policyOf({ failurePolicy: 'Ignore', validations: [{ expression: '(' }] }), values({}))).toMatchObject({
      violations: [],
    });
  });
});
