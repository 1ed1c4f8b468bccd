import { AuthorizerDecisions, PendingResult, type AuthorizeCheck } from './authorizer-decisions';

const podCheck = (name: string) =>
  ({ kind: 'resource', group: '', resource: 'pods', subresource: '', namespace: 'n', name, verb: 'get' }) as const;
const ALLOWED = { allowed: true, reason: 'so it is' };

test('AuthorizerDecisions calls the authorizer once for each check and for at most 256 checks', () => {
  let calls = 0;
  const decisions = new AuthorizerDecisions(() => ((calls += 1), ALLOWED), { name: 'alice', groups: [] });
  for (let round = 0; round < 2; round += 1)
    for (let index = 0; index < 300; index += 1) {
      const decision = decisions.check(podCheck(String(index)));
      expect(decision).toEqual(index < 256 ? ALLOWED : { allowed: false, reason: '', error: 'more than 256 questions to the authorizer' });
    }
  expect(calls).toBe(256);
});

test('AuthorizerDecisions calls an asynchronous authorizer once and turns its rejection into a denial with an error', async () => {
  let calls = 0;
  const authorize: AuthorizeCheck = (_user, { verb }) => {
    calls += 1;
    return verb === 'get' ? Promise.resolve(ALLOWED) : Promise.reject(new Error('gone'));
  };
  const decisions = new AuthorizerDecisions(authorize, { name: 'alice', groups: [] });
  const checkWhenReady = async (verb: string): Promise<unknown> => {
    try {
      return decisions.check({ kind: 'path', path: '/x', verb });
    } catch (error) {
      if (!(error instanceof PendingResult)) throw error;
      await error.ready;
      return decisions.check({ kind: 'path', path: '/x', verb });
    }
  };
  expect(await checkWhenReady('get')).toEqual(ALLOWED);
  expect(await checkWhenReady('put')).toEqual({ allowed: false, reason: '', error: 'gone' });
  // One call for each verb.
  expect(calls).toBe(2);
});
