/** How often the authorizer is called for the checks of expressions in one request. */
import { AuthorizerDecisions, PendingResult, type AuthorizeCheck } from './authorizer-decisions';

/** A check of access to the pod of this name. */
const podCheck = (name: string) =>
  ({ kind: 'resource', group: '', resource: 'pods', subresource: '', namespace: 'n', name, verb: 'get' }) as const;
const ALLOWED = { allowed: true, reason: 'granted' };

test('AuthorizerDecisions calls the authorizer once for each distinct check', () => {
  const authorize = jest.fn(() => ALLOWED);
  const decisions = new AuthorizerDecisions(authorize, { name: 'alice', groups: [] });
  for (const name of ['a', 'b', 'a', 'b']) expect(decisions.check(podCheck(name))).toEqual(ALLOWED);
  expect(authorize).toHaveBeenCalledTimes(2);
});

test('AuthorizerDecisions denies further checks after 256 distinct ones, with an error', () => {
  const authorize = jest.fn(() => ALLOWED);
  const decisions = new AuthorizerDecisions(authorize, { name: 'alice', groups: [] });
  for (let index = 0; index < 256; index += 1) expect(decisions.check(podCheck(String(index)))).toEqual(ALLOWED);
  expect(decisions.check(podCheck('256'))).toEqual({
    allowed: false,
    reason: '',
    error: 'more than 256 questions to the authorizer',
  });
  // A known decision is still returned.
  expect(decisions.check(podCheck('0'))).toEqual(ALLOWED);
  expect(authorize).toHaveBeenCalledTimes(256);
});

test('AuthorizerDecisions calls an asynchronous authorizer once and turns its rejection into a denial with an error', async () => {
  const authorize = jest.fn<ReturnType<AuthorizeCheck>, Parameters<AuthorizeCheck>>((_user, { verb }) =>
    verb === 'get' ? Promise.resolve(ALLOWED) : Promise.reject(new Error('gone')),
  );
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
  expect(authorize).toHaveBeenCalledTimes(2);
});
