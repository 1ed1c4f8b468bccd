import { Decisions, Unanswered } from './decisions';

const question = (name: string) =>
  ({ kind: 'resource', group: '', resource: 'pods', subresource: '', namespace: 'n', name, verb: 'get' }) as const;
const ALLOWED = { allowed: true, reason: 'so it is' };

test('Decisions calls the authorizer once for each check and for at most 256 checks', () => {
  let asked = 0;
  const decisions = new Decisions(() => ((asked += 1), ALLOWED), { name: 'alice', groups: [] });
  for (let round = 0; round < 2; round += 1)
    for (let index = 0; index < 300; index += 1) {
      const answer = decisions.ask(question(String(index)));
      expect(answer).toEqual(index < 256 ? ALLOWED : { allowed: false, reason: '', error: 'more than 256 questions to the authorizer' });
    }
  expect(asked).toBe(256);
});

test('Decisions calls an asynchronous authorizer once and turns its rejection into a denial with an error', async () => {
  const decisions = new Decisions((_user, { verb }) => (verb === 'get' ? Promise.resolve(ALLOWED) : Promise.reject(new Error('gone'))), {
    name: 'alice',
    groups: [],
  });
  const later = async (verb: string): Promise<unknown> => {
    try {
      return decisions.ask({ kind: 'path', path: '/x', verb });
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      await error.answer;
      return decisions.ask({ kind: 'path', path: '/x', verb });
    }
  };
  expect(await later('get')).toEqual(ALLOWED);
  expect(await later('put')).toEqual({ allowed: false, reason: '', error: 'gone' });
});
